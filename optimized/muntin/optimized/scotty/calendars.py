"""What slicing must know of a window type in time whose edges are known beforehand.

The span of a window is the half-open range of the times that it holds, whatever the dialect says
of its ends. A window is complete at the end of its span (and what a dialect adds to that).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import NamedTuple

from muntin.optimized.scotty.edges import Progression, single
from muntin.spec.dialect import Dialect
from muntin.spec.measure import TIME
from muntin.spec.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.stream import END
from muntin.spec.window import Interval, WindowType

Upcoming = Callable[[float], int | None]


class Extent(NamedTuple):
    """The first time that the query has seen of the key, the last, and how far time has come."""

    first: int
    last: int
    reached: float


class Calendar(ABC):
    """The windows that begin after `since`, of one type."""

    starts_at: int | None = None
    """The time from which everything is kept, if there is one."""

    @abstractmethod
    def edges(self) -> list[Progression]:
        """Return the edges of all spans."""

    @abstractmethod
    def span(self, one: Interval) -> tuple[int, int]:
        """Return the span of a window."""

    @abstractmethod
    def holding(self, time: int, high: float, extent: Extent) -> Iterator[Interval]:
        """Return the windows that hold a time, with spans that end at `high` or before."""

    @abstractmethod
    def ending(self, low: float, high: float, now: Extent, after: Upcoming) -> Iterator[Interval]:
        """Return the windows with spans that end in (low, high], at least if they hold a slice.

        `after` gives the time of the first slice that does not begin before a time.
        """

    @abstractmethod
    def last_end(self, time: int, extent: Extent) -> float | None:
        """Return the last end of a span that holds a time, if any does."""

    @abstractmethod
    def needed_from(self, done: float) -> float:
        """Return the least time that a span holds that ends after `done`."""


def calendar(kind: WindowType, dialect: Dialect, since: float) -> Calendar | None:
    """Return the calendar of a window type in time, if its edges are known beforehand."""
    match kind:
        case _ if kind.measure is not TIME:
            return None
        case Sliding():
            return Periodic(kind, dialect, since)
        case Cumulate():
            return Growing(kind, since)
        case Landmark():
            return Since(kind, since)
        case Band():
            return Once(kind, since)
        case _:
            return None


def align_up(least: int, residue: int, period: int) -> int:
    """Return the least number in residue + period * Z that is not below the given one."""
    return least + (residue - least) % period


class Periodic(Calendar):
    """Tumbling and sliding windows."""

    def __init__(self, kind: Sliding, dialect: Dialect, since: float) -> None:
        """Take in the window type."""
        self._kind, self._dialect, self._since = kind, dialect, since
        self._late = int(kind.inclusive(dialect))
        self._opened = self._late * (dialect.edges == "right")
        self._truncates = dialect.alignment == "truncate"
        least = max(since + 1, 0 if dialect.first_window == "nonnegative" else -END)
        self._least = least if least == -END else self._aligned(int(least))

    def _aligned(self, least: int) -> int:
        return align_up(least, self._kind.offset, self._kind.slide)

    def edges(self) -> list[Progression]:
        """Return the starts, the ends, and where what the query sees begins."""
        kind, lowest = self._kind, self._least
        low, high = (lowest, lowest) if lowest == -END else self.span(self._window(int(lowest)))
        ends = Progression(kind.offset + kind.size + self._late, kind.slide, high)
        shift, offset = self._opened, kind.offset
        if not self._truncates:
            return [Progression(offset + shift, kind.slide, low), ends]
        below = offset - kind.slide + 1 + shift
        seen = [] if self._since == -END else [single(int(self._since) + 1)]
        positive = max(low, offset + kind.slide + shift)
        negative = [Progression(below, kind.slide, low, below)] if low <= below else []
        return [Progression(offset + shift, kind.slide, positive), *negative, ends, *seen]

    def _window(self, start: int) -> Interval:
        return Interval(start, start + self._kind.size)

    def span(self, one: Interval) -> tuple[int, int]:
        """Return the span: truncated, a start at or below the offset begins a slide earlier."""
        early = self._truncates and one.start <= self._kind.offset
        low = one.start - (self._kind.slide - 1 if early else 0) + self._opened
        return max(low, self._clip(low)), one.start + self._kind.size + self._late

    def _clip(self, low: int) -> int:
        return low if self._since == -END else int(self._since) + 1

    def _lowest(self, extent: Extent) -> float:
        if self._dialect.first_window != "floor_first":
            return self._least
        return max(self._least, self._kind.pane(extent.first, self._dialect))

    def holding(self, time: int, high: float, extent: Extent) -> Iterator[Interval]:
        """Return the windows of the event, earliest first."""
        lowest, length = self._lowest(extent), self._kind.size + self._late
        for start in sorted(self._kind.starts(time, self._dialect)):
            if start >= lowest and start + length <= high:
                yield self._window(start)

    def ending(self, low: float, high: float, now: Extent, after: Upcoming) -> Iterator[Interval]:
        """Leap over the windows that hold no slice."""
        length = self._kind.size + self._late
        least = max(low - length + 1, self._lowest(now), self._first_to_hold(now.first))
        if least == END:
            return
        start = self._aligned(int(least))
        while start + length <= high:
            begin, end = self.span(self._window(start))
            found = after(begin)
            if found is None:
                return
            if found < end:
                yield self._window(start)
                start += self._kind.slide
            else:
                start = int(self._first_to_hold(found))

    def _first_to_hold(self, time: int) -> int:
        """Return the first start of which the span ends after a time."""
        return self._aligned(time - self._kind.size - self._late + 1)

    def last_end(self, time: int, extent: Extent) -> float | None:
        """Return the end of the last window of the event."""
        lowest = self._lowest_judged(extent)
        starts = [s for s in self._kind.starts(time, self._dialect) if s >= lowest]
        return max(starts) + self._kind.size + self._late if starts else None

    def _lowest_judged(self, extent: Extent) -> float:
        """Windows before `since` are not reported, but they count when lateness is judged."""
        pane = self._kind.pane(extent.first, self._dialect)
        lowest = {"all": -END, "nonnegative": 0, "floor_first": pane}
        return lowest[self._dialect.first_window]

    def needed_from(self, done: float) -> float:
        """Return where the first window begins that ends later."""
        if done in (-END, END):
            return done
        return self.span(self._window(self._first_to_hold(int(done))))[0]


class Growing(Calendar):
    """Cumulating windows."""

    def __init__(self, kind: Cumulate, since: float) -> None:
        """Take in the window type."""
        self._kind, self._since = kind, since

    def edges(self) -> list[Progression]:
        """Return the steps: each is an end, and each start is a step."""
        kind, low = self._kind, self._since + 1
        if low > -END:
            low = align_up(int(low), kind.offset, kind.size)
        return [Progression(kind.offset, kind.step, low)]

    def span(self, one: Interval) -> tuple[int, int]:
        """Return the interval."""
        return one.start, int(one.end)

    def holding(self, time: int, high: float, extent: Extent) -> Iterator[Interval]:
        """Return the windows of the event."""
        del extent
        found = sorted(self._kind.around(time))
        return (one for one in found if one.end <= high and one.start > self._since)

    def ending(self, low: float, high: float, now: Extent, after: Upcoming) -> Iterator[Interval]:
        """Leap over the windows that hold no slice."""
        kind = self._kind
        least = max(low + 1, now.first + 1)
        if least == END:
            return
        end = align_up(int(least), kind.offset, kind.step)
        while end <= high:
            start = end - 1 - (end - 1 - kind.offset) % kind.size
            found = after(start)
            if found is None:
                return
            if found < end and start > self._since:
                yield Interval(start, end)
            least = max(found, end)
            end = align_up(least + 1, kind.offset, kind.step)

    def last_end(self, time: int, extent: Extent) -> float | None:
        """Return the end of the longest window of the event."""
        del extent
        return max(one.end for one in self._kind.around(time))

    def needed_from(self, done: float) -> float:
        """Return the start of the first window that ends later."""
        return done if done in (-END, END) else min(self._kind.around(int(done))).start


class Since(Calendar):
    """Landmark windows."""

    def __init__(self, kind: Landmark, since: float) -> None:
        """Take in the window type."""
        self._kind, self._seen = kind, since
        self.starts_at = kind.at

    def edges(self) -> list[Progression]:
        """Return the landmark, and each end."""
        kind = self._kind
        return [Progression(kind.at, kind.every, kind.at)] if kind.at > self._seen else []

    def span(self, one: Interval) -> tuple[int, int]:
        """Return the interval."""
        return one.start, int(one.end)

    def _until(self, extent: Extent) -> int:
        """Return the last end that exists."""
        kind, reach = self._kind, max(extent.reached, extent.last, self._kind.at)
        return int(reach) + kind.every - (int(reach) - kind.at) % kind.every

    def _ends(self, least: float, high: float, extent: Extent) -> Iterator[Interval]:
        kind, until = self._kind, self._until(extent)
        first = align_up(int(max(least, kind.at + 1)), kind.at, kind.every)
        for end in range(first, int(min(high, until)) + 1, kind.every):
            yield Interval(kind.at, end)

    def holding(self, time: int, high: float, extent: Extent) -> Iterator[Interval]:
        """Return every window that ends after the event."""
        seen = self._kind.at <= time and self._kind.at > self._seen
        return self._ends(time + 1, high, extent) if seen and high > -END else iter(())

    def ending(self, low: float, high: float, now: Extent, after: Upcoming) -> Iterator[Interval]:
        """Return the windows from the first that holds a slice."""
        found = after(self._kind.at)
        if found is None or self._kind.at <= self._seen or high == -END or low == END:
            return iter(())
        return self._ends(max(low + 1, found + 1), high, now)

    def last_end(self, time: int, extent: Extent) -> float | None:
        """Return the last end that exists, if the event comes after the landmark."""
        return self._until(extent) if time >= self._kind.at else None

    def needed_from(self, done: float) -> float:
        """Return the landmark: every further window begins there."""
        del done
        return self._kind.at if self._kind.at > self._seen else END


class Once(Calendar):
    """A fixed band."""

    def __init__(self, kind: Band, since: float) -> None:
        """Take in the window type."""
        self._kind, self._asked = kind, kind.start > since

    def edges(self) -> list[Progression]:
        """Return its start and its end."""
        return [single(self._kind.start), single(self._kind.end)] if self._asked else []

    def span(self, one: Interval) -> tuple[int, int]:
        """Return the interval."""
        return one.start, int(one.end)

    def holding(self, time: int, high: float, extent: Extent) -> Iterator[Interval]:
        """Return the band, if the event is in it."""
        del extent
        if self._asked and self._kind.start <= time < self._kind.end <= high:
            yield Interval(self._kind.start, self._kind.end)

    def ending(self, low: float, high: float, now: Extent, after: Upcoming) -> Iterator[Interval]:
        """Return the band."""
        del now, after
        if self._asked and low < self._kind.end <= high:
            yield Interval(self._kind.start, self._kind.end)

    def last_end(self, time: int, extent: Extent) -> float | None:
        """Return the end of the band, if the event is in it."""
        del extent
        return self._kind.end if self._kind.start <= time < self._kind.end else None

    def needed_from(self, done: float) -> float:
        """Return its start, until it is over."""
        return self._kind.start if self._asked and self._kind.end > done else END
