"""The calendar of tumbling and sliding windows, in every dialect."""

from collections.abc import Iterator

from muntin.optimized.scotty.calendars import Calendar, Extent, Upcoming, align_up
from muntin.optimized.scotty.edges import Progression, single
from muntin.spec.dialect import Dialect
from muntin.spec.periodic import Sliding
from muntin.spec.stream import END
from muntin.spec.window import Interval


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
