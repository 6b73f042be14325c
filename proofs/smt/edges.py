"""Edges of tumbling and sliding windows [Traub20, Li05], whatever the sizes, slides and times.

Model: times, sizes, slides and offsets are integers of either sign, sizes and slides positive. The
windows are [x, x + size) for each x = offset + k slide, k any integer. A remainder is what the
definition of floor division says: t = q s + r with 0 <= r < s, as Python has it, and as C and Java
do not where t is negative. `pane` and `Sliding.starts` of `muntin.spec.windows.periodic` compute
with it; proofs/contracts/edges.py confirms the code itself in a smaller scope.
"""

from z3 import And, ArithRef, BoolRef, If, Int, Ints, Not, Or

from evidence.theorem import Statement, Theorem

TIME, OFFSET, SIZE, SLIDE = Ints("time offset size slide")
Q, R, END_Q, END_R, K, START = Ints("q r end_q end_r k start")
OTHER = Int("other")


def is_floor_division(time: ArithRef, by: ArithRef, quotient: ArithRef, rest: ArithRef) -> BoolRef:
    """Whether floor division gives this quotient and this rest."""
    return And(time == quotient * by + rest, rest >= 0, rest < by)


def truncated_remainder(time: ArithRef, by: ArithRef) -> ArithRef:
    """The remainder as C and Java compute it, with the sign of the time."""
    return If(time >= 0, time % by, -((-time) % by))


PANE = And(SLIDE > 0, SIZE > 0, is_floor_division(TIME - OFFSET, SLIDE, Q, R))
ENDS = And(PANE, is_floor_division(TIME - OFFSET - SIZE, SLIDE, END_Q, END_R))
LAST = TIME - R
NEXT_START, NEXT_END = LAST + SLIDE, TIME - END_R + SLIDE
NEXT = If(NEXT_START <= NEXT_END, NEXT_START, NEXT_END)
A_START, AN_END = OTHER == OFFSET + K * SLIDE, OTHER == OFFSET + SIZE + K * SLIDE


def the_last_start_is_at_or_before_the_time() -> Theorem:
    """E1: pane(t) is a start, at or before t and less than a slide away."""
    then = And(LAST <= TIME, TIME < LAST + SLIDE, LAST == OFFSET + Q * SLIDE)
    cut = TIME - truncated_remainder(TIME - OFFSET, SLIDE)
    old_flink = TIME - truncated_remainder(TIME - OFFSET + SLIDE, SLIDE)
    positive = SLIDE > 0
    return Theorem(
        PANE,
        then,
        {
            "the remainder is that of C": Statement(positive, cut <= TIME),
            "as Flink did before FLINK-20999": Statement(positive, old_flink <= TIME),
            "at most a slide less one away": Statement(PANE, TIME < LAST + SLIDE - 1),
        },
    )


def no_start_lies_between() -> Theorem:
    """E1: no start is after pane(t) and at or before t, and the next one is a slide later."""
    given = And(PANE, A_START)
    then = And(Or(OTHER <= LAST, OTHER > TIME), Or(OTHER <= TIME, OTHER >= NEXT_START))
    halves = Or(OTHER <= LAST - SLIDE, OTHER > TIME)
    return Theorem(given, then, {"pane(t) is no start itself": Statement(given, halves)})


def the_next_edge_of_tumbling_windows_is_the_first() -> Theorem:
    """E2: t + l - (t - o) mod l is an edge after t, and no edge lies between."""
    given = And(PANE, A_START, OTHER > TIME)
    edge = TIME + SLIDE - R
    then = And(edge > TIME, edge <= TIME + SLIDE, edge == OFFSET + (Q + 1) * SLIDE, edge <= OTHER)
    cut = TIME + SLIDE - truncated_remainder(TIME - OFFSET, SLIDE)
    return Theorem(
        given,
        then,
        {
            "the remainder is that of C": Statement(SLIDE > 0, cut <= TIME + SLIDE),
            "an edge at t counts": Statement(given, edge < TIME + SLIDE),
        },
    )


def the_next_edge_of_sliding_windows_is_an_edge() -> Theorem:
    """E2: the nearer of the next start and the next end is an edge after t."""
    is_edge = Or(NEXT == OFFSET + (Q + 1) * SLIDE, NEXT == OFFSET + SIZE + (END_Q + 1) * SLIDE)
    other = If(NEXT_START <= NEXT_END, NEXT_END, NEXT_START)
    return Theorem(
        ENDS,
        And(NEXT > TIME, is_edge, NEXT <= TIME + SLIDE),
        {"the farther of the two is as near": Statement(ENDS, other <= NEXT)},
    )


def no_start_lies_before_the_next_edge() -> Theorem:
    """E2: no window begins after t and before the next edge."""
    given = And(ENDS, A_START, OTHER > TIME)
    then = OTHER >= NEXT
    return Theorem(given, then, {"only ends are edges": Statement(given, OTHER >= NEXT_END)})


def no_end_lies_before_the_next_edge() -> Theorem:
    """E2: no window ends after t and before the next edge."""
    given = And(ENDS, AN_END, OTHER > TIME)
    then = OTHER >= NEXT
    return Theorem(given, then, {"only starts are edges": Statement(given, OTHER >= NEXT_START)})


def times_of_one_slice_lie_in_the_same_windows() -> Theorem:
    """E3: with no edge after t and at or before u, each window holds both or neither."""
    end = START + SIZE
    no_start = Not(And(TIME < START, START <= OTHER))
    no_end = Not(And(end > TIME, end <= OTHER))
    given = And(SIZE > 0, TIME <= OTHER)
    then = And(START <= TIME, end > TIME) == And(START <= OTHER, end > OTHER)
    before = And(given, Not(And(TIME < START, START < OTHER)), no_end)
    return Theorem(
        And(given, no_start, no_end),
        then,
        {
            "slices end at starts only": Statement(And(given, no_start), then),
            "slices end at ends only": Statement(And(given, no_end), then),
            "a slice holds the edge at its end": Statement(before, then),
        },
    )


def windows_of_a_time_are_those_from_its_pane_back() -> Theorem:
    """E4: t lies in [x, x + size) iff t - size < x <= pane(t), for every start x."""
    given = And(PANE, START == OFFSET + K * SLIDE)
    holds = And(START <= TIME, TIME < START + SIZE)
    then = holds == And(TIME - SIZE < START, START <= LAST)
    closed = holds == And(TIME - SIZE <= START, START <= LAST)
    from_pane = holds == And(LAST - SIZE < START, START <= LAST)
    return Theorem(
        given,
        then,
        {
            "the end belongs to the window": Statement(given, closed),
            "counted from the pane, as if it were tumbling": Statement(given, from_pane),
        },
    )


def a_tumbling_window_holds_each_time_once() -> Theorem:
    """E4: where the slide is the size, t lies in the window from pane(t), and in no other."""
    given = And(PANE, START == OFFSET + K * SLIDE)
    only = And(START <= TIME, TIME < START + SIZE) == (START == LAST)
    tumbling = And(given, SLIDE == SIZE)
    return Theorem(tumbling, only, {"also where windows overlap": Statement(given, only)})


def edges_lie_between_panes() -> Theorem:
    """E5: if g divides size and slide, [p g, (p + 1) g) is before or after each edge e g [Li05]."""
    pane, divisor, edge, rest = Ints("pane divisor edge rest")
    given = And(divisor > 0, rest >= 0, rest < divisor)
    then = (edge * divisor <= pane * divisor + rest) == (edge <= pane)
    ragged = (edge * divisor + 1 <= pane * divisor + rest) == (edge <= pane)
    longer = And(divisor > 0, rest >= 0, rest <= divisor)
    return Theorem(
        given,
        then,
        {
            "edges are no multiples": Statement(given, ragged),
            "panes are one longer": Statement(longer, then),
        },
    )


def sampling_windows_hold_a_time_at_most_once() -> Theorem:
    """E6: with slide > size some times lie in no window, and none in two."""
    given = And(PANE, SLIDE > SIZE, START == OFFSET + K * SLIDE, START <= TIME, TIME < START + SIZE)
    other = And(OFFSET + Int("j") * SLIDE == OTHER, OTHER <= TIME, TIME < OTHER + SIZE)
    every = And(PANE, SLIDE > SIZE)
    return Theorem(
        And(given, other),
        START == OTHER,
        {"each time lies in a window": Statement(every, Not(TIME >= LAST + SIZE))},
    )
