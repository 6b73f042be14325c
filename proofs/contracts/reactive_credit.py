"""Lemmas on the credit that calls of a Reactive Aggregator save up (T4 of proofs/reactive.md).

Capacities of 4 and more are four quarters; CrossHair confirms the lemmas for every size. Smaller
ones, and the real code, are exhausted in tests/complexity/test_reactive.py.
"""

from typing import NamedTuple

ARRIVAL, EVICTION = 4, 2
"""The credit that each call pays besides its own writes."""


class RingShape(NamedTuple):
    """The numbers of a ring that its costs depend on."""

    capacity: int
    span: int
    size: int


def savings(ring: RingShape, *, least: bool) -> int:
    """Credit of past calls that no move has used; `least` if the ring may not shrink."""
    half = ring.capacity // 2
    kept = ring.span if least else max(ring.span, half)
    return ARRIVAL * max(0, ring.span - half) + EVICTION * (kept - ring.size)


def an_arrival_saves_at_most_its_share(half: int, span: int, size: int, *, least: bool) -> None:
    """P1: with room, an arrival lengthens the span by its item."""
    assert half >= 1
    assert 0 <= size <= span < 2 * half

    before, after = RingShape(2 * half, span, size), RingShape(2 * half, span + 1, size + 1)
    assert savings(after, least=least) <= savings(before, least=least) + ARRIVAL


def an_eviction_saves_at_most_its_share(
    half: int, span: int, trimmed: int, size: int, *, least: bool
) -> None:
    """P2: an eviction leaves a hole, and the span may lose holes at its ends."""
    assert half >= 1
    assert 1 <= size <= span <= 2 * half
    assert size - 1 <= trimmed <= span

    before, after = RingShape(2 * half, span, size), RingShape(2 * half, trimmed, size - 1)
    assert savings(after, least=least) <= savings(before, least=least) + EVICTION


def doubling_is_paid_for(quarter: int, size: int, *, least: bool) -> None:
    """P3: a full ring, more than three quarters of it items, is doubled."""
    assert quarter >= 1
    assert 3 * quarter < size <= 4 * quarter

    before, after = RingShape(4 * quarter, 4 * quarter, size), RingShape(8 * quarter, size, size)
    assert 8 * quarter - 1 + savings(after, least=False) <= savings(before, least=least)


def compacting_is_paid_for(quarter: int, size: int, *, least: bool) -> None:
    """P4: a full ring, at most three quarters of it items, is compacted."""
    assert quarter >= 1
    assert 0 <= size <= 3 * quarter

    before, after = RingShape(4 * quarter, 4 * quarter, size), RingShape(4 * quarter, size, size)
    assert 4 * quarter - 1 + savings(after, least=least) <= savings(before, least=least)


def halving_is_paid_for(quarter: int, span: int, *, least: bool) -> None:
    """P5: a ring that has just fallen below a quarter is halved, perhaps to the least."""
    assert quarter >= 1
    assert quarter - 1 <= span <= 4 * quarter

    size = quarter - 1
    before, after = RingShape(4 * quarter, span, size), RingShape(2 * quarter, size, size)
    assert 2 * quarter - 1 + savings(after, least=least) <= savings(before, least=False)
