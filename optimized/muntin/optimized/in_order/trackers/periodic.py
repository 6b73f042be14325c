"""Windows whose end is known when an event comes: sliding, landmark, cumulate, band, session."""

from muntin.optimized.in_order.slice_buffer import Slices
from muntin.optimized.in_order.trackers.base import (
    KindTracker,
    TrackedEvent,
    TrackedWindow,
    TrackerConfig,
    W,
)
from muntin.spec.stream import END
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding, pane_start


class PeriodicTracker(KindTracker[W]):
    """Windows that hold the coordinates c with start + lead <= c < end + lag."""

    def __init__(self, kind: W, config: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(kind, config)
        edges = "left" if self.measure is COUNT else self.settings.dialect.edges
        self.lead, self.lag = int(edges == "right"), int(edges != "left")
        if self.measure is TIME or self.measure is COUNT:
            self.wake_condition = "until a time" if self.measure is TIME else "until a rank"

    def begin(self, slices: Slices, first: int, start: int, end: int) -> None:
        """Open a window with its first event, unless the query came too late to see all of it."""
        if not self.predates_query(start):
            due = self.due_while_open(end)
            due = None if due is None else due + self.lag
            self.open(slices, TrackedWindow(start, end, first, end + self.lag, due))


class SlidingTracker(PeriodicTracker[Sliding]):
    """Windows that begin at multiples of the slide. An event opens those that it is first in."""

    next_start: int | None = None  # the least start that no event has opened

    def place(self, slices: Slices, arrival: TrackedEvent, /) -> None:
        """Close the windows that end at or before the event, and open those that begin."""
        self.close_before(slices, arrival)
        self._open(slices, arrival)
        self.mark_full(arrival)

    def next_edge(self) -> float:
        """The coordinate where the next window opens, or one closes."""
        opens = -END if self.next_start is None else self.next_start + self.lead
        return min(opens, self.next_close())

    def is_idle(self) -> bool:
        """Whether no window of time is open, and the first event does not matter."""
        anywhere = self.settings.dialect.first_window != "floor_first"
        return self.measure is TIME and anywhere and not self.windows

    def _open(self, slices: Slices, arrival: TrackedEvent) -> None:
        """Open the windows that the event is first in."""
        size, slide, c = self.kind.size, self.kind.slide, arrival.coordinate
        newest = self._pane_start(c - self.lead)
        oldest = self._pane_start(c - size - self.lag) + slide
        least = self._least_start(c) if self.next_start is None else self.next_start
        for start in range(max(oldest, least), newest + 1, slide):
            self.begin(slices, arrival.ordinal, start, start + size)
        self.next_start = max(oldest, least, newest + slide)

    def _least_start(self, first: int) -> int:
        """The least start that there is, given the first coordinate."""
        zero = self._pane_start(-1) + self.kind.slide
        if self.measure is COUNT:
            return zero
        everything = self._pane_start(first - self.kind.size - self.lag)
        rule = self.settings.dialect.first_window
        least = {"all": everything, "nonnegative": zero, "floor_first": self._pane_start(first)}
        return least[rule]

    def _pane_start(self, coordinate: int) -> int:
        return pane_start(coordinate, self.kind.offset, self.kind.slide, self.settings.dialect)


class LandmarkTracker(PeriodicTracker[Landmark]):
    """One begin, and an end in each period. There is always one window that has not ended."""

    def __init__(self, kind: Landmark, config: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(kind, config)
        self.first: int | None = None
        self.next_end = kind.at + kind.every

    def place(self, slices: Slices, arrival: TrackedEvent, /) -> None:
        """Close the windows that have ended; open all that the first event is in."""
        kind, c = self.kind, arrival.coordinate
        if not self.predates_query(kind.at) and c >= kind.at + self.lead:
            if self.first is None:
                self.first = arrival.ordinal
                slices.pin(self.first)
                passed = (c - self.lag - kind.at) // kind.every
                self.next_end = max(self.next_end, kind.at + (passed + 1) * kind.every)
            self._extend(slices, c)
            self.close_before(slices, arrival)
            self.mark_full(arrival)

    def next_edge(self) -> float:
        """The coordinate where the next window opens, or one closes."""
        if self.first is None:
            return END if self.predates_query(self.kind.at) else self.kind.at + self.lead
        return min(self.next_end - self.kind.every, self.next_close())

    def advance(self, slices: Slices, last_finite: float, limit: float, /) -> None:
        """Open the windows up to the first that ends beyond the watermark."""
        del limit
        if self.measure is TIME and self.first is not None:
            self._extend(slices, last_finite)

    def next_time_action(self) -> float:
        """The end of the youngest window, which a further one must follow."""
        timely = self.measure is TIME and self.first is not None
        return self.next_end - self.kind.every if timely else END

    def pins(self) -> list[int]:
        """The ordinals that it pins: also that of the first event."""
        return [*super().pins(), *([] if self.first is None else [self.first])]

    def _extend(self, slices: Slices, reach: float) -> None:
        while self.first is not None and self.next_end <= reach + self.kind.every:
            self.begin(slices, self.first, self.kind.at, self.next_end)
            self.next_end += self.kind.every


class CumulateTracker(PeriodicTracker[Cumulate]):
    """Tumbling windows that report their growth: the first event in one opens all its parts."""

    opened: float = -END  # the greatest end of a window that was opened

    def is_idle(self) -> bool:
        """Whether no window of time is open."""
        return self.measure is TIME and not self.windows

    def place(self, slices: Slices, arrival: TrackedEvent, /) -> None:
        """Close the windows that have ended; open those of a new period."""
        self.close_before(slices, arrival)
        if arrival.coordinate - self.lead >= self.opened:
            windows = self.kind.windows_at(arrival.coordinate, self.settings.dialect)
            for start, end, _ in sorted(windows):
                if end > self.opened:
                    self.begin(slices, arrival.ordinal, start, int(end))
                    self.opened = end
        self.mark_full(arrival)

    def next_edge(self) -> float:
        """Where the next period begins, or a window closes."""
        return min(self.opened + self.lead, self.next_close())


class BandTracker(PeriodicTracker[Band]):
    """One window."""

    opened = False

    def is_idle(self) -> bool:
        """Whether the window of time is not open: it has ended, or has not begun."""
        return self.measure is TIME and not self.windows

    def place(self, slices: Slices, arrival: TrackedEvent, /) -> None:
        """Open the window with the first event in it, and close it with the first behind it."""
        self.close_before(slices, arrival)
        start, end = self.kind.start, self.kind.end
        if not self.opened and start + self.lead <= arrival.coordinate < end + self.lag:
            self.opened = True
            self.begin(slices, arrival.ordinal, start, end)
        self.mark_full(arrival)

    def next_edge(self) -> float:
        """Where the window begins, or closes."""
        return self.next_close() if self.opened else self.kind.start + self.lead


class SessionTracker(KindTracker[Session]):
    """At most one session is open.

    In time, an event that follows within the gap affects it only when the session is emitted.
    """

    def __init__(self, kind: Session, config: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(kind, config)
        self.merge_reach = int(self.settings.dialect.session_merge == "le")
        self.ends_at_last = self.settings.dialect.session_end == "last"
        self.wake_condition = "until a pause" if self.measure is TIME else "never"
        self.pause = kind.gap
        self.last_ordinal: int | None = None  # of the last event that extended the session

    def is_idle(self) -> bool:
        """Whether no session of time is open."""
        return self.measure is TIME and not self.windows

    def place(self, slices: Slices, arrival: TrackedEvent, /) -> None:
        """Extend the session, or close it and open another."""
        self.close_before(slices, arrival)
        if not self.windows or self.windows[-1].stop is not None:
            c = arrival.coordinate
            self.open(slices, TrackedWindow(c, c + 1, arrival.ordinal, c, None))
        self._extend(arrival.coordinate, arrival.event.gap or self.kind.gap)
        self.last_ordinal = arrival.ordinal

    def catch_up(self, slices: Slices, last: int, /) -> None:
        """Extend the session to the last event, if that did not affect it."""
        if self.last_ordinal is not None and self.last_ordinal < slices.count - 1:
            self._extend(last, self.kind.gap)
            self.last_ordinal = slices.count - 1

    def _extend(self, last: int, gap: int) -> None:
        """Extend the open session, which is the last, to an event."""
        window = self.windows[-1]
        ends = max(last + gap, int(window.closes) - self.merge_reach)
        shown, row = (last + 1, ends) if self.ends_at_last else (ends, 0)
        due, closes = self.due_while_open(ends), ends + self.merge_reach
        self.windows[-1] = window._replace(end=shown, closes=closes, due=due, row=row)
