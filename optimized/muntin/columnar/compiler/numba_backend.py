"""Kernels compiled by Numba. Of Numba, only what its manual documents is used.

Together with `numba_columns` the only module of the columnar engine that imports Numba.
"""

# Numba has no type annotations, so:
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownParameterType=false

from collections.abc import Callable
from inspect import signature
from typing import NamedTuple, Protocol

import numba
from numba import types
from numba.extending import overload

from muntin.columnar.compiler import numba_columns as columns

OPTIONS = {"error_model": "numpy"}


class Function(Protocol):
    """A function that kernels call."""

    __name__: str
    py_func: Callable[..., object]


def _lacks(t, place):  # noqa: ANN001, ANN202 - Numba infers types
    if t[2 * place] != 0:
        return False
    t[2 * place + 1] = 1
    return True


def _register(
    helper: Function, function: Callable[..., object], options: dict[str, object]
) -> None:
    def implementation(*_: object) -> object:
        return function

    vars(implementation)["__signature__"] = signature(function)
    overload(helper, jit_options={**OPTIONS, **options})(implementation)


def register_helper(helper: Function, *, inline: bool, any_order: bool) -> None:
    """Let kernels call a function, which becomes part of them, or may add floats in any order."""
    reordered = {"fastmath": {"reassoc", "nsz"}} if any_order else {}
    _register(helper, helper.py_func, {"forceinline": inline, **reordered})


def register_primitive(helper: Function) -> None:
    """Let kernels call a function on the directory."""
    if helper.__name__ == "lacks":
        _register(helper, _lacks, {"forceinline": True})
    elif helper.__name__ == "set_address":
        columns.register_set_address(helper)
    elif helper.__name__ == "call":
        columns.register_call(helper, 3)
    else:
        columns.register_column(helper, columns.COLUMNS[helper.__name__])


def register_link(helper: Function, place: int, words: int) -> None:
    """Let kernels call one whose address the directory has at a place."""
    columns.register_call(helper, words, place)


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
    kind = types.int64(columns.DIRECTORY, *[types.int64] * words)
    return Compiled(numba.cfunc(kind, **OPTIONS)(function))
