"""Structures that take inserts in order: joins, ranges and refusals, beyond the machine."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.conformance.machines.structure_machine import Build
from muntin.optimized.fifo.b_int import BInt
from muntin.optimized.flatfat.flatfat_window import FlatFatWindow
from muntin.optimized.flatfat.reactive import ReactiveAggregator
from muntin.optimized.flatfat.reactive_fifo import BoundedFlatFat, FifoReactiveAggregator
from muntin.spec.algebra.monoid import FREE, Word
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.structure import OutOfOrder, Pair, TimedWindow

CAPACITIES = [1, 2, 4, 16]

NOT_FIFO: list[Build] = [partial(ReactiveAggregator[Word], capacity=n) for n in CAPACITIES]
FIFO: list[Build] = [
    *(partial(FifoReactiveAggregator[Word], capacity=n) for n in CAPACITIES),
    BInt[Word],
]


def holds_of(target: OutOfOrder[Word], window: TimedWindow[Word]) -> None:
    assert [fact for fact, holds in target.invariants(window.pairs) if not holds] == []
    assert list(target.items()) == list(window.pairs)
    assert (target.oldest(), target.youngest()) == (window.oldest(), window.youngest())
    assert len(target) == len(window.pairs)
    assert target.query() == window.query()


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("insert"), st.integers(0, 3)),
        st.tuples(st.just("evict"), st.integers(0, 100)),
        st.tuples(st.just("bulk_insert"), st.integers(0, 9)),
        st.tuples(st.just("bulk_evict"), st.integers(0, 100)),
    ),
    max_size=60,
)


def run(
    target: OutOfOrder[Word], steps: list[tuple[str, int]], *, fifo: bool
) -> Iterator[TimedWindow[Word]]:
    """Run the steps on the target; yield the window after each."""
    window, letter = TimedWindow(FREE), 0
    for name, number in steps:
        times = [time for time, _ in window.pairs] or [0]
        batch: list[Pair[Word]] = []
        if name == "insert":
            batch = [(times[-1] + number, (letter,))]
        if name == "bulk_insert":
            batch = [(times[-1] + k * number // 6, (letter + k,)) for k in range(number)]
        letter += 10
        target.bulk_insert(batch)
        window = window.bulk_insert(batch)
        if name == "evict":
            time = times[0 if fifo else number % len(times)]
            target.evict(time)
            window = window.evict(time)
        if name == "bulk_evict":
            target.bulk_evict(times[number % len(times)])
            window = window.bulk_evict(times[number % len(times)])
        yield window


@given(steps=STEPS, build=st.sampled_from(NOT_FIFO + FIFO))
def test_joins_at_the_youngest_and_ranges_agree(steps: list[tuple[str, int]], build: Build) -> None:
    meter = Meter()
    target = build(meter.watch(FREE), meter)
    for window in run(target, steps, fifo=build in FIFO):
        holds_of(target, window)
        times = [time for time, _ in window.pairs] or [0]
        for first in {times[0], times[len(times) // 3], times[-1] + 1}:
            for last in {times[0] - 1, times[len(times) // 2], times[-1]}:
                before = meter.cost()
                assert target.query_range(first, last) == window.query_range(first, last)
                now, items = meter.cost(), sum(first <= time <= last for time in times)
                bound = target.bound(Operation("query_range", len(target), items))
                cost = Cost(now.combines - before.combines, now.visits - before.visits)
                assert cost.is_within(bound)


class Poisoned(FifoReactiveAggregator[Word]):
    """A FIFO ring whose every node without an item below can be spoilt."""

    def spoil(self) -> None:
        assert isinstance(self._fat, BoundedFlatFat)
        self._fat = Spoilt(self._fat)


class Spoilt(BoundedFlatFat[Word]):
    """The same tree, where what no item accounts for is poison."""

    def __init__(self, fat: BoundedFlatFat[Word]) -> None:
        vars(self).update(vars(fat))
        for node in range(2 * self._capacity):
            if node == 0 or not self._holds(self._leaves_below(node)):
                self._tree[node] = (-1,)


@given(STEPS, st.sampled_from(CAPACITIES))
def test_the_fifo_variant_reads_no_slot_that_holds_no_item(
    steps: list[tuple[str, int]], capacity: int
) -> None:
    target = Poisoned(FREE, capacity=capacity)
    for window in run(target, steps, fifo=True):
        holds_of(target, window)
        target.spoil()
        holds_of(target, window)


WINDOW = TimedWindow(FREE, ((10, (1,)), (20, (2,)), (30, (3,))))


@pytest.mark.parametrize("build", [*NOT_FIFO, *FIFO])
def test_an_insert_older_than_the_youngest_is_refused_before_any_change(build: Build) -> None:
    target = build(FREE, Meter())
    target.bulk_insert(WINDOW.pairs)
    with pytest.raises(UnsupportedError, match="25 is older than the youngest, 30"):
        target.insert(25, (4,))
    with pytest.raises(UnsupportedError, match="29 is older than the youngest, 30"):
        target.bulk_insert([(29, (4,)), (30, (6,)), (40, (5,))])
    holds_of(target, WINDOW)
    target.insert(30, (4,))
    assert target.query_range(30, 30) == (3, 4)


@pytest.mark.parametrize("build", FIFO)
def test_an_eviction_from_the_middle_is_refused_before_any_change(build: Build) -> None:
    target = build(FREE, Meter())
    target.bulk_insert(WINDOW.pairs)
    for time in (20, 30):
        with pytest.raises(UnsupportedError, match=f"oldest time, 10, not {time}"):
            target.evict(time)
    target.evict(15)
    holds_of(target, WINDOW)


@pytest.mark.parametrize("build", [*NOT_FIFO, *FIFO, FlatFatWindow[Word]])
@pytest.mark.parametrize("bad", [True, 1.5, None, "30"])
def test_what_is_no_time_is_refused_before_any_change(build: Build, bad: int) -> None:
    target = build(FREE, Meter())
    target.bulk_insert(WINDOW.pairs)
    calls: list[Callable[[], object]] = [
        partial(target.insert, bad, (4,)),
        partial(target.bulk_insert, [(40, (4,)), (bad, (5,))]),
        partial(target.bulk_insert, [(40, (4,)), (50, (5,)), (45, (6,))]),
        partial(target.evict, bad),
        partial(target.bulk_evict, bad),
        partial(target.query_range, bad, 30),
        partial(target.query_range, 10, bad),
    ]
    for call in calls:
        with pytest.raises(InvalidInputError):
            call()
    holds_of(target, WINDOW)


@pytest.mark.parametrize("build", [*NOT_FIFO, *FIFO, FlatFatWindow[Word]])
def test_times_need_no_room_and_no_sign(build: Build) -> None:
    target = build(FREE, Meter())
    target.bulk_insert([(-(10**30), (1,)), (-5, (2,)), (10**30, (3,))])
    target.bulk_evict(-(10**29))
    assert target.query_range(-5, 10**30) == (2, 3)
    target.bulk_evict(10**31)
    assert (len(target), target.query(), target.oldest()) == (0, (), None)
    target.insert(-(10**30), (4,))
    assert target.query() == (4,)
