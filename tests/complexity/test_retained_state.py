"""Naive operators that evict keep only what windows need that are not expired (rule 12)."""

import random
from collections.abc import Callable, Sequence

import pytest

from muntin.conformance.machines.random_choices import BAGS, WORDS, Letter
from muntin.reference.bucket_stores import AggregateBuckets, TupleBuckets
from muntin.reference.naive_operator import NaiveOperator
from muntin.reference.tuple_stores import FullHistoryStore, TupleBuffer
from muntin.registry.implementations import FibaOfTuples
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Event
from muntin.spec.windows.data_driven import (
    LastNEvery,
    Punctuation,
    Rolling,
    Session,
    slide_by_tuple,
)
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.periodic import Band, Cumulate, Sliding, count, tumbling
from muntin.spec.windows.window import WindowType

LATENESS, DELAY, EVENTS = 7, 5, 600
Bound = Callable[[Sequence[int], int], int]


def stream() -> list[Event]:
    """An event every other instant, a tenth of them punctuations, delayed by up to five."""
    rng = random.Random(1)  # noqa: S311 - it need not be secret
    times = sorted(range(0, 2 * EVENTS, 2), key=lambda time: time + rng.randint(0, DELAY))
    return [Event(t, Letter(t // 20 % 3, i), punctuation=t % 20 == 0) for i, t in enumerate(times)]


def within(before: int) -> Bound:
    """Allow the events that are at most `before` older than the lateness limit."""
    return lambda times, limit: sum(time >= limit - before for time in times)


def last(n: int) -> Bound:
    """Allow the last n events before the limit, and those that are younger."""
    return lambda times, limit: n + sum(time >= limit for time in times)


KEPT: list[tuple[WindowType, Bound]] = [
    (tumbling(10), within(10)),
    (Sliding(30, 10), within(30)),
    (Sliding(4, 10), within(4)),
    (Cumulate(20, 5), within(20)),
    (Band(100, 160), within(61)),
    (Session(3), lambda times, _: len(times)),  # events every 2: it is one session
    (Session(2), within(2)),
    (Rolling(12), within(12)),
    (slide_by_tuple(12, 3), within(12)),
    (count(8), last(8)),
    (count(8, 3), last(8)),
    (count(3, 8), last(8)),
    (LastNEvery(5, 10), last(5)),
    (Punctuation(), within(21)),
    (State(), within(21)),
    (Delta(0), within(21)),
    (Threshold(1), within(61)),
    (Threshold(99), within(3)),  # no value is high enough
]


@pytest.mark.parametrize("store", [TupleBuffer, FibaOfTuples])
@pytest.mark.parametrize(("kind", "bound"), KEPT, ids=lambda part: getattr(part, "name", "bound"))
def test_tuples_are_kept_that_unfrozen_windows_need(
    kind: WindowType, bound: Bound, store: type[TupleBuffer]
) -> None:
    operator = NaiveOperator(store, Settings(LATENESS))
    operator.add(Query("q", kind, WORDS))
    seen: list[int] = []
    for event in stream():
        seen.append(event.time)
        watermark = max(seen) - DELAY
        operator.step([event], watermark)
        held = operator.retained()
        assert held.partials <= held.events <= bound(seen, watermark - LATENESS)


@pytest.mark.parametrize("size", [10, 30, 70])
def test_buckets_keep_unfrozen_windows_only(size: int) -> None:
    buckets, partials = (
        NaiveOperator(store, Settings(LATENESS)) for store in (TupleBuckets, AggregateBuckets)
    )
    buckets.add(Query("q", Sliding(size, 10), WORDS))
    partials.add(Query("q", Sliding(size, 10), BAGS))
    reach, windows = 0, size // 10
    for event in stream():
        reach = max(reach, event.time)
        for operator in (buckets, partials):
            operator.step([event], reach - DELAY)
        unfrozen = (size + LATENESS + DELAY) // 10 + 1
        assert partials.retained().partials <= unfrozen
        assert buckets.retained().events <= windows * (size + LATENESS + DELAY + 10) // 2


def test_recompute_keeps_everything() -> None:
    operator = NaiveOperator(FullHistoryStore, Settings(LATENESS))
    operator.add(Query("q", tumbling(10), WORDS))
    for event in stream()[:50]:
        operator.step([event], event.time)
    assert operator.retained().events + 0 == 50
