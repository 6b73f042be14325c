"""What to evict of stored tuples: how many of the oldest no window needs, for each window type.

All windows that are final at `final_until` stay as they are. Any further event has a time after
`final_until`, or lies in a window that is not final. Proof: proofs/scotty.md, T3. The reference
has its own rules, straight from the definition; these look at tuples and windows from the front.
"""

from collections.abc import Iterable
from functools import singledispatch
from itertools import takewhile

from muntin.optimized.common.window_traits import traits_of
from muntin.spec.stream import END
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import Delta, State, Threshold, numbers
from muntin.spec.windows.measure import TIME, PositionedEvent, Timeline
from muntin.spec.windows.periodic import Landmark, PeriodicWindow, Sliding
from muntin.spec.windows.window import Interval, WindowType, materialize_windows


@singledispatch
def evictable_count(window: WindowType, timeline: Timeline, final_until: float) -> int:
    """How many of the oldest tuples may be evicted, by the rule of the type, or by its traits."""
    traits = traits_of(window)
    is_bounded = traits.edges_known and not traits.is_unbounded
    return _count_outside_open_windows(window, timeline, final_until) if is_bounded else 0


def is_final(
    window: WindowType, interval: Interval, timeline: Timeline, final_until: float
) -> bool:
    """Whether no further event can change a window."""
    due = window.completion_time(interval, timeline)
    closing = max(0, timeline.dialect.closing_of(window.name))
    return due is not None and due + closing <= final_until


def _leading(flags: Iterable[bool]) -> int:
    return sum(takewhile(bool, flags))


def _before(coordinate: float, timeline: Timeline) -> int:
    return sum(event.coordinate < coordinate for event in timeline.events)


@evictable_count.register
def _(window: Sliding, timeline: Timeline, final_until: float) -> int:
    """A tuple goes when all windows that hold it are final."""
    if timeline.dialect.first_window == "floor_first":
        return 0

    def is_evictable(event: PositionedEvent) -> bool:
        starts = window.starts(event.coordinate, timeline.dialect)
        intervals = (Interval(start, start + window.size) for start in starts)
        return (
            all(is_final(window, interval, timeline, final_until) for interval in intervals)
            if starts
            else event.time <= final_until
        )

    return _leading(map(is_evictable, timeline.events))


@evictable_count.register(PeriodicWindow)
def _count_outside_open_windows(window: WindowType, timeline: Timeline, final_until: float) -> int:
    """A tuple goes when all windows that hold it are final."""
    if final_until == END:
        return len(timeline.events)
    open_windows = [
        interval
        for interval in window.intervals(timeline)
        if not is_final(window, interval, timeline, final_until)
    ]
    return _leading(
        event.time <= final_until
        and not any(window.holds(interval, event, timeline.dialect) for interval in open_windows)
        for event in timeline.events
    )


@evictable_count.register
def _(window: Landmark, timeline: Timeline, final_until: float) -> int:
    """Tuples behind the landmark stay forever: some window to come will hold them."""
    behind = Interval(window.at, END)
    return _leading(
        event.time <= final_until and not window.holds(behind, event, timeline.dialect)
        for event in timeline.events
    )


@evictable_count.register(Session)
@evictable_count.register(Punctuation)
@evictable_count.register(Delta)
@evictable_count.register(State)
def _(window: WindowType, timeline: Timeline, final_until: float) -> int:
    """Tuples before the end of the last leading final window go.

    By window, an event however old can move where frames begin, and so belong to an open one:
    nothing may go, except of sessions in time.
    """
    is_time_session = isinstance(window, Session) and window.measure is TIME
    if timeline.dialect.lateness == "window" and not is_time_session:
        return 0
    ends = {interval.start: interval.end for interval in window.intervals(timeline)}
    windows = sorted(materialize_windows(window, timeline), key=lambda one: one.interval)
    leading = takewhile(lambda one: one.final_at <= final_until, windows)
    return _before(max((ends[one.interval.start] for one in leading), default=-END), timeline)


@evictable_count.register
def _(window: Threshold, timeline: Timeline, final_until: float) -> int:
    """Tuples before the last final low value go, except those in runs that are not final.

    No run continues over a low value. By window an event however old may begin or end one.
    """
    final_events = tuple(takewhile(lambda at: at.time <= final_until, timeline.events))
    values_at = numbers(timeline._replace(events=final_events)).items()
    lows = [at for at, values in values_at if values and not min(values) >= window.at_least]
    if not lows or timeline.dialect.lateness == "window":
        return 0
    windows = materialize_windows(window, timeline)
    open_starts = [one.interval.start for one in windows if one.final_at > final_until]
    return _before(min([lows[-1], *open_starts]), timeline)


@evictable_count.register
def _(window: Rolling, timeline: Timeline, final_until: float) -> int:
    """Tuples more than the size before the least coordinate still to come go."""
    complete_until = final_until - max(0, timeline.dialect.closing_of(window.name))
    complete = takewhile(lambda event: event.time < complete_until, timeline.events)
    coordinates = [event.coordinate for event in complete]
    least = complete_until if window.measure is TIME else max(coordinates, default=None)
    return 0 if least is None else _before(least - window.size + 1, timeline)


@evictable_count.register
def _(window: LastNEvery, timeline: Timeline, final_until: float) -> int:
    """All but the last n complete tuples go."""
    complete_until = final_until - max(0, timeline.dialect.closing_of(window.name))
    return max(0, sum(event.time < complete_until for event in timeline.events) - window.n)
