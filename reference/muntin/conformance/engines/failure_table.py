"""A failure as people read it: step by step, what is specified beside what the engine answered."""

import json
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from muntin.conformance.engines.clock import EXPLICIT, Clock, clocked, keyed_traces
from muntin.conformance.engines.engine import EngineAnswer
from muntin.conformance.engines.verification import EngineFailure
from muntin.conformance.transcript.expectations import JsonRow
from muntin.conformance.transcript.json_reader import Json, encode_coordinate
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.conformance.transcript.replay import replay, write, write_dialect
from muntin.conformance.transcript.windows import write_window
from muntin.reference.specification import SpecificationOperator
from muntin.wire.messages import EngineDescription

HEADS = {
    "mismatch": ("specified", "the engine"),
    "error": ("specified", "the engine"),
    "unrepeatable": ("once", "and once"),
}
"""The titles of the two answers."""


def failure_lines(failure: EngineFailure, description: EngineDescription) -> Iterator[str]:
    """The rules of the trace, its steps with both answers, and an error."""
    answers = failure.specified, failure.actual
    yield from comparison_lines(failure.trace, answers, HEADS[failure.kind], description)
    if failure.actual.error:
        yield f"the engine failed: {failure.actual.error}"


def comparison_lines(
    trace: OperatorTranscript,
    answers: tuple[EngineAnswer, EngineAnswer],
    heads: tuple[str, str],
    description: EngineDescription,
) -> Iterator[str]:
    """A trace with two answers side by side; `!` marks where they differ."""
    yield _rules(trace)
    yield ""
    table = [("step", "", *heads)]
    by_step = description.level in ("sequence", "steps")
    for number, turn in enumerate(trace.turns):
        left, right = (_step_texts(answer, number if by_step else -1) for answer in answers)
        table += _cells(str(number), _turn_text(turn), left, right, by_step=by_step)
    if not by_step:
        left, right = (_step_texts(answer, None) for answer in answers)
        table += _cells("all", "", left, right, by_step=True)
    yield from _aligned(table)


def _rules(trace: OperatorTranscript) -> str:
    settings, (query,) = trace.settings, trace.queries
    parts = [
        json.dumps(write_window(query.window)),
        f"lateness {settings.allowed_lateness}",
        settings.output,
        f"dialect {json.dumps(write_dialect(settings.dialect))}",
    ]
    return ", ".join(parts)


def _turn_text(turn: TranscriptStep) -> str:
    events = [
        f"t={event.time} #{event.value}{'' if event.key is None else f' key {event.key}'}"
        for event in turn.step.events
    ]
    watermark = turn.step.watermark
    ends = [] if watermark is None else [f"watermark {encode_coordinate(watermark)}"]
    return ", ".join([*events, *ends])


def _step_texts(answer: EngineAnswer, step: int | None) -> list[str]:
    """The rows of a step; those of every step if it is None."""
    rows = [row for row in answer.results if step is None or row.get("step") == step]
    late = [row for row in answer.late or () if step is None or row.get("step") == step]
    return [*map(_row_text, rows), *(f"late #{row['v']}" for row in late)]


def _row_text(row: JsonRow) -> str:
    key = "" if row.get("key") is None else f"{row['key']} "
    kind = "" if row.get("kind") in (None, "new") else f" {row['kind']}"
    return f"{key}[{row['start']}, {row['end']}) {json.dumps(row['value'])}{kind}"


def _cells(
    step: str, turn: str, left: Sequence[str], right: Sequence[str], *, by_step: bool
) -> Iterator[tuple[str, str, str, str]]:
    if not by_step:
        yield step, turn, "", ""
        return
    rest, missing = [*right], list[str]()
    for text in left:
        if text in rest:
            rest.remove(text)
            yield step, turn, text, text
            step = turn = ""
        else:
            missing.append(text)
    for a, b in zip_longest(missing, rest, fillvalue="-") if missing or rest else ():
        yield step, turn, a, f"! {b}"
        step = turn = ""
    if not left and not right:
        yield step, turn, "-", "-"


def _aligned(table: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def failure_transcript(failure: EngineFailure, clock: Clock = EXPLICIT) -> dict[str, Json]:
    """The trace of a failure with the results of the specification, for `muntin replay --check`.

    It has the watermarks of the clock; if each key has its own, it is the trace of the last key.
    """
    trace = failure.trace
    for part in keyed_traces(trace) if clock.scope == "key" else ():
        trace = part
    trace = clocked(trace, clock)
    outputs = list(replay(trace, SpecificationOperator(trace.settings)))
    return write(trace.queries, trace.turns, trace.settings, outputs)


def answer_fields(answer: EngineAnswer) -> dict[str, Json]:
    """An answer as an object of JSON."""
    results: list[Json] = [dict(row) for row in answer.results]
    late: list[Json] = [dict(row) for row in answer.late or ()]
    failed: dict[str, Json] = {} if answer.error is None else {"error": answer.error}
    return {"results": results, "late": late, **failed}
