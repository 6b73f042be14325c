"""The denotation: what every operator must answer to every trace, as a fold over steps.

The history remembers everything: what each query accepted, published and, by window, froze.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import accumulate, chain

from muntin.spec.errors import InvalidInputError
from muntin.spec.query import DEFAULTS, ChangeKind, Output, Query, Result, Settings
from muntin.spec.stream import END, AcceptedEvent, Event, Step, check_order
from muntin.spec.windows.data_driven import LastNEvery, Session
from muntin.spec.windows.measure import COUNT, TIME, build_timeline
from muntin.spec.windows.window import Interval, Window, materialize_windows

PublishedWindows = Mapping[Interval, Window]


@dataclass(frozen=True)
class KeyedHistory:
    """One query over one key: its events, and its frozen and published windows (S1)."""

    events: tuple[AcceptedEvent, ...] = ()
    frozen: PublishedWindows = field(default_factory=dict[Interval, Window])
    published: PublishedWindows = field(default_factory=dict[Interval, Window])
    revisions: Mapping[Interval, int] = field(default_factory=dict[Interval, int])


@dataclass(frozen=True)
class RegisteredQuery:
    """A query, the last time and events that it came too late to see, and its keys (S2)."""

    query: Query
    since: float
    missed: Mapping[Hashable, Event]
    keys: Mapping[Hashable, KeyedHistory] = field(default_factory=dict[Hashable, KeyedHistory])


@dataclass(frozen=True)
class History:
    """All that has happened so far (S3); `finite_watermark` is the last one that is not END."""

    settings: Settings = DEFAULTS
    watermark: float = -END
    finite_watermark: float = -END
    latest_time: float = -END
    latest_events: Mapping[Hashable, Event] = field(default_factory=dict[Hashable, Event])
    arrivals: int = 0
    queries: tuple[RegisteredQuery, ...] = ()

    @property
    def limit(self) -> float:
        """The time before which events are late, and windows final (rules 4 and 12)."""
        never = self.settings.dialect.lateness == "never" and self.watermark < END
        return -END if never else self.watermark - self.settings.allowed_lateness


def add(history: History, query: Query) -> History:
    """Register a query: it sees events younger than all that came (rule 13)."""
    if any(other.query.id == query.id for other in history.queries):
        raise InvalidInputError(f"there is a query {query.id!r} already; remove it first")
    since = max(history.latest_time, history.watermark)
    registered = RegisteredQuery(query, since, history.latest_events)
    return replace(history, queries=(*history.queries, registered))


def remove(history: History, name: str) -> History:
    """Unregister a query: nothing more is emitted for it (rule 13)."""
    rest = tuple(registered for registered in history.queries if registered.query.id != name)
    if rest == history.queries:
        raise InvalidInputError(f"there is no query {name!r} to remove")
    return replace(history, queries=rest)


def step(before: History, received: Step) -> tuple[History, Output]:
    """Ingest events, then advance the watermark, publish, and emit the changes (rules 2 to 14)."""
    in_order = before.settings.in_order
    check_order([before.latest_time, *(e.time for e in received.events)] if in_order else [])
    start: tuple[History, tuple[Event, ...]] = (before, ())
    ingested, late = reduce(ingest, received.events, start)
    promised = -END if received.watermark is None else received.watermark
    watermark = max(before.watermark, promised, ingested.latest_time if in_order else -END)
    finite = watermark if watermark < END else before.finite_watermark
    now = replace(ingested, watermark=watermark, finite_watermark=finite)
    after = replace(now, queries=tuple(publish(query, before, now) for query in now.queries))
    return after, Output(output_delta(before, after), late)


def ingest(
    so_far: tuple[History, tuple[Event, ...]], event: Event
) -> tuple[History, tuple[Event, ...]]:
    """Give an event to each query that accepts it, or call it late (rules 4 and 15)."""
    history, late = so_far
    arrivals, rule = history.arrivals, history.settings.dialect.lateness
    accepted = AcceptedEvent(event, arrivals)
    accepts = {
        registered.query.id: is_accepted(history, registered, accepted)
        for registered in history.queries
        if registered.since < event.time
    }
    queries = tuple(
        append_event(registered, accepted) if accepts.get(registered.query.id) else registered
        for registered in history.queries
    )
    by_window = any(accepts.values()) or not accepts
    on_time = by_window if rule == "window" else event.time >= history.limit or rule == "never"
    previous = history.latest_events.get(event.key, event)
    latest = event if event.time >= previous.time else previous
    events, time = (
        {**history.latest_events, event.key: latest},
        max(history.latest_time, event.time),
    )
    grown = replace(
        history, queries=queries, latest_time=time, latest_events=events, arrivals=arrivals + 1
    )
    return grown, late if on_time else (*late, event)


def is_accepted(history: History, registered: RegisteredQuery, accepted: AcceptedEvent) -> bool:
    """Whether a query accepts an event. By window, one that no window holds is judged by event."""
    rule, on_time = history.settings.dialect.lateness, accepted.event.time >= history.limit
    if rule != "window":
        return on_time or rule == "never"
    events = (*registered.keys.get(accepted.event.key, KeyedHistory()).events, accepted)
    windows = windows_of(registered.query, events, history)
    holding = [window for window in windows if accepted.arrival in window.arrivals]
    return any(window.final_at > history.limit for window in holding) if holding else on_time


def windows_of(query: Query, events: Sequence[AcceptedEvent], history: History) -> list[Window]:
    """The windows of a query over events."""
    window_type, so_far = query.window, (history.finite_watermark, history.settings.dialect)
    timeline = partial(build_timeline, events, window_type.measure, *so_far)
    return query.call_user_code("its windows", lambda: materialize_windows(window_type, timeline()))


def first_visible_start(query: Query, since: float, missed: Event | None) -> float:
    """The coordinate after which windows must begin, for the query to see all of them (rule 13)."""
    measure = query.window.measure
    if measure is COUNT or isinstance(query.window, LastNEvery):
        return -END
    return since if measure is TIME else measure.coordinate_of(missed, 0) if missed else -END


def append_event(registered: RegisteredQuery, accepted: AcceptedEvent) -> RegisteredQuery:
    """Add an event to the history of its key."""
    key = accepted.event.key
    keyed = registered.keys.get(key, KeyedHistory())
    grown = replace(keyed, events=(*keyed.events, accepted))
    return replace(registered, keys={**registered.keys, key: grown})


def publish(registered: RegisteredQuery, before: History, now: History) -> RegisteredQuery:
    """Publish the windows of each key anew."""
    published = {key: republish(registered, key, before, now) for key in registered.keys}
    return replace(registered, keys=published)


def republish(
    registered: RegisteredQuery, key: Hashable, before: History, now: History
) -> KeyedHistory:
    """Publish what is complete (rule 10); by window, keep for good what is frozen (rule 12)."""
    query, keyed = registered.query, registered.keys[key]
    start = first_visible_start(query, registered.since, registered.missed.get(key))
    window_type, by_window = query.window, now.settings.dialect.lateness == "window"
    windows = [w for w in windows_of(query, keyed.events, now) if w.interval.start > start]
    complete = {w.interval: w for w in windows if w.is_complete(now.watermark)}
    live = {i: window for i, window in complete.items() if window.final_at > now.limit}
    final = {i: window for i, window in complete.items() if window.final_at <= now.limit}
    newly_final = {i: window for i, window in final.items() if window.final_at > before.limit}
    frozen = {**newly_final, **keyed.frozen} if by_window else final
    visible = hold_back_late_updates({**live, **frozen}, keyed, before, now)
    published = frozen if now.settings.output == "final" else visible
    session = by_window and isinstance(window_type, Session) and window_type.measure is TIME
    gone = {arrival for window in frozen.values() for arrival in window.arrivals if session}
    return KeyedHistory(
        tuple(accepted for accepted in keyed.events if accepted.arrival not in gone),
        frozen if by_window else {},
        published,
        {interval: revision(interval, keyed, published) for interval in published},
    )


def hold_back_late_updates(
    windows: PublishedWindows, keyed: KeyedHistory, before: History, now: History
) -> PublishedWindows:
    """What of the complete windows the dialect publishes now."""
    on_time = {i: w for i, w in windows.items() if not w.is_complete(before.watermark)}
    return {
        "immediate": windows,
        "next_watermark": windows if now.watermark > before.watermark else keyed.published,
        "none": {**on_time, **keyed.published},
    }[now.settings.dialect.late_update]


def revision(interval: Interval, before: KeyedHistory, published: PublishedWindows) -> int:
    """How often a window was updated since it was last new."""
    if interval not in before.published:
        return 0
    changed = before.published[interval].arrivals != published[interval].arrivals
    return before.revisions[interval] + changed


def output_delta(before: History, after: History) -> tuple[Result, ...]:
    """For each key retractions, then new and updated windows, by end, start, query (rule 11)."""
    changes = [
        result_changes(after.settings, new.query, key, old.keys.get(key, KeyedHistory()), keyed)
        for old, new in zip(before.queries, after.queries, strict=True)
        for key, keyed in new.keys.items()
    ]
    return tuple(sorted(chain(*changes), key=lambda r: (r.kind != "retracted", r.end, r.start)))


def result_changes(
    settings: Settings, query: Query, key: Hashable, old: KeyedHistory, new: KeyedHistory
) -> Iterator[Result]:
    """Diff the published windows of one key. To discard is to emit only events not yet emitted."""

    def result(
        kind: ChangeKind, interval: Interval, content: Sequence[AcceptedEvent], of: KeyedHistory
    ) -> Result:
        (start, end, _), number = interval, of.revisions[interval]
        value = query.value([accepted.event for accepted in content])
        return Result(query.id, key, start, end, value, kind, number)

    gone = {i: window for i, window in old.published.items() if i not in new.published}
    if settings.output == "accumulate-retract":
        yield from (result("retracted", i, gone[i].content, old) for i in sorted(gone))
    replaced = {arrival for window in gone.values() for arrival in window.arrivals}
    for interval in sorted(new.published):
        window, previous = new.published[interval], old.published.get(interval)
        emitted = set(previous.arrivals) if previous else replaced
        pending = [accepted for accepted in window.content if accepted.arrival not in emitted]
        content = pending if settings.output == "discard" else window.content
        if content and (previous is None or previous.arrivals != window.arrivals):
            yield result("updated" if previous else "new", interval, content, new)


def denote(
    queries: Sequence[Query], steps: Iterable[Step], settings: Settings = DEFAULTS
) -> list[Output]:
    """What an operator must emit at each step of a trace (definition S5).

    >>> from muntin.spec import named, tumbling
    >>> trace = [Step((Event(12, 1), Event(7, 2))), Step((), 20), Step((Event(18, 4),))]
    >>> for output in denote([Query("w", tumbling(10), named("sum"))], trace, Settings(5)):
    ...     print([(r.start, r.end, r.value, r.kind) for r in output.results])
    []
    [(0, 10, 2, 'new'), (10, 20, 1, 'new')]
    [(10, 20, 5, 'updated')]
    """
    start: tuple[History, Output] = reduce(add, queries, History(settings)), Output()
    outputs = accumulate(steps, lambda so_far, new: step(so_far[0], new), initial=start)
    return [output for _, output in outputs][1:]
