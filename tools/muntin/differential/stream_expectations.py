"""What Spark's own windows must emit over a stream, by the specification.

A micro-batch is a step, and the watermark that follows its events is the one that the batches
before it gave: Spark decides what is late by the watermark of the batch before that, and emits
windows by this one. Lateness is decided by window. Its append mode is our output mode *final*. Its
update mode emits every window that a batch touched, complete or not: that is content (rule 7)
without completeness (rule 9).

Spark drops a late row before it merges sessions: by the extent that the row would have alone. The
specification decides after the merge. So the rows that Spark drops are removed from a session's
stream first; docs/diff.md has the smallest trace that shows the difference.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Literal, NamedTuple

from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.differential.inputs.generated_traces import generated_rows
from muntin.differential.plan import DiffPlan
from muntin.spec.denotation import denote
from muntin.spec.dialect import Dialect
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.window import Interval

STREAM_DIALECT = Dialect(session_merge="le", lateness="window")
"""What Spark does in a stream where engines disagree."""

OutputMode = Literal["append", "update"]


class Arrival(NamedTuple):
    """A row of a stream."""

    key: str
    t: int
    v: int | None


class NativeEmission(NamedTuple):
    """A window that a micro-batch emits."""

    key: str
    start: int
    end: int
    value: object


Batches = Sequence[Sequence[Arrival]]


def arrivals(plan: DiffPlan) -> list[list[Arrival]]:
    """The rows of all keys as one stream of micro-batches; the times of all keys begin at 0."""
    rows = [generated_rows(plan, key) for key in range(plan.keys)]
    keyed = [
        [Arrival(str(key), t - min(times), v) for t, v in zip(times, values, strict=True)]
        for key, (times, values) in enumerate(rows)
    ]
    merged = [arrival for row in zip(*keyed, strict=False) for arrival in row]
    return [merged[first : first + plan.batch] for first in range(0, len(merged), plan.batch)]


def watermarks(batches: Batches, delay: int) -> list[int]:
    """The watermark after each batch; Spark's first one is 0.

    >>> watermarks([[Arrival("k", 5, 1)], [Arrival("k", 90, 1)], [Arrival("k", 7, 1)]], 10)
    [0, 80, 80]
    """
    latest = accumulate((max(row.t for row in batch) for batch in batches), max)
    return [max(0, time - delay) for time in latest]


def steps(batches: Batches, delay: int) -> list[Step]:
    """Each batch as a step: its events, then the watermark in force when the batch began."""
    previous = [None, *watermarks(batches, delay)]
    events = [tuple(Event(row.t, row.v, row.key) for row in batch) for batch in batches]
    return [*map(Step, [*events, ()], previous)]


def stream_transcript(query: Query, batches: Batches, delay: int) -> OperatorTranscript:
    """The stream as a transcript, in Spark's dialect and append mode."""
    stream = steps(batches, delay)
    if isinstance(query.window, Session):
        stream = [*_without_late_rows(stream, query.window.gap)]
    turns = tuple(TranscriptStep(step) for step in stream)
    return OperatorTranscript((query,), Settings(0, "final", dialect=STREAM_DIALECT), turns)


def _without_late_rows(stream: Sequence[Step], gap: int) -> Iterator[Step]:
    """Remove the rows whose own session, before any merge, is complete: Spark drops them."""
    limit = -END
    for step in stream:
        yield replace(step, events=tuple(row for row in step.events if row.time + gap > limit))
        limit = limit if step.watermark is None else step.watermark


def append_emissions(query: Query, batches: Batches, delay: int) -> list[set[NativeEmission]]:
    """The windows that append mode must emit after each step."""
    transcript = stream_transcript(query, batches, delay)
    outputs = denote([query], [turn.step for turn in transcript.turns], transcript.settings)
    return [
        {NativeEmission(str(row.key), row.start, int(row.end), row.value) for row in output.results}
        for output in outputs
    ]


def update_emissions(query: Query, batches: Batches, delay: int) -> list[set[NativeEmission]]:
    """The windows that update mode must emit after each step, for windows with known edges."""
    window, contents = query.window, dict[tuple[str, Interval], list[Event]]()
    emissions, limit = list[set[NativeEmission]](), -END
    for step in steps(batches, delay):
        touched = set[tuple[str, Interval]]()
        for event in step.events:
            for interval in _intervals(window, event) if isinstance(window, Sliding) else ():
                if interval.end > limit:
                    contents.setdefault((str(event.key), interval), []).append(event)
                    touched.add((str(event.key), interval))
        emissions.append(
            {
                NativeEmission(key, span.start, int(span.end), query.value(contents[key, span]))
                for key, span in touched
            }
        )
        limit = limit if step.watermark is None else step.watermark
    return emissions


def _intervals(window: Sliding, event: Event) -> Iterator[Interval]:
    for start in window.starts(event.time, STREAM_DIALECT):
        yield Interval(start, start + window.size)


def differing_steps(
    expected: Sequence[set[NativeEmission]], actual: Sequence[Sequence[NativeEmission]]
) -> list[str]:
    """The steps that differ, with the windows that are missing and those that are unexpected."""
    return [
        f"step {index}: missing {sorted(want - {*have})}, unexpected {sorted({*have} - want)}"
        for index, (want, have) in enumerate(zip(expected, actual, strict=True))
        if want != {*have} or len({*have}) < len(have)
    ]
