"""Replay a transcript on an implementation, and print what comes of it as lines of JSON fields."""

from collections.abc import Callable, Iterator

from muntin.conformance.transcript.calls import QUERY_CALLS, perform
from muntin.conformance.transcript.events import write_event
from muntin.conformance.transcript.expectations import JsonRow
from muntin.conformance.transcript.json_values import encode, encode_coordinate
from muntin.conformance.transcript.model import (
    OperatorTranscript,
    StructureTranscript,
    TranscriptStep,
)
from muntin.spec.errors import MuntinError, UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Result, Settings
from muntin.spec.structure import OutOfOrder


def unsupported_reason(
    transcript: OperatorTranscript, build: Callable[[Settings], Operator]
) -> str | None:
    """The first query of a transcript that an implementation refuses, and why.

    One operator tries them all. Each is removed again, for a later query may have its name.
    """
    operator = build(transcript.settings)
    for query in transcript.every_query():
        try:
            operator.add(query)
            operator.remove(query.id)
        except UnsupportedError as error:
            return f"query {query.id!r}: {error}"
    return None


def replay(transcript: OperatorTranscript, operator: Operator) -> Iterator[Output]:
    """Yield what an operator answers to each step; an error says at which step it is."""
    for query in transcript.queries:
        operator.add(query)
    for nth, turn in enumerate(transcript.turns):
        try:
            yield _take(turn, operator)
        except MuntinError as error:
            raise type(error)(f"steps[{nth}]: {error}") from error


def _take(turn: TranscriptStep, operator: Operator) -> Output:
    for name in turn.removed:
        operator.remove(name)
    for query in turn.added:
        operator.add(query)
    return operator.take(turn.step)


def replay_calls(
    transcript: StructureTranscript, structure: OutOfOrder[object]
) -> Iterator[list[JsonRow]]:
    """Yield the answer to each call, if it has one; an error says at which call it is."""
    for nth, call in enumerate(transcript.calls):
        try:
            value = perform(call, structure, transcript.aggregate)
        except MuntinError as error:
            raise type(error)(f"ops[{nth}]: {error}") from error
        yield [{"op": nth, "value": encode(value)}] if call.name in QUERY_CALLS else []


def output_rows(step: int, output: Output) -> list[JsonRow]:
    """Return the lines of one step: its results, then its late events, if there are any.

    >>> lines(3, Output((Result("w0", None, 0, 10, 6, "new", 0),)))[0]["end"]
    10
    """
    late: JsonRow = {"step": step, "late": [write_event(event) for event in output.late]}
    return [*(_line(step, result) for result in output.results), *([late] if output.late else [])]


def _line(step: int, result: Result) -> JsonRow:
    return {
        "step": step,
        "query": result.query,
        "key": encode(result.key),
        "start": encode_coordinate(result.start),
        "end": encode_coordinate(result.end),
        "value": encode(result.value),
        "kind": result.kind,
        "revision": result.revision,
    }
