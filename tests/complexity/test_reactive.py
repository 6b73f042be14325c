"""The bounds of the Reactive Aggregator are kept and attained (T1-T5 of proofs/reactive.md)."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import ParamSpec

import pytest

from contracts.reactive_credit import RingShape, savings
from muntin.optimized.flatfat.flatfat import FlatFat, height, largest_capacity, touched_nodes
from muntin.optimized.flatfat.reactive import ReactiveAggregator
from muntin.optimized.flatfat.reactive_fifo import FifoReactiveAggregator
from muntin.spec.algebra.monoid import FREE, Word
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.structure import TimedWindow

State = tuple[int, int, int, tuple[int, ...]]
"""Capacity, front, span and the offsets of the holes: all that costs depend on."""


class InspectedRing(ReactiveAggregator[Word]):
    """A ring whose tree and state can be read."""

    @property
    def tree(self) -> FlatFat[Word]:
        return self._fat

    @property
    def state(self) -> State:
        capacity = self._fat.capacity
        holes = sorted((hole - self._front) % capacity for hole in self._holes)
        return capacity, self._front, self._span, tuple(holes)


class InspectedFifoRing(FifoReactiveAggregator[Word], InspectedRing):
    """The same, without holes."""


KINDS = [InspectedRing, InspectedFifoRing]


P = ParamSpec("P")


def price(meter: Meter, call: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> Cost:
    before = meter.cost()
    call(*args, **kwargs)
    after = meter.cost()
    return Cost(after.combines - before.combines, after.visits - before.visits)


def ring(kind: type[InspectedRing], capacity: int) -> tuple[InspectedRing, Meter]:
    meter = Meter()
    return kind(meter.watch(FREE), meter, capacity=capacity), meter


def do(target: InspectedRing, name: str, time: int) -> None:
    if name == "insert":
        target.insert(time, (time,))
    else:
        target.evict(time)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("levels", range(1, 7))
def test_an_inverted_query_attains_twice_the_height_less_one(
    kind: type[InspectedRing], levels: int
) -> None:
    """Front and back on either side of the middle; a quarter of the ring, to know its size."""
    capacity = 1 << levels
    target, meter = ring(kind, capacity)
    target.bulk_insert((k, (k,)) for k in range(capacity))
    target.bulk_evict(capacity // 2 - 1)
    target.bulk_insert((capacity + k, (k,)) for k in range(capacity // 2))
    bound = target.bound(Operation("query", capacity // 4))
    assert price(meter, target.query) == bound == Cost(2 * levels - 1, 2 * levels)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("front", range(8))
def test_a_query_of_a_ring_that_is_not_inverted_costs_nothing(
    kind: type[InspectedRing], front: int
) -> None:
    target, meter = ring(kind, 8)
    target.bulk_insert((k, (k,)) for k in range(8))
    target.bulk_evict(front - 1)
    assert price(meter, target.query) == Cost(0, 0)


@pytest.mark.parametrize("capacity", [8, 16, 64])
def test_a_full_ring_is_compacted_if_a_quarter_are_holes_and_doubled_otherwise(
    capacity: int,
) -> None:
    for holes in range(capacity - 1):
        target, meter = ring(InspectedRing, capacity)
        target.bulk_insert((k, (k,)) for k in range(capacity))
        for time in range(1, 1 + holes):
            target.evict(time)
        if target.state[0] < capacity:
            continue
        cost = price(meter, target.insert, capacity, (0,))
        expected = capacity if 4 * holes >= capacity else 2 * capacity
        assert target.state == (expected, 0, capacity - holes + 1, ())
        assert cost.combines <= expected - 1


def test_holes_in_a_full_ring_do_not_make_each_insert_compact_it() -> None:
    target, meter = ring(InspectedRing, 64)
    target.bulk_insert((k, (k,)) for k in range(64))
    before = meter.combines
    for k in range(500):
        target.evict([time for time, _ in target.items()][len(target) // 2])
        target.insert(64 + k, (k,))
    assert meter.combines - before <= 500 * (4 + 2 + 2 * 7) + 4 * 64


@pytest.mark.parametrize("levels", range(2, 7))
def test_an_eviction_costs_the_height_wherever_it_is(levels: int) -> None:
    capacity = 1 << levels
    target, meter = ring(InspectedRing, capacity)
    target.bulk_insert((k, (k,)) for k in range(capacity))
    for time in (capacity // 2, 0, capacity - 1):
        assert price(meter, target.evict, time) == Cost(levels, levels)
    assert price(meter, target.insert, capacity, (0,)) == Cost(levels, levels)


@pytest.mark.parametrize("capacity", [4, 16, 64])
def test_a_batch_is_one_update(capacity: int) -> None:
    for size in range(1, capacity + 1):
        target, meter = ring(InspectedRing, capacity)
        cost = price(meter, target.bulk_insert, [(k, (k,)) for k in range(size)])
        assert cost.combines <= touched_nodes(capacity, size)
        if size == capacity:
            assert cost.combines == capacity - 1
        evicted = size // 2
        cost = price(meter, target.bulk_evict, evicted - 1)
        assert cost.combines <= touched_nodes(capacity, evicted)


def moving(
    kind: type[InspectedRing], calls: Iterable[tuple[str, int]], capacity: int = 1
) -> list[int]:
    """For each call the combines beyond the writes that it makes: what moving costs."""
    target, meter = ring(kind, capacity)
    costs: list[int] = []
    for name, time in calls:
        before = target.tree
        cost = price(meter, do, target, name, time)
        costs.append(int(cost.combines) if target.tree is not before else 0)
    return costs


@pytest.mark.parametrize("levels", range(1, 9))
def test_arrivals_pay_up_to_four_for_doubling(levels: int) -> None:
    arrivals = (1 << levels - 1) + 1
    costs = moving(InspectedRing, [("insert", k) for k in range(arrivals)])
    assert sum(costs) == 4 * arrivals - 6 - levels
    assert sum(costs) <= 4 * arrivals


@pytest.mark.parametrize("levels", range(4, 9))
def test_evictions_pay_up_to_two_for_halving(levels: int) -> None:
    capacity = 1 << levels
    arrivals, evictions = capacity // 2 + 1, capacity // 4 + 2
    calls = [("insert", k) for k in range(arrivals)] + [("evict", k) for k in range(evictions)]
    costs = moving(InspectedRing, calls)
    assert [k for k, cost in enumerate(costs) if cost][-1] == len(calls) - 1
    assert sum(costs[arrivals:]) == capacity // 2 - 1 == 2 * evictions - 5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("half", [8, 16, 64])
def test_a_window_that_oscillates_pays_at_most_six_a_round(
    kind: type[InspectedRing], half: int
) -> None:
    """The runs of section 6.2: up until the ring doubles, down until it halves."""
    calls: list[tuple[str, int]] = [("insert", k) for k in range(2 * half + 1)]
    oldest, end = 0, 2 * half + 1
    ramp = len(calls)
    for _ in range(20):
        calls += [("evict", oldest + k) for k in range(half + 2)]
        calls += [("insert", end + k) for k in range(half + 2)]
        oldest, end = oldest + half + 2, end + half + 2
    costs = moving(kind, calls)[ramp:]
    assert sum(cost > 0 for cost in costs) == 40
    assert sum(costs) <= 6 * 20 * (half + 2)
    if kind is InspectedRing:
        assert sum(costs) == 20 * (6 * half - 2)


def saved(state: State, least: int) -> int:
    capacity, _, span, holes = state
    return savings(RingShape(capacity, span, span - len(holes)), least=capacity == least)


def left_by(calls: Iterable[tuple[str, int]]) -> TimedWindow[Word]:
    window = TimedWindow(FREE)
    for name, time in calls:
        window = window.insert(time, (time,)) if name == "insert" else window.evict(time)
    return window


@pytest.mark.parametrize("least", [1, 2, 4, 8])
def test_no_call_leaves_any_state_wrong_or_in_debt(least: int) -> None:
    """Every state up to capacity 8, every call: S1-S6 and T1 hold, and T4 pays for it."""
    seen: dict[State, tuple[tuple[str, int], ...]] = {}
    todo: deque[tuple[tuple[str, int], ...]] = deque([()])  # shortest first
    while todo:
        calls = todo.popleft()
        target, meter = ring(InspectedRing, least)
        for call in calls[:-1]:
            do(target, *call)
        before, size, tree = target.state, len(target), target.tree
        if calls:
            cost = price(meter, do, target, *calls[-1]).combines
            share = 4 if calls[-1][0] == "insert" else 2
            writing = height(largest_capacity(size, least)) if target.tree is tree else 0
            assert cost + saved(target.state, least) <= writing + share + saved(before, least)
        window = left_by(calls)
        assert [fact for fact, holds in target.invariants(window.pairs) if not holds] == []
        assert target.query() == window.query()
        if target.state not in seen and target.state[0] <= 8:
            seen[target.state] = calls
            times = [time for time, _ in target.items()]
            todo.append((*calls, ("insert", (target.youngest() or 0) + 1)))
            todo += [(*calls, ("evict", time)) for time in times]
    assert len(seen) > 500


@pytest.mark.parametrize("capacity", [4, 8, 16, 32, 64])
@pytest.mark.parametrize("youngest", [False, True], ids=["oldest", "youngest"])
def test_a_full_ring_doubles_iff_fewer_than_a_quarter_are_holes(
    capacity: int, *, youngest: bool
) -> None:
    """And pays for it: with one hole more it is compacted, with one less that would leave debts."""
    for holes in range(capacity - 1):
        target, meter = ring(InspectedRing, capacity)
        target.bulk_insert((time, (time,)) for time in range(capacity))
        first = capacity - 1 - holes if youngest else 1
        for time in range(first, first + holes):
            target.evict(time)
        before, tree = target.state, target.tree
        assert before[2] == capacity
        cost = price(meter, do, target, "insert", capacity).combines
        assert target.state[0] == (2 * capacity if 4 * holes < capacity else capacity)
        writing = height(largest_capacity(capacity - holes)) if target.tree is tree else 0
        assert cost + saved(target.state, capacity) <= writing + 4 + saved(before, capacity)
