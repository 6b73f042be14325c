"""The size of a snapshot is bounded by the retained state, and does not grow without it."""

import random
from collections.abc import Iterator

import pytest

from muntin.optimized.scotty.operator import Scotty
from muntin.reference.bucket_stores import AggregateBuckets
from muntin.reference.naive_operator import NaiveOperator
from muntin.reference.tuple_stores import TupleBuffer
from muntin.reference.window_store import WindowStore
from muntin.snapshot import snapshot
from muntin.snapshot.envelope import unpack_envelope
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding

EMPTY, EVENT, PARTIAL = 966, 40, 100
"""Bytes, not compressed: of an operator that holds nothing, and for each event or partial held,
with the windows that have been published of it and may still change. The names of classes and of
fields, which a snapshot spells once, are most of the first.
"""

LATENESS, DELAY, EVENTS = 20, 10, 1200


def events() -> Iterator[Event]:
    """An event an instant, with a value of some digits, delayed by up to ten."""
    rng = random.Random(2)  # noqa: S311 - it need not be secret
    times = sorted(range(EVENTS), key=lambda time: time + rng.randint(0, DELAY))
    yield from (Event(time, rng.randint(0, 10**6)) for time in times)


def operator(store: type[WindowStore]) -> NaiveOperator:
    """An operator that evicts, with two queries."""
    made = NaiveOperator(store, Settings(LATENESS))
    made.add(Query("sliding", Sliding(40, 10), named("sum")))
    made.add(Query("gaps", Session(5), named("max")))
    return made


@pytest.mark.parametrize("store", [TupleBuffer, AggregateBuckets])
def test_a_snapshot_is_bounded_by_what_is_retained(store: type[WindowStore]) -> None:
    one, sizes, shares, reach = operator(store), list[int](), list[float](), 0
    for nth, event in enumerate(events()):
        reach = max(reach, event.time)
        pause = 30 * (event.time // 100)  # so that sessions end
        one.step([Event(event.time + pause, event.value)], reach + pause - DELAY)
        if nth % 50 == 49:
            data = snapshot(one)
            held, body = one.retained(), len(unpack_envelope(data).body)
            shares.append(body / (EMPTY + EVENT * held.events + PARTIAL * held.partials))
            sizes.append(len(data))
    assert 0.9 < max(shares) <= 1
    early, late = sizes[3:12], sizes[-9:]
    assert max(late) <= 1.1 * max(early)
    assert len(sizes) == EVENTS // 50


def test_edges_that_have_been_passed_take_no_byte() -> None:
    one, sizes = Scotty(Settings(LATENESS)), list[int]()
    one.add(Query("sliding", Sliding(40, 10), named("sum")))
    for event in events():
        one.take(Step((event,), event.time - DELAY))
        if event.time % 300 == 299:
            sizes.append(len(unpack_envelope(snapshot(one)).body))
    assert len(sizes) == EVENTS // 300
    assert max(sizes) <= 1.1 * min(sizes)


def test_an_event_takes_a_few_bytes() -> None:
    one = NaiveOperator(TupleBuffer, Settings(10**9))
    one.add(Query("all", Sliding(10**9, 10**9), named("sum")))
    rng = random.Random(3)  # noqa: S311 - it need not be secret
    one.step([Event(7 * i, rng.randint(0, 10**6)) for i in range(2000)])
    assert 5 * 2000 < len(snapshot(one)) < 15 * 2000


def test_the_work_is_linear_in_the_state() -> None:
    """Counted in written objects: each is written once, however many references it has."""
    one = NaiveOperator(TupleBuffer, Settings(10**9))
    for n in range(10):
        one.add(Query(f"q{n}", Sliding(10**9, 10**9), named("sum")))
    one.step([Event(7 * i, i) for i in range(200)])
    shared = len(unpack_envelope(snapshot(one)).body)
    single = NaiveOperator(TupleBuffer, Settings(10**9))
    single.add(Query("q", Sliding(10**9, 10**9), named("sum")))
    single.step([Event(7 * i, i) for i in range(200)])
    assert shared < 4 * len(unpack_envelope(snapshot(single)).body) + 10 * EMPTY
