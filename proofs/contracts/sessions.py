"""Lemmas on the definition of sessions, for all times and gaps."""

from muntin.spec.dialect import OURS, Dialect
from muntin.spec.stream import AcceptedEvent, Event, event_order
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import PositionedEvent, Timeline
from muntin.spec.windows.window import Interval

AT_EQUALITY = Dialect(session_merge="le")


def defined_sessions(times: list[int], gap: int, dialect: Dialect = OURS) -> list[Interval]:
    """The sessions of some events, by definition."""
    history = [AcceptedEvent(Event(time, time), arrival) for arrival, time in enumerate(times)]
    in_order = enumerate(event_order(history))
    placed = [PositionedEvent(accepted, rank, accepted.event.time) for rank, accepted in in_order]
    return list(Session(gap).intervals(Timeline(tuple(placed), 0, dialect)))


def two_events_belong_together_iff_they_are_nearer_than_the_gap(a: int, b: int, gap: int) -> None:
    """W8: exactly one gap apart is two sessions."""
    assert gap > 0

    assert (len(defined_sessions([a, b], gap)) == 1) == (abs(a - b) < gap)


def at_equality_they_belong_together_at_the_gap_too(a: int, b: int, gap: int) -> None:
    """X1: in the dialect of engines that merge sessions at equality."""
    assert gap > 0

    assert (len(defined_sessions([a, b], gap, AT_EQUALITY)) == 1) == (abs(a - b) <= gap)


def the_order_of_arrival_does_not_matter(a: int, b: int, c: int, gap: int) -> None:
    """W8: sessions are those of the set of events."""
    assert gap > 0

    assert defined_sessions([a, b, c], gap) == defined_sessions([c, a, b], gap)


def a_complete_session_stays(a: int, b: int, gap: int) -> None:
    """Rules 8 and 9: an event at or after its end makes a session of its own."""
    assert gap > 0
    assert b >= a + gap

    assert defined_sessions([a, b], gap) == [Interval(a, a + gap), Interval(b, b + gap)]
