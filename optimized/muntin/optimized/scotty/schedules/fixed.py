"""Every window type in time whose edges are known beforehand, and its calendar."""

from collections.abc import Iterator

from muntin.optimized.scotty.schedules.base import (
    NextSliceAfter,
    SeenRange,
    WindowSchedule,
    align_up,
)
from muntin.optimized.scotty.schedules.periodic_edges import PeriodicEdges
from muntin.optimized.scotty.schedules.sliding import SlidingSchedule
from muntin.optimized.scotty.schedules.spans import span
from muntin.optimized.scotty.slices.edges import Progression, single
from muntin.spec.dialect import Dialect
from muntin.spec.stream import END
from muntin.spec.windows.measure import TIME
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.window import Interval, WindowType


def schedule_for(kind: WindowType, dialect: Dialect, since: float) -> WindowSchedule | None:
    """Return the calendar of a window type in time, if its edges are known beforehand."""
    match kind:
        case _ if kind.measure is not TIME:
            return None
        case Sliding():
            return SlidingSchedule(kind, dialect, since)
        case Cumulate():
            return CumulateSchedule(kind, dialect, since)
        case Landmark():
            return LandmarkSchedule(kind, dialect, since)
        case Band():
            return BandSchedule(kind, dialect, since)
        case _:
            return None


class CumulateSchedule(WindowSchedule):
    """Cumulating windows."""

    def __init__(self, kind: Cumulate, dialect: Dialect, since: float) -> None:
        """Take in the window type."""
        super().__init__(kind, dialect, since)
        self._kind = kind

    def edges(self) -> list[Progression]:
        """Return the starts, and each step."""
        kind, least = self._kind, self.since + 1
        if least > -END:
            least = align_up(int(least), kind.offset, kind.size)
        return PeriodicEdges(kind, self.dialect, least, self.since).edges()

    def span(self, one: Interval) -> tuple[int, int]:
        """Return the span, of what the query sees."""
        return self.clipped(span(self._kind, one, self.dialect))

    def windows_containing(self, time: int, high: float, extent: SeenRange) -> Iterator[Interval]:
        """Return the windows of the event."""
        del extent
        found = sorted(self._kind.windows_at(time, self.dialect))
        return (
            one for one in found if self.completion_time(one) <= high and one.start > self.since
        )

    def windows_ending_in(
        self, low: float, high: float, now: SeenRange, after: NextSliceAfter
    ) -> Iterator[Interval]:
        """Leap over the windows that hold no slice."""
        kind = self._kind
        least = max(low, now.first) + 1 - self.closes
        if least == END:
            return
        end = align_up(int(least), kind.offset, kind.step)
        while end + self.closes <= high:
            one = Interval(end - 1 - (end - 1 - kind.offset) % kind.size, end)
            begin, behind = self.span(one)
            found = after(begin)
            if found is None:
                return
            if found < behind and one.start > self.since:
                yield one
            least = max(found - self.closes, end)
            end = align_up(least + 1, kind.offset, kind.step)

    def last_end(self, time: int, extent: SeenRange) -> float | None:
        """Return the end of the longest window of the event."""
        del extent
        return max(self.completion_time(one) for one in self._kind.windows_at(time, self.dialect))

    def first_open_after(self, done: int) -> Interval:
        """Return the first window that is past later."""
        kind, end = self._kind, done - self.closes + 1
        end = align_up(end, kind.offset, kind.step)
        return Interval(end - 1 - (end - 1 - kind.offset) % kind.size, end)


class LandmarkSchedule(WindowSchedule):
    """Landmark windows."""

    def __init__(self, kind: Landmark, dialect: Dialect, since: float) -> None:
        """Take in the window type."""
        super().__init__(kind, dialect, since)
        self._kind, self._asked = kind, kind.at > since
        self.starts_at = kind.at + self.opens if self._asked else None

    def edges(self) -> list[Progression]:
        """Return the landmark, and each end."""
        kind, shift = self._kind, self.closes
        ends = Progression(kind.at + shift, kind.every, kind.at + kind.every + shift)
        return [single(kind.at + self.opens), ends] if self._asked else []

    def span(self, one: Interval) -> tuple[int, int]:
        """Return the span."""
        return span(self._kind, one, self.dialect)

    def _until(self, extent: SeenRange) -> int:
        """Return the last end that exists."""
        kind, reach = self._kind, max(extent.reached, extent.last, self._kind.at)
        return int(reach) + kind.every - (int(reach) - kind.at) % kind.every

    def _past(self, low: float, high: float, extent: SeenRange) -> Iterator[Interval]:
        """Return the windows that exist, and are past in (low, high]."""
        kind, until = self._kind, self._until(extent)
        least = int(max(low + 1 - self.closes, kind.at + 1))
        first, last = align_up(least, kind.at, kind.every), min(high - self.closes, until)
        for end in range(first, int(last) + 1, kind.every):
            yield Interval(kind.at, end)

    def windows_containing(self, time: int, high: float, extent: SeenRange) -> Iterator[Interval]:
        """Return every window that ends after the event."""
        seen = self._kind.at + self.opens <= time and self._asked
        return self._past(time, high, extent) if seen and high > -END else iter(())

    def windows_ending_in(
        self, low: float, high: float, now: SeenRange, after: NextSliceAfter
    ) -> Iterator[Interval]:
        """Return the windows from the first that holds a slice."""
        found = after(self._kind.at + self.opens)
        if found is None or not self._asked or high == -END or low == END:
            return iter(())
        return self._past(max(low, found), high, now)

    def last_end(self, time: int, extent: SeenRange) -> float | None:
        """Return the last end that exists, if the event comes after the landmark."""
        seen = time >= self._kind.at + self.opens
        return self._until(extent) + self.closes if seen else None

    def first_open_after(self, done: int) -> Interval | None:
        """Return none: all since the landmark is needed for ever."""
        del done
        return None


class BandSchedule(WindowSchedule):
    """A fixed band."""

    def __init__(self, kind: Band, dialect: Dialect, since: float) -> None:
        """Take in the window type."""
        super().__init__(kind, dialect, since)
        self._kind, self._asked = kind, kind.start > since
        self._band = Interval(kind.start, kind.end)
        self._low, self._high = span(kind, self._band, dialect)

    def edges(self) -> list[Progression]:
        """Return its start and its end."""
        return [single(self._low), single(self._high)] if self._asked else []

    def span(self, one: Interval) -> tuple[int, int]:
        """Return the span."""
        del one
        return self._low, self._high

    def windows_containing(self, time: int, high: float, extent: SeenRange) -> Iterator[Interval]:
        """Return the band, if the event is in it."""
        del extent
        if self._asked and self._low <= time < self._high <= high:
            yield self._band

    def windows_ending_in(
        self, low: float, high: float, now: SeenRange, after: NextSliceAfter
    ) -> Iterator[Interval]:
        """Return the band."""
        del now, after
        if self._asked and low < self._high <= high:
            yield self._band

    def last_end(self, time: int, extent: SeenRange) -> float | None:
        """Return the end of the band, if the event is in it."""
        del extent
        return self._high if self._low <= time < self._high else None

    def first_open_after(self, done: int) -> Interval | None:
        """Return the band, until it is over."""
        return self._band if self._asked and self._high > done else None
