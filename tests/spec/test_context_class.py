"""The declared class of every window type is the class that traces show [Li05]."""

from collections.abc import Sequence
from itertools import combinations

import pytest

from muntin.spec.dialect import OURS
from muntin.spec.stream import AcceptedEvent, Event
from muntin.spec.windows.data_driven import (
    LastNEvery,
    Punctuation,
    Rolling,
    Session,
    slide_by_tuple,
)
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import COUNT, Timeline, build_timeline
from muntin.spec.windows.periodic import (
    Band,
    Cumulate,
    Landmark,
    Sliding,
    count,
    instant_windows,
    tumbling,
)
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import Context, WindowType

PIECES = [
    [],
    [(0, 1)],
    [(0, 1), (2, 5)],
    [(2, 5)],
    [(0, 1), (2, 1), (3, 5)],
    [(0, 1), (2, 1), (3, 1), (3, 5), (6, 0)],
    [(0, 1), (2, 5), (3, 5), (7, 5)],
    [(0, 5), (1, 5), (4, 5)],
    [(0, 5), (1, 0), (4, 5), (5, 5)],
    [(-3, 5), (0, 1), (4, 1), (8, 9)],
]
TRACES = [[Event(t, v, punctuation=v == 5) for t, v in piece] for piece in PIECES]


def every_other(state: object, event: Event) -> tuple[object, int, int]:
    """Begin a window with every other event, and end it before the next of these."""
    del event
    n = state if isinstance(state, int) else 0
    return n + 1, int(n % 2 == 0), int(n > 0 and n % 2 == 0)


def last_two(state: object, event: Event) -> tuple[object, int, int]:
    """Keep two events, and fire on a 5."""
    n = state if isinstance(state, int) else 0
    return n + 1, int(n > 1), int(event.value == 5)


WINDOW_TYPES = [
    tumbling(4),
    Sliding(4, 3, 1),
    Sliding(2, 5),
    instant_windows(),
    count(2),
    Landmark(0, 3),
    Cumulate(6, 2),
    Band(1, 4),
    Session(2),
    Session(3, COUNT),
    Punctuation(),
    Rolling(3),
    slide_by_tuple(3, 2),
    LastNEvery(2, 4),
    Delta(2),
    State(),
    Threshold(5, 2),
    UserWindow(every_other),
    UserTrigger(last_two),
]


def context_class(
    window_type: WindowType, traces: Sequence[Sequence[Event]], until: int
) -> Context:
    """Return the narrowest class that these traces do not refute (definition W18).

    Context free: the windows of a trace are those that would exist if there were an event at
    every instant, as far as they hold an event. Forward context free: two traces that agree up to
    a coordinate agree on the edges up to there. Forward context aware: neither.

    >>> from muntin.spec.windows.data_driven import Session
    >>> traces = [[Event(1, "a")], [Event(1, "a"), Event(3, "b")], [Event(3, "b")]]
    >>> context_class(Session(3), traces, until=9)
    'FCF'
    """
    dense = build_timeline_of(window_type, [Event(time, 0) for time in range(-until, until)], until)
    timelines = [build_timeline_of(window_type, trace, until) for trace in traces]
    if all(
        nonempty_windows(window_type, timeline, timeline)
        == nonempty_windows(window_type, dense, timeline)
        for timeline in timelines
    ):
        return "CF"
    pairs = [(a, b, upto) for a, b in combinations(timelines, 2) for upto in range(-until, until)]
    equal = [(a, b, upto) for a, b, upto in pairs if equal_prefix(a, b, upto)]
    agree = all(
        edges_up_to(window_type, a, upto) == edges_up_to(window_type, b, upto)
        for a, b, upto in equal
    )
    return "FCF" if agree else "FCA"


def build_timeline_of(window_type: WindowType, trace: Sequence[Event], until: int) -> Timeline:
    """Lay out a trace."""
    history = [AcceptedEvent(event, arrival) for arrival, event in enumerate(trace)]
    return build_timeline(history, window_type.measure, until, OURS)


def nonempty_windows(
    window_type: WindowType, windows_of: Timeline, events_of: Timeline
) -> set[tuple[float, ...]]:
    """Return the windows of one timeline that hold an event of another."""
    holding = [(i, at) for i in window_type.intervals(windows_of) for at in events_of.events]
    return {interval for interval, at in holding if window_type.holds(interval, at, OURS)}


def edges_up_to(window_type: WindowType, timeline: Timeline, upto: int) -> set[float]:
    """Return the edges up to a coordinate."""
    return {edge for one in window_type.intervals(timeline) for edge in one[:2] if edge <= upto}


def equal_prefix(a: Timeline, b: Timeline, upto: int) -> bool:
    """Whether two timelines hold the same events up to a coordinate, in the same order."""
    timelines = (
        [at.accepted.event for at in timeline.events if at.coordinate <= upto]
        for timeline in (a, b)
    )
    return next(timelines) == next(timelines)


@pytest.mark.parametrize("window_type", WINDOW_TYPES, ids=lambda window_type: f"{window_type.name}")
def test_declared_class_is_the_computed_one(window_type: WindowType) -> None:
    assert context_class(window_type, TRACES, until=12) == window_type.context


def test_a_threshold_without_a_minimum_count_is_forward_context_free() -> None:
    assert context_class(Threshold(5, 1), TRACES, until=12) == "FCF"
