"""Key states: the slices and trackers of one key, for the queries that share slices."""

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from itertools import takewhile
from typing import Self

from muntin.optimized.common.timers import TimerQueue
from muntin.optimized.in_order.emission import Emission, Emitter, InOrderWatermark
from muntin.optimized.in_order.pane_edges import PaneEdges
from muntin.optimized.in_order.slice_buffer import Slices
from muntin.optimized.in_order.trackers.base import WindowTracker
from muntin.spec.errors import MuntinError, UserCodeError
from muntin.spec.query import Query
from muntin.spec.stream import END, Event


def with_query_context(query: Query, event: Event, cause: Exception) -> MuntinError:
    """The cause, with the query and the event at which it occurred."""
    where = f"query {query.id!r}" + (f", {event}" if f"{event}" not in f"{cause}" else "")
    if isinstance(cause, MuntinError):
        return type(cause)(f"{where}: {cause}")
    return UserCodeError(f"{where}: raised {cause!r}")


class WakeupSchedule:
    """What each tracker of a key waits for. It is made anew from the trackers after a failure.

    The next-edge cache of [Traub20], section 5.2, over all queries that share slices: an event that
    passes no edge costs a few comparisons, however many there are.
    """

    def __init__(self, trackers: Iterable[WindowTracker] = ()) -> None:
        """Schedule what each of these trackers waits for."""
        self.always_affected: dict[str, None] = {}
        self.may_reemit: dict[str, None] = {}  # they have emitted open windows
        self._times, self._ordinals = TimerQueue[str](), TimerQueue[str]()
        self._watermarks = TimerQueue[str]()
        self._pauses: list[tuple[int, str]] = []
        for tracker in trackers:
            self.add_tracker(tracker)
            self.schedule_edge(tracker)
            self.schedule_watermark(tracker)

    @property
    def next_wakeup(self) -> float:
        """A watermark before which there is nothing to emit."""
        return self._watermarks.next_watermark

    def add_tracker(self, tracker: WindowTracker) -> None:
        """Add a tracker, which its first event affects."""
        self.always_affected[tracker.query.id] = None

    def schedule_edge(self, tracker: WindowTracker) -> None:
        """Schedule the event that the tracker waits for, now that it has seen one."""
        name, edge = tracker.query.id, tracker.next_edge()
        if tracker.wake_condition == "never":
            return
        was_always_affected = self.always_affected.pop(name, self) is self
        if tracker.wake_condition == "until a pause" and not was_always_affected:
            self._pauses = sorted([*self._pauses, (tracker.pause, name)])
        elif tracker.wake_condition == "until a time" and edge < END:
            self._times.set(name, edge)
        elif tracker.wake_condition == "until a rank" and edge < END:
            self._ordinals.set(name, edge + tracker.first_ordinal)

    def schedule_watermark(self, tracker: WindowTracker) -> None:
        """Schedule the watermark that the tracker waits for; note whether any event affects it."""
        name = tracker.query.id
        self._watermarks.set(name, tracker.next_wakeup)
        if tracker.may_reemit:
            self.may_reemit[name] = None
        else:
            self.may_reemit.pop(name, None)

    def queries_affected_by(self, time: int, ordinal: int, pause: float) -> list[str]:
        """The queries that an event affects; their edges have to be scheduled again."""
        names = list(self.always_affected)
        if self._times.next_watermark <= time:
            names += self._times.pop_due(time)
        if self._ordinals.next_watermark <= ordinal:
            names += self._ordinals.pop_due(ordinal)
        if self._pauses and self._pauses[0][0] <= pause:
            names += [name for _, name in takewhile(lambda entry: entry[0] <= pause, self._pauses)]
        return names

    def due_queries(self, watermark: float) -> Iterator[str]:
        """The queries that a watermark affects; their watermarks have to be scheduled again."""
        return self._watermarks.pop_due(watermark)


class InOrderKeyState:
    """The slices of one key under one aggregate, and a tracker for each query that has seen any.

    A step works on a copy, which owns the trackers that the step affects and shares the others.
    """

    def __init__(
        self, slices: Slices, lift: Callable[[object], object], pane_edges: PaneEdges | None
    ) -> None:
        """Start with no event; Panes and Pairs have edges of their own."""
        self.slices, self.pane_edges, self._lift = slices, pane_edges, lift
        self.trackers: dict[str, WindowTracker] = {}
        self.wakeups = WakeupSchedule()
        self.tracker_count = 0
        self.had_no_events = True  # whether no event came in this step
        self.step_trackers: dict[str, WindowTracker] = {}
        self._last_event: Event | None = None

    def copy(self) -> Self:
        """A copy for a step to work on."""
        twin = copy(self)
        twin.slices = self.slices.copy()
        twin.pane_edges = copy(self.pane_edges)
        twin.step_trackers, twin.had_no_events = {}, True
        return twin

    def begin_step(self) -> None:
        """Let each tracker that may emit a window again mark where the step begins."""
        for name in self.wakeups.may_reemit:
            self._step_tracker(name).mark_step_start(self.slices)

    def commit(self) -> None:
        """End a step that has succeeded."""
        self.trackers |= self.step_trackers
        self.step_trackers = {}

    def recover(self) -> None:
        """End a step that has failed on a copy of this state."""
        self.wakeups = WakeupSchedule(self.trackers.values())

    def is_tracking(self, name: str) -> bool:
        """Whether a query has seen an event."""
        return name in self.step_trackers or name in self.trackers

    def add_tracker(self, tracker: WindowTracker) -> None:
        """Let a further query see events, from the next one on."""
        self.step_trackers[tracker.query.id] = tracker
        self.tracker_count += 1
        self.wakeups.add_tracker(tracker)

    def observe(self, event: Event) -> None:
        """Ingest an event: one lift and at most one combine, whatever the number of queries."""
        pause, ordinal = self._pause(event), self.slices.count
        for name in self.wakeups.queries_affected_by(event.time, ordinal, pause):
            self._observe_by(event, self._step_tracker(name))
        self._last_event, self.had_no_events = event, False
        try:
            self._add_to_slices(event)
        except Exception as cause:
            raise with_query_context(self._first_query(), event, cause) from cause

    def _pause(self, event: Event) -> float:
        """The time since the last event; infinite if one of the two has its own gap."""
        last = self._last_event
        usual = last is not None and event.gap is None and last.gap is None
        return event.time - last.time if last is not None and usual else END

    def _observe_by(self, event: Event, tracker: WindowTracker) -> None:
        try:
            tracker.observe(self.slices, event)
        except Exception as cause:
            raise with_query_context(tracker.query, event, cause) from cause
        self.wakeups.schedule_edge(tracker)

    def _step_tracker(self, name: str) -> WindowTracker:
        """The tracker of a query as this step may change it, up to the last event."""
        if name not in self.step_trackers:
            self.step_trackers[name] = self.trackers[name].copy()
        if self._last_event is not None:
            self.step_trackers[name].catch_up(self.slices, self._last_event.time)
        return self.step_trackers[name]

    def _first_query(self) -> Query:
        """The query that was registered first."""
        trackers = self.trackers or self.step_trackers
        return next(iter(trackers.values())).query

    def _add_to_slices(self, event: Event) -> None:
        cut = self.pane_edges is not None and self.pane_edges.crosses_edge(event.time)
        if self.slices.has_pins:
            self.slices.add(self._lift(event.value), cut=cut)
        else:
            self.slices.count += 1  # no window holds the event

    def emit(self, watermarks: InOrderWatermark) -> Iterator[tuple[WindowTracker, Emission]]:
        """Emit what is complete."""
        due = self.wakeups.due_queries(watermarks.watermark)
        for name in dict.fromkeys([*self.step_trackers, *due]):
            tracker = self._step_tracker(name)
            for emission in self._emissions(tracker, watermarks):
                yield tracker, emission
            self.wakeups.schedule_watermark(tracker)

    def _emissions(self, tracker: WindowTracker, watermarks: InOrderWatermark) -> list[Emission]:
        """What a tracker has to emit; slices that it no longer needs are joined."""
        try:
            return list(Emitter(tracker, self.slices, watermarks).emissions())
        except MuntinError:
            raise
        except Exception as cause:
            where = f"query {tracker.query.id!r}, the events up to {watermarks.watermark}"
            raise UserCodeError(f"{where}: raised {cause!r}") from cause

    def copy_without(self, name: str) -> Self:
        """A copy that has dropped a query, and what only that query needed."""
        twin = self.copy()
        twin.trackers = {q: tracker for q, tracker in self.trackers.items() if q != name}
        if name in self.trackers:
            twin.slices = self.slices.copy_without(self.trackers[name].release)
        twin.tracker_count = len(twin.trackers)
        twin.wakeups = WakeupSchedule(twin.trackers.values())
        return twin

    def begins(self) -> set[int]:
        """The ordinals that the trackers pin."""
        return {begin for tracker in self.trackers.values() for begin in tracker.begins()}

    def is_idle(self) -> bool:
        """Whether it can be evicted, and made anew when its key has another event."""
        return not self.slices.has_pins and all(t.is_idle() for t in self.trackers.values())
