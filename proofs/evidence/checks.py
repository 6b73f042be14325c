"""Checks: what in this repository can be run to hold a claim, and the command that runs it."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

LEVELS = ("proved", "exhausted", "confirmed", "tested", "measured")
"""From the strongest to the weakest."""

MEANINGS = {
    "proved": "by Z3, without bounds, about the model that is named; its controls are refuted",
    "exhausted": "the real code, in every state or on every input within the scope that is named",
    "confirmed": "by CrossHair, on all paths of the real code, for the integers that are named",
    "tested": "on what Hypothesis draws, and on examples that were worked out by hand",
    "measured": "by a benchmark, on one machine",
}

COMMANDS = {
    "proofs/smt/*": ("proved", "python proofs/prove.py"),
    "proofs/exhaustive/*": ("exhausted", "pytest"),
    "proofs/contracts/*": ("confirmed", "python proofs/confirm.py"),
    "benchmarks/*": ("measured", "make bench"),
    "tests/vectors/*.json": ("tested", "muntin replay --check --with all"),
    "tests/*": ("", "pytest"),
}
"""By place: the level that what lies there has (tests may also exhaust), and what runs it."""

CLAIMED_FOLDERS = ("proofs/smt/", "proofs/contracts/")
"""Folders in which every check belongs to a claim; so does all of tests/proofs that exhausts."""


EXHAUSTIVE_TEST = re.compile("test_every_").match


@dataclass(frozen=True)
class Place:
    """A file, or a function in one: `tests/x.py::test_y`."""

    path: str
    name: str = ""

    @classmethod
    def parse(cls, text: str) -> "Place":
        """Take apart what is written in a claim."""
        path, _, name = text.partition("::")
        return cls(path, name)

    def __str__(self) -> str:
        """Write it as in a claim."""
        return f"{self.path}::{self.name}" if self.name else self.path

    def exists(self) -> bool:
        """Whether there is such a file with such a function; a pattern has to match something."""
        files = list(ROOT.glob(self.path))
        return bool(files) and (not self.name or self.name in functions(files[0]))

    @property
    def kind(self) -> tuple[str, str]:
        """The level that what lies here has, and the command that runs it.

        >>> Place.read("tests/vectors/a.json").kind, Place.read("tests/vectors/b.py::test_c").kind
        (('tested', 'muntin replay --check --with all'), ('', 'pytest'))
        """
        known = (kind for glob, kind in COMMANDS.items() if fnmatch(self.path, glob))
        return next(known, ("", ""))

    def can_have(self, level: str) -> bool:
        """Whether what lies here can have this level."""
        given, command = self.kind
        return bool(command) and (
            level == given or (not given and level in ("exhausted", "tested"))
        )


def commands(places: Iterable[Place]) -> list[str]:
    """Return what runs these, from the top folder and with the environment active.

    >>> commands(map(Place.read, ["tests/a.py::test_b", "tests/c.py", "proofs/smt/d.py::e"]))
    ['pytest tests/a.py::test_b tests/c.py', 'python proofs/prove.py d']
    """
    named: dict[str, dict[str, None]] = {}
    for place in places:
        _, command = place.kind
        by_module = command.startswith("python ")
        arguments = named.setdefault(command, {})
        arguments[Path(place.path).stem if by_module else str(place)] = None
    return [" ".join([command, *arguments]) for command, arguments in named.items()]


@cache
def functions(path: Path) -> frozenset[str]:
    """The names of the functions of a module, wherever they are in it."""
    tree = ast.parse(path.read_text())
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def lemmas(path: Path) -> Iterator[str]:
    """Yield the lemmas and theorems of a module: what is public and returns None or a Theorem."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield from [node.name] if is_lemma(node) else []


def is_lemma(node: ast.FunctionDef) -> bool:
    """Whether a function is a lemma, which returns None, or makes a Theorem, and no helper."""
    return node.returns is not None and ast.unparse(node.returns) in ("None", "Theorem")


def required_checks() -> set[str]:
    """Every check that has to belong to a claim."""
    modules = [path for folder in CLAIMED_FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    exhausting = sorted((ROOT / "tests" / "proofs").glob("test_exhausted_*.py"))
    stated = [(path, name) for path in modules for name in lemmas(path)]
    tested = [
        (path, name) for path in exhausting for name in functions(path) if EXHAUSTIVE_TEST(name)
    ]
    return {f"{path.relative_to(ROOT)}::{name}" for path, name in (*stated, *tested)}
