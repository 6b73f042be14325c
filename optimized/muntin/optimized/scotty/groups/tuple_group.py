"""Queries that need stored tuples: their windows are computed anew from the tuples kept."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter

from muntin.optimized.common.timers import TimerQueue
from muntin.optimized.common.user_code import check_combinable
from muntin.optimized.common.window_traits import traits_of
from muntin.optimized.scotty.emission.tuple_windows import EmittedTupleWindow, TupleWindows
from muntin.optimized.scotty.eviction_rules import evictable_count
from muntin.optimized.scotty.groups.base import PerEventGroup, QueryOutput
from muntin.optimized.scotty.groups.tuple_key_state import OpenWindow, TupleKeyState
from muntin.optimized.scotty.groups.user_window_state import MachineCheckpoint, evictable_prefix
from muntin.optimized.scotty.slices.aggregate_store import BuildStore
from muntin.optimized.scotty.slices.slice import LiftedEvent
from muntin.optimized.scotty.slices.tuple_slices import SliceUpdatePolicy, TupleSlices
from muntin.optimized.scotty.watermark import StepWatermarks, finalization_watermark
from muntin.spec.denotation import first_visible_start
from muntin.spec.errors import MuntinError
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, AcceptedEvent, Event
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import Interval, WindowType


def has_stable_past(window: WindowType) -> bool:
    """Whether no event behind the watermark can move a complete window."""
    traits = traits_of(window)
    return traits.is_suffix_closed or traits.is_rank_free


@dataclass
class TupleGroupKey:
    """One key: its tuples, its window managers, and what these are about to publish.

    `evictable` is how many tuples may be evicted, and the machine's checkpoint behind them.
    """

    key_state: TupleKeyState
    managers: dict[str, TupleWindows]
    open_windows: dict[str, list[OpenWindow]] = field(default_factory=dict[str, list[OpenWindow]])
    due_windows: dict[str, dict[Interval, EmittedTupleWindow]] = field(
        default_factory=dict[str, dict[Interval, EmittedTupleWindow]]
    )
    emission_watermarks: list[float] = field(default_factory=list[float])
    evictable: tuple[int, MachineCheckpoint] = (0, MachineCheckpoint())


class TupleGroup(PerEventGroup):
    """Windows that tuples make or move: their edges are computed anew from the stored tuples."""

    def __init__(
        self, settings: Settings, policy: SliceUpdatePolicy, build: BuildStore, *, by_arrival: bool
    ) -> None:
        """Start without queries."""
        super().__init__(settings)
        self._policy, self._build, self._by_arrival = policy, build, by_arrival
        self.key_groups: dict[Hashable, TupleGroupKey] = {}
        self._missed_events: dict[str, Mapping[Hashable, Event]] = {}
        self._new_keys: list[Hashable] = []
        self._may_defer = False
        self._timers = TimerQueue[Hashable]()
        self._fired_keys: list[Hashable] = []
        self._touched: dict[Hashable, TupleGroupKey] = {}
        self._due_groups: dict[Hashable, TupleGroupKey] = {}

    def add(self, query: Query, since: float, missed: Mapping[Hashable, Event]) -> None:
        """Register a query: the queries that share these slices have seen no event yet."""
        self.queries[query.id], self.since[query.id] = query, since
        self._missed_events[query.id] = missed
        self._may_defer = self._can_defer()

    def _can_defer(self) -> bool:
        """Whether an event behind the watermark changes nothing that is complete.

        In a user's measure it can end a window; by window, its lateness is decided at once.
        """
        windows = [query.window for query in self.queries.values()]
        stable = all(
            has_stable_past(window) and window.measure in (TIME, COUNT) for window in windows
        )
        return stable and self.settings.dialect.lateness != "window"

    def _new_manager(self, query: Query, key: Hashable) -> TupleWindows:
        missed = self._missed_events[query.id].get(key)
        return TupleWindows(query, first_visible_start(query, self.since[query.id], missed))

    def remove(self, name: str) -> None:
        """Drop a query: the edges of its windows go when the key is next emitted."""
        del self.queries[name], self.since[name], self._missed_events[name]
        for key_group in self.key_groups.values():
            del key_group.managers[name]

    def _group_of(self, key: Hashable) -> TupleGroupKey:
        if key in self.key_groups:
            return self.key_groups[key]
        slices = TupleSlices(self._policy, self._build(self._policy.monoid))
        managers = {q.id: self._new_manager(q, key) for q in self.queries.values()}
        return TupleGroupKey(TupleKeyState(key, self.settings.dialect, slices), managers)

    def ingest_event(
        self, accepted: AcceptedEvent, watermarks: StepWatermarks
    ) -> Mapping[str, bool]:
        """Add the event, if some query accepts it."""
        event = accepted.event
        if event.time <= max(self.since.values()):
            return {}
        key_group = self._group_of(event.key)
        accepts = {
            query.id: self._is_accepted(key_group, query, accepted, watermarks)
            for query in self.queries.values()
        }
        if not any(accepts.values()):
            return accepts
        if event.key not in self.key_groups:
            self.key_groups[event.key] = key_group
            self._new_keys.append(event.key)
        self._touched[event.key] = key_group
        lifted = self._lift_checked(key_group.key_state, accepted, watermarks)
        if event.time > watermarks.now + 1 and self._may_defer:
            self._check_deferred(key_group.key_state, accepted, watermarks)
            key_group.key_state.defer(lifted)
        else:
            key_group.key_state.begin_step()
            self._insert(key_group.key_state, lifted)
        return accepts

    def _lift_checked(
        self, key_state: TupleKeyState, accepted: AcceptedEvent, watermarks: StepWatermarks
    ) -> LiftedEvent:
        """Lift an event; a window that cannot take it raises before the aggregate does."""
        query = next(iter(self.queries.values()))
        try:
            lifted = self.lift(accepted)
            query.call_user_code(
                f"{accepted.event}", lambda: check_combinable(self._policy.monoid, lifted.partial)
            )
        except MuntinError:
            for query in self.queries.values():
                find_windows = partial(
                    key_state.open_windows, query, watermarks.last_finite, accepted
                )
                query.call_user_code(f"{accepted.event}", find_windows)
            raise
        return lifted

    def _check_deferred(
        self, key_state: TupleKeyState, accepted: AcceptedEvent, watermarks: StepWatermarks
    ) -> None:
        """Refuse an event that a window cannot take, though it does not matter yet."""
        scratch = TupleKeyState(key_state.key, self.settings.dialect, key_state.slices.empty_copy())
        for query in self.queries.values():
            find_windows = partial(scratch.open_windows, query, watermarks.last_finite, accepted)
            query.call_user_code(f"{accepted.event}", find_windows)

    def _insert(self, key_state: TupleKeyState, *further: LiftedEvent) -> None:
        """Put tuples into slices: the deferred ones, and further ones."""
        query, by_arrival = next(iter(self.queries.values())), self._by_arrival
        for lifted in [*key_state.pop_deferred(by_arrival=by_arrival), *further]:
            insert = partial(key_state.insert, lifted, by_arrival=by_arrival)
            query.call_user_code(f"{lifted.accepted.event}", insert)

    def _is_accepted(
        self,
        key_group: TupleGroupKey,
        query: Query,
        accepted: AcceptedEvent,
        watermarks: StepWatermarks,
    ) -> bool:
        """Whether some window that would hold the event is not final; else decide by event."""
        event, rule = accepted.event, self.settings.dialect.lateness
        on_time = rule == "never" or event.time >= watermarks.limit_before
        if rule != "window":
            return on_time
        if self._precedes_evicted(key_group.key_state, query, event):
            return False

        def containing_windows() -> list[OpenWindow]:
            windows = key_group.key_state.open_windows(query, watermarks.last_finite, accepted)
            timeline = key_group.key_state.timeline(
                query.window.measure, watermarks.last_finite, accepted
            )
            index = next(
                index
                for index, positioned in enumerate(timeline.events)
                if positioned.accepted is accepted
            )
            return [window for window in windows if window.low <= index < window.high]

        containing = query.call_user_code(f"{event}", containing_windows)
        return (
            any(window.final_at > watermarks.limit_before for window in containing)
            if containing
            else on_time
        )

    def _precedes_evicted(self, key_state: TupleKeyState, query: Query, event: Event) -> bool:
        """Whether an event comes before a rank that was evicted, and so in final windows."""
        older = (
            key_state.last_evicted is not None and event.time < key_state.last_evicted.event.time
        )
        return older and not self._by_arrival and query.window.measure is COUNT

    def outputs(self, watermarks: StepWatermarks) -> list[QueryOutput]:
        """Fire timers, and compute the windows of the keys that changed or whose timer fired."""
        self._fired_keys += self._timers.pop_due(watermarks.now)
        changed_keys = [
            key for key, key_group in self._touched.items() if key_group.key_state.has_changes
        ]
        if watermarks.held_back:
            for key in changed_keys:
                self._open_windows(self.key_groups[key], watermarks)
            return []
        fired = [key for key in self._fired_keys if key in self.key_groups]
        self._due_groups = {key: self.key_groups[key] for key in (*changed_keys, *fired)}
        return [
            output
            for key_group in self._due_groups.values()
            for output in self._outputs_of(key_group, watermarks)
        ]

    def _outputs_of(
        self, key_group: TupleGroupKey, watermarks: StepWatermarks
    ) -> list[QueryOutput]:
        """Compute the windows of a key, cut its slices at their edges, and compare the results."""
        key_group.key_state.begin_step()
        self._insert(key_group.key_state)
        key_state, slices = key_group.key_state, key_group.key_state.slices
        visible: dict[str, dict[Interval, OpenWindow]] = {}
        key_group.emission_watermarks.clear()
        counts = list[tuple[int, MachineCheckpoint]]()
        key_group.open_windows = self._open_windows(key_group, watermarks)
        for name, manager in key_group.managers.items():
            windows = key_group.open_windows[name]
            visible[name] = manager.windows_to_publish(windows, watermarks)
            key_group.emission_watermarks += manager.emission_watermarks(windows, watermarks)
            count_evictable = partial(
                self._evictable, key_state, manager.query.window, windows, watermarks.final_until
            )
            counts.append(
                manager.query.call_user_code(f"the events up to {watermarks.now}", count_evictable)
            )
        key_group.evictable = min(counts, key=itemgetter(0))
        cuts = [
            cut
            for windows in visible.values()
            for window in windows.values()
            for cut in window[1:3]
        ]
        query = next(iter(self.queries.values()))
        query.call_user_code("its slices", lambda: slices.fit_to_edges(cuts))
        key_group.due_windows = {
            name: manager.next_published(visible[name], watermarks, slices)
            for name, manager in key_group.managers.items()
        }
        return [
            QueryOutput(
                name, key_state.key, manager.changes(key_group.due_windows[name], watermarks)
            )
            for name, manager in key_group.managers.items()
        ]

    def _open_windows(
        self, key_group: TupleGroupKey, watermarks: StepWatermarks
    ) -> dict[str, list[OpenWindow]]:
        """The windows of each query; an error names the query that cannot take an event."""
        windows: dict[str, list[OpenWindow]] = {}
        for name, manager in key_group.managers.items():
            find_windows = partial(
                key_group.key_state.open_windows, manager.query, watermarks.last_finite
            )
            windows[name] = manager.query.call_user_code(
                f"the events up to {watermarks.now}", find_windows
            )
        return windows

    def commit(self, outputs: list[QueryOutput], watermarks: StepWatermarks) -> None:
        """Record what was emitted, evict tuples that no window needs, and set timers anew."""
        del outputs
        for key, key_group in self._touched.items():
            if key_group.key_state.deferred_events:
                nearest = min(
                    lifted.accepted.event.time for lifted in key_group.key_state.deferred_events
                )
                self._timers.set(key, nearest - 1)
        if watermarks.held_back:
            self._fired_keys += [
                key for key, key_group in self._touched.items() if key_group.key_state.has_changes
            ]
        else:
            self._fired_keys.clear()
        for key_group in (*self._touched.values(), *self._due_groups.values()):
            key_group.key_state.commit()
        for key_group in self._due_groups.values():
            for name, manager in key_group.managers.items():
                manager.commit(
                    key_group.due_windows[name], key_group.open_windows.pop(name), watermarks
                )
            key_group.key_state.has_changes = False
            self._evict_tuples(key_group)
            self._set_timer(key_group, watermarks)
        self._end_step()

    def _end_step(self) -> None:
        self._new_keys.clear()
        self._touched.clear()
        self._due_groups = {}

    def _set_timer(self, key_group: TupleGroupKey, watermarks: StepWatermarks) -> None:
        """Set the timer of a key for its next window to emit, or next tuples to evict."""
        final_times = [
            emitted.result.final_at
            for manager in key_group.managers.values()
            for emitted in manager.published.values()
        ]
        key_state, final_until = key_group.key_state, watermarks.final_until
        newest = max((entry.accepted.event.time for entry in key_state.entries), default=-END)
        times = [time for time in (*final_times, newest + 1) if time > final_until]
        has_deadline = bool(times or key_group.emission_watermarks)
        if newest > -END and final_until < END and not has_deadline:
            times = [
                2 * final_until - newest
            ]  # some type keeps tuples longer: look ever less often
        due = [finalization_watermark(self.settings, time) for time in times]
        due += key_group.emission_watermarks
        if key_state.key in self.key_groups and due:
            self._timers.set(key_state.key, min(*due, END))

    def _evictable(
        self,
        key_state: TupleKeyState,
        window: WindowType,
        windows: Sequence[OpenWindow],
        final_until: float,
    ) -> tuple[int, MachineCheckpoint]:
        """How many of the oldest tuples a query does not need, and its machine behind them.

        By window, in a user's measure, any event may end an old window.
        """
        by_window = self.settings.dialect.lateness == "window"
        if by_window and window.measure not in (TIME, COUNT):
            return 0, key_state.checkpoint
        timeline = key_state.timeline(window.measure, final_until)
        if isinstance(window, UserWindow | UserTrigger):
            needed_positions = [
                open_window.low for open_window in windows if open_window.final_at > final_until
            ]
            return evictable_prefix(
                window, timeline, key_state.checkpoint, final_until, needed_positions
            )
        return evictable_count(window, timeline, final_until), key_state.checkpoint

    def _evict_tuples(self, key_group: TupleGroupKey) -> None:
        """Evict tuples, and a key that has none and was never counted."""
        key_group.key_state.evict(*key_group.evictable)
        has_published = any(manager.published for manager in key_group.managers.values())
        windows = [query.window for query in self.queries.values()]
        is_rank_free = all(
            window.measure is TIME and traits_of(window).is_rank_free for window in windows
        )
        if is_rank_free and not (has_published or key_group.key_state.slices.slices):
            del self.key_groups[key_group.key_state.key]

    def restore(self) -> None:
        """Undo what the step has done so far."""
        for key_group in (*self._touched.values(), *self._due_groups.values()):
            key_group.key_state.restore()
        for key in self._new_keys:
            del self.key_groups[key]
        self._end_step()
