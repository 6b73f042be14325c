"""One key with stored tuples: the tuples in order, and the positions of its windows among them."""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable
from operator import attrgetter
from typing import NamedTuple

from muntin.optimized.scotty.groups.user_window_state import MachineCheckpoint, machine_windows
from muntin.optimized.scotty.schedules.periodic_edges import ScheduledWindow, span
from muntin.optimized.scotty.slices.slice import ORDER, LiftedEvent
from muntin.optimized.scotty.slices.tuple_slices import TupleSlice, TupleSlices
from muntin.spec.dialect import Dialect
from muntin.spec.query import Query
from muntin.spec.stream import END, AcceptedEvent
from muntin.spec.windows.data_driven import LastNEvery, Rolling
from muntin.spec.windows.measure import COUNT, Measure, Timeline, build_timeline
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import Interval, WindowType

COORDINATE = attrgetter("coordinate")


class OpenWindow(NamedTuple):
    """A window, the positions of its first tuple and behind its last, and its two deadlines."""

    interval: Interval
    low: int
    high: int
    completes_at: float | None
    final_at: float


class TupleKeyState:
    """The tuples of one key that some window may still need, and how many were evicted."""

    def __init__(self, key: Hashable, dialect: Dialect, slices: TupleSlices) -> None:
        """Start with no tuple."""
        self.key, self.dialect, self.slices = key, dialect, slices
        self.evicted_count = 0
        self.last_evicted: AcceptedEvent | None = None
        self.checkpoint = MachineCheckpoint()  # of a user's machine, behind the evicted tuples
        self.has_changes = False
        self.deferred_events: list[LiftedEvent] = []  # not in slices: they cannot matter yet
        self.deferred_before_step: int | None = None  # how many there were before the step
        self.undo: Callable[[], None] | None = None

    @property
    def entries(self) -> list[LiftedEvent]:
        """All tuples in slices, in order."""
        return [entry for tile in self.slices.slices for entry in tile.entries]

    def begin_step(self) -> None:
        """Copy, once a step, what it changes."""
        if self.undo:
            return
        self._record_deferred_count()
        slices: list[TupleSlice] = list(self.slices.slices)
        has_changes, deferred_events = self.has_changes, list(self.deferred_events)

        def undo() -> None:
            self.slices.restore(slices)
            self.has_changes, self.deferred_events = has_changes, deferred_events

        self.undo = undo

    def defer(self, lifted: LiftedEvent) -> None:
        """Keep a tuple out of slices: it cannot matter before the watermark is near."""
        self._record_deferred_count()
        self.deferred_events.append(lifted)

    def _record_deferred_count(self) -> None:
        """Record the number of deferred tuples, before the step adds or takes any."""
        if self.deferred_before_step is None:
            self.deferred_before_step = len(self.deferred_events)

    def pop_deferred(self, *, by_arrival: bool) -> list[LiftedEvent]:
        """Take out the deferred tuples, in the order in which they are to be inserted."""
        events, self.deferred_events = self.deferred_events, []
        return events if by_arrival else sorted(events, key=ORDER)

    def restore(self) -> None:
        """Undo what the step has done so far."""
        if self.undo:
            self.undo()
        if self.deferred_before_step is not None:
            del self.deferred_events[self.deferred_before_step :]
        self.commit()

    def commit(self) -> None:
        """Make the step permanent."""
        self.undo = self.deferred_before_step = None

    def insert(self, lifted: LiftedEvent, *, by_arrival: bool) -> None:
        """Add a tuple at its place in event order, or of arrival."""
        self.slices.insert(lifted, last=by_arrival)
        self.has_changes = True

    def timeline(
        self, measure: Measure, last_finite: float, further: AcceptedEvent | None = None
    ) -> Timeline:
        """The retained tuples with rank and coordinate, behind those that were evicted."""
        retained = (entry.accepted for entry in self.entries)
        accepted_events = [a for a in (self.last_evicted, *retained, further) if a]
        timeline = build_timeline(accepted_events, measure, last_finite, self.dialect)
        events = (event for event in timeline.events if event.accepted is not self.last_evicted)
        ranked = [event._replace(rank=n) for n, event in enumerate(events, self.evicted_count)]
        if measure is COUNT:
            ranked = [event._replace(coordinate=event.rank) for event in ranked]
        return timeline._replace(events=tuple(ranked))

    def open_windows(
        self, query: Query, last_finite: float, further: AcceptedEvent | None = None
    ) -> list[OpenWindow]:
        """The windows of a query that hold a retained tuple."""
        window = query.window
        timeline = self.timeline(window.measure, last_finite, further)
        closing, windows = self.dialect.closing_of(window.name), list[OpenWindow]()
        for interval in sorted(set(self._intervals(window, timeline))):
            low, high = self._positions(query, interval, timeline)
            if low < high:
                due = window.completion_time(interval, timeline)
                shown = window.reported_interval(interval, timeline)
                completes_at = None if due is None else due + closing
                final_at = END if due is None else due + max(0, closing)
                windows.append(OpenWindow(shown, low, high, completes_at, final_at))
        return windows

    def _intervals(self, window: WindowType, timeline: Timeline) -> Iterable[Interval]:
        if isinstance(window, UserWindow | UserTrigger):
            return machine_windows(window, timeline, self.checkpoint).intervals
        return window.intervals(timeline)

    def _positions(self, query: Query, interval: Interval, timeline: Timeline) -> tuple[int, int]:
        """The range of positions of a window's tuples: they are neighbours."""
        window, placed = query.window, timeline.events
        if isinstance(window, LastNEvery):
            low = max(0, interval.start - self.evicted_count)
            return low, bisect_left(placed, interval.end, key=lambda positioned: positioned.time)
        start, end = interval.start, interval.end
        if isinstance(window, ScheduledWindow):
            start, end = span(window, interval, self.dialect)
        elif not isinstance(window, Rolling) and type(window).holds is not WindowType.holds:
            positions = [
                position
                for position, positioned in enumerate(placed)
                if window.holds(interval, positioned, self.dialect)
            ]
            return (positions[0], positions[-1] + 1) if positions else (0, 0)
        low, high = (bisect_left(placed, positioned, key=COORDINATE) for positioned in (start, end))
        if interval.row and self.dialect.ties == "rows":
            high = min(high, bisect_left(placed, end - 1, key=COORDINATE) + interval.row)
        return low, high

    def evict(self, count: int, checkpoint: MachineCheckpoint) -> None:
        """Evict the oldest tuples; a machine resumes behind them from its checkpoint."""
        if count:
            self.checkpoint = checkpoint
            self.last_evicted = self.entries[count - 1].accepted
            self.evicted_count += count
            self.slices.evict(count)
