"""One key of a group: its slices, the views of its queries, and what has not been told yet."""

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

Settling = tuple[float, str, Interval]
SPARE = 32
"""So many windows may wait to settle though most of them are retracted."""


@dataclass
class KeyState:
    """The state of one key.

    `idle_queries` are the queries that have nothing to tell of the slices there are; `late` the
    tuples in windows that had ended, until they are told of; `settling` a heap of what was told.
    """

    key: Hashable
    slices: SliceManager
    views: dict[str, WindowManager] = field(default_factory=dict[str, WindowManager])
    idle_queries: set[str] = field(default_factory=set[str])
    late_events: list[LiftedEvent] = field(default_factory=list[LiftedEvent])
    last: float = -END
    firsts: dict[str, int] = field(default_factory=dict[str, int])
    finalization_queue: list[Settling] = field(default_factory=list[Settling])
    step: int = -1
    moved: bool = False  # whether the step has moved the first time that some query has seen
    compacted: int = 1  # how many slices there were that could not be fused any further
    release_at: float = -END  # the watermark at which something may be released

    def begin(self, log: UndoLog) -> None:
        """Note what undoes the events of a step, once a step."""
        self.step = log.step
        self.moved = self.slices.appended = self.slices.inserted = self.slices.isolated = False
        log.record_undo(partial(self._restore, len(self.late_events), self.last, dict(self.firsts)))

    def _restore(self, late: int, last: float, firsts: dict[str, int]) -> None:
        del self.late_events[late:]
        self.last, self.firsts = last, firsts
        self.slices.store.reset()

    def extent(self, name: str, reached: float, event: Event | None = None) -> SeenRange:
        """Return the first and last time that a query has seen, with this event if it sees that."""
        firsts, last = self.slices.firsts, self.last
        first: float = self.firsts.get(name, firsts[0] if firsts else END)
        if event:
            first, last = min(first, event.time), max(last, event.time)
        return SeenRange(
            0 if first == END else int(first), 0 if last == -END else int(last), reached
        )

    def record_first_time(self, names: Iterable[str], time: int) -> None:
        """Note the first time that some queries have seen, where that matters."""
        for name in names:
            if self.views[name].since < time < self.firsts.get(name, END):
                self.firsts[name] = time
                self.moved = True

    def schedule_finalization(self, settles: float, name: str, interval: Interval) -> None:
        """Note when a window settles that is told of; drop those retracted, if they are most.

        Whether they are is looked at whenever the heap has doubled.
        """
        heappush(self.finalization_queue, (settles, name, interval))
        size = len(self.finalization_queue)
        if size < SPARE or size & (size - 1):
            return
        if size > 2 * sum(len(view.published) for view in self.views.values()):
            self.finalization_queue = [
                (said.settles, name, one)
                for name, view in self.views.items()
                for one, said in view.published.items()
            ]
            heapify(self.finalization_queue)

    def affected_queries(self, sessions: set[str]) -> set[str]:
        """Return the queries that the slices may concern which the step has made."""
        slices = self.slices
        if slices.isolated or self.moved:
            return set(self.views)
        found = self.idle_queries if slices.appended else set[str]()
        return found | (sessions & self.views.keys()) if slices.inserted else found

    @property
    def has_pending_links(self) -> bool:
        """Whether there are tuples that link what was told of with what was not."""
        return bool(self.late_events) or self.slices.own > -END

    def refit(self, border: float | None = None) -> None:
        """Fuse slices that nothing parts any more, or around the late tuples and a border."""
        late = [one.accepted.event.time for one in self.late_events]
        with suppress(Exception):  # a combine that raises leaves the slices as they were
            if border is None:
                self.slices.merge_unseparated()
            else:
                for time in (*late, border):
                    self.slices.merge_around(time)

    def drop(self, name: str) -> None:
        """Let go of a query."""
        self.views.pop(name, None)
        self.firsts.pop(name, None)
        self.idle_queries.discard(name)

    def forget(self, done: float) -> None:
        """Forget what is settled."""
        while self.finalization_queue and self.finalization_queue[0][0] <= done:
            _, name, interval = heappop(self.finalization_queue)
            if name in self.views:
                self.views[name].forget(interval)

    @property
    def idle(self) -> bool:
        """Whether nothing is left that could matter."""
        return not (
            self.slices.slices or self.late_events or self.firsts or self.finalization_queue
        )
