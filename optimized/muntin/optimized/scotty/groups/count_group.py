"""Queries that count tuples: tumbling and sliding windows of ranks share the slices of a key.

The work of a step depends on its tuples, on the windows that end, and on the slices behind a late
tuple; not on the number of tuples, queries or keys. Proofs: proofs/scotty.md, R1 to R5.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from muntin.optimized.common.timers import TimerQueue
from muntin.optimized.scotty.emission.window_manager import EmittedResult, ResultChange
from muntin.optimized.scotty.groups.base import Batch, LatenessVotes, QueryOutput, SliceGroup
from muntin.optimized.scotty.groups.count_key_state import CountKeyState, CountSliceRequirements
from muntin.optimized.scotty.slices.aggregate_store import BuildStore
from muntin.optimized.scotty.slices.count_slices import CountEdges
from muntin.optimized.scotty.undo_log import UndoLog
from muntin.optimized.scotty.watermark import (
    StepWatermarks,
    emission_watermark,
    finalization_watermark,
)
from muntin.spec.query import ChangeKind, Query, Settings
from muntin.spec.stream import END, AcceptedEvent, Event
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.window import Interval


class DueWindows(NamedTuple):
    """The slices of a key with which windows end that are new, updated or never emitted."""

    new: list[int]
    updated: range
    suppressed: list[int]  # final before they were full; or full too late for late updates


@dataclass
class StepTargets:
    """The keys that a step may change, and which of their windows are due."""

    key_states: dict[Hashable, CountKeyState] = field(default_factory=dict[Hashable, CountKeyState])
    due: dict[Hashable, DueWindows] = field(default_factory=dict[Hashable, DueWindows])


class CountGroup(SliceGroup):
    """Count windows, in event order or in order of arrival. They are never retracted."""

    def __init__(
        self, settings: Settings, requirements: CountSliceRequirements, build: BuildStore
    ) -> None:
        """Start without queries."""
        super().__init__(settings)
        self.requirements, self._build = requirements, build
        self.key_states: dict[Hashable, CountKeyState] = {}
        self._windows = dict[str, Sliding]()
        self._closing = settings.dialect.closing_of("count")
        self._since: float = -END
        self._longest_size = 0
        self._log = UndoLog()
        self._timers = TimerQueue[Hashable]()
        self._targets = StepTargets()

    def add(self, query: Query, since: float, missed: Mapping[Hashable, Event]) -> None:
        """Register a query: the queries that share these slices have seen no event yet."""
        del missed
        self.queries[query.id], self.since[query.id], self._since = query, since, since
        window = query.window
        self._windows |= {query.id: window} if isinstance(window, Sliding) else {}
        self._longest_size = max(window.size for window in self._windows.values())

    def remove(self, name: str) -> None:
        """Drop a query: slices to come have no edges of its own."""
        del self.queries[name], self.since[name], self._windows[name]
        self._longest_size = max((window.size for window in self._windows.values()), default=0)
        for key_state in self.key_states.values() if self.queries else ():
            key_state.edges = self._edges(key_state.next_slice_rank)

    def _edges(self, after: int) -> CountEdges:
        return CountEdges(self._windows.items(), after)

    def ingest(self, batch: Batch, watermarks: StepWatermarks, votes: LatenessVotes) -> None:
        """Add events to slices: either all queries accept an event, or none does."""
        by_window = self.settings.dialect.lateness == "window"
        for accepted in batch:
            if accepted.event.time <= self._since:
                continue
            accepts = not by_window or self._is_accepted(accepted, watermarks)
            votes.record(accepted, accepts=accepts)
            if accepts:
                self._add(accepted)

    def _is_accepted(self, accepted: AcceptedEvent, watermarks: StepWatermarks) -> bool:
        """Whether some window that would hold the event is not final; else decide by event."""
        (window,), event = self._windows.values(), accepted.event
        rank = self.key_states[event.key].tuple_count if event.key in self.key_states else 0
        start = rank - (rank - window.offset) % window.slide
        end = start + window.size
        if start < 0 or end <= rank:
            return event.time >= watermarks.limit_before
        final_at = event.time + 1 + max(0, self._closing) if end == rank + 1 else END
        return final_at > watermarks.limit_before

    def _add(self, accepted: AcceptedEvent) -> None:
        """Add a tuple to its slice."""
        lifted, event = self.lift(accepted), accepted.event
        key_state = self.key_states.get(event.key)
        if key_state is None:
            edges, store = self._edges(0), self._build(self.requirements.policy.monoid)
            key_state = CountKeyState(event.key, self.requirements, store, edges, self._log)
            self.key_states[event.key] = key_state
            self._log.record_undo(partial(self.key_states.__delitem__, event.key))
        self._targets.key_states[event.key] = key_state
        query = next(iter(self.queries.values()))
        query.call_user_code(f"{event}", partial(key_state.insert, lifted))

    def outputs(self, watermarks: StepWatermarks) -> list[QueryOutput]:
        """Fire timers, and emit for keys with new tuples or a slice that has completed."""
        for key in self._timers.pop_due(watermarks.now):
            self._targets.key_states[key] = self.key_states[key]
        if watermarks.held_back:
            return []
        outputs = list[QueryOutput]()
        for key, key_state in self._targets.key_states.items():
            due_windows = self._targets.due[key] = self._due_windows(key_state, watermarks)
            changes = dict[str, list[ResultChange]]()
            for index in due_windows.updated:
                self._emit("updated", key_state, index, changes)
            for index in due_windows.new:
                self._emit("new", key_state, index, changes)
            outputs += [QueryOutput(name, key, r) for name, r in changes.items()]
        return outputs

    def _due_windows(self, key_state: CountKeyState, watermarks: StepWatermarks) -> DueWindows:
        """Move the slices that completed out of the queue, and find the changed ones."""
        low, high = watermarks.emission_range(self._closing)
        closed_until = watermarks.final_until_before - max(0, self._closing)
        emitted_before = key_state.emitted_count
        new, suppressed, updated = list[int](), list[int](), range(0)
        for index in key_state.pop_complete_slices(high):
            completes_at = key_state.slices[index].completes_at
            is_past = watermarks.new_windows_only and completes_at <= low
            (suppressed if is_past or completes_at <= closed_until else new).append(index)
        if not watermarks.new_windows_only and key_state.first_changed is not None:
            updated = range(key_state.first_changed, emitted_before)
        return DueWindows(new, updated, suppressed)

    def _emit(
        self,
        kind: ChangeKind,
        key_state: CountKeyState,
        index: int,
        changes: dict[str, list[ResultChange]],
    ) -> None:
        """Add a result for each window that ends with a slice."""
        slice_ = key_state.slices[index]
        revision = slice_.revision + (kind == "updated")
        final_at = slice_.completes_at + max(0, self._closing)
        for name in slice_.ranks.ending:
            if name in self.queries:
                interval = Interval(slice_.ranks.high - self._windows[name].size, slice_.ranks.high)
                value = self._value(name, interval, key_state, index, kind)
                result = EmittedResult(value, revision, final_at)
                changes.setdefault(name, []).append(ResultChange(kind, interval, result))

    def _value(
        self, name: str, interval: Interval, key_state: CountKeyState, index: int, kind: ChangeKind
    ) -> object:
        """The value of a window; an update in discard mode has only the new tuples."""
        new_only = kind == "updated" and self.settings.output == "discard"
        fold, query = key_state.fold_new_tuples if new_only else key_state.fold, self.queries[name]
        where, lower = f"the window [{interval.start}, {interval.end})", query.aggregate.lower
        return query.call_user_code(where, lambda: lower(fold(interval.start, index + 1)))

    def commit(self, outputs: list[QueryOutput], watermarks: StepWatermarks) -> None:
        """Mark windows as emitted, evict final tuples and slices, and set timers anew."""
        del outputs
        for key, key_state in self._targets.key_states.items():
            if key in self._targets.due:
                new, updated, suppressed = self._targets.due[key]
                for index in updated:
                    key_state.slices[index].revision += 1
                key_state.mark_emitted([*new, *suppressed])
                key_state.evict(watermarks.final_until - max(0, self._closing), self._longest_size)
            self._set_timer(key_state)
        self._targets = StepTargets()
        self._log.commit()

    def _set_timer(self, key_state: CountKeyState) -> None:
        """Set the timer of a key for the next window to emit, or the next slice to evict."""
        emit_at = emission_watermark(self.settings, key_state.next_completion, self._closing)
        next_final = key_state.next_final + max(0, self._closing)
        evict_at = finalization_watermark(self.settings, next_final)
        fire_at = -END if key_state.first_changed is not None else min(emit_at, evict_at)
        if fire_at < END or key_state.next_completion < END:
            self._timers.set(key_state.key, fire_at)

    def restore(self) -> None:
        """Undo what the step has done so far."""
        self._log.rollback()
        for key in self._targets.key_states:
            if key in self.key_states:
                self.key_states[key].discard_index()
                self._timers.set(key, -END)
        self._targets = StepTargets()
