"""Numba, where it is there: the only module that knows it. Without it kernels run as they are.

The options are those that measured best, by far: without reference counts and with everything hot
in one piece, a tree is thirty times as fast as with the defaults. `_nrt` is private, so the extra
`kernels` names one version of Numba exactly, and benchmarks/kernels.py would notice.
"""

# What Numba exports has no types, so:
# pyright: reportUnknownVariableType=false

import gc
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple, Protocol, TypeVar

from muntin.kernels.compiler import kernel_api as binding

C = TypeVar("C", bound=Callable[..., object])

CACHE_LINE = 64
"""Bytes that come at once from memory, on all that muntin is likely to run on."""

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
    """What takes a function and returns it, compiled."""

    def __call__(self, function: C, /) -> C:
        """Return the function, compiled."""
        ...


class _Array(Protocol):
    shape: tuple[int, int]
    itemsize: int


class _Context(Protocol):
    def make_array(self, kind: object) -> Callable[..., object]: ...
    def get_dummy_value(self) -> object: ...


class _Builder(Protocol):
    module: object

    def bitcast(self, value: object, kind: object) -> object: ...
    def call(self, function: object, arguments: Sequence[object]) -> object: ...


class _Signature(Protocol):
    args: Sequence[object]


def compiler_version() -> str:
    """Return what compiled code depends on, beside its source."""
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
    """Compiles what only kernels call. Python would run into nothing, so its calls are refused.

    An entry is one more copy of all that is inlined, which takes its time to compile.
    """

    decorator: Decorator

    def __call__(self, function: C, /) -> C:
        """Return the function, compiled."""

        def refused(*_: object, **__: object) -> None:
            raise TypeError(f"{function.__name__} is called by kernels only, and not from Python")

        def unknown(*_: object) -> None:
            """Keep an entry from Python: there is none."""

        compiled = self.decorator(function)
        vars(compiled).update(_compile_for_args=refused, _insert=unknown, _reduce_states=refused)
        return compiled


def _integers() -> tuple[Callable[[int], int], Callable[[int], int]]:
    import numpy as np  # noqa: PLC0415 - it is an extra

    return np.uint64, np.int64  # type: ignore[return-value] # integers, to a kernel


def _trailing_zeros() -> Callable[[int], int]:
    from numba.cpython.unsafe.numbers import trailing_zeros  # noqa: PLC0415 - it is an extra

    def places(mask: int) -> int:
        found: int = trailing_zeros(mask)  # type: ignore[call-arg] # it is an intrinsic
        return found

    return _njit(inline=True, cache=False)(places)


def _prefetch_line() -> Callable[[_Array, int, int], None]:
    """Return what asks for the line of memory that an item of an array lies in."""
    ir, cgutils = import_module("llvmlite.ir"), import_module("numba.core.cgutils")
    byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
    given = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
    to_read_soon = [ir.Constant(word, how) for how in (0, 3, 1)]

    def generate(
        context: _Context, builder: _Builder, signature: _Signature, values: Sequence[object]
    ) -> object:
        kind = signature.args[0]
        array = context.make_array(kind)(context, builder, values[0])
        at = cgutils.get_item_pointer(context, builder, kind, array, values[1:])
        call = cgutils.get_or_insert_function(builder.module, given, "llvm.prefetch.p0i8")
        builder.call(call, [builder.bitcast(at, byte), *to_read_soon])
        return context.get_dummy_value()

    def line(_: object, rows: object, row: object, at: object) -> tuple[object, object]:
        return import_module("numba.core.types").void(rows, row, at), generate

    found: Callable[[_Array, int, int], None] = import_module("numba.extending").intrinsic(line)
    return found


def _fetch() -> Callable[[object, int], None]:
    fetch_line = _prefetch_line()

    def whole(rows: _Array, row: int) -> None:
        for at in range(0, rows.shape[1], max(1, CACHE_LINE // rows.itemsize)):
            fetch_line(rows, row, at)

    return _njit(inline=True, cache=False)(whole)  # type: ignore[return-value] # arrays, to kernels


def _load_function_registry() -> None:
    """Let Numba load what it knows of functions now, and not with the first kernel."""
    target = import_module("numba.core.registry").cpu_target
    target.typing_context.refresh()
    target.target_context.refresh()


# `any_order` is a kernel that may add floats in any order, as vectors do; nothing else is relaxed.
if COMPILED:
    with gc_paused():
        inlined = _njit(inline=True, cache=False)
        outlined = _njit(inline=False, cache=False)
        kernel = _njit(inline=False, cache=True)
        fastmath_kernel = _njit(inline=False, cache=True, any_order=True)
        (unsigned, signed), trailing_zeros, fetch = _integers(), _trailing_zeros(), _fetch()
        _load_function_registry()
else:
    inlined, outlined, kernel = binding.inlined, binding.outlined, binding.kernel
    fastmath_kernel = binding.kernel
    unsigned, signed = binding.unsigned, binding.signed
    trailing_zeros, fetch = binding.trailing_zeros, binding.fetch
