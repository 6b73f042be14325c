"""Functions compiled into kernels have no entry for Python: a call raises, and ends no process."""

import pickle

import pytest

from muntin.kernels.compiler import jit


def doubled(number: int) -> int:
    return 2 * number


def test_what_only_kernels_call_is_refused_to_python() -> None:
    for decorator in (jit.inlined, jit.outlined):
        compiled = decorator(doubled)
        if not jit.COMPILED:
            assert compiled(3) == 6
            continue
        for _ in range(2):
            with pytest.raises(TypeError, match="doubled has no entry for Python"):
                compiled(3)
            with pytest.raises(TypeError, match="doubled has no entry for Python"):
                pickle.dumps(compiled)  # the copy would lack the refusal
            getattr(compiled, "compile")("(int64,)")  # noqa: B009 - Numba's, as a kernel asks it
