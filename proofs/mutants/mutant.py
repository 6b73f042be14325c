"""Mutants: faults that were made, or could be, each as a patch and with what has to notice it."""

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
"""CPU seconds within which a killer has to notice a mutant; most take one or two."""
SECOND = 10**9  # nanoseconds: a file that is a second younger is not the one that was compiled
WALL_CLOCK_FACTOR = 20
"""How many times as long it may be under way, on a machine that is busy."""


class MutantError(Exception):
    """A mutant that shows nothing: its patch does not fit, or the code cannot be loaded."""


@dataclass(frozen=True)
class Mutant:
    """A fault, where it comes from, and the killers that have to notice it."""

    name: str
    fault: str
    file: str
    old: str
    new: str
    killers: tuple[str, ...]
    nightly: tuple[str, ...] = ()

    def patch(self, source: str) -> str:
        """The source with the fault; the patch has to fit exactly once."""
        if (fits := source.count(self.old)) != 1:
            raise MutantError(f"{self.name}: the patch fits {fits} times into {self.file}")
        return source.replace(self.old, self.new)


def mutants() -> list[Mutant]:
    """Read all mutants."""
    tables = [tomllib.loads(path.read_text()) for path in sorted(FOLDER.glob("*.toml"))]
    return [parse_mutant(one) for table in tables for one in table.get("mutant", ())]


def parse_mutant(one: Mapping[str, Sequence[str]]) -> Mutant:
    """Read a mutant."""
    name, fault, file, old, new = (str(one[key]) for key in ("name", "fault", "file", "old", "new"))
    return Mutant(name, fault, file, old, new, tuple(one["killers"]), tuple(one.get("nightly", ())))


def copy_code(folder: Path) -> Path:
    """Copy the code into a folder, and compile what is not compiled yet: killers only read that."""
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, symlinks=True)
    shutil.copy(ROOT / "pyproject.toml", folder)
    compile_dir(folder, quiet=2)
    return folder


@contextmanager
def plant(path: Path, mutant: Mutant) -> Generator[None]:
    """Let a file have a fault for a while, and then be as it was, so that it stays compiled."""
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
    """Run a killer on a copy of the code, and return what it noticed; nothing, if all is well.

    If it has noticed nothing after so many seconds of CPU, `TimeoutExpired` is raised.
    """
    command = [sys.executable, "-B", str(folder / "proofs/mutants/kill.py"), killer, str(seconds)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(folder / p) for p in PATHS)}
    with plant(folder / mutant.file, mutant) if mutant else nullcontext():
        done = subprocess.run(  # noqa: S603 our own words
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=WALL_CLOCK_FACTOR * seconds,
        )
    if done.returncode == -SIGXCPU:
        raise subprocess.TimeoutExpired(command, seconds)
    if done.returncode not in (0, 1):
        raise MutantError(f"{killer}: {done.stdout}{done.stderr}")
    return done.stdout.strip().splitlines()[-1] if done.returncode else ""
