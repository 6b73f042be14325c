"""What subtract-on-evict costs, and its errors for numbers that do not subtract exactly."""

import operator
from collections import deque
from collections.abc import Iterator
from itertools import accumulate, chain, repeat

import pytest

from muntin.reference.subtract_on_evict import SubtractOnEvict
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Meter, Operation

FLOATS: Monoid[float] = Monoid(0.0, operator.add, operator.sub, operator.sub)


def errors(size: int, items: Iterator[float], *, drifts: bool) -> list[float]:
    """Slide over the items: the distance of each answer from the fold of its window."""
    fifo, window, off = SubtractOnEvict(FLOATS, drifts=drifts), deque[float](), list[float]()
    for item in items:
        if len(fifo) == size:
            fifo.evict()
            window.popleft()
        fifo.insert(item)
        window.append(item)
        off.append(fifo.query() - FLOATS.fold(window))
    return off


def one_large(ones: int) -> Iterator[float]:
    """Ones, with a number between them that swallows some."""
    return chain(repeat(1.0, 5), [1e16], repeat(1.0, ones))


def test_without_the_guard_an_error_outlives_its_cause_for_ever() -> None:
    off = errors(10, one_large(10_000), drifts=False)
    assert set(off[20:]) == {off[-1]}
    assert abs(off[-1]) >= 5


@pytest.mark.parametrize("size", [1, 2, 3, 10, 64])
@pytest.mark.parametrize("ones", range(70, 80))
def test_with_the_guard_the_error_is_gone_one_window_after_its_cause(size: int, ones: int) -> None:
    gone = 5 + size  # the large number leaves when the item of this index comes
    off = errors(size, one_large(ones + 2 * size), drifts=True)
    assert set(off[gone + size :]) == {0.0}


@pytest.mark.parametrize("size", [2, 3, 10, 500])
def test_the_guard_costs_one_more_combine_an_eviction_and_no_more(size: int) -> None:
    meter = Meter()
    fifo = SubtractOnEvict(meter.watch(FLOATS), drifts=True)
    calls = ["insert"] * size + ["evict", "insert"] * (4 * size) + ["evict"] * size
    bounds = accumulate(fifo.bound(Operation(call, len(fifo))).combines for call in calls)
    spare: list[float] = []
    for call, allowed in zip(calls, bounds, strict=True):
        if call == "insert":
            fifo.insert(1.0)
        else:
            fifo.evict()
        spare.append(allowed - meter.combines)
    assert min(spare) == min(spare[size + 1 :]) == 0


def test_without_the_guard_each_insert_costs_one_combine_and_nothing_else_costs_any() -> None:
    meter = Meter()
    fifo = SubtractOnEvict(meter.watch(FLOATS))
    for _ in range(100):
        fifo.insert(1.0)
        fifo.insert(1.0)
        fifo.evict()
        fifo.query()
    assert (meter.combines, meter.inverts) == (200, 100)
