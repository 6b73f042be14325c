"""Addresses of kernels: of a library if one fits, else compiled now and kept for the next process.

Libraries are looked for in the cache (all kernels for this processor, then for its level, then one
kernel by itself), then among those that come with the package.
"""

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from muntin.columnar.compiler.cache_key import (
    NATIVE,
    cache_root,
    folder_name,
    required_features,
    source_key,
)
from muntin.columnar.compiler.file_lock import file_lock
from muntin.columnar.compiler.library import Library, load_library
from muntin.columnar.compiler.processor import LEVELS, host_processor

CATALOGUE = "all.json"
SHIPPED = Path(__file__).parents[1] / "libraries"
"""Libraries that come with the package, a folder for each level."""
LONG, QUIET = 2.0, "MUNTIN_QUIET"
"""Seconds of compiling from which on the command is named, unless this variable is set."""


class KernelCode(Protocol):
    """What a compiler makes of a kernel."""

    @property
    def address(self) -> int:
        """Where the code is in this process."""
        ...

    @property
    def symbol(self) -> str:
        """Its name in the text."""
        ...

    @property
    def text(self) -> str:
        """The module of LLVM that has the code."""
        ...


def supported_levels() -> list[str]:
    """The levels that this processor has, the best first."""
    return [level for level, needed in LEVELS.items() if needed <= host_processor().features]


class KernelStore:
    """The kernels that this process has loaded or compiled."""

    def __init__(self) -> None:
        """Look for libraries of all kernels."""
        self.compiled: list[str] = []
        self.seconds = 0.0
        self._kept: list[object] = []
        self._sources = source_key()
        self._folder = cache_root() / folder_name(NATIVE)
        self._catalogue = self._load_catalogue()

    def _load_catalogue(self) -> Library | None:
        levels = supported_levels()
        cached = [self._folder, *(cache_root() / folder_name(level) for level in levels)]
        for folder in cached:
            library = load_library(folder / CATALOGUE, self._sources)
            if library:
                return library
        for folder in [SHIPPED / level for level in levels]:
            library = load_library(folder / CATALOGUE, self._sources, shipped=True)
            if library:
                return library
        return None

    @property
    def has_catalogue(self) -> bool:
        """Whether there is a library of all kernels."""
        return self._catalogue is not None

    def address(self, name: str, compile_kernel: Callable[[], KernelCode], *, keep: bool) -> int:
        """The address of a kernel; `keep` says that its name and the sources determine it."""
        address = self._catalogue.address(name) if self._catalogue else None
        if address is None and keep:
            address = self._stored(name)
        if address is not None:
            return address
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
        with file_lock(self._folder / "lock"):
            address = self._stored(name) if keep else None
            return self._compile(name, compile_kernel, keep=keep) if address is None else address

    def _stored(self, name: str) -> int | None:
        library = load_library(self._folder / f"{name}.json", self._sources)
        if library is None:
            return None
        self._kept.append(library)
        return library.address(name)

    def _compile(self, name: str, compile_kernel: Callable[[], KernelCode], *, keep: bool) -> int:
        begin = time.perf_counter()
        code = compile_kernel()
        self._kept.append(code)
        self.compiled.append(name)
        if keep:
            from muntin.columnar.compiler.machine_code import store_kernels  # noqa: PLC0415 - imports LLVM

            store_kernels(self._folder / f"{name}.json", {name: code}, required_features(NATIVE))
        elapsed = time.perf_counter() - begin
        self.suggest_build(elapsed)
        return code.address

    def suggest_build(self, elapsed: float) -> None:
        """Name the command that compiles ahead, once, on a terminal that has waited for long."""
        before, self.seconds = self.seconds, self.seconds + elapsed
        is_watched = sys.stderr.isatty() and not os.environ.get(QUIET)
        if before <= LONG < self.seconds and is_watched:
            sys.stderr.write(
                f"muntin: compiling kernels for this processor takes a few seconds, once; "
                f"`python -m muntin.columnar.build` does it ahead ({QUIET}=1 hides this line)\n"
            )


@cache
def kernel_store() -> KernelStore:
    """The store of this process."""
    return KernelStore()


@cache
def can_compile() -> bool:
    """Whether kernels run as machine code in this process."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return False
    return find_spec("numba") is not None or kernel_store().has_catalogue
