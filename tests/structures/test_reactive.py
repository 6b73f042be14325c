"""The Reactive Aggregator beyond its interface: its layout, variants and refusals."""

from random import Random

import pytest
from hypothesis.stateful import run_state_machine_as_test

from muntin.conformance.machines.structure_machine import structure_machine
from muntin.optimized.flatfat.reactive import ReactiveAggregator
from muntin.optimized.flatfat.reactive_fifo import FifoReactiveAggregator
from muntin.spec.algebra.monoid import FREE, Monoid, Word, product
from muntin.spec.cost import Meter
from muntin.spec.errors import InvalidInputError, UnsupportedError

CAPACITIES = [1, 2, 4, 16]


class Opened(ReactiveAggregator[Word]):
    """A ring whose slots can be seen."""

    def slots(self) -> list[Word]:
        return [self._fat[location] for location in range(self._fat.capacity)]

    @property
    def capacity(self) -> int:
        return self._fat.capacity

    @property
    def front(self) -> int:
        return self._front


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_every_least_capacity_runs_in_lockstep(capacity: int) -> None:
    def build(monoid: Monoid[Word], meter: Meter) -> ReactiveAggregator[Word]:
        return ReactiveAggregator(monoid, meter, capacity=capacity)

    machine = structure_machine(build, "in-order inserts", worst_case=False)
    run_state_machine_as_test(machine)


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_fifo_variant_runs_in_lockstep(capacity: int) -> None:
    def build(monoid: Monoid[Word], meter: Meter) -> ReactiveAggregator[Word]:
        return FifoReactiveAggregator(monoid, meter, capacity=capacity)

    machine = structure_machine(build, "fifo", worst_case=False)
    run_state_machine_as_test(machine)


def test_figure_5_of_the_paper() -> None:
    ring, bottom = Opened(FREE), ()
    seen: list[list[Word]] = []
    for time, value in enumerate([4, 7, 3, 2]):
        ring.insert(time, (value,))
        seen.append(ring.slots())
    ring.evict(0)
    seen.append(ring.slots())
    ring.insert(4, (9,))
    assert [*seen, ring.slots()] == [
        [(4,), bottom, bottom, bottom],
        [(4,), (7,), bottom, bottom],
        [(4,), (7,), (3,), bottom],
        [(4,), (7,), (3,), (2,)],
        [bottom, (7,), (3,), (2,)],
        [(9,), (7,), (3,), (2,)],
    ]
    assert ring.front == 1
    assert ring.query() == (7, 3, 2, 9)


def test_one_tree_serves_several_aggregates() -> None:
    both = product(Monoid(0, int.__add__), Monoid(0, max))
    nested = product(both, FREE)
    meter = Meter()
    target = ReactiveAggregator(meter.watch(nested), meter)
    plain = ReactiveAggregator(meter.watch(FREE), meter)
    costs: list[int] = []
    for window in (0, 1):
        start = meter.combines
        for time, value in enumerate([5, 2, 9, 1, 4]):
            if window == 0:
                target.insert(time, ((value, value), (value,)))
            else:
                plain.insert(time, (value,))
        costs.append(meter.combines - start)
    target.evict(2)
    assert target.query() == ((12, 5), (5, 2, 1, 4))
    assert costs[0] == costs[1]


def test_a_window_is_read_by_range_and_emptied() -> None:
    window = ReactiveAggregator(FREE)
    window.bulk_insert([])
    assert len(window) == 0
    window.insert(1, (1,))
    window.insert(3, (3,))
    assert window.query() == (1, 3)
    assert window.query_range(2, 9) == (3,)
    window.evict(2)
    window.bulk_evict(1)
    assert list(window.items()) == [(3, (3,))]
    window.bulk_evict(3)
    assert len(window) == 0


def test_a_time_that_is_no_integer_is_refused_and_nothing_changes() -> None:
    window = ReactiveAggregator(FREE)
    with pytest.raises(InvalidInputError):
        window.insert(1.5, (1,))  # type: ignore[arg-type]  # the point of the test
    assert len(window) == 0


def test_the_fifo_variant_refuses_to_evict_from_the_middle() -> None:
    target = FifoReactiveAggregator(FREE)
    target.bulk_insert([(10, (1,)), (20, (2,)), (30, (3,))])
    with pytest.raises(UnsupportedError, match="oldest time, 10, not 20"):
        target.evict(20)
    target.evict(15)
    assert target.query() == (1, 2, 3)


@pytest.mark.parametrize("capacity", [0, 3, -4, 2.0, True])
def test_the_capacity_is_a_power_of_two(capacity: int) -> None:
    with pytest.raises(InvalidInputError, match="capacity"):
        ReactiveAggregator(FREE, capacity=capacity)


@pytest.mark.parametrize("seed", range(4))
def test_single_calls_resize_as_seldom_as_claimed(seed: int) -> None:
    random, ring = Random(seed), Opened(FREE)  # noqa: S311 - no secret
    arrivals = evictions = resizes = 0
    for time in range(900):
        capacity = ring.capacity
        if random.random() < (0.8 if time < 500 else 0.2) or not len(ring):
            ring.insert(time, (time,))
            arrivals += 1
        else:
            ring.evict(ring.oldest() or 0)
            evictions += 1
        if ring.capacity != capacity:
            assert not resizes or 8 * evictions >= capacity or 2 * arrivals >= capacity
            arrivals, evictions, resizes = 0, 0, resizes + 1
    assert resizes > 5


def test_a_batch_may_fill_the_ring_and_let_it_double_soon_after() -> None:
    ring = Opened(FREE)
    ring.bulk_insert((time, (time,)) for time in range(127))
    assert (ring.capacity, len(ring)) == (128, 127)
    for time in (127, 128):
        ring.insert(time, (time,))
    assert ring.capacity == 256
