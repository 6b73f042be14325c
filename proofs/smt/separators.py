"""Algorithms 3 to 6 of [Traub20] keep slices right when an event comes out of order.

Model: each time holds no separator, or one that is fixed (an edge of a window with known edges),
flexible (the start of a session) or both, "combined"; a slice lies between two separators, and a
listing that moves, adds or removes slices writes to this map. The fixed edges are any set of
times. A session starts with an event that no event precedes by less than the gap. The event e
falls between two neighbours, p before and s after it, with none between; elsewhere the events are
any set. What must hold before and after: at each time the separator is "fixed" iff it is a fixed
edge, and "flexible" iff a session starts there.
"""

from typing import TypeAlias

from z3 import (
    And,
    ArithRef,
    Array,
    ArrayRef,
    BoolRef,
    BoolSort,
    ForAll,
    Function,
    If,
    Implies,
    Int,
    Ints,
    IntSort,
    Not,
    Or,
    Store,
)

from evidence.theorem import Statement, Theorem

NONE, FIXED, FLEXIBLE, COMBINED = range(4)
EVENT, BEFORE, AFTER, GAP, ANY, NEXT = Ints("event before after gap any next")
EDGE = Function("is a fixed edge", IntSort(), BoolSort())
HELD = Function("is the time of an event", IntSort(), BoolSort())
ELSEWHERE = Function("a session starts elsewhere", IntSort(), BoolSort())
SEPARATOR = Array("separator", IntSort(), IntSort())

Separators: TypeAlias = "ArrayRef[ArithRef]"


def kind(time: ArithRef, starts: BoolRef) -> ArithRef:
    """The separator that must be at a time."""
    return If(EDGE(time), FIXED, NONE) + If(starts, FLEXIBLE, NONE)


def starts_before_event(time: ArithRef) -> BoolRef:
    """Whether a session starts at a time, before the event."""
    other = And(ELSEWHERE(time), time != EVENT)
    return Or(And(time == AFTER, AFTER - BEFORE >= GAP), And(time != AFTER, other))


def starts_with_event(time: ArithRef) -> BoolRef:
    """Whether a session starts at a time, with the event."""
    at_event = And(time == EVENT, EVENT - BEFORE >= GAP)
    after = And(time == AFTER, AFTER - EVENT >= GAP)
    return Or(at_event, after, And(time != EVENT, time != AFTER, starts_before_event(time)))


RIGHT = And(
    *(
        SEPARATOR[time] == kind(time, starts_before_event(time))
        for time in (EVENT, AFTER, NEXT, ANY)
    )
)
COVERED = And(  # `next` ends the slice that covers the event
    EVENT < NEXT,
    SEPARATOR[NEXT] != NONE,
    NEXT <= AFTER,
    Implies(And(EVENT < ANY, ANY < NEXT), SEPARATOR[ANY] == NONE),
    Implies(And(EVENT < ANY, ANY < AFTER), Not(ELSEWHERE(ANY))),
    Implies(And(EVENT < NEXT, NEXT < AFTER), Not(ELSEWHERE(NEXT))),
)
PLACE = And(GAP > 0, BEFORE < EVENT, EVENT < AFTER, RIGHT)
PARTED = AFTER - BEFORE >= GAP
FAR_LEFT, FAR_RIGHT = EVENT - BEFORE >= GAP, AFTER - EVENT >= GAP


def is_right_after(after: Separators) -> BoolRef:
    """Whether each separator is what it must be."""
    return after[ANY] == kind(ANY, starts_with_event(ANY))


def split() -> Separators:
    """Algorithm 4: the event is a session of its own."""
    return Store(SEPARATOR, EVENT, If(SEPARATOR[EVENT] != NONE, COMBINED, FLEXIBLE))


def fuse() -> Separators:
    """Algorithm 5: the event joins two sessions."""
    return Store(SEPARATOR, AFTER, If(SEPARATOR[AFTER] == COMBINED, FIXED, NONE))


def extend(*, as_printed: bool = False, line_8: bool = False) -> Separators:
    """Algorithm 6: the event is the new first one of a session.

    As printed lines 4 to 10 do not look for a separator at the event, and line 8 leaves the slice
    that ends there combined, as it was; with `line_8` it is made flexible, as the text says.
    """
    is_separated = SEPARATOR[EVENT] != NONE
    at_event = If(is_separated, COMBINED, FLEXIBLE)
    flexible = SEPARATOR[AFTER] == FLEXIBLE
    moved = Store(SEPARATOR, AFTER, If(flexible, NONE, FIXED))
    lines_12_to_27 = Store(moved, EVENT, at_event)
    left = FLEXIBLE if line_8 else If(flexible, FLEXIBLE, COMBINED)
    lines_4_to_10 = Store(moved, EVENT, left) if as_printed else lines_12_to_27
    return If(NEXT == AFTER, lines_4_to_10, lines_12_to_27)


def algorithm_3(*, strict: bool = False, as_printed: bool = False) -> Separators:
    """Choose among Algorithms 4 to 6: `strict` requires more than the gap, as printed."""
    left = EVENT - BEFORE > GAP if strict else FAR_LEFT
    right = AFTER - EVENT > GAP if strict else FAR_RIGHT
    joined = If(left, extend(as_printed=as_printed), fuse())
    return If(right, If(left, split(), SEPARATOR), joined)


def starts_session(held_too: BoolRef, time: ArithRef) -> BoolRef:
    """Whether no event lies less than the gap before a time; with the new event or without."""
    other = Int("other")
    held = Or(HELD(other), And(held_too, other == EVENT))
    own = Or(HELD(time), And(held_too, time == EVENT))
    return And(own, ForAll([other], Implies(And(time - GAP < other, other < time), Not(held))))


def only_the_event_and_its_successor_can_start_otherwise() -> Theorem:
    """Lemma: what the definition of a start says of all other times stays as it was."""
    other = Int("other")
    between = ForAll([other], Implies(And(other > BEFORE, other < AFTER), Not(HELD(other))))
    place = And(GAP > 0, HELD(BEFORE), HELD(AFTER), BEFORE < EVENT, EVENT < AFTER, between)
    old, new = starts_session(GAP < 0, ANY), starts_session(GAP > 0, ANY)
    elsewhere = And(place, ANY != EVENT, ANY != AFTER)
    return Theorem(
        elsewhere,
        old == new,
        {"nor its successor": Statement(And(place, ANY == AFTER, GAP == 4), old == new)},
    )


def starts_depend_on_neighbours_only() -> Theorem:
    """Lemma: the event starts a session iff p is a gap away, and s iff e is."""
    other = Int("other")
    between = ForAll([other], Implies(And(other > BEFORE, other < AFTER), Not(HELD(other))))
    place = And(GAP > 0, HELD(BEFORE), HELD(AFTER), BEFORE < EVENT, EVENT < AFTER, between)
    yes, no = GAP > 0, GAP < 0
    then = And(
        starts_session(yes, EVENT) == FAR_LEFT,
        starts_session(yes, AFTER) == FAR_RIGHT,
        starts_session(no, AFTER) == PARTED,
    )
    strictly = starts_session(yes, EVENT) == (EVENT - BEFORE > GAP)
    at_gap = And(place, GAP == 4, EVENT - BEFORE == 4)
    return Theorem(place, then, {"more than a gap away": Statement(at_gap, strictly)})


def a_split_keeps_separators_right() -> Theorem:
    """Algorithm 4, session case 3: an event makes a session of its own."""
    given = And(PLACE, FAR_LEFT, FAR_RIGHT)
    flexible = Store(SEPARATOR, EVENT, FLEXIBLE)
    return Theorem(
        given,
        is_right_after(split()),
        {"without line 4, a fixed edge is lost": Statement(given, is_right_after(flexible))},
    )


def a_fusion_keeps_separators_right() -> Theorem:
    """Algorithm 5, session case 2: an event joins two sessions."""
    given = And(PLACE, PARTED, Not(FAR_LEFT), Not(FAR_RIGHT))
    return Theorem(
        given,
        is_right_after(fuse()),
        {
            "a combined separator goes": Statement(
                given, is_right_after(Store(SEPARATOR, AFTER, NONE))
            )
        },
    )


def an_extension_keeps_separators_right() -> Theorem:
    """Algorithm 6 as it must stand, case 1.3: a separator at the event is looked for first."""
    given = And(PLACE, COVERED, PARTED, FAR_LEFT, Not(FAR_RIGHT))
    mended = extend(as_printed=True, line_8=True)
    return Theorem(
        given,
        is_right_after(extend()),
        {
            "as printed": Statement(given, is_right_after(extend(as_printed=True))),
            "with line 8 as the text has it": Statement(given, is_right_after(mended)),
        },
    )


def as_printed_an_extension_is_right_where_no_separator_is() -> Theorem:
    """Algorithm 6 as printed, if the event is at no edge and its slice ends at none."""
    place = And(PLACE, COVERED, PARTED, FAR_LEFT, Not(FAR_RIGHT))
    free, flexible = SEPARATOR[EVENT] == NONE, SEPARATOR[AFTER] == FLEXIBLE
    then = is_right_after(extend(as_printed=True))
    return Theorem(
        And(place, free, flexible),
        then,
        {
            "at an edge too": Statement(And(place, flexible), then),
            "though its slice is combined": Statement(And(place, free), then),
        },
    )


def with_line_8_an_extension_is_right_where_no_separator_is() -> Theorem:
    """Algorithm 6 with line 8 as the text has it, if the event is at no edge."""
    place = And(PLACE, COVERED, PARTED, FAR_LEFT, Not(FAR_RIGHT))
    then = is_right_after(extend(as_printed=True, line_8=True))
    given = And(place, SEPARATOR[EVENT] == NONE)
    return Theorem(given, then, {"at an edge too": Statement(place, then)})


def nothing_changes_inside_a_session_or_at_its_end() -> Theorem:
    """Algorithm 3, session cases 1.1 and 1.2: the event is added to a slice, and that is all."""
    inside, at_end = Not(PARTED), And(FAR_RIGHT, Not(FAR_LEFT))
    given = And(PLACE, Or(inside, at_end))
    alone = And(PLACE, FAR_RIGHT)
    return Theorem(
        given,
        is_right_after(SEPARATOR),
        {"a gap on the right is enough": Statement(alone, is_right_after(SEPARATOR))},
    )


def algorithm_3_chooses_right() -> Theorem:
    """Algorithm 3 with >=, as Algorithm 1 has it, between two sessions."""
    given = And(PLACE, COVERED, PARTED)
    return Theorem(
        given,
        is_right_after(algorithm_3()),
        {
            "with >, as printed": Statement(given, is_right_after(algorithm_3(strict=True))),
            "with Algorithm 6 as printed": Statement(
                given, is_right_after(algorithm_3(as_printed=True))
            ),
        },
    )
