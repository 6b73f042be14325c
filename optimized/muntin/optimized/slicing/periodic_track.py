"""Context-free windows, discretised: sliding, landmark, cumulate, band."""

from muntin.optimized.slicing.extent import Extent
from muntin.optimized.slicing.slices import Slices
from muntin.optimized.slicing.track import At, Track
from muntin.spec.measure import COUNT, TIME
from muntin.spec.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END


class SlidingTrack(Track):
    """Windows that begin at multiples of the slide. An event opens those that it is first in."""

    def __init__(
        self, kind: Sliding, query: Query, settings: Settings, since: float, born: int
    ) -> None:
        """Start with no event."""
        super().__init__(query, settings, since, born)
        self.kind = kind
        self.edges = "left" if self.measure is COUNT else settings.dialect.edges
        self.after = int(self.edges != "left")  # whether windows hold the coordinate of their end
        self.next: int | None = None  # the least start that no event has opened
        self.calm: float = -END  # no window opens or closes before this coordinate

    def place(self, slices: Slices[object], at: At, /) -> None:
        """Close the windows that end at or before the event, and open those that begin."""
        if at.coordinate >= self.calm:
            self.close_before(slices, at)
            self._open(slices, at)
            closes = (one.closes for one in self.live if one.stop is None)
            self.calm = min(closes, default=END)
            if self.next is not None:
                self.calm = min(self.calm, self.next + (self.edges == "right"))
        self.fill(at)

    def idle(self) -> bool:
        """Whether no window is open, in time, and the first event is of no matter."""
        anywhere = self.settings.dialect.first_window != "floor_first"
        return self.measure is TIME and anywhere and not self.live

    def _open(self, slices: Slices[object], at: At) -> None:
        kind, c = self.kind, at.coordinate
        newest = kind.pane(c - (self.edges == "right"), self.settings.dialect)
        oldest = kind.pane(c - kind.size - self.after, self.settings.dialect) + kind.slide
        if self.next is None:
            self.next = max(oldest, self._least(c))
        for start in range(max(oldest, self.next), newest + 1, kind.slide):
            end = start + kind.size
            due = self.due_while_open(end)
            due = due if due is None else due + self.after
            self.open(slices, Extent(start, end, at.ordinal, end + self.after, due))
        self.next = max(self.next, newest + kind.slide)

    def _least(self, first: int) -> int:
        """Return the least start that there is, given the first coordinate."""
        kind, rule = self.kind, self.settings.dialect.first_window
        zero = kind.pane(-1, self.settings.dialect) + kind.slide
        if self.measure is COUNT:
            return zero
        everything = kind.pane(first - kind.size - self.after, self.settings.dialect)
        pane = kind.pane(first, self.settings.dialect)
        return {"all": everything, "nonnegative": zero, "floor_first": pane}[rule]


class LandmarkTrack(Track):
    """One begin, and an end every so often. There is always one window that has not ended."""

    def __init__(
        self, kind: Landmark, query: Query, settings: Settings, since: float, born: int
    ) -> None:
        """Start with no event."""
        super().__init__(query, settings, since, born)
        self.kind = kind
        self.first: int | None = None
        self.next = kind.at + kind.every

    def place(self, slices: Slices[object], at: At, /) -> None:
        """Close the windows that have ended; open all that the first event is in."""
        kind, c = self.kind, at.coordinate
        seen_whole = self.measure is not TIME or kind.at > self.since
        if seen_whole and c >= kind.at:
            if self.first is None:
                self.first = at.ordinal
                slices.pin(self.first)
                self.next = max(self.next, kind.at + ((c - kind.at) // kind.every + 1) * kind.every)
            self._extend(slices, c)
            self.close_before(slices, at)
            self.fill(at)

    def advance(self, slices: Slices[object], reached: float, limit: float, /) -> None:
        """Open the windows up to the first that ends beyond the watermark."""
        del limit
        if self.measure is TIME and self.first is not None:
            self._extend(slices, reached)

    def stirs(self) -> float:
        """Return the end of the youngest window, which must not be the last."""
        timely = self.measure is TIME and self.first is not None
        return self.next - self.kind.every if timely else END

    def begins(self) -> set[int]:
        """Return the ordinals that it holds: also that of the first event."""
        return super().begins() | ({self.first} if self.first is not None else set[int]())

    def release(self, slices: Slices[object]) -> None:
        """Hold no begin any more."""
        super().release(slices)
        if self.first is not None:
            slices.unpin(self.first)

    def _extend(self, slices: Slices[object], reach: float) -> None:
        while self.first is not None and self.next <= reach + self.kind.every:
            due = self.due_while_open(self.next)
            self.open(slices, Extent(self.kind.at, self.next, self.first, self.next, due))
            self.next += self.kind.every


class CumulateTrack(Track):
    """Tumbling windows that report their growth: the first event in one opens all its parts."""

    def __init__(
        self, kind: Cumulate, query: Query, settings: Settings, since: float, born: int
    ) -> None:
        """Start with no event."""
        super().__init__(query, settings, since, born)
        self.kind = kind
        self.start: int | None = None

    def idle(self) -> bool:
        """Whether no window is open, in time."""
        return self.measure is TIME and not self.live

    def place(self, slices: Slices[object], at: At, /) -> None:
        """Close the windows that have ended; open those of a new period."""
        self.close_before(slices, at)
        start = at.coordinate - (at.coordinate - self.kind.offset) % self.kind.size
        if start != self.start:
            self.start = start
            for _, end, _ in sorted(self.kind.around(at.coordinate)):
                self.open(slices, Extent(start, end, at.ordinal, end, self.due_while_open(end)))
        self.fill(at)


class BandTrack(Track):
    """One window."""

    def __init__(
        self, kind: Band, query: Query, settings: Settings, since: float, born: int
    ) -> None:
        """Start with no event."""
        super().__init__(query, settings, since, born)
        self.kind = kind
        self.opened = False

    def idle(self) -> bool:
        """Whether the window is not open, in time: it is over, or has not begun."""
        return self.measure is TIME and not self.live

    def place(self, slices: Slices[object], at: At, /) -> None:
        """Open the window with the first event in it, and close it with the first behind it."""
        self.close_before(slices, at)
        start, end = self.kind.start, self.kind.end
        if not self.opened and start <= at.coordinate < end:
            self.opened = True
            self.open(slices, Extent(start, end, at.ordinal, end, self.due_while_open(end)))
        self.fill(at)
