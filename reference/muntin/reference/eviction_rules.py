"""Which of the oldest events no window needs any more, by definition (rule 12).

An event may be evicted iff no window that may still be new, updated or retracted contains it, or
needs it for its boundaries. So the windows of the stored events are computed with the oldest and
without them: those that are not final must be the same. Window types matter only where an event to
come makes windows that no stored event shows.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile

from muntin.spec.dialect import Dialect
from muntin.spec.stream import END
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import COUNT, TIME, PositionedEvent, Timeline
from muntin.spec.windows.periodic import PeriodicWindow, Sliding
from muntin.spec.windows.window import Interval, WindowType, materialize_windows

FRAMES = (Session, Punctuation, Delta, State, Threshold)
SUPPORTED = (PeriodicWindow, Rolling, LastNEvery, *FRAMES)
LiveWindows = Mapping[Interval, tuple[int, ...]]


def evictable_count(window_type: WindowType, timeline: Timeline, final_time: float) -> int:
    """How many of the oldest events are needed by no window that is final after `final_time`.

    An event to come has a time after `final_time`, or lies in such a window.
    """
    if _needs_all(window_type, timeline.dialect):
        return 0
    if final_time == END:
        return len(timeline.events)
    past = _past(window_type, timeline, final_time)
    if not past:
        return 0
    broad = _with_all_windows(window_type)
    timelines = (timeline, *_continuations(window_type, timeline, final_time))
    live = [_live_windows(broad, each, final_time) for each in timelines]
    held = {arrival for windows in live for content in windows.values() for arrival in content}
    leading = len(list(takewhile(lambda event: event.accepted.arrival not in held, past)))

    def without(n: int) -> list[LiveWindows]:
        rest = [each._replace(events=each.events[n:]) for each in timelines]
        return [_live_windows(broad, each, final_time) for each in rest]

    return next(n for n in range(leading, -1, -1) if without(n) == live)


def _needs_all(window_type: WindowType, dialect: Dialect) -> bool:
    """Whether no finite number of windows shows what an event to come needs.

    A user's window may depend on every event. The first event may determine which windows there
    will ever be. By window, an event however old can move where live frames begin.
    """
    by_window = dialect.lateness == "window"
    floor = dialect.first_window in ("floor_first", "offset_first")
    time_session = isinstance(window_type, Session) and window_type.measure is TIME
    moved = isinstance(window_type, FRAMES) and not time_session
    by_first = isinstance(window_type, Sliding) and floor
    return not isinstance(window_type, SUPPORTED) or by_first or (moved and by_window)


def _past(window_type: WindowType, timeline: Timeline, final_time: float) -> list[PositionedEvent]:
    """The leading events whose ranks and coordinates are final: all events to come are later.

    In a user's measure an event after `final_time` may still share their last coordinate.
    """
    past = list(takewhile(lambda event: event.time <= final_time, timeline.events))
    if window_type.measure in (TIME, COUNT):
        return past
    return [event for event in past if event.coordinate < past[-1].coordinate]


def _with_all_windows(window_type: WindowType) -> WindowType:
    """The type that makes of the stored events every window that can still become one."""
    match window_type:
        case Threshold():
            return replace(window_type, min_count=1)
        case Rolling():
            return replace(window_type, every=1)
        case _:
            return window_type


def _continuations(
    window_type: WindowType, timeline: Timeline, final_time: float
) -> list[Timeline]:
    """The past and the soonest event to come, whose windows may hold what no window holds so far.

    Other types make no such windows: frames and last n events that reach back exist already.
    """
    by_window = timeline.dialect.lateness == "window"
    closing = max(0, timeline.dialect.closing_of(window_type.name))
    soonest = final_time - closing if by_window else final_time + 1
    before = tuple(takewhile(lambda event: event.time <= soonest, timeline.events))
    if not before or not isinstance(window_type, PeriodicWindow | Rolling):
        return []
    last = before[-1]
    event = replace(last.accepted.event, time=int(soonest))
    rank, arrival = last.rank + 1, max(e.accepted.arrival for e in timeline.events) + 1
    other = rank if window_type.measure is COUNT else last.coordinate
    coordinate = event.time if window_type.measure is TIME else other
    tie = last.tie + 1 if coordinate == last.coordinate else 0
    accepted = last.accepted._replace(event=event, arrival=arrival)
    further = PositionedEvent(accepted, rank, coordinate, tie)
    return [timeline._replace(events=(*before, further))]


def _live_windows(window_type: WindowType, timeline: Timeline, final_time: float) -> LiveWindows:
    windows = materialize_windows(window_type, timeline)
    return {window.interval: window.arrivals for window in windows if window.final_at > final_time}
