"""Transcripts: a trace, or the calls of a structure, with what should come of it, as JSON.

The format is version 1, see docs/transcripts.md. All of a document is checked before any of it
is replayed, and each complaint names the place in the document.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import get_args, get_type_hints

from muntin.conformance.transcript.calls import Call, read_call
from muntin.conformance.transcript.events import read_event, read_watermark
from muntin.conformance.transcript.expectation_reader import read_answers, read_results
from muntin.conformance.transcript.expectations import NOTHING, Expectations
from muntin.conformance.transcript.json_reader import JsonNode, excerpt, load
from muntin.conformance.transcript.windows import WINDOW_NAMES, read_window
from muntin.spec.algebra.aggregate import AnyAggregate
from muntin.spec.algebra.catalogue import named, named_keeping_nulls
from muntin.spec.dialect import OURS, Dialect
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
    """Queries, how they are asked, what happens, and what should come of it."""

    queries: tuple[Query, ...]
    settings: Settings
    turns: tuple[TranscriptStep, ...]
    expected: Expectations = NOTHING

    def every_query(self) -> Iterator[Query]:
        """Yield each query that is asked at any time."""
        yield from self.queries
        yield from (query for turn in self.turns for query in turn.added)


@dataclass(frozen=True)
class StructureTranscript:
    """An aggregate, the calls of a structure over it, and what they should answer."""

    aggregate: AnyAggregate
    calls: tuple[Call, ...]
    expected: Expectations = NOTHING


Transcript = OperatorTranscript | StructureTranscript


def parse(text: str | bytes) -> Transcript:
    """Return the transcript that a document holds, or raise TranscriptError.

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
    """Return the JSON Schema of version 1."""
    return (
        files("muntin.conformance.transcript")
        .joinpath("transcript-v1.schema.json")
        .read_text("utf-8")
    )


def _operator(document: JsonNode) -> OperatorTranscript:
    found = document.fields(("muntin", "queries", "steps"), (*SETTINGS, *CHECKS, "late"))
    asked: dict[str, None] = {}
    queries = tuple(_query(node, asked) for node in found["queries"].items())
    names = dict(asked)
    turns: list[TranscriptStep] = []
    for node in found["steps"].items():
        turns.append(_turn(node, asked))
        names.update(asked)
    return OperatorTranscript(
        queries, _settings(found), tuple(turns), read_results(found, len(turns), names)
    )


def _structure(document: JsonNode) -> StructureTranscript:
    found = document.fields(("muntin", "structure", "ops"), CHECKS)
    aggregate = _aggregate(
        found["structure"].fields(("aggregate",))["aggregate"], named_keeping_nulls
    )
    calls = tuple(read_call(node) for node in found["ops"].items())
    return StructureTranscript(aggregate, calls, read_answers(found, calls))


def _query(node: JsonNode, asked: dict[str, None]) -> Query:
    """Return a query, and note that it is asked from now on."""
    found = node.fields(("id", "window", "aggregate"))
    name = found["id"].text()
    if name in asked:
        raise found["id"].error(f"there is a query {excerpt(name)} already; ids must differ")
    asked[name] = None
    return Query(name, read_window(found["window"]), _aggregate(found["aggregate"], named))


def _aggregate(node: JsonNode, of: Callable[[str], AnyAggregate]) -> AnyAggregate:
    name = node.text()
    try:
        return of(name)
    except InvalidInputError as error:
        raise node.error(error) from error


def _turn(node: JsonNode, asked: dict[str, None]) -> TranscriptStep:
    found = node.fields((), ("remove", "add", "events", "watermark"))
    removed = [_removed(one, asked) for one in _one_or_more(found, "remove")]
    added = [_query(one, asked) for one in _one_or_more(found, "add")]
    events = found["events"].items() if "events" in found else []
    watermark = read_watermark(found["watermark"]) if "watermark" in found else None
    step = Step(tuple(map(read_event, events)), watermark)
    return TranscriptStep(step, tuple(added), tuple(removed))


def _removed(node: JsonNode, asked: dict[str, None]) -> str:
    name = node.text()
    if name not in asked:
        known = ", ".join(map(excerpt, asked)) or "none is asked"
        raise node.type_error(f"the id of a query that is asked at this point ({known})")
    del asked[name]
    return name


def _one_or_more(found: Mapping[str, JsonNode], name: str) -> Collection[JsonNode]:
    if name not in found:
        return ()
    return found[name].items() if isinstance(found[name].value, list) else [found[name]]


def _settings(found: Mapping[str, JsonNode]) -> Settings:
    mode: Mode = found["output"].one_of(get_args(Mode)) if "output" in found else DEFAULTS.output
    return Settings(
        found["allowed_lateness"].integer(least=0)
        if "allowed_lateness" in found
        else DEFAULTS.allowed_lateness,
        mode,
        found["in_order"].flag() if "in_order" in found else DEFAULTS.in_order,
        _dialect(found["dialect"]) if "dialect" in found else OURS,
    )


def _dialect(node: JsonNode) -> Dialect:
    known = {name: get_args(hint) for name, hint in get_type_hints(Dialect).items()}
    found = node.fields((), list(known))
    chosen = {name: one.one_of(known[name]) for name, one in found.items() if name != "closing"}
    return Dialect(closing=_closing(found["closing"]) if "closing" in found else 0, **chosen)


def _closing(node: JsonNode) -> int | Mapping[str, int]:
    if not isinstance(node.value, dict):
        return _delay(node)
    found = node.fields((), WINDOW_NAMES)
    return {name: _delay(one) for name, one in found.items()}


def _delay(node: JsonNode) -> int:
    if node.integer() not in (-1, 0, 1):
        raise node.type_error("0, 1 or -1")
    return node.integer()
