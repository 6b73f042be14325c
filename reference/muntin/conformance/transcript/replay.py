"""Replay a transcript on an implementation: its output as rows of JSON fields."""

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
    """The first query of a transcript that an implementation does not support, and why.

    All are added to one operator. Each is removed again, for a later query may have its name.
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
    """The outputs of an operator, step by step; an error names the step."""
    for query in transcript.queries:
        operator.add(query)
    for number, turn in enumerate(transcript.turns):
        try:
            yield _run(turn, operator)
        except MuntinError as error:
            raise type(error)(f"steps[{number}]: {error}") from error


def _run(turn: TranscriptStep, operator: Operator) -> Output:
    for name in turn.removed:
        operator.remove(name)
    for query in turn.added:
        operator.add(query)
    return operator.take(turn.step)


def replay_calls(
    transcript: StructureTranscript, structure: OutOfOrder[object]
) -> Iterator[list[JsonRow]]:
    """The result of each call, if it has one; an error names the call."""
    for number, call in enumerate(transcript.calls):
        try:
            value = perform(call, structure, transcript.aggregate)
        except MuntinError as error:
            raise type(error)(f"ops[{number}]: {error}") from error
        yield [{"op": number, "value": encode(value)}] if call.name in QUERY_CALLS else []


def output_rows(step: int, output: Output) -> list[JsonRow]:
    """The rows of one step: its results, then its late events, if there are any.

    >>> output_rows(3, Output((Result("w0", None, 0, 10, 6, "new", 0),)))[0]["end"]
    10
    """
    late: JsonRow = {"step": step, "late": [write_event(event) for event in output.late]}
    return [*(_row(step, result) for result in output.results), *([late] if output.late else [])]


def _row(step: int, result: Result) -> JsonRow:
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
