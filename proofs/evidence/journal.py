"""What has passed by night, so that a night that is cut short goes on where it was.

A journal is a file with a line for each test that has passed. It belongs to the sources, all of
them: its name is their digest, so that after a change nothing has passed.
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
"""What is made of sources and is none: by Python, by Numba, and by a browser."""


class NightlyJournal:
    """The tests that have passed, of the sources as they are."""

    def __init__(self, folder: Path, root: Path = ROOT) -> None:
        """Read what there is, and lay down what the workers shall leave out."""
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{digest(root)[:16]}.txt"
        self.path.touch()
        self.passed = listed_tests(self.path)
        self.skip_file = self.path.with_suffix(".before")
        self.skip_file.write_text(self.path.read_text())

    def record(self, nodeid: str) -> None:
        """Note that a test has passed."""
        with self.path.open("a") as file:
            file.write(f"{nodeid}\n")


def listed_tests(path: Path) -> frozenset[str]:
    """The tests that a file lists; of a line that was cut short nothing comes."""
    return frozenset(path.read_text().splitlines())


def digest(root: Path) -> str:
    """Return what changes with any of the sources, and with nothing else."""
    whole = sha256()
    for path in sorted(_sources(root)):
        whole.update(f"{path.relative_to(root)} ".encode())
        whole.update(sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def _sources(root: Path) -> Iterator[Path]:
    every = (path for name in SOURCES for path in (root / name).rglob("*") if path.is_file())
    yield from (path for path in every if path.suffix not in GENERATED_SUFFIXES)
    yield from (root / name for name in TOP_LEVEL_FILES if (root / name).exists())
