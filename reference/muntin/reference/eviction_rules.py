"""Which of the oldest events no window needs any more, by definition (rule 12).

An event may be forgotten iff no window that may still be new, updated or retracted contains it,
or needs it for its boundaries. So the windows of the events that are held are computed with the
oldest and without them: those that are not settled must be the same. Only where an event to come
makes windows that no event held shows is something said of types of windows.
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
KNOWN = (PeriodicWindow, Rolling, LastNEvery, *FRAMES)
Live = Mapping[Interval, tuple[int, ...]]


def evictable_count(kind: WindowType, line: Timeline, done: float) -> int:
    """How many of the oldest events no window needs that settles after `done`.

    An event to come has a time after `done`, or lies in such a window.
    """
    if _needs_all(kind, line.dialect):
        return 0
    if done == END:
        return len(line.events)
    past = _past(kind, line, done)
    if not past:
        return 0
    most, lines = _most(kind), (line, *_continued(kind, line, done))
    wanted = [_live(most, one, done) for one in lines]
    held = {arrival for live in wanted for content in live.values() for arrival in content}
    unheld = len(list(takewhile(lambda at: at.accepted.arrival not in held, past)))
    return next(
        n
        for n in range(unheld, -1, -1)
        if wanted == [_live(most, one._replace(events=one.events[n:]), done) for one in lines]
    )


def _needs_all(kind: WindowType, dialect: Dialect) -> bool:
    """Whether no finite number of windows shows what an event to come needs.

    A window of the user's may depend on every event. The first event may tell which windows there
    will ever be. By window, an event however old can move where live frames begin.
    """
    by_window, floor = dialect.lateness == "window", dialect.first_window == "floor_first"
    moved = isinstance(kind, FRAMES) and not (isinstance(kind, Session) and kind.measure is TIME)
    by_first = isinstance(kind, Sliding) and floor
    return not isinstance(kind, KNOWN) or by_first or (moved and by_window)


def _past(kind: WindowType, line: Timeline, done: float) -> list[PositionedEvent]:
    """The leading events whose ranks and coordinates are settled: whatever comes is behind them.

    In a measure of the user's an event after `done` may still share their last coordinate.
    """
    past = list(takewhile(lambda at: at.time <= done, line.events))
    if kind.measure in (TIME, COUNT):
        return past
    return [at for at in past if at.coordinate < past[-1].coordinate]


def _most(kind: WindowType) -> WindowType:
    """The type that makes of the events held every window that may yet be one."""
    match kind:
        case Threshold():
            return replace(kind, min_count=1)
        case Rolling():
            return replace(kind, every=1)
        case _:
            return kind


def _continued(kind: WindowType, line: Timeline, done: float) -> list[Timeline]:
    """The past and the soonest event to come, whose windows may hold what no window holds so far.

    Other types make no such windows: frames and last n events that reach back are there already.
    """
    by_window = line.dialect.lateness == "window"
    soonest = done - max(0, line.dialect.closing_of(kind.name)) if by_window else done + 1
    before = tuple(takewhile(lambda at: at.time <= soonest, line.events))
    if not before or not isinstance(kind, PeriodicWindow | Rolling):
        return []
    last = before[-1]
    event = replace(last.accepted.event, time=int(soonest))
    rank, arrival = last.rank + 1, max(at.accepted.arrival for at in line.events) + 1
    beside = rank if kind.measure is COUNT else last.coordinate
    coordinate = event.time if kind.measure is TIME else beside
    tie = last.tie + 1 if coordinate == last.coordinate else 0
    further = PositionedEvent(
        last.accepted._replace(event=event, arrival=arrival), rank, coordinate, tie
    )
    return [line._replace(events=(*before, further))]


def _live(kind: WindowType, line: Timeline, done: float) -> Live:
    return {
        one.interval: one.arrivals for one in materialize_windows(kind, line) if one.final_at > done
    }
