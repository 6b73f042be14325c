"""The options of Numba. Without Numba kernels are interpreted.

The options measured best by far: without reference counts and with all hot code inlined, a tree is
thirty times as fast as with the defaults. `_nrt` is private, so the extra `kernels` pins one
version of Numba exactly, and benchmarks/kernels.py would notice a change.
"""

# Numba has no type annotations, so:
# pyright: reportUnknownVariableType=false

import gc
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple, Protocol, TypeVar

from muntin.kernels.compiler import kernel_api as binding

C = TypeVar("C", bound=Callable[..., object])

COMPILED = find_spec("numba") is not None and os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
"""Whether kernels are compiled in this process."""


@contextmanager
def gc_paused() -> Generator[None]:
    """Pause garbage collection while code is loaded: a first answer comes a tenth sooner.

    Thousands of objects are made, and all of them stay.

    >>> with gc_paused():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Decorator(Protocol):
    """A decorator that compiles a function."""

    def __call__(self, function: C, /) -> C:
        """The compiled function."""
        ...


def compiler_version() -> str:
    """The versions that compiled code depends on, besides its source."""
    if not COMPILED:
        return "uncompiled"
    import numba  # noqa: PLC0415 - it is an extra
    import numpy as np  # noqa: PLC0415 - it is an extra

    return f"numba {numba.__version__}, numpy {np.__version__}"


def _njit(*, inline: bool, cache: bool, any_order: bool = False) -> Decorator:
    import numba  # noqa: PLC0415 - it is an extra

    options = {"_nrt": False, "forceinline": inline, "cache": cache, "error_model": "numpy"}
    options |= {"no_cfunc_wrapper": True, "no_cpython_wrapper": not cache}
    if any_order:
        options |= {"fastmath": {"reassoc", "nsz"}}
    decorator: Decorator = numba.njit(**options)  # type: ignore[call-overload] # _nrt is private
    return decorator if cache else _WithoutEntry(decorator)


class _WithoutEntry(NamedTuple):
    """Compiles functions that only kernels call, without an entry for Python.

    An entry would be one more copy of all inlined code to compile. Calls from Python are refused.
    """

    decorator: Decorator

    def __call__(self, function: C, /) -> C:
        """The compiled function."""

        def refused(*_: object, **__: object) -> None:
            raise TypeError(f"{function.__name__} has no entry for Python; call it from a kernel")

        def register_nothing(*_: object) -> None:
            """Keep no dispatch entry, since Python never calls the function."""

        compiled = self.decorator(function)
        vars(compiled).update(
            _compile_for_args=refused, _insert=register_nothing, _reduce_states=refused
        )
        return compiled


def _integers() -> tuple[Callable[[int], int], Callable[[int], int]]:
    import numpy as np  # noqa: PLC0415 - it is an extra

    return np.uint64, np.int64  # type: ignore[return-value] # integers, to a kernel


def _load_function_registry() -> None:
    """Load the type signatures of Numba now, and not with the first kernel."""
    target = import_module("numba.core.registry").cpu_target
    target.typing_context.refresh()
    target.target_context.refresh()


# `fastmath_kernel` may add floats in any order, as vector units do; nothing else is relaxed.
if COMPILED:
    with gc_paused():
        inlined = _njit(inline=True, cache=False)
        outlined = _njit(inline=False, cache=False)
        kernel = _njit(inline=False, cache=True)
        fastmath_kernel = _njit(inline=False, cache=True, any_order=True)
        unsigned, signed = _integers()
        _load_function_registry()
else:
    inlined, outlined, kernel = binding.inlined, binding.outlined, binding.kernel
    fastmath_kernel = binding.kernel
    unsigned, signed = binding.unsigned, binding.signed
