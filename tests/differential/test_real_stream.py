"""Every operator and structure answers as specified on a real stream: flights as they landed."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

import pytest

from muntin.conformance.datasets.flights import departures
from muntin.conformance.machines.lockstep import lockstep, supported_trace
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.reference.specification import SpecificationStructure
from muntin.registry.implementations import OPERATORS, STRUCTURES, OperatorEntry, StructureEntry
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.catalogue import named
from muntin.spec.cost import Meter
from muntin.spec.errors import UnsupportedError
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.structure import OutOfOrder
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.frames import Threshold
from muntin.spec.windows.periodic import Sliding, count, tumbling

EVENTS, BATCH = 300, 25
BEHIND, LATENESS, SPAN = 180, 120, 360
"""Minutes: how far the watermark trails, how late events may be, and the window of structures."""

QUERIES = (
    Query("hours", tumbling(60), named("sum")),
    Query("peaks", Sliding(360, 60), named("max")),
    Query("medians", Sliding(180, 60), named("median")),
    Query("order", tumbling(15), named("collect")),
    Query("fifties", count(50), named("mean")),
    Query("lulls", Session(20), named("count")),
    Query("rough", Threshold(15, min_count=3), named("count")),
)
REFUSING = {"max": ("subtract-on-evict",), "collect": ("subtract-on-evict",)}


@pytest.fixture(scope="module")
def landed() -> list[Event]:
    return departures(EVENTS)


def in_order(events: Sequence[Event]) -> list[Event]:
    return sorted(events, key=lambda event: event.time)


def steps(events: Sequence[Event]) -> Iterator[Step]:
    """Yield micro-batches; the watermark trails the latest departure."""
    latest = list(accumulate((event.time for event in events), max))
    for first in range(0, len(events), BATCH):
        batch = tuple(events[first : first + BATCH])
        yield Step(batch, latest[first + len(batch) - 1] - BEHIND)
    yield Step((), END)


@pytest.mark.parametrize("entry", OPERATORS, ids=lambda entry: entry.name)
def test_operators_answer_as_specified(entry: OperatorEntry, landed: list[Event]) -> None:
    settings = Settings(in_order=True) if entry.in_order_only else Settings(LATENESS)
    events = in_order(landed) if entry.in_order_only else landed
    turns = tuple(TranscriptStep(step) for step in steps(events))
    trace = supported_trace(OperatorTranscript(QUERIES, settings, turns), entry.build)
    assert trace.queries
    outcome = lockstep(trace, entry.build)
    assert outcome.divergence is None
    assert outcome.refused == 0
    assert outcome.results > 0


def calls(events: Sequence[Event], *, ordered: bool) -> Iterator[tuple[int, object, int]]:
    """Yield the time and value of each departure, and up to when the window is evicted after it.

    In order, departures of one minute get times of their own, by their rank.
    """
    n = len(events)
    if ordered:
        for rank, event in enumerate(in_order(events)):
            yield event.time * n + rank, event.value, (event.time - SPAN) * n + n - 1
    else:
        latest = accumulate((event.time for event in events), max)
        for event, newest in zip(events, latest, strict=True):
            yield event.time, event.value, newest - SPAN


def answers(
    window: OutOfOrder[object],
    aggregate: Aggregate[object, object, object],
    calls: Sequence[tuple[int, object, int]],
) -> Iterator[object]:
    """Insert, evict and query, once for each departure."""
    for time, value, up_to in calls:
        window.insert(time, aggregate.lift(value))
        window.bulk_evict(up_to)
        yield aggregate.lower(window.query())


@pytest.mark.parametrize("name", ["sum", "max", "collect"])
@pytest.mark.parametrize("entry", STRUCTURES, ids=lambda entry: entry.name)
def test_structures_answer_as_specified(
    entry: StructureEntry, name: str, landed: list[Event]
) -> None:
    aggregate = named(name)
    feed = list(calls(landed, ordered=entry.arrival != "any order"))
    try:
        window = entry.build(aggregate.monoid, Meter())
    except UnsupportedError:
        assert entry.name in REFUSING[name]
        return
    expected = list(answers(SpecificationStructure(aggregate.monoid), aggregate, feed))
    assert list(answers(window, aggregate, feed)) == expected
    assert len(expected) == EVENTS
