"""What Spark's own windows must tell of a stream, by the specification.

A micro-batch is a step, and the watermark that follows its events is the one that the batches
before it gave: so Spark judges what is late against the batch before that, and tells of windows
as of this one. It judges by window. Its append mode is our output mode *final*. Its update mode
tells of every window that a batch touched, whether it is complete or not: that is content (rule 7)
without completeness (rule 9).

Spark drops a late row before it merges sessions: by the extent that the row would have alone. The
specification judges after the merge. So what Spark drops is taken from a session's stream first;
docs/diff.md has the smallest trace that shows the difference.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.differential.inputs.generated_traces import rows_of
from muntin.differential.plan import DiffPlan
from muntin.differential.spark.native_streams import Arrival, NativeEmission
from muntin.spec.denotation import denote
from muntin.spec.dialect import Dialect
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.window import Interval

STREAM = Dialect(session_merge="le", lateness="window")
"""What Spark does in a stream where engines disagree."""

Batches = Sequence[Sequence[Arrival]]


def arrivals(plan: DiffPlan) -> list[list[Arrival]]:
    """Return the rows of all keys as one stream, in micro-batches, near each other in time."""
    keyed = [
        [
            Arrival(str(key), time - min(times), value)
            for time, value in zip(times, values, strict=True)
        ]
        for key in range(plan.keys)
        for times, values in [rows_of(plan, key)]
    ]
    merged = [one for row in zip(*keyed, strict=False) for one in row]
    return [merged[at : at + plan.batch] for at in range(0, len(merged), plan.batch)]


def watermarks(batches: Batches, delay: int) -> list[int]:
    """Return the watermark that each batch leaves behind; time begins at 0, and so does it.

    >>> watermarks([[Arrival("k", 5, 1)], [Arrival("k", 90, 1)], [Arrival("k", 7, 1)]], 10)
    [0, 80, 80]
    """
    latest = accumulate((max(row.t for row in batch) for batch in batches), max)
    return [max(0, time - delay) for time in latest]


def steps(batches: Batches, delay: int) -> list[Step]:
    """Return the steps: a batch's events, then the watermark that was known when it began."""
    known = [None, *watermarks(batches, delay)]
    events = [tuple(Event(row.t, row.v, row.key) for row in batch) for batch in batches]
    return [Step(batch, mark) for batch, mark in zip([*events, ()], known, strict=True)]


def transcript(query: Query, batches: Batches, delay: int) -> OperatorTranscript:
    """Return the stream as a transcript, in Spark's dialect and append mode."""
    given = steps(batches, delay)
    if isinstance(query.window, Session):
        given = [*_dropped_alone(given, query.window.gap)]
    turns = tuple(TranscriptStep(step) for step in given)
    return OperatorTranscript((query,), Settings(0, "final", dialect=STREAM), turns)


def _dropped_alone(given: Sequence[Step], gap: int) -> Iterator[Step]:
    limit = -END
    for step in given:
        yield replace(step, events=tuple(one for one in step.events if one.time + gap > limit))
        limit = limit if step.watermark is None else step.watermark


def appended(query: Query, batches: Batches, delay: int) -> list[set[NativeEmission]]:
    """Return what append mode has to tell after each step."""
    told = transcript(query, batches, delay)
    outputs = denote([query], [turn.step for turn in told.turns], told.settings)
    return [
        {NativeEmission(str(one.key), one.start, int(one.end), one.value) for one in output.results}
        for output in outputs
    ]


def updated(query: Query, batches: Batches, delay: int) -> list[set[NativeEmission]]:
    """Return what update mode has to tell after each step, of windows with known edges."""
    kind, held = query.window, dict[tuple[str, Interval], list[Event]]()
    found, limit = list[set[NativeEmission]](), -END
    for step in steps(batches, delay):
        touched = set[tuple[str, Interval]]()
        for event in step.events:
            for at in _windows_of(kind, event) if isinstance(kind, Sliding) else ():
                if at.end > limit:
                    held.setdefault((str(event.key), at), []).append(event)
                    touched.add((str(event.key), at))
        found.append(set(_told(query, held, touched)))
        limit = limit if step.watermark is None else step.watermark
    return found


def _windows_of(kind: Sliding, event: Event) -> Iterator[Interval]:
    for start in kind.starts(event.time, STREAM):
        yield Interval(start, start + kind.size)


def _told(
    query: Query,
    held: dict[tuple[str, Interval], list[Event]],
    touched: set[tuple[str, Interval]],
) -> Iterator[NativeEmission]:
    for key, at in touched:
        yield NativeEmission(key, at.start, int(at.end), query.value(held[key, at]))


def differing_batches(
    wanted: Sequence[set[NativeEmission]], got: Sequence[Sequence[NativeEmission]]
) -> list[str]:
    """Say for each step at which they differ what is missing and what is too much."""
    return [
        f"step {nth}: missing {sorted(want - {*have})}, beyond {sorted({*have} - want)}"
        for nth, (want, have) in enumerate(zip(wanted, got, strict=True))
        if want != {*have} or len({*have}) < len(have)
    ]
