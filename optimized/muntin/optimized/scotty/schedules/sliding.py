"""The calendar of tumbling and sliding windows, in every dialect."""

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

    def __init__(self, kind: Sliding, dialect: Dialect, since: float) -> None:
        """Take in the window type."""
        super().__init__(kind, dialect, since)
        self._kind, self._length, self.shortest = kind, kind.size + self.closes, kind.size
        self._shifted = bool(self.opens or self.closes) or dialect.alignment != "floor"
        least = max(since + 1, 0 if dialect.first_window == "nonnegative" else -END)
        self._least = least if least == -END else self._aligned(int(least))

    def _aligned(self, least: int) -> int:
        return align_up(least, self._kind.offset, self._kind.slide)

    def edges(self) -> list[Progression]:
        """Return the starts and ends of spans, and where what the query sees begins."""
        return PeriodicEdges(self._kind, self.dialect, self._least, self.since).edges()

    def _window(self, start: int) -> Interval:
        return Interval(start, start + self._kind.size)

    def span(self, one: Interval) -> tuple[int, int]:
        """Return the span, of what the query sees."""
        if self._shifted or one.start <= self.since:
            return self.clipped(span(self._kind, one, self.dialect))
        return one.start, one.start + self._kind.size

    def _pane(self, time: int) -> int:
        return pane_start(time, self._kind.offset, self._kind.slide, self.dialect)

    def _lowest(self, extent: SeenRange) -> float:
        if self.dialect.first_window != "floor_first":
            return self._least
        return max(self._least, self._pane(extent.first))

    def windows_containing(self, time: int, high: float, extent: SeenRange) -> Iterator[Interval]:
        """Return the windows of the event, earliest first."""
        lowest, length = self._lowest(extent), self._length
        for start in sorted(self._kind.starts(time, self.dialect)):
            if start >= lowest and start + length <= high:
                yield self._window(start)

    def windows_ending_in(
        self, low: float, high: float, now: SeenRange, after: NextSliceAfter
    ) -> Iterator[Interval]:
        """Leap over the windows that hold no slice."""
        length = self._length
        least = max(low - length + 1, self._lowest(now), now.first - length + 1)
        if least == END:
            return
        start = self._aligned(int(least))
        while start + length <= high:
            one = self._window(start)
            begin, end = self.span(one)
            found = after(begin)
            if found is None:
                return
            if found < end:
                yield one
            start = max(start + self._kind.slide, self._first_to_hold(found))

    def _first_to_hold(self, time: int) -> int:
        """Return the first start of a window that ends after a time."""
        return self._aligned(time - self._length + 1)

    def last_end(self, time: int, extent: SeenRange) -> float | None:
        """Return the end of the last window of the event."""
        lowest = self._lowest_judged(extent)
        starts = [s for s in self._kind.starts(time, self.dialect) if s >= lowest]
        return max(starts) + self._length if starts else None

    def _lowest_judged(self, extent: SeenRange) -> float:
        """Windows before `since` are not reported, but they count when lateness is judged."""
        lowest = {"all": -END, "nonnegative": 0, "floor_first": self._pane(extent.first)}
        return lowest[self.dialect.first_window]

    def first_open_after(self, done: int) -> Interval:
        """Return the first window that is past later."""
        return self._window(self._first_to_hold(done))
