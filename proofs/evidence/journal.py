"""The tests that passed by night, so that a night that is cut short resumes where it stopped.

A journal is a file with a line for each test that has passed. Its name is the digest of all
sources, so that after any change no test counts as passed.
"""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from evidence.checks import ROOT

SOURCES = ("spec", "reference", "optimized", "tools", "proofs", "tests", "docs", "benchmarks")
TOP_LEVEL_FILES = (
    *("README.md", "REFERENCES.md", "CHANGELOG.md", "CONTRIBUTING.md"),
    *("pyproject.toml", "requirements.lock", "Makefile"),
)
GENERATED_SUFFIXES = {".pyc", ".nbi", ".nbc", ".png"}
"""Suffixes of files that Python, Numba and a browser generate from sources."""


class NightlyJournal:
    """The tests that have passed on the current sources."""

    def __init__(self, folder: Path, root: Path = ROOT) -> None:
        """Read the journal, and write the file of tests that the workers skip."""
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{digest(root)[:16]}.txt"
        self.path.touch()
        self.passed = listed_tests(self.path)
        self.skip_file = self.path.with_suffix(".before")
        self.skip_file.write_text(self.path.read_text())

    def record(self, nodeid: str) -> None:
        """Record that a test has passed."""
        with self.path.open("a") as file:
            file.write(f"{nodeid}\n")


def listed_tests(path: Path) -> frozenset[str]:
    """The tests that a file lists; a truncated line names no test."""
    return frozenset(path.read_text().splitlines())


def digest(root: Path) -> str:
    """A digest that changes with any of the sources, and with nothing else."""
    hasher = sha256()
    for path in sorted(_sources(root)):
        hasher.update(f"{path.relative_to(root)} ".encode())
        hasher.update(sha256(path.read_bytes()).digest())
    return hasher.hexdigest()


def _sources(root: Path) -> Iterator[Path]:
    files = (path for name in SOURCES for path in (root / name).rglob("*") if path.is_file())
    yield from (path for path in files if path.suffix not in GENERATED_SUFFIXES)
    yield from (root / name for name in TOP_LEVEL_FILES if (root / name).exists())
