"""The frame of every naive operator: acceptance, keys, publication, output modes, eviction.

The naive operators differ in the store that each query and key has.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace

from muntin.atomicity import AllOrNothing
from muntin.reference.window_store import RetainedState, WindowContent, WindowStore
from muntin.spec.denotation import first_visible_start
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import DEFAULTS, ChangeKind, Output, Query, Result, Settings
from muntin.spec.stream import END, AcceptedEvent, Event, Step, check_order
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.window import Interval


@dataclass(frozen=True)
class NaiveEmission:
    """The last output row of a window."""

    window: WindowContent
    value: object
    revision: int


@dataclass
class NaiveKeyState:
    """One query over one key."""

    store: WindowStore
    published: dict[Interval, NaiveEmission] = field(default_factory=dict[Interval, NaiveEmission])

    def copy(self) -> "NaiveKeyState":
        """An independent copy."""
        return NaiveKeyState(self.store.copy(), dict(self.published))


@dataclass
class NaiveQueryState:
    """A query, the last time and events that it came too late to see, and its keys."""

    query: Query
    since: float
    missed: dict[Hashable, Event]
    keys: dict[Hashable, NaiveKeyState] = field(default_factory=dict[Hashable, NaiveKeyState])

    def copy(self) -> "NaiveQueryState":
        """An independent copy."""
        keys = {key: state.copy() for key, state in self.keys.items()}
        return NaiveQueryState(self.query, self.since, self.missed, keys)


class NaiveOperator(AllOrNothing, Operator):
    """An operator that makes one store for each query and key."""

    commits_last = True

    def __init__(self, store: type[WindowStore], settings: Settings = DEFAULTS) -> None:
        """Start with no query and no event."""
        self._store, self._settings = store, settings
        self._watermark: float = -END
        self._finite_watermark: float = -END  # the watermark, but for the end of the stream
        self._latest_time: float = -END
        self._latest_events: dict[Hashable, Event] = {}
        self._arrivals = 0
        self._queries: dict[str, NaiveQueryState] = {}

    def add(self, query: Query) -> None:
        """Register a query: it sees events younger than all that came."""
        if query.id in self._queries:
            raise InvalidInputError(f"there is a query {query.id!r} already; remove it first")
        if reason := self._store.unsupported_reason(query, self._settings):
            raise UnsupportedError(reason)
        since = max(self._latest_time, self._watermark)
        added = NaiveQueryState(query, since, dict(self._latest_events))
        self.begin_commit()
        self._queries[query.id] = added

    def remove(self, name: str) -> None:
        """Unregister a query."""
        if name not in self._queries:
            raise InvalidInputError(f"there is no query {name!r} to remove")
        self.begin_commit()
        del self._queries[name]

    def take(self, step: Step, /) -> Output:
        """Process a step on a copy of all state, which replaces the state if nothing fails."""
        if self._settings.in_order:
            check_order([self._latest_time, *(event.time for event in step.events)])
        queries = {name: running.copy() for name, running in self._queries.items()}
        late = tuple(e for i, e in enumerate(step.events) if not self._ingest(queries, e, i))
        latest = max([self._latest_time, *(event.time for event in step.events)])
        promised = -END if step.watermark is None else step.watermark
        watermark = max(self._watermark, promised, latest if self._settings.in_order else -END)
        results = [r for o in enumerate(queries.values()) for r in self._publish(o, watermark)]
        results.sort(key=lambda ordered: ordered[0])
        output = Output(tuple(result for _, result in results), late)
        self.begin_commit()
        self._queries, self._watermark, self._latest_time = queries, watermark, latest
        self._finite_watermark = watermark if watermark < END else self._finite_watermark
        self._arrivals += len(step.events)
        for event in step.events:
            if event.time >= self._latest_events.get(event.key, event).time:
                self._latest_events[event.key] = event
        return output

    def retained(self) -> RetainedState:
        """The size of all stores, over all queries and keys."""
        states = [state for running in self._queries.values() for state in running.keys.values()]
        held = [state.store.retained() for state in states]
        return RetainedState(sum(h.events for h in held), sum(h.partials for h in held))

    def _limit(self, watermark: float) -> float:
        never = self._settings.dialect.lateness == "never" and watermark < END
        return -END if never else watermark - self._settings.allowed_lateness

    def _final_time(self, watermark: float) -> float:
        """The time up to which windows are final.

        By event, an event at the limit can still make a window that ends there, though it can
        change none. By window, it cannot. Where no event is late, no window is ever final.
        """
        rule = self._settings.dialect.lateness
        return -END if rule == "never" else self._limit(watermark) - (rule == "event")

    def _ingest(self, queries: dict[str, NaiveQueryState], event: Event, position: int) -> bool:
        """Give an event to each query that accepts it; whether it is on time."""
        accepted = AcceptedEvent(event, self._arrivals + position)
        limit = self._limit(self._watermark)
        rule = self._settings.dialect.lateness
        on_time = rule == "never" or event.time >= limit
        accepts: list[bool] = []
        for running in queries.values():
            if event.time <= running.since:
                continue
            store = self._store(running.query, self._settings)
            state = running.keys.get(event.key, NaiveKeyState(store))
            accept = on_time
            if rule == "window":
                accept = state.store.accepts(accepted, self._finite_watermark, limit)
            accepts.append(accept)
            if accept:
                running.keys[event.key] = state
                state.store.insert(accepted)
        return (any(accepts) or not accepts) if rule == "window" else on_time

    def _publish(
        self, order: tuple[int, NaiveQueryState], watermark: float
    ) -> Iterator[tuple[tuple[object, ...], Result]]:
        """Publish the windows of a query anew; each change with its sort key."""
        position, running = order
        for key, state in running.keys.items():
            before = state.published
            start = first_visible_start(running.query, running.since, running.missed.get(key))
            state.published = self._published(start, state, watermark)
            for kind, interval, emission in self._changes(before, state):
                begin, end, row = interval
                value, revision = emission.value, emission.revision
                result = Result(running.query.id, key, begin, end, value, kind, revision)
                yield (kind != "retracted", end, begin, position, row), result
            if not self._holds_back(watermark):
                self._evict(state, self._final_time(watermark))

    def _holds_back(self, watermark: float) -> bool:
        """Whether nothing is emitted or evicted before the watermark advances."""
        held = self._settings.dialect.late_update == "next_watermark"
        return held and self._settings.output != "final" and watermark <= self._watermark

    def _evict(self, state: NaiveKeyState, final_time: float) -> None:
        """Evict final windows; keep what was emitted of those that the store still shows."""
        state.store.evict(final_time)
        shows = self._can_complete_final_windows(state)
        windows = state.store.windows(self._finite_watermark) if shows else []
        shown = {window.interval for window in windows}
        state.published = {
            interval: emission
            for interval, emission in state.published.items()
            if emission.window.final_at > final_time or interval in shown
        }

    def _can_complete_final_windows(self, state: NaiveKeyState) -> bool:
        """Whether an event can complete a window that is final at once.

        It can in a user's measure: another event at the end of the window may have come before.
        """
        by_event = self._settings.dialect.lateness == "event"
        return by_event and state.store.query.window.measure not in (TIME, COUNT)

    def _published(
        self, start: float, state: NaiveKeyState, watermark: float
    ) -> dict[Interval, NaiveEmission]:
        final_only, rule = self._settings.output == "final", self._settings.dialect.late_update
        final_time = self._final_time(self._watermark)
        shows_final = self._can_complete_final_windows(state)
        final = {i: e for i, e in state.published.items() if e.window.final_at <= final_time}
        windows = {
            window.interval: window
            for window in state.store.windows(
                watermark if watermark < END else self._finite_watermark
            )
            if window.is_complete(watermark)
            and window.interval.start > start
            and (window.final_at > final_time or (shows_final and window.interval not in final))
            and (not final_only or window.final_at <= self._limit(watermark))
        }
        if self._holds_back(watermark):
            return state.published
        if not final_only and rule == "none":
            on_time = {i: w for i, w in windows.items() if not w.is_complete(self._watermark)}
            windows = {**on_time, **{i: e.window for i, e in state.published.items()}}
        stays = final.keys() | windows.keys()
        return final | {i: self._emission(state, w, stays) for i, w in windows.items()}

    def _emission(
        self, state: NaiveKeyState, window: WindowContent, stays: set[Interval]
    ) -> NaiveEmission:
        previous = state.published.get(window.interval)
        if previous and previous.window.stamp == window.stamp:
            return replace(previous, window=window)
        emitted: set[int] = set()
        if self._settings.output == "discard":
            replaced = [e.window for i, e in state.published.items() if i not in stays]
            sources = [previous.window] if previous else replaced
            emitted = {arrival for source in sources for arrival in source.stamp}
        value = state.store.value(window, emitted)
        return NaiveEmission(window, value, previous.revision + 1 if previous else 0)

    def _changes(
        self, before: dict[Interval, NaiveEmission], state: NaiveKeyState
    ) -> Iterator[tuple[ChangeKind, Interval, NaiveEmission]]:
        mode, after = self._settings.output, state.published
        gone = {interval: e for interval, e in before.items() if interval not in after}
        if mode == "accumulate-retract":
            for interval, emission in gone.items():
                yield "retracted", interval, emission
        replaced = {arrival for emission in gone.values() for arrival in emission.window.stamp}
        for interval, emission in after.items():
            previous, stamp = before.get(interval), emission.window.stamp
            emitted = set(previous.window.stamp) if previous else replaced
            nothing_new = mode == "discard" and emitted.issuperset(stamp)
            if (previous is None or previous.window.stamp != stamp) and not nothing_new:
                kind: ChangeKind = "updated" if previous else "new"
                yield kind, interval, emission
