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


def register_helper(helper: Function, *, inline: bool, any_order: bool) -> None:
    """Let kernels call a function, which becomes part of them, or may add floats in any order."""
    options = {**OPTIONS, "forceinline": inline}
    if any_order:
        options["fastmath"] = {"reassoc", "nsz"}

    def implementation(*_: object) -> object:
        return helper.py_func

    vars(implementation)["__signature__"] = signature(helper.py_func)
    overload(helper, jit_options=options)(implementation)


def register_primitive(helper: Function) -> None:
    """Let kernels call a function on the directory."""
    if helper.__name__ == "lacks":
        columns.register_lacks(helper)
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
