"""Merging sessions is associative and commutative (rule 8): the order of arrival does not matter.

Model: a session is its first time, its last time and where it ends, a gap after some event of it;
so first <= last < end. Two of them overlap iff [first, end) do. Their union is the least of the
firsts, and the greatest of lasts and ends. With these theorems the sessions of a set of events are
the same in whatever order the events are taken: they are the classes of events that are linked by
overlaps.
"""

from typing import NamedTuple

from z3 import And, ArithRef, BoolRef, If, Ints, Not, Or

from evidence.theorem import Statement, Theorem


class Session(NamedTuple):
    """Times of its first and last event, and its end."""

    first: ArithRef
    last: ArithRef
    end: ArithRef


def session(name: str) -> Session:
    """Return a session of any extent."""
    return Session(*Ints(f"{name}_first {name}_last {name}_end"))


A, B, C = session("a"), session("b"), session("c")


def sound(*sessions: Session) -> BoolRef:
    """Say that these are sessions."""
    return And(*(And(one.first <= one.last, one.last < one.end) for one in sessions))


def overlap(one: Session, other: Session) -> BoolRef:
    """Say that two sessions have to be one: exactly one gap apart they are two."""
    return And(one.first < other.end, other.first < one.end)


def touch(one: Session, other: Session) -> BoolRef:
    """Say that they are at most a gap apart."""
    return And(one.first <= other.end, other.first <= one.end)


def union(one: Session, other: Session) -> Session:
    """Return the session of the events of both."""
    first = If(one.first <= other.first, one.first, other.first)
    last = If(one.last >= other.last, one.last, other.last)
    return Session(first, last, If(one.end >= other.end, one.end, other.end))


def same(one: Session, other: Session) -> BoolRef:
    """Say that two sessions are one."""
    return And(one.first == other.first, one.last == other.last, one.end == other.end)


def union_is_associative_and_commutative() -> Theorem:
    """And a session united with itself is itself."""
    given = sound(A, B, C)
    then = And(
        same(union(A, B), union(B, A)),
        same(union(A, union(B, C)), union(union(A, B), C)),
        same(union(A, A), A),
        sound(union(A, B)),
    )
    by_last = Session(union(A, B).first, B.last, union(A, B).end)
    return Theorem(
        given, then, {"the later one's last": Statement(given, same(by_last, union(B, A)))}
    )


def to_overlap_a_union_is_to_overlap_a_part() -> Theorem:
    """A session meets the union of two that overlap iff it meets one of them."""
    given = And(sound(A, B, C), overlap(A, B))
    then = overlap(C, union(A, B)) == Or(overlap(C, A), overlap(C, B))
    apart = sound(A, B, C)
    at_gap = touch(C, union(A, B)) == Or(overlap(C, A), overlap(C, B))
    return Theorem(
        given,
        then,
        {
            "the two need not overlap": Statement(apart, then),
            "it meets the union at exactly the gap": Statement(given, at_gap),
        },
    )


def overlapping_is_symmetric_and_reflexive() -> Theorem:
    """So it is a link between events; it is not transitive, hence classes by chains of links."""
    given = sound(A, B, C)
    then = And(overlap(A, A), overlap(A, B) == overlap(B, A))
    chained = And(given, overlap(A, B), overlap(B, C))
    return Theorem(given, then, {"it is transitive": Statement(chained, overlap(A, C))})


def sessions_that_an_event_joins_lie_around_it() -> Theorem:
    """Case 3: of two sessions of one gap that an event joins, one is before it and one behind."""
    gap, time = Ints("gap time")
    event = Session(time, time, time + gap)
    ends = And(gap > 0, A.end == A.last + gap, B.end == B.last + gap)
    given = And(sound(A, B), ends, A.first < B.first, Not(overlap(A, B)))
    joins = And(overlap(event, A), overlap(event, B))
    own_gap = Session(time, time, time + gap + 3)
    longer = And(given, overlap(own_gap, A), overlap(own_gap, B))
    then = And(A.last < time, time < B.first)
    return Theorem(
        And(given, joins),
        then,
        {"the event has a longer gap of its own": Statement(longer, then)},
    )


def an_event_joins_at_most_two_sessions() -> Theorem:
    """Case 3: of three sessions of one gap, in order and apart, no event meets all."""
    gap, time = Ints("gap time")
    event = Session(time, time, time + gap)
    ends = And(gap > 0, *(one.end == one.last + gap for one in (A, B, C)))
    order = And(sound(A, B, C), A.end <= B.first, B.end <= C.first)
    own_gap = Session(time, time, time + 2 * gap + 5)
    return Theorem(
        And(ends, order),
        Not(And(overlap(event, A), overlap(event, C))),
        {
            "the event has a longer gap of its own": Statement(
                And(ends, order), Not(And(overlap(own_gap, A), overlap(own_gap, C)))
            )
        },
    )


def what_one_gap_links_a_larger_one_links() -> Theorem:
    """So a session of the smallest gap lies whole in one session of each larger gap."""
    gap, more = Ints("gap more")
    own = And(gap > 0, A.end == A.last + gap, B.end == B.last + gap)
    longer = [Session(one.first, one.last, one.last + more) for one in (A, B)]
    given = And(sound(A, B), own, more >= gap, overlap(A, B))
    other_way = And(sound(A, B), own, more >= gap, overlap(*longer))
    return Theorem(
        given,
        overlap(*longer),
        {"what a larger gap links, a smaller one links": Statement(other_way, overlap(A, B))},
    )


def ends_of_slices_decide_for_a_larger_gap() -> Theorem:
    """Of two slices, events are less than a gap apart only if the last and the first are."""
    gap, one, other = Ints("gap one other")
    held = And(A.first <= one, one <= A.last, B.first <= other, other <= B.last)
    given = And(sound(A, B), A.last < B.first, held, other - one < gap)
    some = And(sound(A, B), A.last < B.first, B.first - A.last < gap)
    return Theorem(
        given,
        B.first - A.last < gap,
        {
            "their first events decide": Statement(given, B.last - A.first < gap),
            "then any two of them are": Statement(And(some, held), other - one < gap),
        },
    )


def sessions_are_first_in_first_out() -> Theorem:
    """Of two sessions that are apart, the one that begins first ends before the other begins."""
    given = And(sound(A, B), Not(overlap(A, B)), A.first < B.first)
    then = And(A.end <= B.first, A.end < B.end)
    overlapping = And(sound(A, B), A.first < B.first)
    return Theorem(given, then, {"overlapping ones": Statement(overlapping, A.end < B.end)})
