"""Numba, where it is there: the only module that knows it. Without it kernels run as they are.

The options are those that measured best, by far: without reference counts and with everything hot
in one piece, a tree is thirty times as fast as with the defaults. `_nrt` is private, so the extra
`kernels` names one version of Numba exactly, and benchmarks/kernels.py would notice.
"""

# What Numba exports has no types, so:
# pyright: reportUnknownVariableType=false

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import Protocol, TypeVar

from muntin.kernels import binding

C = TypeVar("C", bound=Callable[..., object])

COMPILED = find_spec("numba") is not None and os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
"""Whether kernels are compiled in this process."""


class Decorator(Protocol):
    """What takes a function and returns it, compiled."""

    def __call__(self, function: C, /) -> C:
        """Return the function, compiled."""
        ...


def version() -> str:
    """Return what compiled code depends on, beside its source."""
    if not COMPILED:
        return "uncompiled"
    import numba  # noqa: PLC0415 - it is an extra
    import numpy as np  # noqa: PLC0415 - it is an extra

    return f"numba {numba.__version__}, numpy {np.__version__}"


def _njit(*, inline: bool, cache: bool, any_order: bool = False) -> Decorator:
    import numba  # noqa: PLC0415 - it is an extra

    options = {"_nrt": False, "forceinline": inline, "cache": cache, "error_model": "numpy"}
    if any_order:
        options |= {"fastmath": {"reassoc", "nsz"}}
    decorator: Decorator = numba.njit(**options)  # type: ignore[call-overload] # _nrt is private
    return decorator


def _integers() -> tuple[Callable[[int], int], Callable[[int], int]]:
    import numpy as np  # noqa: PLC0415 - it is an extra

    return np.uint64, np.int64  # type: ignore[return-value] # integers, to a kernel


def _trailing_zeros() -> Callable[[int], int]:
    from numba.cpython.unsafe.numbers import trailing_zeros  # noqa: PLC0415 - it is an extra

    def places(mask: int) -> int:
        found: int = trailing_zeros(mask)  # type: ignore[call-arg] # it is an intrinsic
        return found

    return _njit(inline=True, cache=False)(places)


# `any_order` is a kernel that may add floats in any order, as vectors do; nothing else is relaxed.
if COMPILED:
    inlined = _njit(inline=True, cache=False)
    outlined = _njit(inline=False, cache=False)
    kernel = _njit(inline=False, cache=True)
    any_order = _njit(inline=False, cache=True, any_order=True)
    (unsigned, signed), trailing_zeros = _integers(), _trailing_zeros()
else:
    inlined, outlined, kernel = binding.inlined, binding.outlined, binding.kernel
    any_order = binding.kernel
    unsigned, signed = binding.unsigned, binding.signed
    trailing_zeros = binding.trailing_zeros
