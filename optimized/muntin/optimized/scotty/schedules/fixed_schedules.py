"""The schedule of each window type in time whose edges are known beforehand.

`schedule_for` is the table of types. Cumulating, landmark and band windows are here, tumbling and
sliding ones in `sliding`.
"""

from collections.abc import Iterator

from muntin.optimized.scotty.schedules.base import (
    NextSliceAfter,
    SeenRange,
    WindowSchedule,
    align_up,
)
from muntin.optimized.scotty.schedules.periodic_edges import PeriodicEdges, span
from muntin.optimized.scotty.schedules.sliding_schedule import SlidingSchedule
from muntin.optimized.scotty.slices.edges import Progression, single_edge
from muntin.spec.dialect import Dialect
from muntin.spec.stream import END
from muntin.spec.windows.measure import TIME
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.window import Interval, WindowType


def schedule_for(window: WindowType, dialect: Dialect, since: float) -> WindowSchedule | None:
    """The schedule of a window type, if it is in time and its edges are known beforehand."""
    match window:
        case _ if window.measure is not TIME:
            return None
        case Sliding():
            return SlidingSchedule(window, dialect, since)
        case Cumulate():
            return CumulateSchedule(window, dialect, since)
        case Landmark():
            return LandmarkSchedule(window, dialect, since)
        case Band():
            return BandSchedule(window, dialect, since)
        case _:
            return None


class CumulateSchedule(WindowSchedule):
    """Cumulating windows: they start every size, and end every step."""

    def __init__(self, window: Cumulate, dialect: Dialect, since: float) -> None:
        """Take the window type."""
        super().__init__(window, dialect, since)
        self._window = window

    def edges(self) -> list[Progression]:
        """The starts, and each step."""
        window, minimum = self._window, self.since + 1
        if minimum > -END:
            minimum = align_up(int(minimum), window.offset, window.size)
        return PeriodicEdges(window, self.dialect, minimum, self.since).edges()

    def span(self, interval: Interval) -> tuple[int, int]:
        """The part of the span that the query sees."""
        return self.clip(span(self._window, interval, self.dialect))

    def windows_containing(self, time: int, until: float, seen: SeenRange) -> Iterator[Interval]:
        """The windows around the time."""
        del seen
        intervals = sorted(self._window.windows_at(time, self.dialect))
        return (
            interval
            for interval in intervals
            if self.completion_time(interval) <= until and interval.start > self.since
        )

    def windows_ending_in(
        self, after: float, until: float, seen: SeenRange, next_slice_after: NextSliceAfter
    ) -> Iterator[Interval]:
        """Leap over the windows that hold no slice."""
        window = self._window
        minimum = max(after, seen.first) + 1 - self.closes
        if minimum == END:
            return
        end = align_up(int(minimum), window.offset, window.step)
        while end + self.closes <= until:
            interval = Interval(end - 1 - (end - 1 - window.offset) % window.size, end)
            begin, span_end = self.span(interval)
            slice_time = next_slice_after(begin)
            if slice_time is None:
                return
            if slice_time < span_end and interval.start > self.since:
                yield interval
            minimum = max(slice_time - self.closes, end)
            end = align_up(minimum + 1, window.offset, window.step)

    def last_completion(self, time: int, seen: SeenRange) -> float | None:
        """The end of the longest window around the time."""
        del seen
        return max(
            self.completion_time(interval)
            for interval in self._window.windows_at(time, self.dialect)
        )

    def first_open_after(self, time: int) -> Interval:
        """The first window that completes later."""
        window, end = self._window, time - self.closes + 1
        end = align_up(end, window.offset, window.step)
        return Interval(end - 1 - (end - 1 - window.offset) % window.size, end)


class LandmarkSchedule(WindowSchedule):
    """Landmark windows: they all start at the landmark."""

    def __init__(self, window: Landmark, dialect: Dialect, since: float) -> None:
        """Take the window type."""
        super().__init__(window, dialect, since)
        self._window, self._is_visible = window, window.at > since
        self.retained_from = window.at + self.opens if self._is_visible else None

    def edges(self) -> list[Progression]:
        """The landmark, and each end."""
        window, shift = self._window, self.closes
        ends = Progression(window.at + shift, window.every, window.at + window.every + shift)
        return [single_edge(window.at + self.opens), ends] if self._is_visible else []

    def span(self, interval: Interval) -> tuple[int, int]:
        """The whole span: the landmark is after `since`."""
        return span(self._window, interval, self.dialect)

    def _last_end(self, seen: SeenRange) -> int:
        """The last end that exists."""
        window, latest = self._window, max(seen.last_finite, seen.last, self._window.at)
        return int(latest) + window.every - (int(latest) - window.at) % window.every

    def _windows_ending(self, after: float, until: float, seen: SeenRange) -> Iterator[Interval]:
        """The windows that exist, and complete in (after, until]."""
        window, last_end = self._window, self._last_end(seen)
        minimum = int(max(after + 1 - self.closes, window.at + 1))
        first, last = align_up(minimum, window.at, window.every), min(until - self.closes, last_end)
        for end in range(first, int(last) + 1, window.every):
            yield Interval(window.at, end)

    def windows_containing(self, time: int, until: float, seen: SeenRange) -> Iterator[Interval]:
        """Every window that ends after the time."""
        is_seen = self._window.at + self.opens <= time and self._is_visible
        return self._windows_ending(time, until, seen) if is_seen and until > -END else iter(())

    def windows_ending_in(
        self, after: float, until: float, seen: SeenRange, next_slice_after: NextSliceAfter
    ) -> Iterator[Interval]:
        """The windows from the first that holds a slice."""
        slice_time = next_slice_after(self._window.at + self.opens)
        if slice_time is None or not self._is_visible or until == -END or after == END:
            return iter(())
        return self._windows_ending(max(after, slice_time), until, seen)

    def last_completion(self, time: int, seen: SeenRange) -> float | None:
        """The last end that exists, if the time is after the landmark."""
        is_seen = time >= self._window.at + self.opens
        return self._last_end(seen) + self.closes if is_seen else None

    def first_open_after(self, time: int) -> Interval | None:
        """None: all since the landmark is needed forever."""
        del time
        return None


class BandSchedule(WindowSchedule):
    """A fixed band: one window."""

    def __init__(self, window: Band, dialect: Dialect, since: float) -> None:
        """Take the window type."""
        super().__init__(window, dialect, since)
        self._window, self._is_visible = window, window.start > since
        self._band = Interval(window.start, window.end)
        self._low, self._high = span(window, self._band, dialect)

    def edges(self) -> list[Progression]:
        """Its start and its end."""
        return [single_edge(self._low), single_edge(self._high)] if self._is_visible else []

    def span(self, interval: Interval) -> tuple[int, int]:
        """The whole span: the band is after `since`."""
        del interval
        return self._low, self._high

    def windows_containing(self, time: int, until: float, seen: SeenRange) -> Iterator[Interval]:
        """The band, if the time is in it."""
        del seen
        if self._is_visible and self._low <= time < self._high <= until:
            yield self._band

    def windows_ending_in(
        self, after: float, until: float, seen: SeenRange, next_slice_after: NextSliceAfter
    ) -> Iterator[Interval]:
        """The band."""
        del seen, next_slice_after
        if self._is_visible and after < self._high <= until:
            yield self._band

    def last_completion(self, time: int, seen: SeenRange) -> float | None:
        """The end of the band, if the time is in it."""
        del seen
        return self._high if self._low <= time < self._high else None

    def first_open_after(self, time: int) -> Interval | None:
        """The band, until it is complete."""
        return self._band if self._is_visible and self._high > time else None
