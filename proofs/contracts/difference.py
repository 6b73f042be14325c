"""Lemmas on what a step says (rule 11): from what was published before, it makes what is now.

Two windows, each of so many events before the step and after it; none is not to be published.
"""

from muntin.spec.algebra.catalogue import named_keeping_nulls
from muntin.spec.denotation import History, KeyedHistory, result_changes
from muntin.spec.query import Query, Result, Settings
from muntin.spec.stream import Accepted, Event
from muntin.spec.windows.periodic import tumbling
from muntin.spec.windows.window import Interval, Window

QUERY = Query("q", tumbling(10), named_keeping_nulls("count"))
FIRST, SECOND = Interval(0, 10), Interval(10, 20)
RETRACTING, DISCARDING = History(), History(Settings(output="discard"))
EVENTS = tuple(Accepted(Event(time, 1), time) for time in range(20))


def published_view(first: int, second: int) -> KeyedHistory:
    """A view of two windows with so many events."""
    sizes = ((FIRST, first), (SECOND, second))
    view = {at: Window(at, EVENTS[at.start : at.start + size], 0, 0) for at, size in sizes if size}
    return KeyedHistory(published=view, revisions=dict.fromkeys(view, 0))


def emitted_results(world: History, old: KeyedHistory, new: KeyedHistory) -> list[Result]:
    """Return what is said."""
    return [result for result, _ in result_changes(world, QUERY, None, old, new)]


def emitted_results_turn_the_old_view_into_the_new(a: int, b: int, new_a: int, new_b: int) -> None:
    """Rule 11: retracted windows go, new and updated ones have their new value."""
    assert 0 <= a <= 2
    assert 0 <= b <= 1
    assert 0 <= new_a <= 2
    assert 0 <= new_b <= 1

    view = {at.start: size for at, size in ((FIRST, a), (SECOND, b)) if size}
    for one in emitted_results(RETRACTING, published_view(a, b), published_view(new_a, new_b)):
        assert (one.kind == "new") == (one.start not in view)
        if one.kind == "retracted":
            assert view.pop(one.start) == one.value
        else:
            view[one.start] = int(str(one.value))
    assert view == {at.start: size for at, size in ((FIRST, new_a), (SECOND, new_b)) if size}


def an_unchanged_window_emits_nothing(a: int, b: int, new_b: int) -> None:
    """Rule 11: a window whose content is the same is not mentioned."""
    assert 0 <= a <= 2
    assert 0 <= b <= 2
    assert 0 <= new_b <= 2

    results = emitted_results(RETRACTING, published_view(a, b), published_view(a, new_b))
    assert all(one.start == SECOND.start for one in results)
    assert len(results) == (b != new_b)


def discarded_parts_add_up(a: int, new_a: int) -> None:
    """Rule 11: to discard is to say only what was not said."""
    assert 0 <= a <= new_a <= 3

    results = emitted_results(DISCARDING, published_view(a, 0), published_view(new_a, 0))
    assert a + sum(int(str(one.value)) for one in results) == new_a
