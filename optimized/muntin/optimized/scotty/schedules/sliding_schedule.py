"""The schedule of tumbling and sliding windows, in every dialect."""

from collections.abc import Iterator

from muntin.optimized.scotty.schedules.base import (
    NextSliceAfter,
    SeenRange,
    WindowSchedule,
    align_up,
)
from muntin.optimized.scotty.schedules.periodic_edges import PeriodicEdges, span
from muntin.optimized.scotty.slices.edges import Progression
from muntin.spec.dialect import Dialect
from muntin.spec.stream import END
from muntin.spec.windows.periodic import Sliding, pane_start
from muntin.spec.windows.window import Interval


class SlidingSchedule(WindowSchedule):
    """Tumbling and sliding windows."""

    def __init__(self, window: Sliding, dialect: Dialect, since: float) -> None:
        """Take the window type."""
        super().__init__(window, dialect, since)
        self._window, self._length, self.shortest_window = (
            window,
            window.size + self.closes,
            window.size,
        )
        self._needs_span = bool(self.opens or self.closes) or dialect.alignment != "floor"
        minimum = max(since + 1, 0 if dialect.first_window == "nonnegative" else -END)
        self._min_start = minimum if minimum == -END else self._align(int(minimum))

    def _align(self, minimum: int) -> int:
        return align_up(minimum, self._window.offset, self._window.slide)

    def edges(self) -> list[Progression]:
        """The starts and ends of spans, and the time from which the query sees events."""
        return PeriodicEdges(self._window, self.dialect, self._min_start, self.since).edges()

    def _interval(self, start: int) -> Interval:
        return Interval(start, start + self._window.size)

    def span(self, interval: Interval) -> tuple[int, int]:
        """The part of the span that the query sees."""
        if self._needs_span or interval.start <= self.since:
            return self.clip(span(self._window, interval, self.dialect))
        return interval.start, interval.start + self._window.size

    def _pane(self, time: int) -> int:
        return pane_start(time, self._window.offset, self._window.slide, self.dialect)

    def _first_start(self, seen: SeenRange) -> float:
        if self.dialect.first_window != "floor_first":
            return self._min_start
        return max(self._min_start, self._pane(seen.first))

    def windows_containing(self, time: int, until: float, seen: SeenRange) -> Iterator[Interval]:
        """The windows around the time, earliest first."""
        first_start, length = self._first_start(seen), self._length
        for start in sorted(self._window.starts(time, self.dialect)):
            if start >= first_start and start + length <= until:
                yield self._interval(start)

    def windows_ending_in(
        self, after: float, until: float, seen: SeenRange, next_slice_after: NextSliceAfter
    ) -> Iterator[Interval]:
        """Leap over the windows that hold no slice."""
        length = self._length
        minimum = max(after - length + 1, self._first_start(seen), seen.first - length + 1)
        if minimum == END:
            return
        start = self._align(int(minimum))
        while start + length <= until:
            interval = self._interval(start)
            begin, end = self.span(interval)
            slice_time = next_slice_after(begin)
            if slice_time is None:
                return
            if slice_time < end:
                yield interval
            start = max(start + self._window.slide, self._first_start_ending_after(slice_time))

    def _first_start_ending_after(self, time: int) -> int:
        """The first start of a window that ends after a time."""
        return self._align(time - self._length + 1)

    def last_completion(self, time: int, seen: SeenRange) -> float | None:
        """The end of the last window around the time."""
        first_start = self._first_start_for_lateness(seen)
        starts = [
            start for start in self._window.starts(time, self.dialect) if start >= first_start
        ]
        return max(starts) + self._length if starts else None

    def _first_start_for_lateness(self, seen: SeenRange) -> float:
        """Windows before `since` are not emitted, but count for lateness by window."""
        first_starts = {"all": -END, "nonnegative": 0, "floor_first": self._pane(seen.first)}
        return first_starts[self.dialect.first_window]

    def first_open_after(self, time: int) -> Interval:
        """The first window that completes later."""
        return self._interval(self._first_start_ending_after(time))
