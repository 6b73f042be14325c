"""Kernels compiled by Numba. Of Numba, only what its manual documents is used.

Together with `numba_columns` the only module of the columnar engine that imports Numba.
"""

# Numba has no type annotations, so:
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownParameterType=false

from collections.abc import Callable
from importlib import import_module
from inspect import signature
from typing import NamedTuple, Protocol

from numba import types

from muntin.columnar.compiler import numba_columns as columns

overload: Callable[..., Callable[[Callable[..., object]], object]]
overload = import_module("numba.extending").overload
cfunc: "Callable[..., Callable[[Callable[..., object]], Callback]]" = import_module("numba").cfunc


class Function(Protocol):
    """A function that kernels call."""

    __name__: str
    py_func: Callable[..., object]

    def __call__(self, *arguments: object) -> object:
        """Run the function, interpreted."""
        ...


def register_helper(helper: Function, *, inline: bool, any_order: bool) -> None:
    """Let kernels call a function, which becomes part of them, or may add floats in any order."""
    options: dict[str, object] = {
        "error_model": "numpy",
        "forceinline": inline,
        "no_cfunc_wrapper": True,
        "no_cpython_wrapper": True,
        "no_rewrites": True,
    }
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


class Callback(Protocol):
    """A compiled function as Numba documents it."""

    address: int
    native_name: str

    def inspect_llvm(self) -> str:
        """The module of LLVM."""
        ...


class Compiled(NamedTuple):
    """A kernel that Numba has compiled."""

    code: Callback

    @property
    def address(self) -> int:
        """Where the code is in this process."""
        return self.code.address

    @property
    def symbol(self) -> str:
        """Its name in the text."""
        return self.code.native_name

    @property
    def text(self) -> str:
        """The module of LLVM that has the code."""
        return self.code.inspect_llvm()


def compile_kernel(function: Callable[..., object], words: int) -> Compiled:
    """Compile a kernel of the directory and integers."""
    word: Callable[..., object] = types.int64
    kind = word(columns.DIRECTORY, *[word] * words)
    return Compiled(cfunc(kind, error_model="numpy")(function))
