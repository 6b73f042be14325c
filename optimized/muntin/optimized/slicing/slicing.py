"""The operator that slices ordered streams: Panes, Pairs, Pairs+ and Cutty [Carbone16].

Equality with the denotation is argued in proofs/cutty.md.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import NamedTuple

from muntin.optimized.slicing.alarms import Alarms
from muntin.optimized.slicing.cuts import Cuts, EdgesOf
from muntin.optimized.slicing.discretise import refuses_settings, refuses_window, track_of
from muntin.optimized.slicing.lane import Lane
from muntin.optimized.slicing.report import Line, Moment
from muntin.optimized.slicing.slices import Slices
from muntin.optimized.slicing.store import AggregateStore
from muntin.optimized.slicing.track import Request, Track
from muntin.spec.aggregate import Aggregate
from muntin.spec.denotation import earliest
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.periodic import Sliding
from muntin.spec.query import DEFAULTS, Output, Query, Result, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.window import WindowType

AnyAggregate = Aggregate[object, object, object]


@dataclass(frozen=True)
class Technique:
    """How a stream is cut into slices, and how these are stored.

    Without edges, slices begin where windows do, and queries of one aggregate share them.
    """

    store: type[AggregateStore[object]]
    edges: EdgesOf | None = None
    shares: bool = True
    refuses: Callable[[WindowType, Settings], str | None] = refuses_window


class Asked(NamedTuple):
    """A query, the greatest time and events that it came too late to see, and its group."""

    query: Query
    since: float
    missed: dict[Hashable, Event]
    group: int


class Slot(NamedTuple):
    """What names a lane: a group of queries, and a key."""

    group: int
    key: Hashable


def same(one: AnyAggregate, other: AnyAggregate) -> bool:
    """Whether two aggregates have the same partials: they may be lowered differently."""
    mine, theirs = one.monoid, other.monoid
    return (
        one.lift == other.lift
        and mine.combine == theirs.combine
        and mine.identity is theirs.identity
    )


class Slicing(Operator):
    """Many queries over one ordered stream, in one pass."""

    def __init__(self, technique: Technique, settings: Settings = DEFAULTS) -> None:
        """Start with no query and no event."""
        self._technique, self._settings = technique, settings
        self._watermark: float = -END
        self._reached: float = -END  # the watermark, but for the end of the stream
        self._seen: float = -END
        self._latest: dict[Hashable, Event] = {}
        self._asked: dict[str, Asked] = {}
        self._lanes: dict[Slot, Lane] = {}
        self._groups = self._number = 0
        self._births: dict[tuple[str, Hashable], int] = {}  # in the order of first events
        self._alarms = Alarms[Slot]()

    def add(self, query: Query) -> None:
        """Ask a further query: it sees what is younger than all that came."""
        if query.id in self._asked:
            raise InvalidInputError(f"there is a query {query.id!r} already; remove it first")
        reason = refuses_settings(self._settings)
        reason = reason or self._technique.refuses(query.window, self._settings)
        if reason:
            raise UnsupportedError(f"query {query.id!r}: {reason}")
        since = max(self._seen, self._watermark)
        missed = self._latest.copy()
        self._asked[query.id] = Asked(query, since, missed, self._group_for(query))
        self._recut()

    def remove(self, name: str) -> None:
        """Ask a query no more, and release what only it needed."""
        if name not in self._asked:
            raise InvalidInputError(f"there is no query {name!r} to remove")
        group = self._asked.pop(name).group
        self._births = {at: nth for at, nth in self._births.items() if at[0] != name}
        for lane in self._lanes.values():
            lane.remove(name)
        if all(one.group != group for one in self._asked.values()):
            self._lanes = {at: lane for at, lane in self._lanes.items() if at.group != group}
        self._recut()

    def take(self, step: Step, /) -> Output:
        """Take in a step on copies of the lanes that it changes: they count if nothing fails."""
        self._check_order(step.events)
        by_event = self._settings.dialect.lateness == "event"  # else every query was refused
        limit = self._watermark - self._settings.allowed_lateness if by_event else -END
        late = tuple(event for event in step.events if event.time < limit)
        changed, woken = dict[Slot, Lane](), list[Slot]()
        births = len(self._births)
        try:
            for event in step.events:
                if event.time >= limit:
                    self._observe(event, changed)
            seen = step.events[-1].time if step.events else self._seen
            watermark = max(
                self._watermark, seen, -END if step.watermark is None else step.watermark
            )
            reached = watermark if watermark < END else self._reached
            limit = watermark - self._settings.allowed_lateness
            results = self._report(Moment(watermark, reached, limit), changed, woken)
        except Exception:
            self._births = dict(islice(self._births.items(), births))
            self._sleep(woken)
            raise
        self._lanes.update(changed)
        self._sleep([*woken, *changed])
        self._latest |= {event.key: event for event in step.events}
        self._watermark, self._reached, self._seen = watermark, reached, seen
        return Output(results, late)

    def lanes(self) -> Iterator[Lane]:
        """Yield what there is for each key and group of queries."""
        yield from self._lanes.values()

    def slices(self) -> int:
        """Return how many partials are held that are not of higher order."""
        return sum(lane.slices.size for lane in self._lanes.values())

    def _check_order(self, events: tuple[Event, ...]) -> None:
        """Refuse a stream that is not in order (rule 14)."""
        for a, b in pairwise([self._seen, *(event.time for event in events)]):
            if b < a:
                message = f"this stream was declared in order, but time {b} follows {a}"
                raise InvalidInputError(message)

    def _group_for(self, query: Query) -> int:
        """Return the group of the queries that share slices with this one, or a new one."""
        for one in self._asked.values():
            if self._technique.shares and same(one.query.aggregate, query.aggregate):
                return one.group
        self._groups += 1
        return self._groups

    def _cuts(self, group: int) -> Cuts | None:
        edges = self._technique.edges
        if edges is None:
            return None
        kinds = [one.query.window for one in self._asked.values() if one.group == group]
        return Cuts(edge for kind in kinds if isinstance(kind, Sliding) for edge in edges(kind))

    def _recut(self) -> None:
        """Let lanes cut where the present queries need it."""
        for at, lane in self._lanes.items():
            lane.cuts = self._cuts(at.group)

    def _observe(self, event: Event, changed: dict[Slot, Lane]) -> None:
        first: dict[int, Query] = {}
        for one in self._asked.values():
            if one.since < event.time:
                lane = self._lane(Slot(one.group, event.key), changed)
                if one.query.id not in lane.tracks:
                    lane.tracks[one.query.id] = track_of(self._request(one, event.key))
                first.setdefault(one.group, one.query)
        for group, query in first.items():
            changed[Slot(group, event.key)].observe(event, query)

    def _request(self, one: Asked, key: Hashable) -> Request:
        """Return what a query wants to know of a key."""
        after = earliest(one.query, one.since, one.missed.get(key))
        return Request(one.query, self._settings, one.since, after, self._born(one.query.id, key))

    def _born(self, name: str, key: Hashable) -> int:
        """Return a number that grows with the first event that a query has seen of a key."""
        self._number += 1
        return self._births.setdefault((name, key), self._number)

    def _lane(self, at: Slot, changed: dict[Slot, Lane]) -> Lane:
        """Return the lane as this step may change it."""
        if at not in changed and at in self._lanes:
            changed[at] = self._lanes[at].copy()
            changed[at].begin_step()
        elif at not in changed:
            group = (one.query for one in self._asked.values() if one.group == at.group)
            store = self._technique.store(next(group).aggregate.monoid)
            joins = self._technique.edges is None
            changed[at] = Lane(Slices(store, joins=joins), self._cuts(at.group))
        return changed[at]

    def _sleep(self, slots: Iterable[Slot]) -> None:
        """Let lanes sleep until there is something to do; forget those that are idle."""
        for at in slots:
            if at in self._lanes and self._lanes[at].idle():
                del self._lanes[at]
            elif at in self._lanes:
                self._alarms.set(at, self._lanes[at].wake)

    def _report(
        self, moment: Moment, changed: dict[Slot, Lane], woken: list[Slot]
    ) -> tuple[Result, ...]:
        """Publish, in the order of rule 11."""
        woken += self._alarms.ring(moment.watermark)
        for at in woken:
            if at not in changed and at in self._lanes:
                changed[at] = self._lanes[at].copy()
        places = {name: nth for nth, name in enumerate(self._asked)}
        lines = [
            (self._sort_key(track, line, places), self._result(at, track, line))
            for at, lane in changed.items()
            for track, line in lane.report(moment)
        ]
        return tuple(result for _, result in sorted(lines, key=lambda one: one[0]))

    @staticmethod
    def _sort_key(track: Track, line: Line, places: dict[str, int]) -> tuple[object, ...]:
        told = line.told
        nth = places[track.query.id]
        return line.kind != "retracted", told.end, told.start, nth, told.row, track.born

    @staticmethod
    def _result(at: Slot, track: Track, line: Line) -> Result:
        told = line.told
        start, end, value, revision = told.start, told.end, told.value, told.revision
        return Result(track.query.id, at.key, start, end, value, line.kind, revision)
