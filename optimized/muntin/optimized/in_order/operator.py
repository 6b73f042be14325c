"""The operator that slices ordered streams: Panes, Pairs, Pairs+ and Cutty [Carbone16].

Equality with the denotation is argued in proofs/cutty.md.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, pairwise, starmap
from typing import NamedTuple

from muntin.optimized.common.timers import TimerQueue
from muntin.optimized.common.user_code import check_query
from muntin.optimized.in_order.discretizer import track_of, unknown_window, unsupported_settings
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
    """What names a lane: a group of queries, and a key."""

    group: int
    key: Hashable


class PendingResult(NamedTuple):
    """What is to be told of a key: a line of one of its tracks."""

    key: Hashable
    track: WindowTracker
    line: Emission


@dataclass
class UncommittedStep:
    """A step that does not count yet: what it changes, and what there is to tell of it."""

    births: int
    changed: dict[KeyStateId, InOrderKeyState] = field(
        default_factory=dict[KeyStateId, InOrderKeyState]
    )
    woken: list[KeyStateId] = field(default_factory=list[KeyStateId])
    lines: list[PendingResult] = field(default_factory=list[PendingResult])


class InOrderSlicer(Persistent):
    """Many queries over one ordered stream, in one pass."""

    configuration = ("_technique",)

    def __init__(self, technique: Technique, settings: Settings = DEFAULTS) -> None:
        """Start with no query and no event."""
        self._technique, self._settings = technique, settings
        self._watermark: float = -END
        self._reached: float = -END  # the watermark, but for the end of the stream
        self._seen: float = -END
        self._latest: dict[Hashable, Event] = {}
        self._groups: dict[int, QueryGroup] = {}
        self._group_of: dict[str, int] = {}
        self._lanes: dict[KeyStateId, InOrderKeyState] = {}
        self._number = 0
        self._births: dict[tuple[str, Hashable], int] = {}  # in the order of first events
        self._alarms = TimerQueue[KeyStateId]()

    def add(self, query: Query) -> None:
        """Ask a further query: it sees what is younger than all that came."""
        check_query(query)
        if query.id in self._group_of:
            raise InvalidInputError(f"there is a query {query.id!r} already; remove it first")
        reason = unsupported_settings(self._settings)
        reason = reason or self._technique.refuses(query.window, self._settings)
        reason = reason or unknown_window(query.window)
        if reason:
            raise UnsupportedError(f"query {query.id!r}: {reason}")
        missed = {} if query.window.measure in (TIME, COUNT) else self._latest.copy()
        self.register(query, max(self._seen, self._watermark), missed)

    def register(self, query: Query, since: float, missed: Mapping[Hashable, Event]) -> None:
        """Ask a query that is not refused, and came too late for these events and their times."""
        number = self._next_number()
        at = next((at for at, group in self._groups.items() if group.takes(query)), number)
        group = self._groups.setdefault(at, QueryGroup(self._technique))
        group.asked[query.id] = GroupedQuery(query, number, since, missed)
        self._group_of[query.id] = at
        self._recut(at)

    def remove(self, name: str) -> None:
        """Ask a query no more, and release what only it needed."""
        if name not in self._group_of:
            raise InvalidInputError(f"there is no query {name!r} to remove")
        at = self._group_of[name]
        of_it = {slot: lane for slot, lane in self._lanes.items() if slot.group == at}
        self._lanes |= {slot: lane.without(name) for slot, lane in of_it.items()}
        del self._group_of[name], self._groups[at].asked[name]
        self._births = {born: nth for born, nth in self._births.items() if born[0] != name}
        self._recut(at)
        if not self._groups[at].asked:
            del self._groups[at]
            self._lanes = {slot: lane for slot, lane in self._lanes.items() if slot.group != at}

    def take(self, step: Step, /) -> Output:
        """Take in a step on copies of the lanes that it changes: they count if nothing fails."""
        self._check_order(step.events)
        by_event = self._settings.dialect.lateness == "event"  # else every query was refused
        limit = self._watermark - self._settings.allowed_lateness if by_event else -END
        late = tuple(event for event in step.events if event.time < limit)
        moment = self._moment(step)
        underway = self.begin([event for event in step.events if event.time >= limit], moment)
        self.commit(underway, moment)
        self._latest |= {event.key: event for event in step.events}
        self._seen = step.events[-1].time if step.events else self._seen
        lines = sorted(underway.lines, key=self._sort_key)
        return Output(tuple(starmap(self._result, lines)), late)

    def begin(self, events: Iterable[Event], moment: InOrderWatermark) -> UncommittedStep:
        """Take in events that are in time; what that changes does not count yet."""
        underway = UncommittedStep(len(self._births))
        try:
            for event in events:
                self._observe(event, underway.changed)
            self._report(moment, underway)
        except BaseException:
            self.undo(underway)
            raise
        return underway

    def undo(self, underway: UncommittedStep) -> None:
        """Leave no trace of a step."""
        self._births = dict(islice(self._births.items(), underway.births))
        for at in {*underway.woken, *underway.changed} & self._lanes.keys():
            self._lanes[at].recover()
            self._alarms.set(at, self._lanes[at].wake)

    def clear_key_order(self) -> None:
        """Forget in which order queries met keys: whoever asks this orders results himself."""
        self._births.clear()

    def lanes(self) -> Iterator[InOrderKeyState]:
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

    def _moment(self, step: Step) -> InOrderWatermark:
        """Return the watermark after a step: each event is one at its own time (rule 14)."""
        last = step.events[-1].time if step.events else -END
        watermark = max(self._watermark, last, -END if step.watermark is None else step.watermark)
        reached = watermark if watermark < END else self._reached
        return InOrderWatermark(watermark, reached, watermark - self._settings.allowed_lateness)

    def _recut(self, at: int) -> None:
        """Let lanes cut where the present queries need it."""
        for slot, lane in self._lanes.items():
            if slot.group == at:
                lane.cuts = self._groups[at].cuts()

    def _observe(self, event: Event, changed: dict[KeyStateId, InOrderKeyState]) -> None:
        for at, group in self._groups.items():
            slot = KeyStateId(at, event.key)
            lane = changed.get(slot) or self._begin(slot) or group.lane()
            for one in group.queries_seeing_first(lane, event.time):
                lane.join(track_of(self._request(one, event.key)))
            if lane.joined:
                changed[slot] = lane
                lane.observe(event)

    def _begin(self, slot: KeyStateId) -> InOrderKeyState | None:
        """Return the lane as this step may change it, if there is one."""
        if slot not in self._lanes:
            return None
        lane = self._lanes[slot].copy()
        lane.begin_step()
        return lane

    def _request(self, one: GroupedQuery, key: Hashable) -> TrackerConfig:
        """Return what a query wants to know of a key."""
        after = first_visible_start(one.query, one.since, one.missed.get(key))
        born = self._births.setdefault((one.query.id, key), self._next_number())
        return TrackerConfig(one.query, self._settings, after, born, one.nth)

    def _next_number(self) -> int:
        self._number += 1
        return self._number

    def commit(self, underway: UncommittedStep, moment: InOrderWatermark) -> None:
        """Make the changes count, and let lanes sleep; forget those that slept and are idle."""
        changed = underway.changed
        for at, lane in changed.items():
            lane.commit()
            self._lanes[at] = lane
            busy = lane.slices.has_pins or lane.wake < END
            self._alarms.set(at, lane.wake if busy else moment.watermark + 1)
        for at in underway.woken:
            if at in self._lanes and changed[at].had_no_events and self._lanes[at].idle():
                del self._lanes[at]
        self._watermark, self._reached = moment.watermark, moment.reached

    def _report(self, moment: InOrderWatermark, underway: UncommittedStep) -> None:
        """Find what there is to tell of each lane that has changed, or that an alarm wakes."""
        underway.woken += self._alarms.pop_due(moment.watermark)
        for at in underway.woken:
            if at not in underway.changed and at in self._lanes:
                underway.changed[at] = self._lanes[at].copy()
        for at, lane in underway.changed.items():
            underway.lines += [PendingResult(at.key, *told) for told in lane.report(moment)]

    @staticmethod
    def _sort_key(telling: PendingResult) -> tuple[object, ...]:
        """Return the place in the order of rule 11."""
        _, track, (kind, told) = telling
        return kind != "retracted", told.end, told.start, track.nth, told.row, track.born

    @staticmethod
    def _result(key: Hashable, track: WindowTracker, line: Emission) -> Result:
        told = line.told
        start, end, value, revision = told.start, told.end, told.value, told.revision
        return Result(track.query.id, key, start, end, value, line.kind, revision)
