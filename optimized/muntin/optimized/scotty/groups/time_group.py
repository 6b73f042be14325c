"""Queries whose slices follow from the time of an event alone: all share the slices of a key.

A step is three calls. `ingest` adds events to slices, late ones too: this is where a late event
updates a session. `outputs` fires timers and computes the results that change. `commit` publishes
them, sets timers anew, and evicts slices and keys. The work depends on the events, the windows
that end and those that late events fall into, not on the number of queries or keys. Proofs:
proofs/scotty.md, W1 to W3.
"""

from collections.abc import Hashable, Mapping
from functools import partial

from muntin.optimized.common.timers import TimerQueue
from muntin.optimized.common.user_code import user_code_error
from muntin.optimized.scotty.emission.scheduled_windows import ScheduledWindows
from muntin.optimized.scotty.emission.session_windows import SessionWindows
from muntin.optimized.scotty.emission.window_manager import KeyView, WindowManager
from muntin.optimized.scotty.groups.base import Batch, LatenessVotes, QueryOutput, SliceGroup
from muntin.optimized.scotty.groups.key_state import KeyState
from muntin.optimized.scotty.retention import Retention
from muntin.optimized.scotty.schedules.base import SeenRange, WindowSchedule
from muntin.optimized.scotty.schedules.fixed_schedules import schedule_for
from muntin.optimized.scotty.slices.aggregate_store import BuildStore
from muntin.optimized.scotty.slices.edges import Progression, single_edge
from muntin.optimized.scotty.slices.slice import LiftedEvent
from muntin.optimized.scotty.slices.slice_manager import SliceManager, SliceRequirements
from muntin.optimized.scotty.undo_log import UndoLog
from muntin.optimized.scotty.watermark import (
    StepWatermarks,
    emission_watermark,
    finalization_watermark,
    max_early_emission,
)
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, AcceptedEvent, Event
from muntin.spec.windows.data_driven import Session

TimerKey = tuple[Hashable, str | None]
"""A key and a query with windows to emit; with None, the eviction of what is final."""


class WindowTimers:
    """A queue of timers, those that have fired in this step, and the queries armed in it.

    A query of a key has a timer at the watermark at which its next window that holds a slice may be
    emitted, or an earlier one; a query without such a window is idle. So a step asks only the
    queries with a window that may be due. Proof: proofs/scotty.md, W1.
    """

    def __init__(self, settings: Settings) -> None:
        """Start with no timer."""
        self.fired = list[TimerKey]()
        self._settings = settings
        self._queue = TimerQueue[TimerKey]()
        self._armed = list[tuple[KeyState, list[str]]]()

    def arm(
        self, key_state: KeyState, session_queries: set[str], watermarks: StepWatermarks
    ) -> None:
        """Set timers for the queries whose windows a slice made in this step may change."""
        affected = key_state.affected_queries(session_queries)
        armed = [name for name in affected if self.set_emission(key_state, name, watermarks)]
        self._armed.append((key_state, armed))

    def set_emission(
        self,
        key_state: KeyState,
        name: str,
        watermarks: StepWatermarks,
        emitted: SeenRange | None = None,
    ) -> bool:
        """Set the timer for the next window that ends and holds a slice, if there is one.

        A window that ended in this step counts too, unless the windows of `emitted` are out.
        """
        manager = key_state.managers[name]
        after = watermarks.emission_range(manager.closing)[emitted is not None]
        seen = emitted or key_state.seen_range(name, watermarks.last_finite)
        completion = manager.next_completion(after, KeyView(key_state.slices, seen))
        if completion < END:
            watermark = emission_watermark(self._settings, completion, manager.closing)
            self._queue.set((key_state.key, name), watermark)
        return completion < END

    def set_eviction(self, key_state: KeyState) -> None:
        """Set the timer for the eviction of slices and of final windows."""
        self._queue.set((key_state.key, None), key_state.evict_at)

    def fire(self, watermark: float) -> None:
        """Move the timers that are due to the fired ones."""
        self.fired += self._queue.pop_due(watermark)

    def commit_armed(self) -> None:
        """Queries with a timer are idle no more, once the step has succeeded."""
        for key_state, names in self._armed:
            key_state.idle_queries.difference_update(names)

    def rearm_fired(self) -> None:
        """Let the timers that have fired fire again at the next step."""
        for timer in self.fired:
            self._queue.set(timer, -END)

    def end_step(self) -> None:
        """Drop what belongs to this step."""
        self.fired.clear()
        self._armed.clear()


class TimeGroup(SliceGroup):
    """Sessions, and windows in time whose edges are known beforehand."""

    def __init__(
        self, settings: Settings, query: Query, build: BuildStore, *, stored: bool
    ) -> None:
        """Start without queries; partial aggregates are combined as this query's are."""
        super().__init__(settings)
        monoid, inclusive = query.aggregate.monoid, settings.dialect.session_merge == "le"
        self.requirements = SliceRequirements(monoid, stored=stored, inclusive=inclusive)
        self.key_states: dict[Hashable, KeyState] = {}
        self.log = UndoLog()
        self._build, self._schedules = build, dict[str, WindowSchedule]()
        self._lift = query.aggregate.lift
        self._max_early = max_early_emission(settings.dialect)
        self._needs_first_times = settings.dialect.first_window == "floor_first"
        self._least_since: float = END
        self._session_queries = set[str]()
        self._retention = Retention(settings, {}, {}, {})
        self._is_stale = True
        self._timers = WindowTimers(settings)
        self._touched = dict[Hashable, KeyState]()
        self._late_keys = dict[Hashable, KeyState]()  # keys with late events to emit
        self._due_managers = dict[tuple[Hashable, str], WindowManager]()

    def add(self, query: Query, since: float, missed: Mapping[Hashable, Event]) -> None:
        """Register a query: slices are cut at its edges from now on."""
        del missed
        self.queries[query.id], self.since[query.id] = query, since
        schedule = None
        if since < END:
            schedule = schedule_for(query.window, self.settings.dialect, since)
        if schedule:
            self._schedules[query.id] = schedule
        self.requirements.edges = self.requirements.edges.with_edges(self._edges(query.id))
        self._is_stale = True
        for key_state in self.key_states.values():
            self._attach(key_state, query)

    def remove(self, name: str) -> None:
        """Drop a query; slices that only its edges or its gap separated are merged."""
        remaining = (edge for other in self.queries if other != name for edge in self._edges(other))
        edges = self.requirements.edges
        self.requirements.edges = edges.without_edges(self._edges(name), remaining)
        del self.queries[name], self.since[name]
        self._schedules.pop(name, None)
        self._is_stale = True
        self._derive()
        for key_state in list(self.key_states.values()):
            key_state.remove_query(name)
            if not (key_state.late_events and self._isolates_late_slices):
                key_state.merge_slices()
            if not key_state.managers:
                del self.key_states[key_state.key]
                self._late_keys.pop(key_state.key, None)
        self.log.commit()

    @property
    def _isolates_late_slices(self) -> bool:
        """Whether emitted slices stay as they are until late events are emitted too (M8)."""
        return self.settings.output == "discard" and bool(self._session_queries)

    def _edges(self, name: str) -> list[Progression]:
        """The edges of a query's windows; of a session only the time from which it sees events."""
        if name in self._schedules:
            return self._schedules[name].edges()
        since = self.since[name]
        return [single_edge(int(since) + 1)] if -END < since < END else []

    def _derive(self) -> None:
        """Derive what depends on all queries together, if one was added or removed."""
        if not self._is_stale:
            return
        self._is_stale = False
        gaps = [q.window.gap for q in self.queries.values() if isinstance(q.window, Session)]
        self.requirements.gap = min(gaps, default=None)
        shortest = (schedule.shortest_window for schedule in self._schedules.values())
        self.requirements.shortest_window = min(shortest, default=END)
        self._session_queries = self.queries.keys() - self._schedules.keys()
        self._retention = Retention(self.settings, self.queries, self.since, self._schedules)
        self._least_since = min(self.since.values(), default=END)
        self._lift = next((query.aggregate.lift for query in self.queries.values()), self._lift)

    def _attach(self, key_state: KeyState, query: Query) -> None:
        """Give a query its window manager of a key, unless it came after the end of the stream."""
        since, dialect = self.since[query.id], self.settings.dialect
        if query.id in self._schedules:
            schedule = self._schedules[query.id]
            key_state.managers[query.id] = ScheduledWindows(query, since, dialect, schedule)
        elif isinstance(query.window, Session) and since < END:
            key_state.managers[query.id] = SessionWindows(query, since, dialect, query.window.gap)
        if query.id in key_state.managers:
            key_state.idle_queries.add(query.id)

    def _new_key_state(self, key: Hashable) -> KeyState:
        store = self._build(self.requirements.monoid)
        key_state = KeyState(key, SliceManager(self.requirements, store, self.log))
        for query in self.queries.values():
            self._attach(key_state, query)
        return key_state

    def ingest(self, batch: Batch, watermarks: StepWatermarks, votes: LatenessVotes) -> None:
        """Add events to slices; an event that is on time is accepted by all who see it."""
        self._derive()
        by_window, limit = self.settings.dialect.lateness == "window", watermarks.limit_before
        for accepted in batch:
            time = accepted.event.time
            if time <= self._least_since:
                continue
            if by_window and time < limit:
                names = self._accepting_queries(accepted, watermarks, votes)
                if names:
                    self._add(accepted, watermarks, names)
            else:
                votes.accept(accepted)
                self._add(accepted, watermarks, None)

    def _accepting_queries(
        self, accepted: AcceptedEvent, watermarks: StepWatermarks, votes: LatenessVotes
    ) -> set[str]:
        """The queries with a window that holds the event and is not final (lateness by window)."""
        event, limit = accepted.event, watermarks.limit_before
        key_state = self.key_states.get(event.key) or self._new_key_state(event.key)
        names = set[str]()
        for name, manager in key_state.managers.items():
            if self.since[name] < event.time:
                seen = key_state.seen_range(name, watermarks.last_finite, event)
                accepts = bool(manager.is_on_time(event, limit, KeyView(key_state.slices, seen)))
                votes.record(accepted, accepts=accepts)
                names |= {name} if accepts else set[str]()
        return names

    def _key_state_for_update(self, key: Hashable) -> KeyState:
        """The state of a key, with what undoes this step's changes on record."""
        key_state = self.key_states.get(key)
        if key_state is None:
            key_state = self.key_states[key] = self._new_key_state(key)
            self.log.record_undo(partial(self.key_states.__delitem__, key))
        if key_state.step != self.log.step:
            key_state.begin_step(self.log)
            self._touched[key] = key_state
        return key_state

    def _add(
        self, accepted: AcceptedEvent, watermarks: StepWatermarks, names: set[str] | None
    ) -> None:
        """Add an event to its slice, at the cost of one lift and one combine.

        An event in a window that was emitted is late, and kept until its update is emitted.
        """
        event, key_state = accepted.event, self._key_state_for_update(accepted.event.key)
        emitted_until = watermarks.before + self._max_early
        is_late = event.time < emitted_until
        isolates = self._isolates_late_slices and (is_late or key_state.has_pending_links)
        try:
            value = self._lift(event.value)
            key_state.slices.add(accepted, value, emitted_until if isolates else -END)
        except Exception as cause:
            seeing = next(q for q in self.queries.values() if self.since[q.id] < event.time)
            raise user_code_error(seeing, event, cause) from cause
        key_state.last_time = max(key_state.last_time, event.time)
        if is_late:
            key_state.late_events.append(LiftedEvent(accepted, value))
        if self._needs_first_times:
            key_state.record_first_time(key_state.managers if names is None else names, event.time)

    def outputs(self, watermarks: StepWatermarks) -> list[QueryOutput]:
        """Set timers for new slices, fire those that are due, and compute what changes.

        Concerned are the queries whose timer fires, and all queries of keys with late events.
        While updates are held back, timers fire but nothing is emitted.
        """
        for key_state in self._touched.values():
            self._timers.arm(key_state, self._session_queries, watermarks)
            holds_links = watermarks.held_back and self._isolates_late_slices
            if key_state.late_events or (holds_links and key_state.has_pending_links):
                self._late_keys[key_state.key] = key_state
        self._timers.fire(watermarks.now)
        if watermarks.held_back:
            return []
        due = [(k, n) for k, n in self._timers.fired if n is not None and k in self.key_states]
        late = [(key, name) for key, state in self._late_keys.items() for name in state.managers]
        self._due_managers = {
            (key, name): self.key_states[key].managers[name]
            for key, name in dict.fromkeys([*due, *late])
            if name in self.key_states[key].managers
        }
        return [self._output(key, name, watermarks) for key, name in self._due_managers]

    def _output(self, key: Hashable, name: str, watermarks: StepWatermarks) -> QueryOutput:
        key_state, manager = self.key_states[key], self._due_managers[key, name]
        seen = key_state.seen_range(name, watermarks.last_finite)
        view = KeyView(key_state.slices, seen, key_state.late_events)
        return QueryOutput(name, key, manager.changes(watermarks, view))

    def commit(self, outputs: list[QueryOutput], watermarks: StepWatermarks) -> None:
        """Publish what was emitted, set timers anew, and evict slices, windows and keys."""
        self._timers.commit_armed()
        for output in outputs:
            self._publish(output, watermarks)
        if watermarks.held_back:
            self._timers.rearm_fired()
        else:
            self._mark_late_events_emitted(watermarks)
        fired = (key for key, _ in self._timers.fired)
        emitted = (key for _, key, _ in outputs)
        keys = dict.fromkeys([*self._touched, *fired, *emitted])
        for key_state in [self.key_states[key] for key in keys if key in self.key_states]:
            if key_state.slices.has_inserted or watermarks.now >= key_state.evict_at:
                self._evict(key_state, watermarks.final_until)
            else:  # its timer may have fired too early
                self._timers.set_eviction(key_state)
        self._end_step()

    def _mark_late_events_emitted(self, watermarks: StepWatermarks) -> None:
        """Drop late events, and merge the slices that were kept separate until now (M8)."""
        if self._isolates_late_slices:
            border = watermarks.before + self._max_early
            held_back = self.settings.dialect.late_update == "next_watermark"
            for key_state in (self._touched | self._late_keys).values():
                key_state.merge_slices(None if held_back else border)
        for key_state in self._late_keys.values():
            key_state.late_events.clear()
        self._late_keys.clear()

    def _publish(self, output: QueryOutput, watermarks: StepWatermarks) -> None:
        """Record what was emitted of one query and key, and set its next timer."""
        name, key, changes = output
        key_state = self.key_states[key]
        seen = key_state.seen_range(name, watermarks.last_finite)
        key_state.managers[name].commit(changes, watermarks.now, seen)
        for kind, interval, result in changes:
            if kind == "new":
                key_state.schedule_finalization(result.final_at, name, interval)
                evict_at = finalization_watermark(self.settings, result.final_at)
                key_state.evict_at = min(key_state.evict_at, evict_at)
        if self._timers.set_emission(key_state, name, watermarks, seen):
            key_state.idle_queries.discard(name)
        else:
            key_state.idle_queries.add(name)

    def _evict(self, key_state: KeyState, final_until: float) -> None:
        """Evict the slices and final windows of a key, and the key if nothing of it is left."""
        next_final = self._retention.evict(key_state, final_until)
        if key_state.is_idle:
            del self.key_states[key_state.key]
            return
        key_state.evict_at = finalization_watermark(self.settings, next_final)
        self._timers.set_eviction(key_state)

    def restore(self) -> None:
        """Undo what the step has done so far: no event of it is kept, and timers fire again."""
        self.log.rollback()
        self._timers.rearm_fired()
        self._late_keys = {key: s for key, s in self._late_keys.items() if s.late_events}
        self._end_step()

    def _end_step(self) -> None:
        self._touched.clear()
        self._due_managers.clear()
        self._timers.end_step()
        self.log.commit()
