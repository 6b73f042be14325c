"""Claims: a statement, its source, the reason why it holds, and the checks that support it.

They are data: one file per subject in proofs/CLAIMS. `read_subject` rejects malformed files.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from evidence.checks import LEVELS, ROOT, SIDES, Place, Side
from evidence.labels import labels, proved_labels, stated_facts

FOLDER = ROOT / "proofs" / "CLAIMS"
PARTS = ("Semantics", "In-order windows", "Out-of-order windows", "Operators")

Toml = str | int | float | bool | list["Toml"] | dict[str, "Toml"]
Table = Mapping[str, Toml]


class ClaimError(ValueError):
    """A file of claims is malformed."""


@dataclass(frozen=True)
class Check:
    """Evidence of some level within a scope; the scope of a proof is its model."""

    level: str
    side: Side
    scope: str
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Claim:
    """One sentence, and its evidence."""

    subject: str
    label: str
    states: str
    why: str
    papers: tuple[str, ...]
    parts: tuple[tuple[Check, ...], ...]
    bounds: tuple[str, ...]

    @property
    def checks(self) -> tuple[Check, ...]:
        """The checks of all parts, each once."""
        return tuple(dict.fromkeys(check for part in self.parts for check in part))

    def level(self, side: Side) -> str:
        """The level of the weakest part that the claim needs; empty if one has no such evidence.

        A part is as strong as its strongest check. Of the code are checks of the code alone; what
        rests on a model in one part may rest on the code in another.
        """
        sides = {side} if side == "the code" else set(SIDES)
        levels = [[check.level for check in part if check.side in sides] for part in self.parts]
        if not all(levels) or all(check.side != side for check in self.checks):
            return ""
        return max((min(part, key=LEVELS.index) for part in levels), key=LEVELS.index)

    @property
    def evidence(self) -> str:
        """Both levels in words."""
        return ", ".join(f"{self.level(side)} of {side}" for side in SIDES if self.level(side))

    @property
    def places(self) -> Iterator[Place]:
        """Everything that is run for the claim."""
        return (place for check in self.checks for place in check.places)


@dataclass(frozen=True)
class Subject:
    """A structure, or a part of the semantics: its code, its proof text and its claims."""

    name: str
    title: str
    part: str
    about: str
    text: str
    code: tuple[str, ...]
    claims: tuple[Claim, ...]

    def facts(self) -> dict[str, str]:
        """The facts that the code of the subject states, by label."""
        sources = [(ROOT / path).read_text() for path in self.code]
        return {label: sentence for source in sources for label, sentence in stated_facts(source)}

    def proved_labels(self) -> list[str]:
        """The labels that the proof text proves."""
        return proved_labels((ROOT / self.text).read_text()) if self.text else []


class _Reader:
    """Reads a subject out of its table; errors name the entry that is wrong."""

    def __init__(self, name: str, table: Table) -> None:
        self._name, self._table, self._at = name, table, ""

    def subject(self) -> Subject:
        """The subject with its claims."""
        table = self._table
        self._reject_unknown_keys(
            table, "title", "part", "about", "text", "code", "checks", "claims"
        )
        part = self._string(table, "part")
        if part not in PARTS:
            raise self._error(f"part must be one of {PARTS}, not {part!r}")
        title, about = self._string(table, "title"), self._string(table, "about")
        text, code = self._string(table, "text", ""), self._strings(table, "code")
        if not code:
            raise self._error("it needs `code`, the paths of the code that it is about")
        bare = Subject(self._name, title, part, about, text, code, ())
        named = self._tables(table, "checks")
        checks = {name: self._check(name, check) for name, check in named.items()}
        facts = bare.facts()
        claims = tuple(
            claim
            for heading, entry in self._tables(table, "claims").items()
            for claim in self._claims(heading, entry, checks, facts)
        )
        return replace(bare, claims=claims)

    def _check(self, name: str, table: Table) -> Check:
        self._at = f"check {name!r}"
        self._reject_unknown_keys(table, "level", "of", "scope", "at")
        level, scope = self._string(table, "level"), self._string(table, "scope")
        places = tuple(map(Place.parse, self._strings(table, "at")))
        if level not in LEVELS or not places:
            raise self._error(f"it needs a level, one of {LEVELS}, and places to run in `at`")
        of = self._string(table, "of", "a model" if level == "proved" else "the code")
        sides = SIDES[:1] if level == "proved" else SIDES
        for side in sides:
            if side == of:
                return Check(level, side, scope, places)
        raise self._error(f"`of` is one of {sides}, for what is {level}")

    def _claims(
        self, heading: str, table: Table, checks: Mapping[str, Check], facts: Mapping[str, str]
    ) -> Iterator[Claim]:
        """Yield a claim, or one for each label of the heading if the code states the sentences."""
        self._at = f"claim {heading!r}"
        known = "states", "why", "papers", "checks", "parts", "vectors", "bounds"
        self._reject_unknown_keys(table, *known)
        vectors = tuple(map(Place.parse, self._strings(table, "vectors")))
        by_hand = Check("tested", "the code", "traces worked out by hand", vectors)
        own = tuple(
            (*(self._named(name, checks) for name in used), *((by_hand,) if vectors else ()))
            for used in self._parts(table)
        )
        why, papers = self._string(table, "why"), self._strings(table, "papers")
        bounds = self._strings(table, "bounds")
        for label in labels(heading) if "states" not in table else [heading]:
            states = self._string(table, "states", facts.get(label, ""))
            if not all(own) or not states:
                raise self._error("it needs checks, and a sentence in `states` or in the code")
            yield Claim(self._name, label, states, why, papers, own, bounds)

    def _parts(self, table: Table) -> list[tuple[str, ...]]:
        """The names of the checks of each part that a claim needs: of one, or of several."""
        parts = table.get("parts", {"all of it": table.get("checks", [])})
        if not isinstance(parts, dict) or len({"parts", "checks"} & table.keys()) > 1:
            raise self._error("it needs `checks`, or a table `parts` with the checks of each part")
        return [self._strings(parts, name) for name in parts]

    def _named(self, name: str, checks: Mapping[str, Check]) -> Check:
        if name not in checks:
            raise self._error(f"there is no check {name!r}; define it under [checks]")
        return checks[name]

    def _error(self, message: str) -> ClaimError:
        return ClaimError(f"proofs/CLAIMS/{self._name}.toml, {self._at}: {message}")

    def _reject_unknown_keys(self, table: Table, *names: str) -> None:
        if beyond := set(table) - set(names):
            raise self._error(f"unknown keys {sorted(beyond)}; the keys are {names}")

    def _string(self, table: Table, name: str, default: str | None = None) -> str:
        value = table.get(name, default)
        if not isinstance(value, str):
            raise self._error(f"{name} must be a string")
        return value

    def _strings(self, table: Table, name: str) -> tuple[str, ...]:
        value = table.get(name, [])
        strings = (
            [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
        )
        if strings != value:
            raise self._error(f"{name} must be a list of strings")
        return tuple(strings)

    def _tables(self, table: Table, name: str) -> dict[str, Table]:
        value = table.get(name, {})
        inner = value if isinstance(value, dict) else dict[str, Toml]()
        tables: dict[str, Table] = {k: item for k, item in inner.items() if isinstance(item, dict)}
        if tables != value:
            raise self._error(f"{name} must be a table of tables")
        return tables


def read_subject(path: Path) -> Subject:
    """Read the claims about one subject."""
    with path.open("rb") as file:
        return _Reader(path.stem, tomllib.load(file)).subject()


@cache
def subjects() -> tuple[Subject, ...]:
    """All subjects, in the order of the document."""
    files = sorted(FOLDER.glob("*.toml"))
    return tuple(
        sorted(
            map(read_subject, files), key=lambda subject: (PARTS.index(subject.part), subject.name)
        )
    )


def claims() -> Iterator[Claim]:
    """Every claim."""
    return (claim for subject in subjects() for claim in subject.claims)
