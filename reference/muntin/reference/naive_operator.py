"""The frame of every naive operator: acceptance, keys, publication, output modes, forgetting.

What differs between the naive operators is the store that each query and key has.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace

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
    """The last report on a window."""

    window: WindowContent
    value: object
    revision: int


@dataclass
class NaiveKeyState:
    """One query over one key."""

    store: WindowStore
    published: dict[Interval, NaiveEmission] = field(default_factory=dict[Interval, NaiveEmission])

    def copy(self) -> "NaiveKeyState":
        """Return an independent copy."""
        return NaiveKeyState(self.store.copy(), dict(self.published))


@dataclass
class NaiveQueryState:
    """A query, the last time and events that it came too late to see, and its streams by key."""

    query: Query
    since: float
    missed: dict[Hashable, Event]
    streams: dict[Hashable, NaiveKeyState] = field(default_factory=dict[Hashable, NaiveKeyState])

    def copy(self) -> "NaiveQueryState":
        """Return an independent copy."""
        streams = {key: stream.copy() for key, stream in self.streams.items()}
        return NaiveQueryState(self.query, self.since, self.missed, streams)


class NaiveOperator(Operator):
    """An operator that makes one store for each query and key."""

    def __init__(self, store: type[WindowStore], settings: Settings = DEFAULTS) -> None:
        """Start with no query and no event."""
        self._store, self._settings = store, settings
        self._watermark: float = -END
        self._reached: float = -END  # the watermark, but for the end of the stream
        self._seen: float = -END
        self._latest: dict[Hashable, Event] = {}
        self._arrivals = 0
        self._running: dict[str, NaiveQueryState] = {}

    def add(self, query: Query) -> None:
        """Ask a further query: it sees what is younger than all that came."""
        if query.id in self._running:
            raise InvalidInputError(f"there is a query {query.id!r} already; remove it first")
        if reason := self._store.unsupported_reason(query, self._settings):
            raise UnsupportedError(reason)
        self._running[query.id] = NaiveQueryState(
            query, max(self._seen, self._watermark), dict(self._latest)
        )

    def remove(self, name: str) -> None:
        """Ask a query no more."""
        if name not in self._running:
            raise InvalidInputError(f"there is no query {name!r} to remove")
        del self._running[name]

    def take(self, step: Step, /) -> Output:
        """Take in a step on a copy of all state, which replaces it when nothing has failed."""
        if self._settings.in_order:
            check_order([self._seen, *(event.time for event in step.events)])
        running = {name: one.copy() for name, one in self._running.items()}
        late = tuple(e for i, e in enumerate(step.events) if not self._admit(running, e, i))
        seen = max([self._seen, *(event.time for event in step.events)])
        given = -END if step.watermark is None else step.watermark
        watermark = max(self._watermark, given, seen if self._settings.in_order else -END)
        results = [
            r for order in enumerate(running.values()) for r in self._publish(order, watermark)
        ]
        results.sort(key=lambda one: one[0])
        self._running, self._watermark, self._seen = running, watermark, seen
        self._reached = watermark if watermark < END else self._reached
        self._arrivals += len(step.events)
        for event in step.events:
            if event.time >= self._latest.get(event.key, event).time:
                self._latest[event.key] = event
        return Output(tuple(result for _, result in results), late)

    def retained(self) -> RetainedState:
        """Return how much is held, over all queries and keys."""
        held = [s.store.retained() for one in self._running.values() for s in one.streams.values()]
        return RetainedState(sum(one.events for one in held), sum(one.partials for one in held))

    def _limit(self, watermark: float) -> float:
        never = self._settings.dialect.lateness == "never" and watermark < END
        return -END if never else watermark - self._settings.allowed_lateness

    def _done(self, watermark: float) -> float:
        """The time up to which windows are settled for good.

        By event, an event at the limit can still make a window that ends there, though it can
        change none. By window, it cannot. Where nothing is late, nothing is ever settled.
        """
        rule = self._settings.dialect.lateness
        return -END if rule == "never" else self._limit(watermark) - (rule == "event")

    def _admit(self, running: dict[str, NaiveQueryState], event: Event, nth: int) -> bool:
        """Give an event to each query that accepts it, and say whether it is on time."""
        accepted, limit = AcceptedEvent(event, self._arrivals + nth), self._limit(self._watermark)
        rule = self._settings.dialect.lateness
        on_time = rule == "never" or event.time >= limit
        verdicts: list[bool] = []
        for one in running.values():
            if event.time <= one.since:
                continue
            store = self._store(one.query, self._settings)
            stream = one.streams.get(event.key, NaiveKeyState(store))
            by_window = rule == "window"
            taken = stream.store.accepts(accepted, self._reached, limit) if by_window else on_time
            verdicts.append(taken)
            if taken:
                one.streams[event.key] = stream
                stream.store.insert(accepted)
        return (any(verdicts) or not verdicts) if rule == "window" else on_time

    def _publish(
        self, order: tuple[int, NaiveQueryState], watermark: float
    ) -> Iterator[tuple[tuple[object, ...], Result]]:
        """Renew what is published of a query, and report each difference with its sort key."""
        nth, one = order
        for key, stream in one.streams.items():
            before = stream.published
            after = first_visible_start(one.query, one.since, one.missed.get(key))
            stream.published = self._renewed(after, stream, watermark)
            for kind, interval, said in self._differences(before, stream):
                start, end, row = interval
                result = Result(one.query.id, key, start, end, said.value, kind, said.revision)
                yield (kind != "retracted", end, start, nth, row), result
            if not self._holds_back(watermark):
                self._forget(stream, self._done(watermark))

    def _holds_back(self, watermark: float) -> bool:
        """Whether nothing is told before the watermark moves, nor forgotten."""
        held = self._settings.dialect.late_update == "next_watermark"
        return held and self._settings.output != "final" and watermark <= self._watermark

    def _forget(self, stream: NaiveKeyState, done: float) -> None:
        """Forget what is settled, and that it was told; but that only if it is seen no more."""
        stream.store.evict(done)
        again = stream.store.windows(self._reached) if self._tells_of_past(stream) else []
        shown = {seen.interval for seen in again}
        stream.published = {
            i: said
            for i, said in stream.published.items()
            if said.window.final_at > done or i in shown
        }

    def _tells_of_past(self, stream: NaiveKeyState) -> bool:
        """Whether an event may tell that a window has ended which thereby is settled.

        That is so in a measure of the user's: another event at its end may have come before.
        """
        by_event = self._settings.dialect.lateness == "event"
        return by_event and stream.store.query.window.measure not in (TIME, COUNT)

    def _renewed(
        self, after: float, stream: NaiveKeyState, watermark: float
    ) -> dict[Interval, NaiveEmission]:
        final, rule = self._settings.output == "final", self._settings.dialect.late_update
        done, any_time = self._done(self._watermark), self._tells_of_past(stream)
        settled = {i: said for i, said in stream.published.items() if said.window.final_at <= done}
        view = {
            seen.interval: seen
            for seen in stream.store.windows(watermark if watermark < END else self._reached)
            if seen.is_complete(watermark)
            and seen.interval.start > after
            and (seen.final_at > done or (any_time and seen.interval not in settled))
            and (not final or seen.final_at <= self._limit(watermark))
        }
        if self._holds_back(watermark):
            return stream.published
        if not final and rule == "none":
            fresh = {i: seen for i, seen in view.items() if not seen.is_complete(self._watermark)}
            view = {**fresh, **{i: said.window for i, said in stream.published.items()}}
        stays = settled.keys() | view.keys()
        return settled | {i: self._said(stream, seen, stays) for i, seen in view.items()}

    def _said(
        self, stream: NaiveKeyState, seen: WindowContent, stays: set[Interval]
    ) -> NaiveEmission:
        known = stream.published.get(seen.interval)
        if known and known.window.stamp == seen.stamp:
            return replace(known, window=seen)
        besides: set[int] = set()
        if self._settings.output == "discard":
            replaced = [s.window for i, s in stream.published.items() if i not in stays]
            told = [known.window] if known else replaced
            besides = {arrival for one in told for arrival in one.stamp}
        value = stream.store.value(seen, besides)
        return NaiveEmission(seen, value, known.revision + 1 if known else 0)

    def _differences(
        self, before: dict[Interval, NaiveEmission], stream: NaiveKeyState
    ) -> Iterator[tuple[ChangeKind, Interval, NaiveEmission]]:
        mode = self._settings.output
        gone = {
            interval: said for interval, said in before.items() if interval not in stream.published
        }
        if mode == "accumulate-retract":
            for interval, said in gone.items():
                yield "retracted", interval, said
        told = {arrival for said in gone.values() for arrival in said.window.stamp}
        for interval, said in stream.published.items():
            known = before.get(interval)
            heard = set(known.window.stamp) if known else told
            nothing_new = mode == "discard" and heard.issuperset(said.window.stamp)
            if (known is None or known.window.stamp != said.window.stamp) and not nothing_new:
                kind: ChangeKind = "updated" if known else "new"
                yield kind, interval, said
