"""Sessions, discretised: an event less than the gap after the last belongs to its session."""

from muntin.optimized.in_order.slice_buffer import SliceBuffer
from muntin.optimized.in_order.trackers.base import TrackedEvent, TrackerConfig, WindowTracker
from muntin.optimized.in_order.trackers.extent import TrackedWindow
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import TIME


class SessionTracker(WindowTracker):
    """At most one session is open.

    In time, an event that follows within the gap concerns it only when the session is reported.
    """

    def __init__(self, kind: Session, request: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(request)
        self.gap = kind.gap
        self.reach = int(self.settings.dialect.session_merge == "le")
        self.short = self.settings.dialect.session_end == "last"
        self.sleeps = "until a pause" if self.measure is TIME else "never"
        self.pause = kind.gap
        self.noted: int | None = None  # the ordinal of the last event that is taken note of

    def idle(self) -> bool:
        """Whether no session is open, in time."""
        return self.measure is TIME and not self.live

    def place(self, slices: SliceBuffer[object], at: TrackedEvent, /) -> None:
        """Extend the session, or close it and open another."""
        self.close_before(slices, at)
        if not self.live or self.live[-1].stop is not None:
            c = at.coordinate
            self.open(slices, TrackedWindow(c, c + 1, at.ordinal, c, None))
        self._extend(at.coordinate, at.event.gap or self.gap)
        self.noted = at.ordinal

    def catch_up(self, slices: SliceBuffer[object], last: int, /) -> None:
        """Extend the session to the last event, if that did not concern it."""
        if self.noted is not None and self.noted < slices.count - 1:
            self._extend(last, self.gap)
            self.noted = slices.count - 1

    def _extend(self, last: int, gap: int) -> None:
        """Extend the open session, which is the last, to an event."""
        one = self.live[-1]
        ends = max(last + gap, int(one.closes) - self.reach)
        shown, row = (last + 1, ends) if self.short else (ends, 0)
        due = self.due_while_open(ends)
        self.live[-1] = one._replace(end=shown, closes=ends + self.reach, due=due, row=row)
