"""Merging sessions is associative and commutative (rule 8): the order of arrival does not matter.

Model: a session is its first time, its last time and where it ends, a gap after some event of it;
so first <= last < end. Two of them overlap iff [first, end) do. Their union is the least of the
firsts, and the greatest of lasts and ends. With these theorems the sessions of a set of events are
the same in whatever order the events come: they are the classes of events that are linked by
overlaps.
"""

from typing import NamedTuple

from z3 import And, ArithRef, BoolRef, If, Ints, Not, Or

from evidence.theorem import Statement, Theorem


class SymbolicSession(NamedTuple):
    """Times of its first and last event, and its end."""

    first: ArithRef
    last: ArithRef
    end: ArithRef


def session(name: str) -> SymbolicSession:
    """A session of any extent."""
    return SymbolicSession(*Ints(f"{name}_first {name}_last {name}_end"))


A, B, C = session("a"), session("b"), session("c")


def is_session(*sessions: SymbolicSession) -> BoolRef:
    """Whether all of these are sessions: first <= last < end."""
    return And(
        *(And(session.first <= session.last, session.last < session.end) for session in sessions)
    )


def overlaps(one: SymbolicSession, other: SymbolicSession) -> BoolRef:
    """Whether two sessions must merge: exactly one gap apart they stay two."""
    return And(one.first < other.end, other.first < one.end)


def touches(one: SymbolicSession, other: SymbolicSession) -> BoolRef:
    """Whether two sessions are at most a gap apart."""
    return And(one.first <= other.end, other.first <= one.end)


def union(one: SymbolicSession, other: SymbolicSession) -> SymbolicSession:
    """The session of the events of both."""
    first = If(one.first <= other.first, one.first, other.first)
    last = If(one.last >= other.last, one.last, other.last)
    return SymbolicSession(first, last, If(one.end >= other.end, one.end, other.end))


def is_same(one: SymbolicSession, other: SymbolicSession) -> BoolRef:
    """Whether two sessions are the same."""
    return And(one.first == other.first, one.last == other.last, one.end == other.end)


def union_is_associative_and_commutative() -> Theorem:
    """And a session united with itself is itself."""
    given = is_session(A, B, C)
    then = And(
        is_same(union(A, B), union(B, A)),
        is_same(union(A, union(B, C)), union(union(A, B), C)),
        is_same(union(A, A), A),
        is_session(union(A, B)),
    )
    by_last = SymbolicSession(union(A, B).first, B.last, union(A, B).end)
    return Theorem(
        given, then, {"the later one's last": Statement(given, is_same(by_last, union(B, A)))}
    )


def to_overlap_a_union_is_to_overlap_a_part() -> Theorem:
    """A session meets the union of two that overlap iff it meets one of them."""
    given = And(is_session(A, B, C), overlaps(A, B))
    then = overlaps(C, union(A, B)) == Or(overlaps(C, A), overlaps(C, B))
    any_three = is_session(A, B, C)
    at_gap = touches(C, union(A, B)) == Or(overlaps(C, A), overlaps(C, B))
    return Theorem(
        given,
        then,
        {
            "the two need not overlap": Statement(any_three, then),
            "it meets the union at exactly the gap": Statement(given, at_gap),
        },
    )


def overlapping_is_symmetric_and_reflexive() -> Theorem:
    """So it is a link between events; it is not transitive, hence classes by chains of links."""
    given = is_session(A, B, C)
    then = And(overlaps(A, A), overlaps(A, B) == overlaps(B, A))
    chained = And(given, overlaps(A, B), overlaps(B, C))
    return Theorem(given, then, {"it is transitive": Statement(chained, overlaps(A, C))})


def sessions_that_an_event_joins_lie_around_it() -> Theorem:
    """Case 3: of two sessions of one gap that an event joins, one is before it and one behind."""
    gap, time = Ints("gap time")
    event = SymbolicSession(time, time, time + gap)
    ends = And(gap > 0, A.end == A.last + gap, B.end == B.last + gap)
    given = And(is_session(A, B), ends, A.first < B.first, Not(overlaps(A, B)))
    joins = And(overlaps(event, A), overlaps(event, B))
    own_gap = SymbolicSession(time, time, time + gap + 3)
    longer = And(given, overlaps(own_gap, A), overlaps(own_gap, B))
    then = And(A.last < time, time < B.first)
    return Theorem(
        And(given, joins),
        then,
        {"the event has a longer gap of its own": Statement(longer, then)},
    )


def an_event_joins_at_most_two_sessions() -> Theorem:
    """Case 3: of three sessions of one gap, in order and apart, no event meets all."""
    gap, time = Ints("gap time")
    event = SymbolicSession(time, time, time + gap)
    ends = And(gap > 0, *(each.end == each.last + gap for each in (A, B, C)))
    order = And(is_session(A, B, C), A.end <= B.first, B.end <= C.first)
    own_gap = SymbolicSession(time, time, time + 2 * gap + 5)
    return Theorem(
        And(ends, order),
        Not(And(overlaps(event, A), overlaps(event, C))),
        {
            "the event has a longer gap of its own": Statement(
                And(ends, order), Not(And(overlaps(own_gap, A), overlaps(own_gap, C)))
            )
        },
    )


def events_linked_by_a_gap_are_linked_by_a_larger_one() -> Theorem:
    """So a session of the smallest gap lies whole in one session of each larger gap."""
    gap, more = Ints("gap more")
    own = And(gap > 0, A.end == A.last + gap, B.end == B.last + gap)
    longer = [SymbolicSession(one.first, one.last, one.last + more) for one in (A, B)]
    given = And(is_session(A, B), own, more >= gap, overlaps(A, B))
    other_way = And(is_session(A, B), own, more >= gap, overlaps(*longer))
    return Theorem(
        given,
        overlaps(*longer),
        {"what a larger gap links, a smaller one links": Statement(other_way, overlaps(A, B))},
    )


def ends_of_slices_decide_for_a_larger_gap() -> Theorem:
    """Of two slices, events are less than a gap apart only if the last and the first are."""
    gap, one, other = Ints("gap one other")
    held = And(A.first <= one, one <= A.last, B.first <= other, other <= B.last)
    given = And(is_session(A, B), A.last < B.first, held, other - one < gap)
    some = And(is_session(A, B), A.last < B.first, B.first - A.last < gap)
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
    given = And(is_session(A, B), Not(overlaps(A, B)), A.first < B.first)
    then = And(A.end <= B.first, A.end < B.end)
    overlapping = And(is_session(A, B), A.first < B.first)
    return Theorem(given, then, {"overlapping ones": Statement(overlapping, A.end < B.end)})
