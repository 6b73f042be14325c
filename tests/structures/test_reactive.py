"""The Reactive Aggregator beyond its interface: its layout, variants, keys and refusals."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from muntin.conformance.structure_machine import structure_machine
from muntin.optimized.keyed_windows import KeyedWindows
from muntin.optimized.product import pair, product
from muntin.optimized.reactive import ReactiveAggregator
from muntin.optimized.reactive_fifo import DemarcatedFat, FifoReactiveAggregator
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.errors import EmptyWindowError, InvalidInputError, UnsupportedError
from muntin.spec.monoid import FREE, Monoid, Word
from muntin.spec.structure import Pair, TimedWindow

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


def holds_of(target: ReactiveAggregator[Word], window: TimedWindow[Word]) -> None:
    assert [fact for fact, holds in target.relates(window.pairs) if not holds] == []
    assert list(target.items()) == list(window.pairs)
    assert target.query() == window.query()


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
    target: ReactiveAggregator[Word], steps: list[tuple[str, int]], *, fifo: bool
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


@given(steps=STEPS, capacity=st.sampled_from(CAPACITIES), fifo=st.booleans())
def test_joins_at_the_youngest_and_ranges_agree(
    steps: list[tuple[str, int]], capacity: int, *, fifo: bool
) -> None:
    meter = Meter()
    kind = FifoReactiveAggregator[Word] if fifo else ReactiveAggregator[Word]
    target = kind(meter.watch(FREE), meter, capacity=capacity)
    for window in run(target, steps, fifo=fifo):
        holds_of(target, window)
        times = [time for time, _ in window.pairs] or [0]
        for first in {times[0], times[len(times) // 3], times[-1] + 1}:
            for last in {times[0] - 1, times[len(times) // 2], times[-1]}:
                before = meter.spent()
                assert target.query_range(first, last) == window.query_range(first, last)
                now, bound = meter.spent(), target.bound(Operation("query_range", len(target)))
                cost = Cost(now.combines - before.combines, now.visits - before.visits)
                assert cost.within(bound)


class Poisoned(FifoReactiveAggregator[Word]):
    """A FIFO ring whose every node without an item below can be spoilt."""

    def spoil(self) -> None:
        assert isinstance(self._fat, DemarcatedFat)
        self._fat = Spoilt(self._fat)


class Spoilt(DemarcatedFat[Word]):
    """The same tree, where what no item accounts for is poison."""

    def __init__(self, fat: DemarcatedFat[Word]) -> None:
        vars(self).update(vars(fat))
        for node in range(2 * self._capacity):
            if node == 0 or not self._holds(self._below(node)):
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


def test_one_tree_serves_several_aggregates() -> None:
    both = product([Monoid(0, int.__add__), Monoid(0, max)])
    nested = pair(both, FREE)
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


def test_each_key_has_a_window_only_while_it_has_items() -> None:
    windows: KeyedWindows[str, Word] = KeyedWindows(lambda: ReactiveAggregator(FREE))
    windows.insert("a", 1, (1,))
    windows.insert("b", 2, (2,))
    windows.insert("a", 3, (3,))
    windows.bulk_insert("c", [])
    assert list(windows) == ["a", "b"]
    assert windows.query("a") == (1, 3)
    assert windows.query_range("a", 2, 9) == (3,)
    windows.evict("b", 2)
    windows.evict("never there", 2)
    assert list(windows) == ["a"]
    with pytest.raises(EmptyWindowError, match="'b'"):
        windows.query("b")
    windows.bulk_evict(1)
    assert list(windows.items("a")) == [(3, (3,))]
    windows.bulk_evict(3)
    assert len(windows) == 0
    with pytest.raises(InvalidInputError):
        windows.insert("a", 1.5, (1,))  # type: ignore[arg-type]  # the point of the test
    assert len(windows) == 0


def filled(kind: type[ReactiveAggregator[Word]]) -> ReactiveAggregator[Word]:
    target = kind(FREE)
    target.bulk_insert([(10, (1,)), (20, (2,)), (30, (3,))])
    return target


@pytest.mark.parametrize("kind", [ReactiveAggregator[Word], FifoReactiveAggregator[Word]])
def test_refuses_before_any_change(kind: type[ReactiveAggregator[Word]]) -> None:
    target = filled(kind)
    window = TimedWindow(FREE, ((10, (1,)), (20, (2,)), (30, (3,))))
    with pytest.raises(UnsupportedError, match="25 is older than the youngest, 30"):
        target.insert(25, (4,))
    with pytest.raises(UnsupportedError):
        target.bulk_insert([(29, (4,)), (40, (5,))])
    with pytest.raises(InvalidInputError):
        target.bulk_insert([(40, (4,)), (50, (5,)), (45, (6,))])
    for bad in (True, 1.5, None, "30"):
        with pytest.raises(InvalidInputError):
            target.insert(bad, (4,))  # type: ignore[arg-type]  # the point of the test
        with pytest.raises(InvalidInputError):
            target.evict(bad)  # type: ignore[arg-type]  # the same
        with pytest.raises(InvalidInputError):
            target.bulk_evict(bad)  # type: ignore[arg-type]  # the same
        with pytest.raises(InvalidInputError):
            target.query_range(bad, 30)  # type: ignore[arg-type]  # the same
    holds_of(target, window)


def test_the_fifo_variant_refuses_to_evict_from_the_middle() -> None:
    target = filled(FifoReactiveAggregator[Word])
    with pytest.raises(UnsupportedError, match="oldest time, 10, not 20"):
        target.evict(20)
    target.evict(15)
    assert target.query() == (1, 2, 3)


@pytest.mark.parametrize("capacity", [0, 3, -4, 2.0, True])
def test_the_capacity_is_a_power_of_two(capacity: int) -> None:
    with pytest.raises(InvalidInputError, match="capacity"):
        ReactiveAggregator(FREE, capacity=capacity)
