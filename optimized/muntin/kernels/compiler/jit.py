"""Numba, by what its manual documents. Without Numba kernels are interpreted.

Helpers become part of the kernels that call them: kernels read tables of addresses (`tables`),
which have no owner, so no reference is counted. A helper has no entry for Python, which would be
one more copy of all inlined code to compile.
"""

# Numba has no type annotations, so:
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false

from collections.abc import Callable
from importlib import import_module
from inspect import signature
from typing import Protocol, TypeVar

from muntin.kernels.compiler import kernel_api as binding
from muntin.kernels.compiler.availability import COMPILED, gc_paused

C = TypeVar("C", bound=Callable[..., object])


class Decorator(Protocol):
    """A decorator that compiles a function."""

    def __call__(self, function: C, /) -> C:
        """The compiled function."""
        ...


def _kernel() -> Decorator:
    import numba  # noqa: PLC0415 - it is an extra

    decorator: Decorator = numba.njit(cache=True, error_model="numpy")  # type: ignore[assignment] # what it returns can be called alike
    return decorator


def _helper(*, inline: bool) -> Decorator:
    overload = import_module("numba.extending").overload
    options = {"error_model": "numpy", "forceinline": inline}

    def decorate(function: C) -> C:
        def helper(*_: object, **__: object) -> None:
            raise TypeError(f"{function.__name__} has no entry for Python; call it from a kernel")

        def implementation(*_: object) -> object:
            return function

        vars(implementation)["__signature__"] = signature(function)
        overload(helper, jit_options=options)(implementation)
        return helper  # type: ignore[return-value] # to a kernel it is the function

    return decorate


def _integers() -> tuple[Callable[[int], int], Callable[[int], int]]:
    import numpy as np  # noqa: PLC0415 - it is an extra

    return np.uint64, np.int64  # type: ignore[return-value] # integers, to a kernel


if COMPILED:
    with gc_paused():
        inlined, outlined, kernel = _helper(inline=True), _helper(inline=False), _kernel()
        unsigned, signed = _integers()
else:
    inlined, outlined, kernel = binding.inlined, binding.outlined, binding.kernel
    unsigned, signed = binding.unsigned, binding.signed
