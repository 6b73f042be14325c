"""The operator that slices ordered streams: Panes, Pairs, Pairs+ and Cutty [Carbone16].

Equality with the denotation is argued in proofs/cutty.md.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise, starmap
from typing import NamedTuple

from muntin.optimized.common.timers import TimerQueue
from muntin.optimized.common.user_code import check_query
from muntin.optimized.in_order.discretizer import tracker_for, unknown_window, unsupported_settings
from muntin.optimized.in_order.emission import Emission, InOrderWatermark
from muntin.optimized.in_order.key_state import InOrderKeyState
from muntin.optimized.in_order.technique import GroupedQuery, QueryGroup, Technique
from muntin.optimized.in_order.trackers.base import TrackerConfig, WindowTracker
from muntin.snapshot import Persistent
from muntin.spec.denotation import first_visible_start
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.query import DEFAULTS, Output, Query, Result, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.measure import COUNT, TIME


class KeyStateId(NamedTuple):
    """What identifies a key state: a group of queries, and a key."""

    group: int
    key: Hashable


class PendingResult(NamedTuple):
    """An emission of one tracker of a key."""

    key: Hashable
    tracker: WindowTracker
    emission: Emission


@dataclass
class UncommittedStep:
    """A step before its commit: what it changes, and what it emits."""

    changed_states: dict[KeyStateId, InOrderKeyState] = field(
        default_factory=dict[KeyStateId, InOrderKeyState]
    )
    due_ids: list[KeyStateId] = field(default_factory=list[KeyStateId])
    results: list[PendingResult] = field(default_factory=list[PendingResult])


class InOrderSlicer(Persistent):
    """Many queries over one ordered stream, in one pass."""

    configuration = ("_technique",)
    failures_change_nothing = True

    def __init__(self, technique: Technique, settings: Settings = DEFAULTS) -> None:
        """Start with no query and no event."""
        self._technique, self._settings = technique, settings
        self._watermark: float = -END
        self._last_finite_watermark: float = -END  # the watermark, but for the end of the stream
        self._last_time: float = -END
        self._last_events: dict[Hashable, Event] = {}
        self._groups: dict[int, QueryGroup] = {}
        self._group_by_query: dict[str, int] = {}
        self._key_states: dict[KeyStateId, InOrderKeyState] = {}
        self._number = 0
        self._timers = TimerQueue[KeyStateId]()

    def add(self, query: Query) -> None:
        """Register a query: it sees what is younger than all events so far."""
        check_query(query)
        if query.id in self._group_by_query:
            raise InvalidInputError(f"there is a query {query.id!r} already; remove it first")
        reason = unsupported_settings(self._settings)
        reason = reason or self._technique.unsupported_reason(query.window, self._settings)
        reason = reason or unknown_window(query.window)
        if reason:
            raise UnsupportedError(f"query {query.id!r}: {reason}")
        missed = {} if query.window.measure in (TIME, COUNT) else self._last_events.copy()
        self.begin_commit()
        self.register(query, max(self._last_time, self._watermark), missed)

    def register(self, query: Query, since: float, missed: Mapping[Hashable, Event]) -> None:
        """Register a supported query, which came too late for these events and their times."""
        number = self._number = self._number + 1
        at = next((at for at, group in self._groups.items() if group.accepts(query)), number)
        group = self._groups.setdefault(at, QueryGroup(self._technique))
        group.queries[query.id] = GroupedQuery(query, number, since, missed)
        self._group_by_query[query.id] = at
        self._update_pane_edges(at)

    def remove(self, name: str) -> None:
        """Remove a query, and release what only it needed."""
        if name not in self._group_by_query:
            raise InvalidInputError(f"there is no query {name!r} to remove")
        at = self._group_by_query[name]
        changed = {s: k.copy_without(name) for s, k in self._key_states.items() if s.group == at}
        self.begin_commit()
        self._key_states |= changed
        del self._group_by_query[name], self._groups[at].queries[name]
        self._update_pane_edges(at)
        if not self._groups[at].queries:
            del self._groups[at]
            self._key_states = {s: k for s, k in self._key_states.items() if s.group != at}

    def take(self, step: Step, /) -> Output:
        """Process a step on copies of the key states it changes: they count if nothing fails."""
        self._check_order(step.events)
        by_event = self._settings.dialect.lateness == "event"  # else every query was refused
        limit = self._watermark - self._settings.allowed_lateness if by_event else -END
        late = tuple(event for event in step.events if event.time < limit)
        watermarks = self._watermark_after(step)
        uncommitted = self.prepare([e for e in step.events if e.time >= limit], watermarks)
        results = sorted(uncommitted.results, key=self._sort_key)
        output = Output(tuple(starmap(self._result, results)), late)
        self.begin_commit()
        self.commit(uncommitted, watermarks)
        self._last_events |= {event.key: event for event in step.events}
        self._last_time = step.events[-1].time if step.events else self._last_time
        return output

    def prepare(self, events: Iterable[Event], watermarks: InOrderWatermark) -> UncommittedStep:
        """Ingest events that are in time; what that changes counts only after the commit."""
        uncommitted = UncommittedStep()
        try:
            for event in events:
                self._observe(event, uncommitted.changed_states)
            self._emit_due(watermarks, uncommitted)
        except BaseException:
            self.roll_back(uncommitted)
            raise
        return uncommitted

    def roll_back(self, uncommitted: UncommittedStep) -> None:
        """Leave no trace of a step."""
        for at in {*uncommitted.due_ids, *uncommitted.changed_states} & self._key_states.keys():
            self._key_states[at].recover()
            self._timers.set(at, self._key_states[at].wakeups.next_wakeup)

    def key_states(self) -> Iterator[InOrderKeyState]:
        """The state of each key and group of queries."""
        yield from self._key_states.values()

    def slice_count(self) -> int:
        """The number of partials held that are not of higher order."""
        return sum(key_state.slices.size for key_state in self._key_states.values())

    def _check_order(self, events: tuple[Event, ...]) -> None:
        """Refuse a stream that is not in order (rule 14)."""
        for a, b in pairwise([self._last_time, *(event.time for event in events)]):
            if b < a:
                message = f"this stream was declared in order, but time {b} follows {a}"
                raise InvalidInputError(message)

    def _watermark_after(self, step: Step) -> InOrderWatermark:
        """The watermark after a step: each event is one at its own time (rule 14)."""
        last = step.events[-1].time if step.events else -END
        watermark = max(self._watermark, last, -END if step.watermark is None else step.watermark)
        finite = watermark if watermark < END else self._last_finite_watermark
        return InOrderWatermark(watermark, finite, watermark - self._settings.allowed_lateness)

    def _update_pane_edges(self, at: int) -> None:
        """Cut slices where the present queries need it."""
        for state_id, key_state in self._key_states.items():
            if state_id.group == at:
                key_state.pane_edges = self._groups[at].pane_edges()

    def _observe(self, event: Event, changed: dict[KeyStateId, InOrderKeyState]) -> None:
        for at, group in self._groups.items():
            state_id = KeyStateId(at, event.key)
            key_state = changed.get(state_id) or self._copy_for_step(state_id)
            key_state = key_state or group.new_key_state()
            for grouped in group.queries_seeing_first(key_state, event.time):
                key_state.add_tracker(tracker_for(self._tracker_config(grouped, event.key)))
            if key_state.tracker_count:
                changed[state_id] = key_state
                key_state.observe(event)

    def _copy_for_step(self, state_id: KeyStateId) -> InOrderKeyState | None:
        """The key state as this step may change it, if there is one."""
        if state_id not in self._key_states:
            return None
        key_state = self._key_states[state_id].copy()
        key_state.begin_step()
        return key_state

    def _tracker_config(self, grouped: GroupedQuery, key: Hashable) -> TrackerConfig:
        """What a tracker needs to know of its query and key."""
        after = first_visible_start(grouped.query, grouped.since, grouped.missed.get(key))
        return TrackerConfig(grouped.query, self._settings, after, grouped.number)

    def commit(self, uncommitted: UncommittedStep, watermarks: InOrderWatermark) -> None:
        """Make the changes count, and set timers; evict key states that were due and are idle."""
        changed = uncommitted.changed_states
        for at, key_state in changed.items():
            key_state.commit()
            self._key_states[at] = key_state
            wakeup = key_state.wakeups.next_wakeup
            busy = key_state.slices.has_pins or wakeup < END
            self._timers.set(at, wakeup if busy else watermarks.watermark + 1)
        for at in uncommitted.due_ids:
            if at in changed and changed[at].had_no_events and changed[at].is_idle():
                del self._key_states[at]
        self._watermark, self._last_finite_watermark = watermarks.watermark, watermarks.last_finite

    def _emit_due(self, watermarks: InOrderWatermark, uncommitted: UncommittedStep) -> None:
        """Emit from each key state that has changed, or whose timer is due."""
        uncommitted.due_ids += self._timers.pop_due(watermarks.watermark)
        for at in uncommitted.due_ids:
            if at not in uncommitted.changed_states and at in self._key_states:
                uncommitted.changed_states[at] = self._key_states[at].copy()
        for at, key_state in uncommitted.changed_states.items():
            uncommitted.results += [PendingResult(at.key, *e) for e in key_state.emit(watermarks)]

    @staticmethod
    def _sort_key(pending: PendingResult) -> tuple[object, ...]:
        """The place in the order of rule 11."""
        _, tracker, (kind, emitted) = pending
        by_window = emitted.end, emitted.start, tracker.query_number, emitted.row
        return kind != "retracted", *by_window

    @staticmethod
    def _result(key: Hashable, tracker: WindowTracker, emission: Emission) -> Result:
        emitted = emission.window
        start, end, value, revision = emitted.start, emitted.end, emitted.value, emitted.revision
        return Result(tracker.query.id, key, start, end, value, emission.kind, revision)
