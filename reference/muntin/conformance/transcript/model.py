"""Transcripts: a trace, or the calls of a structure, with the expected output, as JSON.

The format is version 1, see docs/transcripts.md. A document is checked as a whole before any of it
is replayed, and each error names the place in the document.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import get_args, get_type_hints

from muntin.conformance.transcript.calls import Call, read_call, read_event, read_watermark
from muntin.conformance.transcript.expectations import (
    NOTHING,
    Expectations,
    read_answers,
    read_results,
)
from muntin.conformance.transcript.json_reader import JsonNode, excerpt, load
from muntin.conformance.transcript.windows import WINDOW_NAMES, read_window
from muntin.spec.algebra.aggregate import AnyAggregate
from muntin.spec.algebra.catalogue import named, named_keeping_nulls
from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import DEFAULTS, Mode, Query, Settings
from muntin.spec.stream import Step

VERSION = 1
SETTINGS = ("allowed_lateness", "output", "in_order", "dialect")
CHECKS = ("expect", "expect_mode")


@dataclass(frozen=True)
class TranscriptStep:
    """One step of a transcript: queries change first, then events come, then the watermark."""

    step: Step
    added: tuple[Query, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True)
class OperatorTranscript:
    """Queries, settings, the steps of a trace, and the expected output."""

    queries: tuple[Query, ...]
    settings: Settings
    turns: tuple[TranscriptStep, ...]
    expected: Expectations = NOTHING

    def every_query(self) -> Iterator[Query]:
        """Each query that is registered at any time."""
        yield from self.queries
        yield from (query for turn in self.turns for query in turn.added)

    def registered_queries(self) -> Iterator[list[str]]:
        """The names of the queries that are registered at each step, in the order of addition."""
        names = [query.id for query in self.queries]
        for turn in self.turns:
            names = [name for name in names if name not in turn.removed]
            names += [query.id for query in turn.added]
            yield names


@dataclass(frozen=True)
class StructureTranscript:
    """An aggregate, the calls of a structure over it, and their expected results."""

    aggregate: AnyAggregate
    calls: tuple[Call, ...]
    expected: Expectations = NOTHING


Transcript = OperatorTranscript | StructureTranscript


def parse(text: str | bytes) -> Transcript:
    """The transcript in a document; a TranscriptError names what is wrong with it.

    >>> parse('{"muntin": 1, "queries": [], "steps": [{"watermark": 2.5}]}')
    Traceback (most recent call last):
        ...
    muntin.conformance.transcript.json_reader.TranscriptError: steps[0].watermark must be an inte...
    """
    document = load(text)
    members = document.members()
    if "muntin" not in members:
        raise document.error('the field "muntin" is missing: the version of the format, 1')
    if members["muntin"].integer() != VERSION:
        raise members["muntin"].type_error("1, the only version there is")
    return _structure(document) if "structure" in members else _operator(document)


def schema() -> str:
    """The JSON Schema of version 1."""
    package = files("muntin.conformance.transcript")
    return package.joinpath("transcript-v1.schema.json").read_text("utf-8")


def _operator(document: JsonNode) -> OperatorTranscript:
    members = document.fields(("muntin", "queries", "steps"), (*SETTINGS, *CHECKS, "late"))
    registered: dict[str, None] = {}
    queries = tuple(_query(node, registered) for node in members["queries"].items())
    names = dict(registered)
    turns: list[TranscriptStep] = []
    for node in members["steps"].items():
        turns.append(_turn(node, registered))
        names.update(registered)
    return OperatorTranscript(
        queries, _settings(members), tuple(turns), read_results(members, len(turns), names)
    )


def _structure(document: JsonNode) -> StructureTranscript:
    members = document.fields(("muntin", "structure", "ops"), CHECKS)
    name = members["structure"].fields(("aggregate",))["aggregate"]
    aggregate = _aggregate(name, named_keeping_nulls)
    calls = tuple(read_call(node) for node in members["ops"].items())
    return StructureTranscript(aggregate, calls, read_answers(members, calls))


def _query(node: JsonNode, registered: dict[str, None]) -> Query:
    """A query, whose id is registered from now on."""
    members = node.fields(("id", "window", "aggregate"))
    name = members["id"].text()
    if name in registered:
        raise members["id"].error(f"there is a query {excerpt(name)} already; ids must differ")
    registered[name] = None
    return Query(name, read_window(members["window"]), _aggregate(members["aggregate"], named))


def _aggregate(node: JsonNode, lookup: Callable[[str], AnyAggregate]) -> AnyAggregate:
    name = node.text()
    try:
        return lookup(name)
    except InvalidInputError as error:
        raise node.error(error) from error


def _turn(node: JsonNode, registered: dict[str, None]) -> TranscriptStep:
    members = node.fields((), ("remove", "add", "events", "watermark"))
    removed = [_removed(item, registered) for item in _list(members, "remove")]
    added = [_query(item, registered) for item in _list(members, "add")]
    events = members["events"].items() if "events" in members else []
    watermark = read_watermark(members["watermark"]) if "watermark" in members else None
    step = Step(tuple(map(read_event, events)), watermark)
    return TranscriptStep(step, tuple(added), tuple(removed))


def _removed(node: JsonNode, registered: dict[str, None]) -> str:
    name = node.text()
    if name not in registered:
        known = ", ".join(map(excerpt, registered)) or "there is none"
        raise node.type_error(f"the id of a query that is registered at this point ({known})")
    del registered[name]
    return name


def _list(members: Mapping[str, JsonNode], name: str) -> Collection[JsonNode]:
    if name not in members:
        return ()
    return members[name].items() if isinstance(members[name].value, list) else [members[name]]


def _settings(members: Mapping[str, JsonNode]) -> Settings:
    settings = DEFAULTS
    if lateness := members.get("allowed_lateness"):
        settings = replace(settings, allowed_lateness=lateness.integer(least=0))
    if mode := members.get("output"):
        settings = replace(settings, output=mode.one_of(get_args(Mode)))
    if in_order := members.get("in_order"):
        settings = replace(settings, in_order=in_order.flag())
    if dialect := members.get("dialect"):
        settings = replace(settings, dialect=read_dialect(dialect))
    return settings


def read_dialect(node: JsonNode) -> Dialect:
    """The decisions in an object; those that it lacks are ours."""
    known = {name: get_args(hint) for name, hint in get_type_hints(Dialect).items()}
    members = node.fields((), list(known))
    chosen = {name: item.one_of(known[name]) for name, item in members.items() if name != "closing"}
    return Dialect(closing=_closing(members["closing"]) if "closing" in members else 0, **chosen)


def _closing(node: JsonNode) -> int | Mapping[str, int]:
    if not isinstance(node.value, dict):
        return _delay(node)
    members = node.fields((), WINDOW_NAMES)
    return {name: _delay(item) for name, item in members.items()}


def _delay(node: JsonNode) -> int:
    if node.integer() not in (-1, 0, 1):
        raise node.type_error("0, 1 or -1")
    return node.integer()
