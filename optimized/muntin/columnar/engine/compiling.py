"""The only module of the engine that imports Numba. Without Numba all kernels are interpreted.

A kernel gets one argument, the directory: it reads an array by its place there. Compiled, that is
an address, so arrays have no owner for Numba to count, each kernel has one signature, and a call
from Python takes a tenth of a microsecond. Partials are added, merged and copied by pointers to
functions that lie in the state, so no kernel is specialized to a set of aggregates.
"""

# Numba has no type annotations, so:
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false

import ctypes
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Concatenate, Generic, ParamSpec, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from muntin.kernels.compiler.jit import COMPILED, gc_paused
from muntin.spec.errors import UnsupportedError

if TYPE_CHECKING:
    from muntin.columnar.engine.directory import Directory

P = ParamSpec("P")
R = TypeVar("R")
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
PartKernel = Callable[["Directory", int, int, int], int]


def _data_offset() -> int:
    """Where an array object of NumPy has the address of its data (`PyArrayObject_fields.data`)."""
    probe = np.zeros(1, np.int64)
    for offset in range(8, 128, 8):
        if ctypes.c_void_p.from_address(id(probe) + offset).value == probe.ctypes.data:
            return offset
    raise UnsupportedError("arrays of this NumPy have no address of data; use CPython")


DATA_OFFSET = _data_offset()

if COMPILED:
    with gc_paused():
        import numba
        from llvmlite import ir
        from numba import types
        from numba.extending import intrinsic

        WORD, REAL = ir.IntType(64), ir.DoubleType()
        DIRECTORY = types.CPointer(types.int64)

        def _pointer_to(item: object, llvm_type: object) -> Callable[..., object]:
            @intrinsic
            def pointer(_: object, address: object) -> object:
                def generate(
                    _c: object, builder: object, _s: object, values: list[object]
                ) -> object:
                    return builder.inttoptr(values[0], llvm_type.as_pointer())

                return types.CPointer(item)(types.int64), generate

            return pointer

        _int_pointer = _pointer_to(types.int64, WORD)
        _float_pointer = _pointer_to(types.float64, REAL)

        @intrinsic
        def call(
            _: object, function: object, t: object, part: object, to: object, origin: object
        ) -> object:
            def generate(_c: object, builder: object, _s: object, values: list[object]) -> object:
                kind = ir.FunctionType(WORD, [WORD.as_pointer(), WORD, WORD, WORD])
                return builder.call(builder.inttoptr(values[0], kind.as_pointer()), values[1:])

            word = types.int64
            return word(word, DIRECTORY, word, word, word), generate

        _OPTIONS = {"error_model": "numpy"}
        _REORDERED = {**_OPTIONS, "fastmath": {"reassoc", "nsz"}}

        def inlined(function: Callable[P, R]) -> Callable[P, R]:
            """A function that kernels call, and that becomes part of them."""
            return numba.njit(forceinline=True, **_OPTIONS)(function)

        def outlined(function: Callable[P, R]) -> Callable[P, R]:
            """A function that kernels call."""
            return numba.njit(**_OPTIONS)(function)

        def reordered(function: Callable[P, R]) -> Callable[P, R]:
            """A function that kernels call, in which floats are added in any order."""
            return numba.njit(**_REORDERED)(function)

        @inlined
        def ints(t: "Directory", place: int) -> Ints:
            """The array of integers at a place."""
            return numba.carray(_int_pointer(t[2 * place]), (t[2 * place + 1],))

        @inlined
        def floats(t: "Directory", place: int) -> Floats:
            """The array of floats at a place."""
            return numba.carray(_float_pointer(t[2 * place]), (t[2 * place + 1],))
        @inlined
        def set_address(t: "Directory", place: int, object_address: int, n: int) -> None:
            """Write where the data of an array object lie, and how many items they are."""
            t[2 * place] = _int_pointer(object_address + DATA_OFFSET)[0]
            t[2 * place + 1] = n

        words = ints
else:

    def set_address(t: "Directory", place: int, object_address: int, n: int) -> None:
        """Do nothing: the directory has the array itself."""

    def inlined(function: Callable[P, R]) -> Callable[P, R]:
        """The function itself."""
        return function

    outlined = reordered = inlined

    def ints(t: "Directory", place: int) -> Ints:
        """The array of integers at a place."""
        return t.arrays[place]

    def floats(t: "Directory", place: int) -> Floats:
        """The array of floats at a place."""
        return t.arrays[place]

    def words(t: "Directory", place: int) -> Ints:
        """The array at a place, floats by their bits."""
        return t.arrays[place].view(np.int64)

    def call(function: int, t: "Directory", part: int, to: int, origin: int) -> int:
        """Call a kernel of partials."""
        return PART_KERNELS[function](t, part, to, origin)


PART_KERNELS: list[PartKernel] = []
"""The kernels of partials that have a number, where nothing is compiled."""


class Phase(Generic[P]):
    """A kernel that Python calls with the directory and integers; compiled at its first call."""

    def __init__(self, function: Callable[Concatenate["Directory", P], int]) -> None:
        """Compile nothing yet."""
        self.function = getattr(function, "py_func", function)  # without the wrapper of Numba

    @cached_property
    def entry(self) -> Callable[..., int]:
        """The compiled function, which takes the address of a directory."""
        with gc_paused():
            n = self.function.__code__.co_argcount - 1
            kind = types.int64(DIRECTORY, *[types.int64] * n)
            self._code = numba.cfunc(kind, cache=True, **_OPTIONS)(self.function)
        words = [ctypes.c_int64] * n
        return ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, *words)(self._code.address)

    def __call__(self, directory: "Directory", *numbers: P.args, **_: P.kwargs) -> int:
        """Run the kernel."""
        if COMPILED:
            return self.entry(directory.address, *numbers)
        return int(self.function(directory, *numbers))


class PartPhase:
    """A kernel of partials, which other kernels call by its address."""

    def __init__(self, function: PartKernel) -> None:
        """Compile nothing yet."""
        self.function = getattr(function, "py_func", function)  # without the wrapper of Numba

    @cached_property
    def address(self) -> int:
        """What the state holds to have the kernel called."""
        if not COMPILED:
            PART_KERNELS.append(self.function)
            return len(PART_KERNELS) - 1
        word = types.int64
        with gc_paused():
            self._code = numba.cfunc(word(DIRECTORY, word, word, word), cache=True, **_OPTIONS)(
                self.function
            )
        return int(self._code.address)


DIRECTORIES: "WeakValueDictionary[int, Directory]" = WeakValueDictionary()
"""The directories by their addresses, for kernels that are functions of Python."""


class CallbackPhase:
    """A kernel of partials that stays a function of Python, which compiled kernels call."""

    def __init__(self, function: PartKernel) -> None:
        """Give it no address yet."""
        self.function = function

    @cached_property
    def address(self) -> int:
        """What the state holds to have the function called."""
        if not COMPILED:
            PART_KERNELS.append(self.function)
            return len(PART_KERNELS) - 1
        word = ctypes.c_int64
        self._code = ctypes.CFUNCTYPE(word, ctypes.c_void_p, word, word, word)(self._run)
        return ctypes.cast(self._code, ctypes.c_void_p).value or 0

    def _run(self, address: int, part: int, to: int, origin: int) -> int:
        """Call the function; what it raises the engine raises when the step is done."""
        directory = DIRECTORIES[address]
        try:
            return self.function(directory, part, to, origin)
        except BaseException as error:  # noqa: BLE001 - also an interrupt: C cannot pass it on
            directory.failure = directory.failure or error
            return 0
