"""Writes transcripts: the inverse of `parse`, for runs that a program made."""

from collections.abc import Sequence
from dataclasses import fields

from muntin.conformance.transcript.events import write_event
from muntin.conformance.transcript.json_values import Json, encode, encode_coordinate
from muntin.conformance.transcript.model import VERSION, TranscriptStep
from muntin.conformance.transcript.replay import output_rows
from muntin.conformance.transcript.windows import write_window
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.query import DEFAULTS, Output, Query, Settings


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
    return {
        "id": query.id,
        "window": dict(write_window(query.window)),
        "aggregate": query.aggregate.name,
    }


def _settings(settings: Settings) -> dict[str, Json]:
    return {
        "allowed_lateness": settings.allowed_lateness,
        "output": settings.output,
        "in_order": settings.in_order,
        "dialect": _dialect(settings.dialect),
    }


def _dialect(dialect: Dialect) -> Json:
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
    return {
        "expect": [row for row in rows if "late" not in row],
        "late": [row for row in rows if "late" in row],
    }
