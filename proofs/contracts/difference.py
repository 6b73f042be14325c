"""Lemmas on what a step says (rule 11): from what was published before, it makes what is now.

Two windows, each of so many events before the step and after it; none is not to be published.
"""

from muntin.spec.algebra.catalogue import named_keeping_nulls
from muntin.spec.denotation import History, KeyedHistory, result_changes
from muntin.spec.query import Query, Result, Settings
from muntin.spec.stream import AcceptedEvent, Event
from muntin.spec.windows.periodic import tumbling
from muntin.spec.windows.window import Interval, Window

QUERY = Query("q", tumbling(10), named_keeping_nulls("count"))
FIRST, SECOND = Interval(0, 10), Interval(10, 20)
RETRACTING, DISCARDING = History(), History(Settings(output="discard"))
EVENTS = tuple(AcceptedEvent(Event(time, 1), time) for time in range(20))


def published(first: int, second: int) -> KeyedHistory:
    """Return a view of two windows with so many events."""
    sizes = ((FIRST, first), (SECOND, second))
    view = {at: Window(at, EVENTS[at.start : at.start + size], 0, 0) for at, size in sizes if size}
    return KeyedHistory(published=view, revisions=dict.fromkeys(view, 0))


def said(world: History, old: KeyedHistory, new: KeyedHistory) -> list[Result]:
    """Return what is said."""
    return [result for result, _ in result_changes(world.settings, QUERY, None, old, new)]


def what_is_said_makes_the_new_view_of_the_old(a: int, b: int, new_a: int, new_b: int) -> None:
    """Rule 11: retracted windows go, new and updated ones have their new value."""
    assert 0 <= a <= 2
    assert 0 <= b <= 1
    assert 0 <= new_a <= 2
    assert 0 <= new_b <= 1

    view = {at.start: size for at, size in ((FIRST, a), (SECOND, b)) if size}
    for one in said(RETRACTING, published(a, b), published(new_a, new_b)):
        assert (one.kind == "new") == (one.start not in view)
        if one.kind == "retracted":
            assert view.pop(one.start) == one.value
        else:
            view[one.start] = int(str(one.value))
    assert view == {at.start: size for at, size in ((FIRST, new_a), (SECOND, new_b)) if size}


def nothing_is_said_of_what_is_as_it_was(a: int, b: int, new_b: int) -> None:
    """Rule 11: a window whose content is the same is not mentioned."""
    assert 0 <= a <= 2
    assert 0 <= b <= 2
    assert 0 <= new_b <= 2

    results = said(RETRACTING, published(a, b), published(a, new_b))
    assert all(one.start == SECOND.start for one in results)
    assert len(results) == (b != new_b)


def what_is_said_in_parts_adds_up(a: int, new_a: int) -> None:
    """Rule 11: to discard is to say only what was not said."""
    assert 0 <= a <= new_a <= 3

    results = said(DISCARDING, published(a, 0), published(new_a, 0))
    assert a + sum(int(str(one.value)) for one in results) == new_a
