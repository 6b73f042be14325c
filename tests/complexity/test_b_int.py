"""The bounds of B-Int are kept, and each is attained (T1-T3 of proofs/b_int.md)."""

from collections.abc import Callable
from itertools import product
from typing import ParamSpec

import pytest

from muntin.optimized.fifo.b_int import BInt, max_intervals
from muntin.spec.algebra.monoid import FREE, Word
from muntin.spec.cost import Cost, Meter, Operation

P = ParamSpec("P")


def price(meter: Meter, call: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> Cost:
    before = meter.cost()
    call(*args, **kwargs)
    after = meter.cost()
    return Cost(after.combines - before.combines, after.visits - before.visits)


def window_of(first: int, end: int) -> tuple[BInt[Word], Meter]:
    """A window of the positions first..end-1, each being the time too."""
    meter = Meter()
    target = BInt(meter.watch(FREE), meter)
    target.bulk_insert((k, (k,)) for k in range(end))
    target.bulk_evict(first - 1)
    return target, meter


def test_folds_keep_their_bound_and_attain_it_whenever_it_rises() -> None:
    for size in range(40):
        costs: list[Cost] = []
        for first in range(64):
            target, meter = window_of(first, first + size)
            costs.append(price(meter, target.query))
            assert target.query() == tuple(range(first, first + size))
        bound = BInt(FREE).bound(Operation("query", size, size))
        assert max(costs) <= bound
        if max_intervals(size) > max_intervals(max(0, size - 1)):
            assert max(costs) == bound


def test_ranges_agree_with_folds_and_keep_the_bound() -> None:
    target, meter = window_of(5, 32)
    for first, last in product(range(3, 34), repeat=2):
        held = tuple(range(max(5, first), min(31, last) + 1))
        cost = price(meter, target.query_range, first, last)
        assert target.query_range(first, last) == held
        assert cost.is_within(target.bound(Operation("query_range", 27, len(held))))


@pytest.mark.parametrize("size", range(1, 33))
def test_one_insert_attains_its_bound(size: int) -> None:
    """By a join or, one item before a power of two, by completing intervals."""
    costs: list[Cost] = []
    for first, later in product(range(64), (0, 1)):
        target, meter = window_of(first, first + size)
        costs.append(price(meter, target.insert, first + size - 1 + later, (0,)))
    bound = BInt(FREE).bound(Operation("insert", size))
    assert max(cost.combines for cost in costs) == bound.combines == size.bit_length()
    assert max(cost.visits for cost in costs) <= bound.visits
    if (size + 1).bit_count() == 1:
        assert max(costs) == bound


@pytest.mark.parametrize("count", range(70))
def test_a_run_of_inserts_costs_less_than_one_each(count: int) -> None:
    target, meter = window_of(0, 0)
    for k in range(count):
        target.insert(k, (k,))
    assert meter.combines == count - count.bit_count()


@pytest.mark.parametrize("joined", [False, True])
def test_batches_keep_the_bound(joined: bool) -> None:  # noqa: FBT001  # pytest passes it by name
    for first, size, count, each in product(range(8), range(1, 6), range(12), range(1, 4)):
        target, meter = window_of(first, first + size)
        batch = [(first + size - joined + k // each, (k,)) for k in range(count)]
        bound = target.bound(Operation("bulk_insert", size, count))
        assert price(meter, target.bulk_insert, batch).is_within(bound)


@pytest.mark.parametrize("size", range(1, 33))
def test_evictions_combine_nothing_and_remove_each_interval_once(size: int) -> None:
    costs: list[Cost] = []
    for first in range(32):
        target, meter = window_of(first, first + size)
        costs.append(price(meter, target.evict, first))
    bound = BInt(FREE).bound(Operation("evict", size))
    assert max(costs) == bound == Cost(0, size.bit_length())
