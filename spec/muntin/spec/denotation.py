"""The denotation: what every operator must answer to every trace, as a fold over steps.

The world remembers everything: what each query accepted, published and, by window, froze.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import accumulate

from muntin.spec.errors import InvalidInputError
from muntin.spec.query import DEFAULTS, Kind, Output, Query, Result, Settings
from muntin.spec.stream import END, Accepted, Event, Step, check_order
from muntin.spec.windows.data_driven import LastNEvery, Session
from muntin.spec.windows.measure import COUNT, TIME, build_timeline
from muntin.spec.windows.window import Interval, Window, materialize_windows

PublishedWindows = Mapping[Interval, Window]


@dataclass(frozen=True)
class KeyedHistory:
    """What one query knows of one key, what is frozen of it, and what is published (S1)."""

    history: tuple[Accepted, ...] = ()
    frozen: PublishedWindows = field(default_factory=dict[Interval, Window])
    published: PublishedWindows = field(default_factory=dict[Interval, Window])
    revisions: Mapping[Interval, int] = field(default_factory=dict[Interval, int])


@dataclass(frozen=True)
class RegisteredQuery:
    """A query, the last time and events that it came too late to see, and its streams (S2)."""

    query: Query
    since: float
    missed: Mapping[Hashable, Event]
    streams: Mapping[Hashable, KeyedHistory] = field(default_factory=dict[Hashable, KeyedHistory])


@dataclass(frozen=True)
class History:
    """All that has happened so far (S3); `reached` is the last watermark that is no END."""

    settings: Settings = DEFAULTS
    watermark: float = -END
    reached: float = -END
    seen: float = -END
    latest: Mapping[Hashable, Event] = field(default_factory=dict[Hashable, Event])
    arrivals: int = 0
    asked: tuple[RegisteredQuery, ...] = ()

    @property
    def limit(self) -> float:
        """The time before which nothing changes any more (rules 4 and 12)."""
        never = self.settings.dialect.lateness == "never" and self.watermark < END
        return -END if never else self.watermark - self.settings.allowed_lateness


def add(world: History, query: Query) -> History:
    """Ask a further query: it sees what is younger than all that came (rule 13)."""
    if any(asked.query.id == query.id for asked in world.asked):
        raise InvalidInputError(f"there is a query {query.id!r} already; remove it first")
    asked = RegisteredQuery(query, max(world.seen, world.watermark), world.latest)
    return replace(world, asked=(*world.asked, asked))


def remove(world: History, name: str) -> History:
    """Ask a query no more (rule 13)."""
    rest = tuple(asked for asked in world.asked if asked.query.id != name)
    if rest == world.asked:
        raise InvalidInputError(f"there is no query {name!r} to remove")
    return replace(world, asked=rest)


def step(world: History, taken: Step) -> tuple[History, Output]:
    """Take in a step, and say what it changes (rules 2 to 14)."""
    in_order = world.settings.in_order
    check_order([world.seen, *(event.time for event in taken.events)] if in_order else [])
    start: tuple[History, tuple[Event, ...]] = (world, ())
    met, late = reduce(ingest, taken.events, start)
    given = -END if taken.watermark is None else taken.watermark
    watermark = max(world.watermark, given, met.seen if in_order else -END)
    reached = watermark if watermark < END else world.reached
    now = replace(met, watermark=watermark, reached=reached)
    after = replace(now, asked=tuple(publish(asked, world, now) for asked in now.asked))
    return after, Output(output_delta(world, after), late)


def ingest(
    so_far: tuple[History, tuple[Event, ...]], event: Event
) -> tuple[History, tuple[Event, ...]]:
    """Give an event to each query that accepts it, or call it late (rules 4 and 15)."""
    world, late = so_far
    accepted, rule = Accepted(event, world.arrivals), world.settings.dialect.lateness
    sees = {
        one.query.id: is_accepted(world, one, accepted)
        for one in world.asked
        if one.since < event.time
    }
    takes = tuple(
        append_event(one, accepted) if sees.get(one.query.id) else one for one in world.asked
    )
    by_window = any(sees.values()) or not sees
    on_time = by_window if rule == "window" else event.time >= world.limit or rule == "never"
    seen, arrivals = max(world.seen, event.time), world.arrivals + 1
    before = world.latest.get(event.key, event)
    latest = {**world.latest, event.key: event if event.time >= before.time else before}
    grown = replace(world, asked=takes, seen=seen, latest=latest, arrivals=arrivals)
    return grown, late if on_time else (*late, event)


def is_accepted(world: History, asked: RegisteredQuery, accepted: Accepted) -> bool:
    """Whether a query accepts an event. By window, one that no window holds is judged by event."""
    rule, on_time = world.settings.dialect.lateness, accepted.event.time >= world.limit
    if rule != "window":
        return on_time or rule == "never"
    history = (*asked.streams.get(accepted.event.key, KeyedHistory()).history, accepted)
    holding = [w for w in windows_of(asked.query, history, world) if accepted.arrival in w.arrivals]
    return any(one.settles > world.limit for one in holding) if holding else on_time


def windows_of(query: Query, history: Sequence[Accepted], world: History) -> list[Window]:
    """Return the windows of a history."""
    kind, known = query.window, (world.reached, world.settings.dialect)
    laid_out = partial(build_timeline, history, query.window.measure, *known)
    return query.guarded("its windows", lambda: materialize_windows(kind, laid_out()))


def first_visible_start(query: Query, since: float, missed: Event | None) -> float:
    """Return the coordinate after which windows must begin, to be seen whole (rule 13)."""
    measure = query.window.measure
    if measure is COUNT or isinstance(query.window, LastNEvery):
        return -END
    return since if measure is TIME else measure.at(missed, 0) if missed else -END


def append_event(asked: RegisteredQuery, accepted: Accepted) -> RegisteredQuery:
    """Add an event to the history of its key."""
    stream = asked.streams.get(accepted.event.key, KeyedHistory())
    grown = replace(stream, history=(*stream.history, accepted))
    return replace(asked, streams={**asked.streams, accepted.event.key: grown})


def publish(asked: RegisteredQuery, before: History, now: History) -> RegisteredQuery:
    """Publish the view of each key anew."""
    after = {
        k: first_visible_start(asked.query, asked.since, asked.missed.get(k)) for k in asked.streams
    }
    renewed = {
        k: republish(s, asked.query, after[k], before, now) for k, s in asked.streams.items()
    }
    return replace(asked, streams=renewed)


def republish(
    stream: KeyedHistory, query: Query, after: float, before: History, now: History
) -> KeyedHistory:
    """Publish what is complete (rule 10); by window, keep for good what is frozen (rule 12)."""
    kind, by_window = query.window, now.settings.dialect.lateness == "window"
    whole = [one for one in windows_of(query, stream.history, now) if one.interval.start > after]
    view = {one.interval: one for one in whole if one.complete(now.watermark)}
    live = {i: one for i, one in view.items() if one.settles > now.limit}
    settled = {i: one for i, one in view.items() if one.settles <= now.limit}
    newly = {i: one for i, one in settled.items() if one.settles > before.limit}
    frozen = {**newly, **stream.frozen} if by_window else settled
    final = now.settings.output == "final"
    published = frozen if final else hold_back_late_updates({**live, **frozen}, stream, before, now)
    session = by_window and isinstance(kind, Session) and kind.measure is TIME
    gone = {arrival for one in frozen.values() for arrival in one.arrivals if session}
    return KeyedHistory(
        tuple(accepted for accepted in stream.history if accepted.arrival not in gone),
        frozen if by_window else {},
        published,
        {interval: revision(interval, stream, published) for interval in published},
    )


def hold_back_late_updates(
    view: PublishedWindows, stream: KeyedHistory, before: History, now: History
) -> PublishedWindows:
    """Hold back late updates as the dialect has it."""
    fresh = {i: one for i, one in view.items() if not one.complete(before.watermark)}
    advanced = now.watermark > before.watermark
    return {
        "immediate": view,
        "next_watermark": view if advanced else stream.published,
        "none": {**fresh, **stream.published},
    }[now.settings.dialect.late_update]


def revision(interval: Interval, before: KeyedHistory, published: PublishedWindows) -> int:
    """How often a window was updated since it was last new."""
    if interval not in before.published:
        return 0
    changed = before.published[interval].arrivals != published[interval].arrivals
    return before.revisions[interval] + changed


def output_delta(before: History, after: History) -> tuple[Result, ...]:
    """Say what was retracted, then what is new or updated, by end, start and query (rule 11)."""
    results = [
        ((result.kind != "retracted", result.end, result.start, nth, row), result)
        for nth, (old, new) in enumerate(zip(before.asked, after.asked, strict=True))
        for key, stream in new.streams.items()
        for result, row in result_changes(
            after, new.query, key, old.streams.get(key, KeyedHistory()), stream
        )
    ]
    return tuple(result for _, result in sorted(results, key=lambda one: one[0]))


def result_changes(
    world: History, query: Query, key: Hashable, old: KeyedHistory, new: KeyedHistory
) -> Iterator[tuple[Result, int]]:
    """Compare two published views of one stream; to discard is to tell only what was not told."""

    def told(
        kind: Kind, at: Interval, what: Sequence[Accepted], of: KeyedHistory
    ) -> tuple[Result, int]:
        value = query.value([accepted.event for accepted in what])
        return Result(query.id, key, at.start, at.end, value, kind, of.revisions[at]), at.row

    gone = {i: one for i, one in old.published.items() if i not in new.published}
    if world.settings.output == "accumulate-retract":
        yield from (told("retracted", i, one.content, old) for i, one in gone.items())
    replaced = {arrival for one in gone.values() for arrival in one.arrivals}
    for interval, one in new.published.items():
        known = old.published.get(interval)
        heard = set(known.arrivals) if known else replaced
        unheard = [a for a in one.content if a.arrival not in heard]
        rest = unheard if world.settings.output == "discard" else one.content
        if rest and (known is None or known.arrivals != one.arrivals):
            yield told("updated" if known else "new", interval, rest, new)


def denote(
    queries: Sequence[Query], steps: Iterable[Step], settings: Settings = DEFAULTS
) -> list[Output]:
    """Answer a whole trace (definition S5).

    >>> from muntin.spec.algebra.catalogue import named
    >>> from muntin.spec.windows.periodic import tumbling
    >>> trace = [Step((Event(12, 1), Event(7, 2))), Step((), 20), Step((Event(18, 4),))]
    >>> for output in denote([Query("w", tumbling(10), named("sum"))], trace, Settings(5)):
    ...     print([(r.start, r.end, r.value, r.kind) for r in output.results])
    []
    [(0, 10, 2, 'new'), (10, 20, 1, 'new')]
    [(10, 20, 5, 'updated')]
    """
    start: tuple[History, Output] = reduce(add, queries, History(settings)), Output()
    answers = accumulate(steps, lambda at, taken: step(at[0], taken), initial=start)
    return [output for _, output in answers][1:]
