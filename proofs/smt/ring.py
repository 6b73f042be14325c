"""Resizing the ring of the Reactive Aggregator [Tangwongsan15, section 5.1.1]: fill and cost.

Model: a ring is its capacity, four quarters or more, and how many items it holds. It doubles when
it is full and more than 3/4 of it are items; it is compacted when it is full and fewer are; it
halves when fewer than 1/4 are left after an eviction. Calls change the number of items by one. The
savings that pay for moves are confirmed on their code in proofs/contracts/reactive_credit.py; here
they are added up.
"""

from z3 import And, Ints

from evidence.theorem import Statement, Theorem

QUARTER, ITEMS, CALLS = Ints("quarter items calls")
CAPACITY = 4 * QUARTER
VALID_RING = And(QUARTER >= 1, ITEMS >= 0, CALLS >= 0)
JUST_BELOW = And(VALID_RING, 4 * (ITEMS + 1) >= CAPACITY, 4 * ITEMS < CAPACITY)
FULL = And(VALID_RING, 4 * ITEMS > 3 * CAPACITY, ITEMS <= CAPACITY)


def after_doubling_it_is_three_eighths_to_one_half_full() -> Theorem:
    """Observation (i) for doubling: more than 3/8, at most 1/2."""
    doubled = 2 * CAPACITY
    then = And(3 * doubled < 8 * ITEMS, doubled >= 2 * ITEMS)
    sloppy = And(VALID_RING, 4 * ITEMS >= 3 * CAPACITY, ITEMS <= CAPACITY)
    return Theorem(FULL, then, {"at exactly 3/4 it doubles as well": Statement(sloppy, then)})


def after_halving_it_is_one_half_full_less_one_item() -> Theorem:
    """Observation (i) for halving as it must stand: C/2 - 1 items in a ring of C."""
    halved = 2 * QUARTER
    then = And(halved == 2 * (ITEMS + 1), halved > 2 * ITEMS)
    printed = 3 * halved <= 8 * ITEMS
    return Theorem(
        JUST_BELOW,
        then,
        {
            "as printed, at least 3/8 full": Statement(JUST_BELOW, printed),
            "it halves at 1/4 or less": Statement(
                And(VALID_RING, 4 * ITEMS <= CAPACITY, 4 * (ITEMS + 1) > CAPACITY), then
            ),
        },
    )


def from_eight_slots_on_it_is_at_least_three_eighths_full() -> Theorem:
    """Observation (i) holds as printed iff the new capacity is at least 8."""
    then = (8 * ITEMS >= 3 * 2 * QUARTER) == (2 * QUARTER >= 8)
    from_six = (8 * ITEMS >= 3 * 2 * QUARTER) == (2 * QUARTER >= 6)
    return Theorem(JUST_BELOW, then, {"from six on": Statement(JUST_BELOW, from_six)})


def an_eighth_of_the_ring_is_called_between_resizes() -> Theorem:
    """After doubling, C/8 evictions or C/2 arrivals at least come before the next resize."""
    now = 8 * QUARTER
    half_full = And(FULL, CALLS <= ITEMS)
    shrinks = And(half_full, now > 4 * (ITEMS - CALLS))
    quick = now <= 4 * CALLS
    return Theorem(
        shrinks,
        now <= 8 * CALLS,
        {"a quarter, as after halving": Statement(shrinks, quick)},
    )


def half_of_the_ring_is_filled_before_it_doubles_again() -> Theorem:
    """After doubling to C, C/2 arrivals at least; after halving to C, C/2 + 1."""
    grown = And(FULL, ITEMS + CALLS >= 8 * QUARTER)
    return Theorem(
        grown,
        2 * CALLS >= 8 * QUARTER,
        {"more than half": Statement(grown, 2 * CALLS > 8 * QUARTER)},
    )


def a_quarter_of_the_ring_is_called_after_halving() -> Theorem:
    """After halving to C, at least C/4 evictions come before it halves again."""
    halved = And(VALID_RING, ITEMS == 2 * QUARTER - 1, CALLS >= 0)
    again = And(halved, CALLS <= ITEMS, 4 * (ITEMS - CALLS) < CAPACITY)
    third = 3 * CALLS >= CAPACITY
    return Theorem(again, 4 * CALLS >= CAPACITY, {"a third": Statement(again, third)})


def compacting_leaves_room_for_a_quarter() -> Theorem:
    """A full ring, a quarter of it holes or more, takes C/4 arrivals before it is full again."""
    holes = 4 * QUARTER - ITEMS
    compacted = And(VALID_RING, 4 * holes >= CAPACITY, ITEMS + CALLS >= CAPACITY, ITEMS <= CAPACITY)
    any_hole = And(VALID_RING, holes >= 1, ITEMS + CALLS >= CAPACITY, ITEMS <= CAPACITY)
    then = 4 * CALLS >= CAPACITY
    return Theorem(
        compacted,
        then,
        {"a single hole is reason enough to compact": Statement(any_hole, then)},
    )


def moves_cost_at_most_what_calls_have_saved() -> Theorem:
    """T4 by induction: if each call adds its share less what its move costs, so do all of them."""
    arrivals, evictions, cost, savings, now, left = Ints("arrivals evictions cost savings now left")
    before = And(arrivals >= 0, evictions >= 0, savings >= 0, now >= 0)
    so_far = And(before, cost + savings <= 4 * arrivals + 2 * evictions)
    given = And(so_far, left >= 0, now + left <= savings + 4)
    evicting = cost + now <= 4 * arrivals + 2 * (evictions + 1)
    then = cost + now + left <= 4 * (arrivals + 1) + 2 * evictions
    return Theorem(
        given,
        then,
        {
            "an eviction's share pays for an arrival": Statement(given, evicting),
            "savings may be negative": Statement(
                And(so_far, now + left <= savings + 4),
                cost + now <= 4 * (arrivals + 1) + 2 * evictions,
            ),
        },
    )
