"""How many of the oldest tuples no window needs any more, for each type that needs tuples.

All windows that settle at `done` or before are over. Any further event has a time after `done`,
or lies in a window that is not over. Proof: proofs/scotty.md, T3.
"""

from collections.abc import Iterable
from functools import singledispatch
from itertools import takewhile

from muntin.spec.stream import END
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import Delta, State, Threshold, numbers
from muntin.spec.windows.measure import TIME, PositionedEvent, Timeline
from muntin.spec.windows.periodic import Landmark, PeriodicWindow, Sliding
from muntin.spec.windows.window import Interval, WindowType, materialize_windows


@singledispatch
def evictable_count(kind: WindowType, line: Timeline, done: float) -> int:
    """Return how many of the oldest may go: of a type that is not known, none."""
    del kind, line, done
    return 0


def is_final(kind: WindowType, one: Interval, line: Timeline, done: float) -> bool:
    """Whether a window is settled."""
    due = kind.completion_time(one, line)
    return due is not None and due + max(0, line.dialect.closing_of(kind.name)) <= done


def _leading(flags: Iterable[bool]) -> int:
    return sum(takewhile(bool, flags))


def _before(cut: float, line: Timeline) -> int:
    return sum(at.coordinate < cut for at in line.events)


@evictable_count.register
def _(kind: Sliding, line: Timeline, done: float) -> int:
    """A tuple goes when all windows that hold it are over."""
    if line.dialect.first_window == "floor_first":
        return 0

    def gone(at: PositionedEvent) -> bool:
        starts = kind.starts(at.coordinate, line.dialect)
        holding = (Interval(start, start + kind.size) for start in starts)
        return (
            all(is_final(kind, one, line, done) for one in holding) if starts else at.time <= done
        )

    return _leading(map(gone, line.events))


@evictable_count.register
def _(kind: PeriodicWindow, line: Timeline, done: float) -> int:
    """A tuple goes when all windows that hold it are over."""
    if done == END:
        return len(line.events)
    live = [one for one in kind.intervals(line) if not is_final(kind, one, line, done)]
    return _leading(
        at.time <= done and not any(kind.holds(one, at, line.dialect) for one in live)
        for at in line.events
    )


@evictable_count.register
def _(kind: Landmark, line: Timeline, done: float) -> int:
    """What is behind the landmark never goes: some window to come will hold it."""
    ever = Interval(kind.at, END)
    return _leading(
        at.time <= done and not kind.holds(ever, at, line.dialect) for at in line.events
    )


@evictable_count.register(Session)
@evictable_count.register(Punctuation)
@evictable_count.register(Delta)
@evictable_count.register(State)
def _(kind: WindowType, line: Timeline, done: float) -> int:
    """What precedes the end of the last of the leading settled windows goes.

    By window, an event however old can move where frames begin, and so belong to one that is
    open: nothing may go, but of sessions in time.
    """
    in_time = isinstance(kind, Session) and kind.measure is TIME
    if line.dialect.lateness == "window" and not in_time:
        return 0
    ends = {one.start: one.end for one in kind.intervals(line)}
    found = sorted(materialize_windows(kind, line), key=lambda one: one.interval)
    leading = takewhile(lambda one: one.final_at <= done, found)
    return _before(max((ends[one.interval.start] for one in leading), default=-END), line)


@evictable_count.register
def _(kind: Threshold, line: Timeline, done: float) -> int:
    """What precedes the last low value that is settled goes, but for runs that are not settled.

    No run goes on over a low value. By window an event however old may begin or end one.
    """
    past = tuple(takewhile(lambda at: at.time <= done, line.events))
    known = numbers(line._replace(events=past)).items()
    low = [at for at, values in known if values and not min(values) >= kind.at_least]
    if not low or line.dialect.lateness == "window":
        return 0
    live = [one.interval.start for one in materialize_windows(kind, line) if one.final_at > done]
    return _before(min([low[-1], *live]), line)


@evictable_count.register
def _(kind: Rolling, line: Timeline, done: float) -> int:
    """What is more than the size before the least coordinate still to come goes."""
    over_at = done - max(0, line.dialect.closing_of(kind.name))
    past = [at.coordinate for at in takewhile(lambda at: at.time < over_at, line.events)]
    least = over_at if kind.measure is TIME else max(past, default=None)
    return 0 if least is None else _before(least - kind.size + 1, line)


@evictable_count.register
def _(kind: LastNEvery, line: Timeline, done: float) -> int:
    """All but the last n that are past go."""
    over_at = done - max(0, line.dialect.closing_of(kind.name))
    return max(0, sum(at.time < over_at for at in line.events) - kind.n)
