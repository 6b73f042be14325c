"""Kernels compiled by Numba, and what they are given instead of the functions that Python calls.

The only module of the columnar engine that imports Numba, and only what its manual documents.
"""

# Numba has no type annotations, so:
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownParameterType=false

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, typeof_impl

from muntin.columnar.compiler.array_layout import DATA_OFFSET

WORD, REAL = ir.IntType(64), ir.DoubleType()
DIRECTORY = types.CPointer(types.int64)
OPTIONS = {"error_model": "numpy"}


def _pointer_to(item: object, llvm_type: object) -> Callable[..., object]:
    @intrinsic
    def pointer(_: object, address: object) -> object:
        def generate(_c: object, builder: object, _s: object, values: list[object]) -> object:
            return builder.inttoptr(values[0], llvm_type.as_pointer())

        return types.CPointer(item)(types.int64), generate

    return pointer


_int_pointer = _pointer_to(types.int64, WORD)
_float_pointer = _pointer_to(types.float64, REAL)


def _generate_call(_: object, builder: object, _s: object, values: list[object]) -> object:
    kind = ir.FunctionType(WORD, [WORD.as_pointer(), *[WORD] * (len(values) - 2)])
    return builder.call(builder.inttoptr(values[0], kind.as_pointer()), values[1:])


def _signature(words: int) -> object:
    return types.int64(types.int64, DIRECTORY, *[types.int64] * words)


@intrinsic
def _call_0(_: object, function: object, t: object) -> object:
    return _signature(0), _generate_call


@intrinsic
def _call_1(_: object, function: object, t: object, a: object) -> object:
    return _signature(1), _generate_call


@intrinsic
def _call_2(_: object, function: object, t: object, a: object, b: object) -> object:
    return _signature(2), _generate_call


@intrinsic
def _call_3(_: object, function: object, t: object, a: object, b: object, c: object) -> object:
    return _signature(3), _generate_call


def link(place: int, words: int) -> object:
    """A function that calls the kernel whose address the directory has at a place."""

    def call_0(t):  # noqa: ANN001, ANN202 - Numba infers types
        return _call_0(t[2 * place], t)

    def call_1(t, a):  # noqa: ANN001, ANN202 - Numba infers types
        return _call_1(t[2 * place], t, a)

    def call_2(t, a, b):  # noqa: ANN001, ANN202 - Numba infers types
        return _call_2(t[2 * place], t, a, b)

    def call_3(t, a, b, c):  # noqa: ANN001, ANN202 - Numba infers types
        return _call_3(t[2 * place], t, a, b, c)

    return jit((call_0, call_1, call_2, call_3)[words], inline=True)


def jit(function: Callable[..., object], *, inline: bool, any_order: bool = False) -> object:
    """A function that kernels call."""
    reordered = {"fastmath": {"reassoc", "nsz"}} if any_order else {}
    return numba.njit(forceinline=inline, **OPTIONS, **reordered)(function)


def _ints(t, place):  # noqa: ANN001, ANN202 - Numba infers types
    return numba.carray(_int_pointer(t[2 * place]), (t[2 * place + 1],))


def _floats(t, place):  # noqa: ANN001, ANN202 - Numba infers types
    return numba.carray(_float_pointer(t[2 * place]), (t[2 * place + 1],))


def _set_address(t, place, object_address, n):  # noqa: ANN001, ANN202 - Numba infers types
    t[2 * place] = _int_pointer(object_address + DATA_OFFSET)[0]
    t[2 * place + 1] = n


def _call(function, t, a, b, c):  # noqa: ANN001, ANN202 - Numba infers types
    return _call_3(function, t, a, b, c)


def _lacks(t, place):  # noqa: ANN001, ANN202 - Numba infers types
    if t[2 * place] != 0:
        return False
    t[2 * place + 1] = 1
    return True


PRIMITIVES = {
    "call": _call, "floats": _floats, "ints": _ints, "lacks": _lacks, "set_address": _set_address,
}  # fmt: skip


@cache
def primitive(name: str) -> object:
    """A function on the directory, by its name."""
    return jit(PRIMITIVES[name], inline=True)


def register(helper_type: type) -> None:
    """Let kernels call helpers, which are compiled when a kernel that calls them is."""

    @typeof_impl.register(helper_type)
    def typeof_helper(helper: object, _: object) -> object:
        return numba.typeof(helper.compiled)


class Compiled(NamedTuple):
    """A kernel that Numba has compiled."""

    code: object

    @property
    def address(self) -> int:
        """Where the code is in this process."""
        return int(self.code.address)

    @property
    def symbol(self) -> str:
        """Its name in the text."""
        return str(self.code.native_name)

    @property
    def text(self) -> str:
        """The module of LLVM that has the code."""
        return str(self.code.inspect_llvm())


def compile_kernel(function: Callable[..., object], words: int) -> Compiled:
    """Compile a kernel of the directory and so many integers."""
    signature = types.int64(DIRECTORY, *[types.int64] * words)
    return Compiled(numba.cfunc(signature, **OPTIONS)(function))
