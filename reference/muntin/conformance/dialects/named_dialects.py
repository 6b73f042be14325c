"""The dialects of engines by name, each decision with its evidence: it was run, or only read."""

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, get_args

from muntin.conformance.transcript.json_reader import Json, JsonNode
from muntin.conformance.transcript.model import read_dialect
from muntin.spec.dialect import Dialect
from muntin.spec.query import Mode

FILE = "dialects.toml"
Evidence = Literal["run", "read"]


@dataclass(frozen=True)
class Decision:
    """What an engine does where engines disagree, and how that is known."""

    name: str
    value: Json
    run: str = ""
    read: str = ""

    @property
    def evidence(self) -> Evidence:
        """Whether it was held against the engine, or only read in its source."""
        return "run" if self.run else "read"


@dataclass(frozen=True)
class NamedDialect:
    """The dialect of an engine, and the output mode that comes nearest to what it emits."""

    name: str
    engine: str
    output: Mode
    notes: tuple[str, ...]
    decisions: tuple[Decision, ...]

    @property
    def dialect(self) -> Dialect:
        """Its decisions; the others are ours."""
        document: dict[str, Json] = {each.name: each.value for each in self.decisions}
        return read_dialect(JsonNode(document, self.name))

    def evidence(self, shown: Collection[str] | None = None) -> Evidence:
        """Run, if every decision was, of those that matter."""
        decisions = [each for each in self.decisions if shown is None or each.name in shown]
        return "run" if all(each.run for each in decisions) else "read"


@cache
def named_dialects() -> Mapping[str, NamedDialect]:
    """Every named dialect, in the order of the file.

    >>> named_dialects()["flink"].dialect.session_merge, named_dialects()["beam"].evidence()
    ('le', 'read')
    """
    text = (files("muntin.conformance.dialects") / FILE).read_text("utf-8")
    tables = JsonNode(tomllib.loads(text), FILE).members()
    return {name: _named_dialect(name, table) for name, table in tables.items()}


def _named_dialect(name: str, table: JsonNode) -> NamedDialect:
    members = table.fields(("engine", "output", "notes", "decisions"))
    decisions = members["decisions"].members().items()
    return NamedDialect(
        name,
        members["engine"].text(),
        members["output"].one_of(get_args(Mode)),
        tuple(note.text() for note in members["notes"].items()),
        tuple(read_decision(decision, node) for decision, node in decisions),
    )


def read_decision(name: str, node: JsonNode) -> Decision:
    """A decision of the file; one without evidence is refused."""
    members = node.fields(("value",), ("run", "read"))
    run, read = (members[by].text() if by in members else "" for by in ("run", "read"))
    if not run and not read:
        raise node.error("a decision needs evidence: how it was run, or where it was read")
    return Decision(name, members["value"].value, run, read)
