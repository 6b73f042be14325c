"""Key states: the slices and trackers of one key, for the queries that share slices."""

from collections.abc import Callable, Iterator
from copy import copy
from typing import Self

from muntin.optimized.in_order.emission import Emission, Emitter, InOrderWatermark
from muntin.optimized.in_order.pane_edges import PaneEdges
from muntin.optimized.in_order.slice_buffer import Slices
from muntin.optimized.in_order.trackers.base import WindowTracker
from muntin.optimized.in_order.wakeups import WakeupSchedule
from muntin.spec.errors import MuntinError, UserCodeError
from muntin.spec.query import Query
from muntin.spec.stream import END, Event


def with_query_context(query: Query, event: Event, cause: Exception) -> MuntinError:
    """The cause, with the query and the event at which it occurred."""
    where = f"query {query.id!r}" + (f", {event}" if f"{event}" not in f"{cause}" else "")
    if isinstance(cause, MuntinError):
        return type(cause)(f"{where}: {cause}")
    return UserCodeError(f"{where}: raised {cause!r}")


class InOrderKeyState:
    """The slices of one key under one aggregate, and a tracker for each query that has seen any.

    A step works on a copy, which owns the trackers that the step affects and shares the others.
    """

    def __init__(
        self,
        slices: Slices,
        lift: Callable[[object], object],
        pane_edges: PaneEdges | None,
    ) -> None:
        """Start with no event; Panes and Pairs have edges of their own."""
        self.slices, self.pane_edges, self._lift = slices, pane_edges, lift
        self.trackers: dict[str, WindowTracker] = {}
        self.wakeups = WakeupSchedule()
        self.tracker_count = 0
        self.had_no_events = True  # whether no event came in this step
        self.step_trackers: dict[str, WindowTracker] = {}
        self._last_event: Event | None = None

    @property
    def next_wakeup(self) -> float:
        """A watermark before which there is nothing to do."""
        return self.wakeups.next_wakeup

    def copy(self) -> Self:
        """A copy for a step to work on."""
        twin = copy(self)
        twin.slices = self.slices.copy()
        twin.pane_edges = self.pane_edges.copy() if self.pane_edges else None
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
        for name in self.wakeups.queries_affected_by(
            event.time, self.slices.count, self._pause(event)
        ):
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
            self.slices.skip()

    def emit(self, watermarks: InOrderWatermark) -> Iterator[tuple[WindowTracker, Emission]]:
        """Emit what is complete."""
        for name in {
            **self.step_trackers,
            **dict.fromkeys(self.wakeups.due_queries(watermarks.watermark)),
        }:
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
        twin.trackers = {
            query: tracker for query, tracker in self.trackers.items() if query != name
        }
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
        return not self.slices.has_pins and all(
            tracker.is_idle() for tracker in self.trackers.values()
        )
