"""Checks: what in this repository can support a claim, and the command that runs it."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[2]

LEVELS = ("proved", "exhausted", "confirmed", "tested", "measured")
"""From the strongest to the weakest."""

Side = Literal["a model", "the code"]
SIDES: tuple[Side, Side] = ("a model", "the code")
"""What evidence speaks of."""

MEANINGS = {
    "proved": "by Z3 or by Coq, without bounds, of the named model; its controls are refuted",
    "exhausted": "in every state or on every input within the named scope",
    "confirmed": "by CrossHair, on all paths, for the named integers",
    "tested": "on inputs that Hypothesis draws, and on examples worked out by hand",
    "measured": "by a benchmark, on one machine",
}

COMMANDS = {
    "proofs/coq/*": ("proved", "make coq"),
    "proofs/lockstep/*": ("tested", "make lockstep"),
    "proofs/smt/*": ("proved", "python proofs/prove.py"),
    "proofs/exhaustive/*": ("exhausted", "pytest"),
    "proofs/contracts/*": ("confirmed", "python proofs/confirm.py"),
    "benchmarks/*": ("measured", "make bench"),
    "tests/vectors/*.json": ("tested", "muntin replay --check --with all"),
    "tests/*": ("", "pytest"),
}
"""By path: the level of the checks there (tests may also exhaust), and the command."""

CLAIMED_FOLDERS = ("proofs/smt/", "proofs/contracts/")
"""Every check in these folders belongs to a claim, and each exhaustive test of tests/proofs, and
each theorem in Coq."""


EXHAUSTIVE_TEST = re.compile("test_every_").match


@dataclass(frozen=True)
class Place:
    """A file, or a function in one: `tests/x.py::test_y`."""

    path: str
    name: str = ""

    @classmethod
    def parse(cls, text: str) -> "Place":
        """Split a place as a claim writes it."""
        path, _, name = text.partition("::")
        return cls(path, name)

    def __str__(self) -> str:
        """The place as a claim writes it."""
        return f"{self.path}::{self.name}" if self.name else self.path

    def exists(self) -> bool:
        """Whether the file exists and has the function; a pattern must match at least one file."""
        files = list(ROOT.glob(self.path))
        return bool(files) and (not self.name or self.name in functions(files[0]))

    @property
    def kind(self) -> tuple[str, str]:
        """The level of a check at this place, and the command that runs it.

        >>> Place.parse("tests/vectors/a.json").kind, Place.parse("tests/vectors/b.py::test_c").kind
        (('tested', 'muntin replay --check --with all'), ('', 'pytest'))
        """
        kinds = (kind for glob, kind in COMMANDS.items() if fnmatch(self.path, glob))
        return next(kinds, ("", ""))

    def can_have(self, level: str) -> bool:
        """Whether a check at this place can have this level."""
        own, command = self.kind
        return bool(command) and (level == own or (not own and level in ("exhausted", "tested")))


def commands(places: Iterable[Place]) -> list[str]:
    """The commands that run these places, from the top folder in the active environment.

    >>> commands(map(Place.parse, ["tests/a.py::test_b", "tests/c.py", "proofs/smt/d.py::e"]))
    ['pytest tests/a.py::test_b tests/c.py', 'python proofs/prove.py d']
    """
    named: dict[str, dict[str, None]] = {}
    for place in places:
        _, command = place.kind
        by_module = command.startswith("python ")
        arguments = named.setdefault(command, {})
        if not command.startswith("make "):
            arguments[Path(place.path).stem if by_module else str(place)] = None
    return [" ".join([command, *arguments]) for command, arguments in named.items()]


@cache
def functions(path: Path) -> frozenset[str]:
    """The names of all functions of a module, nested ones included; of a file of Coq, theorems."""
    if path.suffix == ".v":
        return frozenset(re.findall(r"^ *Theorem (\w+)", path.read_text(), re.MULTILINE))
    tree = ast.parse(path.read_text())
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def lemmas(path: Path) -> Iterator[str]:
    """Yield the lemmas and theorems of a module: public functions that return None or a Theorem."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield from [node.name] if is_lemma(node) else []


def is_lemma(node: ast.FunctionDef) -> bool:
    """Whether a function is a lemma, which returns None, or a theorem, and no helper."""
    return node.returns is not None and ast.unparse(node.returns) in ("None", "Theorem")


def required_checks() -> set[str]:
    """Every check that must belong to a claim."""
    modules = [path for folder in CLAIMED_FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    exhausting = sorted((ROOT / "tests" / "proofs").glob("test_exhausted_*.py"))
    stated = [(path, name) for path in modules for name in lemmas(path)]
    tested = [
        (path, name) for path in exhausting for name in functions(path) if EXHAUSTIVE_TEST(name)
    ]
    theorems = [
        (path, name)
        for path in sorted((ROOT / "proofs" / "coq").glob("*.v"))
        for name in functions(path)
    ]
    return {f"{path.relative_to(ROOT)}::{name}" for path, name in (*stated, *tested, *theorems)}
