"""Every window type in time whose edges are known beforehand, and its calendar."""

from collections.abc import Iterator

from muntin.optimized.scotty.calendars import Calendar, Extent, Upcoming, align_up
from muntin.optimized.scotty.edges import Progression, single
from muntin.optimized.scotty.periodic_calendar import Periodic
from muntin.spec.dialect import Dialect
from muntin.spec.measure import TIME
from muntin.spec.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.stream import END
from muntin.spec.window import Interval, WindowType


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
