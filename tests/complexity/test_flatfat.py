"""The bounds of FlatFAT are kept, and each is attained (T1-T4 of proofs/flatfat.md)."""

from collections.abc import Callable
from itertools import combinations, product
from math import ceil, log2
from typing import ParamSpec

import pytest

from muntin.optimized.flatfat.flatfat import FlatFat, touched_nodes
from muntin.optimized.flatfat.flatfat_window import FlatFatWindow
from muntin.spec.algebra.monoid import FREE, Word
from muntin.spec.cost import Cost, Meter, Operation

CAPACITIES = [1, 2, 4, 8, 16, 32]


P = ParamSpec("P")


def price(meter: Meter, call: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> Cost:
    before = meter.cost()
    call(*args, **kwargs)
    after = meter.cost()
    return Cost(after.combines - before.combines, after.visits - before.visits)


def tree(capacity: int) -> tuple[FlatFat[Word], Meter]:
    meter = Meter()
    fat = FlatFat(meter.watch(FREE), [(k,) for k in range(capacity)], meter)
    return fat, meter


class Traced(FlatFat[Word]):
    """A tree that records which inner nodes it recomputes."""

    nodes: list[int]

    def _recompute(self, node: int) -> None:
        self.nodes = [*getattr(self, "nodes", []), node]
        super()._recompute(node)


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_new_costs_one_combine_less_than_there_are_values(capacity: int) -> None:
    _, meter = tree(capacity)
    assert meter.cost() == Cost(capacity - 1, capacity - 1)
    assert FlatFat.bound(Operation("new", capacity)) == meter.cost()


@pytest.mark.parametrize("capacity", [1, 2, 4, 8])
def test_update_recomputes_exactly_the_ancestors_each_once_and_children_first(
    capacity: int,
) -> None:
    for count in range(capacity + 1):
        worst = 0
        for locations in combinations(range(capacity), count):
            fat = Traced(FREE, [(k,) for k in range(capacity)])
            fat.nodes = []
            fat.update((location, (9,)) for location in locations)
            leaves = {capacity + location for location in locations}
            ancestors = {leaf >> up for leaf in leaves for up in range(1, leaf.bit_length())}
            assert sorted(fat.nodes) == sorted(ancestors)
            levels = [node.bit_length() for node in fat.nodes]
            assert levels == sorted(levels, reverse=True)
            worst = max(worst, len(ancestors))
        assert worst == FlatFat.bound(Operation("update", capacity, count)).combines


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_theorem_4_2_ii_as_printed_is_one_more_than_needed(capacity: int) -> None:
    for writes in range(1, capacity + 1):
        printed = writes * (1 + ceil(log2(capacity / writes)))
        assert touched_nodes(capacity, writes) <= printed - 1
        if writes.bit_count() == 1:
            assert touched_nodes(capacity, writes) == printed - 1


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_queries_cost_what_the_theorem_states_and_attain_it(capacity: int) -> None:
    fat, meter = tree(capacity)
    ends = list(product(range(capacity), repeat=2))
    worst = {
        "aggregate": [price(meter, fat.aggregate)],
        "prefix": [price(meter, fat.prefix, k) for k in range(capacity)],
        "suffix": [price(meter, fat.suffix, k) for k in range(capacity)],
        "range": [price(meter, fat.range, i, j) for i, j in ends],
    }
    for name, costs in worst.items():
        bound = FlatFat.bound(Operation(name, capacity))
        assert max(cost.combines for cost in costs) == bound.combines, name
        assert max(cost.visits for cost in costs) == bound.visits, name


def test_queries_agree_with_folds() -> None:
    fat, _ = tree(16)
    for i, j in product(range(16), repeat=2):
        assert fat.prefix(j) == tuple(range(j + 1))
        assert fat.suffix(i) == tuple(range(i, 16))
        assert fat.range(i, j) == tuple(range(i, j + 1))


def window_of(capacity: int, size: int) -> tuple[FlatFatWindow[Word], Meter]:
    """A window of `size` items in a tree of this capacity."""
    meter = Meter()
    window = FlatFatWindow(meter.watch(FREE), meter)
    window.bulk_insert((10 * k, (k,)) for k in range(capacity))
    window.bulk_evict(10 * (capacity - size - 1))
    return window, meter


@pytest.mark.parametrize("size", [2, 4, 8, 16])
def test_flatfat_window_attains_its_bounds(size: int) -> None:
    full, meter = window_of(size, size)
    if size >= 8:  # in smaller ones it is a join that attains it
        bound = full.bound(Operation("insert", size))
        assert price(meter, full.insert, -1, (9,)) == bound == Cost(2 * size - 1, 2 * size - 1)
    wide, meter = window_of(4 * size, size)
    bound = wide.bound(Operation("evict", size))
    assert price(meter, wide.evict, wide.oldest() or 0) == bound == Cost(2 * size - 1, 2 * size - 1)
    full, meter = window_of(size, size)
    assert price(meter, full.query) == Cost(0, 0) == full.bound(Operation("query", size))


def test_range_queries_attain_their_bound_where_the_fewest_items_fill_the_tree() -> None:
    window, meter = window_of(16, 15)
    times = [time for time, _ in window.items()]
    costs = [price(meter, window.query_range, a, b) for a, b in product(times, repeat=2)]
    assert max(costs) == FlatFat.bound(Operation("range", 16)) == Cost(5, 6)


def test_a_join_in_a_small_window_attains_the_bound_on_inserts() -> None:
    window, meter = window_of(4, 1)
    bound = window.bound(Operation("insert", 1))
    assert price(meter, window.insert, 30, (9,)).combines == bound.combines == 3
