"""Context-free windows, discretised: sliding, landmark, cumulate, band."""

from muntin.optimized.in_order.slice_buffer import SliceBuffer
from muntin.optimized.in_order.trackers.base import TrackedEvent, TrackerConfig, WindowTracker
from muntin.optimized.in_order.trackers.extent import TrackedWindow
from muntin.spec.stream import END
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding, pane_start


class PeriodicTracker(WindowTracker):
    """Windows that hold the coordinates c with start + lead <= c < end + lag."""

    def __init__(self, request: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(request)
        edges = "left" if self.measure is COUNT else self.settings.dialect.edges
        self.lead, self.lag = int(edges == "right"), int(edges != "left")
        if self.measure is TIME or self.measure is COUNT:
            self.sleeps = "until a time" if self.measure is TIME else "until a rank"

    def begin(self, slices: SliceBuffer[object], first: int, start: int, end: int) -> None:
        """Open a window with its first event, unless the query came too late to see all of it."""
        if not self.predates_query(start):
            due = self.due_while_open(end)
            due = None if due is None else due + self.lag
            self.open(slices, TrackedWindow(start, end, first, end + self.lag, due))


class SlidingTracker(PeriodicTracker):
    """Windows that begin at multiples of the slide. An event opens those that it is first in."""

    def __init__(self, kind: Sliding, request: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(request)
        self.kind = kind
        self.next: int | None = None  # the least start that no event has opened

    def place(self, slices: SliceBuffer[object], at: TrackedEvent, /) -> None:
        """Close the windows that end at or before the event, and open those that begin."""
        self.close_before(slices, at)
        self._open(slices, at)
        self.fill(at)

    def edge(self) -> float:
        """Return where the next window opens, or one closes."""
        opens = -END if self.next is None else self.next + self.lead
        return min(opens, self.next_close())

    def idle(self) -> bool:
        """Whether no window is open, in time, and the first event is of no matter."""
        anywhere = self.settings.dialect.first_window != "floor_first"
        return self.measure is TIME and anywhere and not self.live

    def _open(self, slices: SliceBuffer[object], at: TrackedEvent) -> None:
        """Open the windows that the event is first in."""
        size, slide, c = self.kind.size, self.kind.slide, at.coordinate
        newest = self._pane(c - self.lead)
        oldest = self._pane(c - size - self.lag) + slide
        least = self._least(c) if self.next is None else self.next
        for start in range(max(oldest, least), newest + 1, slide):
            self.begin(slices, at.ordinal, start, start + size)
        self.next = max(oldest, least, newest + slide)

    def _least(self, first: int) -> int:
        """Return the least start that there is, given the first coordinate."""
        zero = self._pane(-1) + self.kind.slide
        if self.measure is COUNT:
            return zero
        everything = self._pane(first - self.kind.size - self.lag)
        rule = self.settings.dialect.first_window
        return {"all": everything, "nonnegative": zero, "floor_first": self._pane(first)}[rule]

    def _pane(self, coordinate: int) -> int:
        return pane_start(coordinate, self.kind.offset, self.kind.slide, self.settings.dialect)


class LandmarkTracker(PeriodicTracker):
    """One begin, and an end every so often. There is always one window that has not ended."""

    def __init__(self, kind: Landmark, request: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(request)
        self.kind = kind
        self.first: int | None = None
        self.next = kind.at + kind.every

    def place(self, slices: SliceBuffer[object], at: TrackedEvent, /) -> None:
        """Close the windows that have ended; open all that the first event is in."""
        kind, c = self.kind, at.coordinate
        if not self.predates_query(kind.at) and c >= kind.at + self.lead:
            if self.first is None:
                self.first = at.ordinal
                slices.pin(self.first)
                passed = (c - self.lag - kind.at) // kind.every
                self.next = max(self.next, kind.at + (passed + 1) * kind.every)
            self._extend(slices, c)
            self.close_before(slices, at)
            self.fill(at)

    def edge(self) -> float:
        """Return where the next window opens, or one closes."""
        if self.first is None:
            return END if self.predates_query(self.kind.at) else self.kind.at + self.lead
        return min(self.next - self.kind.every, self.next_close())

    def advance(self, slices: SliceBuffer[object], reached: float, limit: float, /) -> None:
        """Open the windows up to the first that ends beyond the watermark."""
        del limit
        if self.measure is TIME and self.first is not None:
            self._extend(slices, reached)

    def next_time_action(self) -> float:
        """Return the end of the youngest window, which must not be the last."""
        timely = self.measure is TIME and self.first is not None
        return self.next - self.kind.every if timely else END

    def begins(self) -> set[int]:
        """Return the ordinals that it holds: also that of the first event."""
        return super().begins() | ({self.first} if self.first is not None else set[int]())

    def release(self, slices: SliceBuffer[object]) -> None:
        """Hold no begin any more."""
        super().release(slices)
        if self.first is not None:
            slices.unpin(self.first)

    def _extend(self, slices: SliceBuffer[object], reach: float) -> None:
        while self.first is not None and self.next <= reach + self.kind.every:
            self.begin(slices, self.first, self.kind.at, self.next)
            self.next += self.kind.every


class CumulateTracker(PeriodicTracker):
    """Tumbling windows that report their growth: the first event in one opens all its parts."""

    def __init__(self, kind: Cumulate, request: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(request)
        self.kind = kind
        self.opened: float = -END  # the greatest end of a window that was opened

    def idle(self) -> bool:
        """Whether no window is open, in time."""
        return self.measure is TIME and not self.live

    def place(self, slices: SliceBuffer[object], at: TrackedEvent, /) -> None:
        """Close the windows that have ended; open those of a new period."""
        self.close_before(slices, at)
        if at.coordinate - self.lead >= self.opened:
            for start, end, _ in sorted(self.kind.windows_at(at.coordinate, self.settings.dialect)):
                if end > self.opened:
                    self.begin(slices, at.ordinal, start, int(end))
                    self.opened = end
        self.fill(at)

    def edge(self) -> float:
        """Return where the next period begins, or a window closes."""
        return min(self.opened + self.lead, self.next_close())


class BandTracker(PeriodicTracker):
    """One window."""

    def __init__(self, kind: Band, request: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(request)
        self.kind = kind
        self.opened = False

    def idle(self) -> bool:
        """Whether the window is not open, in time: it is over, or has not begun."""
        return self.measure is TIME and not self.live

    def place(self, slices: SliceBuffer[object], at: TrackedEvent, /) -> None:
        """Open the window with the first event in it, and close it with the first behind it."""
        self.close_before(slices, at)
        start, end = self.kind.start, self.kind.end
        if not self.opened and start + self.lead <= at.coordinate < end + self.lag:
            self.opened = True
            self.begin(slices, at.ordinal, start, end)
        self.fill(at)

    def edge(self) -> float:
        """Return where the window begins, or closes."""
        return self.next_close() if self.opened else self.kind.start + self.lead
