"""Functions compiled into kernels have no entry for Python: a call raises, and ends no process."""

import ast
from pathlib import Path

import pytest

from muntin.kernels.compiler import availability, jit

PACKAGE = Path(jit.__file__).parents[2]
PUBLIC = {"numba", "numba.extending", "llvmlite.binding", "llvmlite.ir"}
"""Modules of the compiler whose content its manual documents."""


def doubled(number: int) -> int:
    return 2 * number


def test_what_only_kernels_call_is_refused_to_python() -> None:
    for decorator in (jit.inlined, jit.outlined):
        compiled = decorator(doubled)
        if not availability.COMPILED:
            assert compiled(3) == 6
            continue
        with pytest.raises(TypeError, match="doubled has no entry for Python"):
            compiled(3)


def compiler_names(tree: ast.Module) -> set[str]:
    """The modules of Numba and llvmlite that a source names in an import or a string."""
    named = [
        *(alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names),
        *(n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)),
        *(str(n.value) for n in ast.walk(tree) if isinstance(n, ast.Constant)),
    ]
    return {
        name for name in named if name.split(".")[0] in {"numba", "llvmlite"} and " " not in name
    }


def test_nothing_private_of_the_compiler_is_imported() -> None:
    sources = [ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))]
    names = set[str]().union(*map(compiler_names, sources))
    assert names - {"numba", "llvmlite"} == PUBLIC - {"numba"}
    strings = {n.value for s in sources for n in ast.walk(s) if isinstance(n, ast.Constant)}
    assert "_nrt" not in strings
