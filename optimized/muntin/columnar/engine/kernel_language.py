"""What kernels are written with. Compiled by Numba, loaded from a library, or else interpreted.

A kernel gets one argument, the directory: it reads an array by its place there. Compiled, that is
an address, so arrays have no owner for Numba to count, each kernel has one signature, and a call
from Python takes a tenth of a microsecond. Partials are added, merged and copied by pointers to
functions that lie in the state, so no kernel is specialized to a set of aggregates. Phases call
each other by pointers too, so each is compiled once, by itself, and only if it is needed.
"""

import ctypes
from collections.abc import Callable
from functools import cached_property
from threading import RLock, local
from typing import TYPE_CHECKING, Concatenate, Generic, ParamSpec, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from muntin.columnar.compiler.kernel_store import KernelCode, can_compile, kernel_store
from muntin.kernels.compiler.availability import gc_paused

if TYPE_CHECKING:
    from types import ModuleType

    from muntin.columnar.engine.directory import Directory

P = ParamSpec("P")
R = TypeVar("R")
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
PartKernel = Callable[["Directory", int, int, int], int]

COMPILED = can_compile()
"""Whether kernels are machine code in this process."""

HASHED_MODULES = "muntin.columnar.engine."
"""Modules whose sources are part of the key of a library."""

UNLINKED = -1
"""What a phase returns that needs a kernel whose address the directory lacks; it is run again."""


PENDING: "list[Callable[[ModuleType], None]]" = []
"""What the compiler is to know before it compiles the next kernel."""


def _backend() -> "ModuleType":
    """The compiler, imported when something has to be compiled."""
    from muntin.columnar.compiler import numba_backend  # noqa: PLC0415 - imports Numba

    while PENDING:
        PENDING.pop()(numba_backend)
    return numba_backend


class Helper(Generic[P, R]):
    """A function that kernels call; it is compiled with the first kernel that does."""

    def __init__(self, function: Callable[P, R]) -> None:
        """Compile nothing yet."""
        self.py_func = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.__module__ = function.__module__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the function, interpreted."""
        return self.py_func(*args, **kwargs)


def _helper(
    function: Callable[P, R], *, inline: bool = False, any_order: bool = False
) -> Callable[P, R]:
    if not COMPILED:
        return function
    helper = Helper(function)
    PENDING.append(lambda numba: numba.register_helper(helper, inline=inline, any_order=any_order))
    return helper


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """A function that kernels call, and that becomes part of them."""
    return _helper(function, inline=True)


def outlined(function: Callable[P, R]) -> Callable[P, R]:
    """A function that kernels call."""
    return _helper(function)


def reordered(function: Callable[P, R]) -> Callable[P, R]:
    """A function that kernels call, in which floats are added in any order."""
    return _helper(function, any_order=True)


def _primitive(function: Callable[P, R]) -> Callable[P, R]:
    """A function on the directory, of which the compiler has a form of its own."""
    if not COMPILED:
        return function
    helper = Helper(function)
    PENDING.append(lambda numba: numba.register_primitive(helper))
    return helper


@_primitive
def ints(t: "Directory", place: int) -> Ints:
    """The array of integers at a place."""
    return t.arrays[place]


@_primitive
def floats(t: "Directory", place: int) -> Floats:
    """The array of floats at a place."""
    return t.arrays[place]  # type: ignore[return-value] # what lies there is what was put there


@_primitive
def words(t: "Directory", place: int) -> Ints:
    """The array at a place, floats by their bits."""
    return t.arrays[place].view(np.int64)


@_primitive
def set_address(t: "Directory", place: int, object_address: int, n: int) -> None:
    """Write where the data of an array object lie; uncompiled, the directory has the array."""


@_primitive
def call(function: int, t: "Directory", part: int, to: int, origin: int) -> int:
    """Call a kernel of partials."""
    return PART_KERNELS[function](t, part, to, origin)


PART_KERNELS: list[PartKernel] = []
"""The kernels of partials that have a number, where nothing is compiled."""


@_primitive
def lacks(t: "Directory", place: int) -> bool:
    """Whether the directory lacks the address of a kernel, which is then asked for."""
    return False


LOADING = RLock()
"""Held while a kernel is loaded or compiled: of two threads that need it, one does."""


class ThreadRole(local):
    """Whether this thread has its states for itself, so that others may run during a step."""

    owns_states = False


ROLE = ThreadRole()

KERNELS: "dict[str, Kernel]" = {}
"""All kernels of the modules that were imported, by name."""


class Kernel:
    """Machine code of a function of the directory and integers."""

    def __init__(self, function: Callable[..., int], name: str | None = None) -> None:
        """Compile nothing yet; a name that says all that a function reads makes it last."""
        self.function: Callable[..., int] = getattr(function, "py_func", function)
        self.words = self.function.__code__.co_argcount - 1
        module = self.function.__module__
        self.is_catalogued = module.startswith(HASHED_MODULES)
        self.is_kept = name is not None or self.is_catalogued
        self.name = name or f"{module.removeprefix(HASHED_MODULES)}.{self.function.__name__}"
        if self.is_kept:
            KERNELS[self.name] = self

    def compile(self) -> KernelCode:
        """Compile the function, whatever is kept of it."""
        with gc_paused():
            code: KernelCode = _backend().compile_kernel(self.function, self.words)
            return code

    @cached_property
    def address(self) -> int:
        """Where the code is; uncompiled, the number of the function."""
        with LOADING:
            if not COMPILED:
                PART_KERNELS.append(self.function)
                return len(PART_KERNELS) - 1
            return kernel_store().address(self.name, self.compile, keep=self.is_kept)


class Phase(Kernel, Generic[P]):
    """A kernel that Python calls with the directory and integers; compiled at its first call."""

    def __init__(self, function: Callable[Concatenate["Directory", P], int]) -> None:
        """Compile nothing yet."""
        super().__init__(function)

    @cached_property
    def entry(self) -> Callable[..., int]:
        """The compiled function on the address of a directory; other threads of Python wait."""
        words = [ctypes.c_int64] * self.words
        return ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, *words)(self.address)

    @cached_property
    def threaded_entry(self) -> Callable[..., int]:
        """The compiled function; other threads of Python run meanwhile."""
        words = [ctypes.c_int64] * self.words
        return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, *words)(self.address)

    def __call__(self, directory: "Directory", *numbers: P.args, **_: P.kwargs) -> int:
        """Run the kernel."""
        if not COMPILED:
            return self._interpret(directory, numbers)
        code = self.entry(directory.address, *numbers)
        return code if code != UNLINKED else self._link(directory, self.entry, numbers)

    def _interpret(self, directory: "Directory", numbers: tuple[object, ...]) -> int:
        with np.errstate(over="ignore", invalid="ignore"):  # words wrap, as compiled ones do
            return int(self.function(directory, *numbers))

    def call_threaded(self, directory: "Directory", *numbers: P.args, **_: P.kwargs) -> int:
        """Run the kernel while other threads run; none of them may have this directory."""
        if not COMPILED:
            return self._interpret(directory, numbers)
        code = self.threaded_entry(directory.address, *numbers)
        return code if code != UNLINKED else self._link(directory, self.threaded_entry, numbers)

    @staticmethod
    def _link(
        directory: "Directory", entry: Callable[..., int], numbers: tuple[object, ...]
    ) -> int:
        """Run a kernel again until the directory has the kernels that it needs."""
        code = UNLINKED
        while code == UNLINKED:
            link_kernels(directory)
            code = entry(directory.address, *numbers)
        return code


class PartPhase(Kernel):
    """A kernel of partials, which other kernels call by its address."""


LINKS: dict[int, Kernel] = {}
"""The kernels that others call by the address that the directory has at a place."""


def linked(place: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A phase that other phases call by its address, at a place of the directory."""

    def mark(function: Callable[P, R]) -> Callable[P, R]:
        kernel = Kernel(function)  # type: ignore[arg-type] # a phase returns an integer
        LINKS[place] = kernel
        if not COMPILED:
            return function
        helper = Helper(function)
        PENDING.append(lambda numba: numba.register_link(helper, place, kernel.words))
        return helper

    return mark


def link_kernels(directory: "Directory") -> None:
    """Write the addresses of the kernels that a directory was asked for."""
    for place, kernel in LINKS.items():
        if directory.table[place, 1] and not directory.table[place, 0]:
            directory.table[place, 0] = kernel.address


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
