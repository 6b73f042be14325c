"""Replay a transcript on an implementation, its output as rows of JSON fields; and write one.

To write is the inverse of `parse`, for runs that a program made.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields

from muntin.conformance.transcript.calls import QUERY_CALLS, perform, write_event
from muntin.conformance.transcript.expectations import JsonRow
from muntin.conformance.transcript.json_reader import Json, encode, encode_coordinate
from muntin.conformance.transcript.model import (
    VERSION,
    OperatorTranscript,
    StructureTranscript,
    TranscriptStep,
)
from muntin.conformance.transcript.windows import write_window
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import MuntinError, UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import DEFAULTS, Output, Query, Result, Settings
from muntin.spec.structure import OutOfOrder

Build = Callable[[Settings], Operator]


def unsupported_reason(transcript: OperatorTranscript, build: Build) -> str | None:
    """The first query of a transcript that an implementation does not support, and why.

    All are added to one operator. Each is removed again, for a later query may have its name.
    """
    operator = build(transcript.settings)
    for query in transcript.every_query():
        try:
            operator.add(query)
            operator.remove(query.id)
        except UnsupportedError as error:
            return f"query {query.id!r}: {str(error).removeprefix(f'query {query.id!r}: ')}"
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


def write(
    queries: Sequence[Query],
    turns: Sequence[TranscriptStep],
    settings: Settings = DEFAULTS,
    outputs: Sequence[Output] | None = None,
) -> dict[str, Json]:
    """The document of a run, and of its outputs, if they are given.

    Aggregates are written by name: those of the catalogue can be read back.

    >>> from muntin.spec.stream import Event, Step
    >>> write([], [TranscriptStep(Step((Event(3, "a"),), 7))])["steps"]
    [{'events': [{'t': 3, 'v': 'a'}], 'watermark': 7}]
    """
    return {
        "muntin": VERSION,
        "queries": [_query(query) for query in queries],
        **_settings(settings),
        "steps": [_turn(turn) for turn in turns],
        **({} if outputs is None else _expected(outputs)),
    }


def _query(query: Query) -> Json:
    window = dict(write_window(query.window))
    return {"id": query.id, "window": window, "aggregate": query.aggregate.name}


def _settings(settings: Settings) -> dict[str, Json]:
    return {
        "allowed_lateness": settings.allowed_lateness,
        "output": settings.output,
        "in_order": settings.in_order,
        "dialect": write_dialect(settings.dialect),
    }


def write_dialect(dialect: Dialect) -> dict[str, Json]:
    """The decisions of a dialect that are not ours.

    >>> write_dialect(Dialect(session_merge="le"))
    {'session_merge': 'le'}
    """
    every = {field.name: encode(getattr(dialect, field.name)) for field in fields(dialect)}
    return {name: value for name, value in every.items() if value != getattr(OURS, name)}


def _turn(turn: TranscriptStep) -> Json:
    written: dict[str, Json] = {}
    if turn.removed:
        written["remove"] = [*turn.removed]
    if turn.added:
        written["add"] = [_query(query) for query in turn.added]
    if turn.step.events:
        written["events"] = [dict(write_event(event)) for event in turn.step.events]
    if turn.step.watermark is not None:
        written["watermark"] = encode_coordinate(turn.step.watermark)
    return written


def _expected(outputs: Sequence[Output]) -> dict[str, Json]:
    rows = [dict(row) for step, output in enumerate(outputs) for row in output_rows(step, output)]
    late: list[Json] = [row for row in rows if "late" in row]
    return {"expect": [row for row in rows if "late" not in row], "late": late}
