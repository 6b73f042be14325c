"""Mutants: faults that were made or could be, each a patch with the killers that must notice it."""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Generator, Mapping, Sequence
from compileall import compile_dir
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from signal import SIGXCPU

from evidence.checks import ROOT

FOLDER = ROOT / "proofs" / "mutants"
COPIED = ("spec", "reference", "optimized", "tools", "proofs", "tests")
PATHS = ("spec", "reference", "optimized", "tools", "proofs", "tests")
SECONDS = 60
"""CPU seconds within which a killer must notice a mutant; most need one or two."""
SECOND = 10**9  # nanoseconds: Python recompiles a file whose time has moved by a second
WALL_CLOCK_FACTOR = 20
"""Wall-clock seconds a killer may run per CPU second, on a busy machine."""


class MutantError(Exception):
    """A mutant that shows nothing: its patch does not fit, or the code cannot be loaded."""


@dataclass(frozen=True)
class Mutant:
    """A fault with its patch, and the killers that must notice it."""

    name: str
    fault: str
    file: str
    old: str
    new: str
    killers: tuple[str, ...]
    nightly: tuple[str, ...] = ()

    def patch(self, source: str) -> str:
        """Plant the fault in a source; the patch must fit exactly once."""
        if (fits := source.count(self.old)) != 1:
            raise MutantError(
                f"{self.name}: the patch fits {fits} times into {self.file}, it must fit once"
            )
        return source.replace(self.old, self.new)


def mutants() -> list[Mutant]:
    """Read all mutants."""
    tables = [tomllib.loads(path.read_text()) for path in sorted(FOLDER.glob("*.toml"))]
    return [parse_mutant(entry) for table in tables for entry in table.get("mutant", ())]


def parse_mutant(entry: Mapping[str, Sequence[str]]) -> Mutant:
    """Make a mutant of its table."""
    name, fault, file, old, new = (
        str(entry[key]) for key in ("name", "fault", "file", "old", "new")
    )
    return Mutant(
        name, fault, file, old, new, tuple(entry["killers"]), tuple(entry.get("nightly", ()))
    )


def copy_code(folder: Path) -> Path:
    """Copy the code into a folder, and compile it: killers write no bytecode."""
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, symlinks=True)
    shutil.copy(ROOT / "pyproject.toml", folder)
    compile_dir(folder, quiet=2)
    return folder


@contextmanager
def plant(path: Path, mutant: Mutant) -> Generator[None]:
    """Give a file a fault, then restore it with its time, so that its bytecode stays valid."""
    source, before = path.read_text(), path.stat()
    try:
        path.write_text(mutant.patch(source))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + SECOND))
        yield
    finally:
        path.write_text(source)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def run_killer(
    folder: Path, killer: str, mutant: Mutant | None = None, seconds: int = SECONDS
) -> str:
    """Run a killer on a copy of the code; the error that it raised, empty if it noticed no fault.

    `TimeoutExpired` is raised after that many CPU seconds.
    """
    command = [sys.executable, "-B", str(folder / "proofs/mutants/kill.py"), killer, str(seconds)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(folder / p) for p in PATHS)}
    with plant(folder / mutant.file, mutant) if mutant else nullcontext():
        process = subprocess.run(  # noqa: S603 our own words
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=WALL_CLOCK_FACTOR * seconds,
        )
    if process.returncode == -SIGXCPU:
        raise subprocess.TimeoutExpired(command, seconds)
    if process.returncode not in (0, 1):
        raise MutantError(f"{killer}: {process.stdout}{process.stderr}")
    return process.stdout.strip().splitlines()[-1] if process.returncode else ""
