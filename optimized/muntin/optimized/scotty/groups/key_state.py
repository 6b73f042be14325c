"""One key of a group: its slices, the window managers of its queries, and pending late events."""

from collections.abc import Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from heapq import heapify, heappop, heappush

from muntin.optimized.scotty.emission.window_manager import WindowManager
from muntin.optimized.scotty.schedules.base import SeenRange
from muntin.optimized.scotty.slices.slice import LiftedEvent
from muntin.optimized.scotty.slices.slice_manager import SliceManager
from muntin.optimized.scotty.undo_log import UndoLog
from muntin.spec.stream import END, Event
from muntin.spec.windows.window import Interval

FinalizationEntry = tuple[float, str, Interval]
MIN_LENGTH_TO_PRUNE = 32
"""Up to this length the finalization queue may hold mostly retracted windows."""


@dataclass
class KeyState:
    """The state of one key.

    `idle_queries` have no pending output for the current slices. `late_events` fell into windows
    already complete, and wait for their update to be emitted. `finalization_queue` is a heap of
    emitted windows by the time at which they are final.
    """

    key: Hashable
    slices: SliceManager
    managers: dict[str, WindowManager] = field(default_factory=dict[str, WindowManager])
    idle_queries: set[str] = field(default_factory=set[str])
    late_events: list[LiftedEvent] = field(default_factory=list[LiftedEvent])
    last_time: float = -END
    first_times: dict[str, int] = field(default_factory=dict[str, int])
    finalization_queue: list[FinalizationEntry] = field(default_factory=list[FinalizationEntry])
    step: int = -1
    first_time_moved: bool = False  # by this step, for some query
    compacted_count: int = 1  # the slices that could not be merged any further
    evict_at: float = -END  # the watermark at which something may be evicted

    def begin_step(self, log: UndoLog) -> None:
        """Record, once a step, what undoes its events."""
        self.step = log.step
        slices, self.first_time_moved = self.slices, False
        slices.has_appended = slices.has_inserted = slices.has_isolated = False
        late_count, first_times = len(self.late_events), dict(self.first_times)
        log.record_undo(partial(self._restore, late_count, self.last_time, first_times))

    def _restore(self, late_count: int, last_time: float, first_times: dict[str, int]) -> None:
        del self.late_events[late_count:]
        self.last_time, self.first_times = last_time, first_times
        self.slices.store.reset()

    def seen_range(self, name: str, last_finite: float, event: Event | None = None) -> SeenRange:
        """First and last time that a query has seen, with this event if it sees that."""
        first_times, last_time = self.slices.first_times, self.last_time
        first_time: float = self.first_times.get(name, first_times[0] if first_times else END)
        if event:
            first_time, last_time = min(first_time, event.time), max(last_time, event.time)
        first, last = (int(t) if abs(t) < END else 0 for t in (first_time, last_time))
        return SeenRange(first, last, last_finite)

    def record_first_time(self, names: Iterable[str], time: int) -> None:
        """Record the first time that these queries have seen; some dialects depend on it."""
        for name in names:
            if self.managers[name].since < time < self.first_times.get(name, END):
                self.first_times[name] = time
                self.first_time_moved = True

    def schedule_finalization(self, final_at: float, name: str, interval: Interval) -> None:
        """Queue an emitted window until it is final; drop retracted ones if they are most.

        Whether they are is checked whenever the heap has doubled.
        """
        heappush(self.finalization_queue, (final_at, name, interval))
        size = len(self.finalization_queue)
        if size < MIN_LENGTH_TO_PRUNE or size & (size - 1):
            return
        if size > 2 * sum(len(manager.published) for manager in self.managers.values()):
            self.finalization_queue = [
                (result.final_at, name, interval)
                for name, manager in self.managers.items()
                for interval, result in manager.published.items()
            ]
            heapify(self.finalization_queue)

    def affected_queries(self, sessions: set[str]) -> set[str]:
        """The queries with windows that a slice made in this step may change."""
        slices = self.slices
        if slices.has_isolated or self.first_time_moved:
            return set(self.managers)
        queries = self.idle_queries if slices.has_appended else set[str]()
        return queries | (sessions & self.managers.keys()) if slices.has_inserted else queries

    @property
    def has_pending_links(self) -> bool:
        """Whether some tuple may link emitted slices with slices that are not emitted."""
        return bool(self.late_events) or self.slices.furthest_own_gap > -END

    def merge_slices(self, border: float | None = None) -> None:
        """Merge slices that nothing separates, or only those around late events and a border."""
        late_times = [lifted.accepted.event.time for lifted in self.late_events]
        with suppress(Exception):  # a combine that raises leaves the slices as they were
            if border is None:
                self.slices.merge_unseparated()
            else:
                for time in (*late_times, border):
                    self.slices.merge_around(time)

    def remove_query(self, name: str) -> None:
        """Drop a query."""
        self.managers.pop(name, None)
        self.first_times.pop(name, None)
        self.idle_queries.discard(name)

    def forget_final_windows(self, final_until: float) -> None:
        """Drop the emitted windows that are final."""
        while self.finalization_queue and self.finalization_queue[0][0] <= final_until:
            _, name, interval = heappop(self.finalization_queue)
            if name in self.managers:
                self.managers[name].forget(interval)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is left of the key that could matter."""
        events = self.slices.slices or self.late_events
        return not (events or self.first_times or self.finalization_queue)
