"""Lemmas on the results that a step emits (rule 11): they turn the old published view into the new.

Two windows, each with a number of events before and after the step; without events a window is not
published.
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


def published_view(first: int, second: int) -> KeyedHistory:
    """A view of two windows with these numbers of events."""
    sizes = ((FIRST, first), (SECOND, second))
    view = {
        interval: Window(interval, EVENTS[interval.start : interval.start + size], 0, 0)
        for interval, size in sizes
        if size
    }
    return KeyedHistory(published=view, revisions=dict.fromkeys(view, 0))


def emitted_results(world: History, old: KeyedHistory, new: KeyedHistory) -> list[Result]:
    """The results that a step emits between two views."""
    return list(result_changes(world.settings, QUERY, None, old, new))


def emitted_results_turn_the_old_view_into_the_new(a: int, b: int, new_a: int, new_b: int) -> None:
    """Rule 11: retracted windows go, new and updated windows have their new value."""
    assert 0 <= a <= 2
    assert 0 <= b <= 1
    assert 0 <= new_a <= 2
    assert 0 <= new_b <= 1

    view = {interval.start: size for interval, size in ((FIRST, a), (SECOND, b)) if size}
    for result in emitted_results(RETRACTING, published_view(a, b), published_view(new_a, new_b)):
        assert (result.kind == "new") == (result.start not in view)
        if result.kind == "retracted":
            assert view.pop(result.start) == result.value
        else:
            view[result.start] = int(str(result.value))
    assert view == {
        interval.start: size for interval, size in ((FIRST, new_a), (SECOND, new_b)) if size
    }


def an_unchanged_window_emits_nothing(a: int, b: int, new_b: int) -> None:
    """Rule 11: a window whose content is unchanged emits no result."""
    assert 0 <= a <= 2
    assert 0 <= b <= 2
    assert 0 <= new_b <= 2

    results = emitted_results(RETRACTING, published_view(a, b), published_view(a, new_b))
    assert all(result.start == SECOND.start for result in results)
    assert len(results) == (b != new_b)


def discarded_parts_add_up(a: int, new_a: int) -> None:
    """Rule 11: in `discard` mode a result covers only events not yet emitted."""
    assert 0 <= a <= new_a <= 3

    results = emitted_results(DISCARDING, published_view(a, 0), published_view(new_a, 0))
    assert a + sum(int(str(result.value)) for result in results) == new_a
