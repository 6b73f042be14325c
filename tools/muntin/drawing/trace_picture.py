"""The picture of a transcript of operators: computed by the specification, or by an operator.

Rows that differ from what is expected are marked in their place: wanted, or not wanted.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from muntin.conformance.inspection import StepView, inspect_steps
from muntin.conformance.transcript.expectations import (
    Difference,
    Expectations,
    JsonRow,
    differences,
    late_events,
)
from muntin.conformance.transcript.model import OperatorTranscript, Transcript
from muntin.conformance.transcript.replay import Build, output_rows, replay
from muntin.drawing.scene import Scene
from muntin.drawing.svg import TRACE_STYLE, svg
from muntin.drawing.time_axis import TimeAxis, axis_of
from muntin.drawing.trace_scene import EmittedRow, Naming, TracePlan, reason_text, trace_scene
from muntin.reference.specification import SpecificationOperator
from muntin.registry.state_size import slice_spans
from muntin.spec.errors import InvalidInputError
from muntin.spec.operator import Operator
from muntin.spec.stream import END
from muntin.spec.windows.measure import TIME

MISSING, UNEXPECTED = "missing", "unexpected"


def trace_svg(
    transcript: OperatorTranscript,
    title: str,
    wrong: Sequence[Difference] = (),
    *,
    windows: bool = False,
) -> str:
    """The picture of a trace as text; differences from what is expected are marked."""
    views = [*inspect_steps(transcript)]
    rows = marked_rows(views, wrong) if wrong else emitted_rows(views)
    plan = TracePlan(naming(transcript), views[-1].windows if windows and views else ())
    return svg(trace_scene(views, rows, plan), title, style=TRACE_STYLE)


def operator_scene(transcript: OperatorTranscript, operator: Operator, name: str) -> Scene:
    """A trace as an operator answers it, with the windows at its end and its slices."""
    views, outputs = [*inspect_steps(transcript)], [*replay(transcript, operator)]
    rows = [
        [EmittedRow(row) for row in output_rows(step, output) if "late" not in row]
        for step, output in enumerate(outputs)
    ]
    windows = views[-1].windows if views else ()
    plan = TracePlan(naming(transcript), windows, tuple(slice_spans(operator)), name)
    return trace_scene(views, rows, plan)


def trace_axis(transcript: OperatorTranscript) -> TimeAxis:
    """The axis of the picture of a trace, as the specification answers it."""
    views = [*inspect_steps(transcript)]
    rows = [row.fields for step in emitted_rows(views) for row in step]
    return axis_of(views, rows, naming(transcript).timed)


def naming(transcript: OperatorTranscript) -> Naming:
    """Which queries have a place on the axis, and what the results must name."""
    queries = [*transcript.every_query()]
    events = [event for turn in transcript.turns for event in turn.step.events]
    timed = {query.id for query in queries if query.window.measure is TIME}
    return Naming(timed, len(queries) > 1, any(event.key is not None for event in events))


def emitted_rows(views: Sequence[StepView]) -> list[list[EmittedRow]]:
    """What the specification emits in each step; late events are marked where they arrive."""
    return [
        [EmittedRow(row) for row in output_rows(step, view.output) if "late" not in row]
        for step, view in enumerate(views)
    ]


def marked_rows(views: Sequence[StepView], wrong: Sequence[Difference]) -> list[list[EmittedRow]]:
    """The expected rows that are missing, and the actual rows that nothing expects, by step."""
    steps = [list[EmittedRow]() for _ in views]
    for difference in wrong:
        for row, remark in ((difference.expected, MISSING), (difference.actual, UNEXPECTED)):
            step = row.get("step", 0) if row else None
            if row is not None and isinstance(step, int) and step < len(steps):
                steps[step].append(EmittedRow(row, remark))
    return steps


def mismatch_svg(transcript: Transcript, build: Build, title: str) -> str:
    """The picture of a trace, with the rows in which an operator differs from the specification."""
    if not isinstance(transcript, OperatorTranscript):
        raise InvalidInputError(f"{title}: only a trace has such a picture, not calls")
    specified, actual = (
        [*_rows(transcript, operator)]
        for operator in (SpecificationOperator(transcript.settings), build(transcript.settings))
    )
    late = [event for row in specified for event in late_events(row)]
    results = [row for row in specified if "late" not in row]
    wrong = differences(Expectations(tuple(results), tuple(late)), actual)
    return trace_svg(transcript, title, wrong)


def _rows(transcript: OperatorTranscript, operator: Operator) -> Iterator[JsonRow]:
    """The rows of an operator until it fails, if it does."""
    with suppress(Exception):
        for step, output in enumerate(replay(transcript, operator)):
            yield from output_rows(step, output)


def trace_remarks(transcript: OperatorTranscript) -> Iterator[str]:
    """For each late event, why it is late."""
    for number, view in enumerate(inspect_steps(transcript)):
        for reason in view.late:
            yield f"step {number}: {reason_text(reason)}"
        if view.watermark == END and view.watermark_before < END:
            yield f"step {number}: the stream ends, so every window in time is complete"
