"""How many slices periodic windows need: Pairs and Cutty are minimal [Carbone16, Traub20].

Model: time is the integers, each holds an event, and the windows are [k s, k s + r) for all
integers k, with slide s and range r positive. A slicing is a set of times at which slices begin.
Values are words of distinct letters, so a window can be put together from slices iff it is a union
of them; in the order of arrival, the slice that has just begun ends with the present event,
whichever it is. Pairs begin a slice at each window's begin and end, Cutty at each begin, Panes
at each multiple of gcd(r, s).
"""

from z3 import And, ArithRef, BoolRef, Implies, Int, Ints, Not, Or

from evidence.theorem import Statement, Theorem

SLIDE, RANGE, FIRST, END = Ints("slide range first end")
BEGIN, TIME, K, J, QUOTIENT, REST = Ints("begin time k j quotient rest")
VALID_WINDOWS = And(SLIDE > 0, RANGE > 0)
PERIODIC = And(VALID_WINDOWS, RANGE == QUOTIENT * SLIDE + REST, REST >= 0, REST < SLIDE)


def holds(time: ArithRef) -> BoolRef:
    """Whether the window holds the event of a time."""
    return And(time >= BEGIN, time < BEGIN + RANGE)


def a_slice_across_a_begin_serves_no_window() -> Theorem:
    """A slice with events on both sides of a begin is neither inside nor outside the window."""
    given = And(RANGE > 0, FIRST < BEGIN, BEGIN < END)
    before = And(FIRST <= BEGIN - 1, BEGIN - 1 < END, Not(holds(BEGIN - 1)))
    inside = And(FIRST <= BEGIN, BEGIN < END, holds(BEGIN))
    at_begin = And(RANGE > 0, FIRST <= BEGIN, BEGIN < END)
    then = And(before, inside)
    return Theorem(given, then, {"also if it begins there": Statement(at_begin, then)})


def a_slice_across_an_end_serves_no_window() -> Theorem:
    """Nor is one with events on both sides of an end."""
    stop = BEGIN + RANGE
    given = And(RANGE > 0, stop > FIRST, stop < END)
    inside = And(stop - 1 >= FIRST, stop - 1 < END, holds(stop - 1))
    behind = And(stop >= FIRST, stop < END, Not(holds(stop)))
    at_end = And(RANGE > 0, stop > FIRST, stop <= END)
    then = And(inside, behind)
    return Theorem(given, then, {"also if it ends there": Statement(at_end, then)})


def each_slide_has_one_begin_and_one_end() -> Theorem:
    """In [k s, (k + 1) s) windows begin at k s only, and end at k s + r mod s only."""
    begin, end = J * SLIDE, (J - QUOTIENT) * SLIDE + RANGE
    given = And(PERIODIC, K * SLIDE <= TIME, TIME < (K + 1) * SLIDE)
    then = And(
        Implies(begin == TIME, TIME == K * SLIDE),
        Implies(end == TIME, TIME == K * SLIDE + REST),
        Implies(J == K, And(begin == K * SLIDE, end == K * SLIDE + REST)),
    )
    edges = Or(begin == TIME, end == TIME)
    begins_are_all = Statement(given, Implies(edges, TIME == K * SLIDE))
    ends_are_all = Statement(given, Implies(edges, TIME == K * SLIDE + REST))
    return Theorem(given, then, {"begins are all": begins_are_all, "ends are all": ends_are_all})


def pairs_make_two_slices_a_slide_or_one() -> Theorem:
    """Begin and end of a slide coincide iff the slide divides the range."""
    given = And(PERIODIC, TIME == K * SLIDE + REST)
    then = (TIME == K * SLIDE) == (RANGE == QUOTIENT * SLIDE)
    return Theorem(
        given, then, {"they are always two, as Table 1 has it": Statement(given, TIME != K * SLIDE)}
    )


def open_windows_begin_at_different_times() -> Theorem:
    """So Cutty, which begins a slice at each, is minimal in order: each of them is needed."""
    open_both = And(K * SLIDE <= TIME, TIME < K * SLIDE + RANGE, J * SLIDE <= TIME)
    given = And(VALID_WINDOWS, open_both, TIME < J * SLIDE + RANGE, K != J)
    then = K * SLIDE != J * SLIDE
    without = And(RANGE > 0, SLIDE >= 0, open_both, TIME < J * SLIDE + RANGE, K != J)
    return Theorem(given, then, {"the slide may be 0": Statement(without, then)})


def periodic_windows_are_first_in_first_out() -> Theorem:
    """Of two windows of a query, the one that begins first ends first [Carbone16, section 2.1]."""
    given = And(VALID_WINDOWS, K < J)
    then = And(K * SLIDE < J * SLIDE, K * SLIDE + RANGE < J * SLIDE + RANGE)
    other_range = Int("other_range")
    two_queries = And(VALID_WINDOWS, K < J, other_range > 0)
    ends_first = J * SLIDE + other_range > K * SLIDE + RANGE
    return Theorem(given, then, {"windows of two queries": Statement(two_queries, ends_first)})


def in_order_an_end_needs_no_slice() -> Theorem:
    """Cutty: when the event at its end comes, what has come is just what the window holds."""
    event = Int("event")
    came = And(event <= END - 1)
    window = And(event >= BEGIN, event < BEGIN + RANGE)
    given = And(RANGE > 0, END == BEGIN + RANGE, event >= BEGIN)
    later = And(RANGE > 0, END == BEGIN + RANGE + 1, event >= BEGIN)
    return Theorem(
        given,
        came == window,
        {"if the event itself has been added": Statement(later, came == window)},
    )


def open_windows_are_at_most_range_over_slide_rounded_up() -> Theorem:
    """Cutty keeps ceil(r / s) begins at most: of one more, the first window is closed."""
    count = Int("count")
    given = And(VALID_WINDOWS, count * SLIDE >= RANGE, K + count == J, J * SLIDE <= TIME)
    then = Not(TIME < K * SLIDE + RANGE)
    fewer = And(VALID_WINDOWS, (count + 1) * SLIDE >= RANGE, K + count == J, J * SLIDE <= TIME)
    return Theorem(given, then, {"one less": Statement(fewer, then)})


def panes_are_never_fewer_than_pairs() -> Theorem:
    """A slide is s / g panes: one iff g is the slide, that is iff the slide divides the range."""
    divisor, per_slide, per_range = Ints("divisor per_slide per_range")
    some = And(divisor > 0, per_slide > 0, per_range > 0)
    given = And(some, per_slide * divisor == SLIDE, per_range * divisor == RANGE, K > 0)
    divides = RANGE == K * SLIDE
    then = Implies(per_slide == 1, per_range * SLIDE == RANGE)
    never = Implies(divides, per_slide == 1)
    return Theorem(given, then, {"one if the slide divides, whatever g": Statement(given, never)})
