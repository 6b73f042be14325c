"""The queries that share slices, and the slices of each key."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from contextlib import suppress
from typing import NamedTuple

from muntin.optimized.scotty.aggregate_store import BuildStore
from muntin.optimized.scotty.calendar_view import CalendarView
from muntin.optimized.scotty.calendars import Calendar
from muntin.optimized.scotty.edges import Edges, Progression, single
from muntin.optimized.scotty.known_edges import calendar
from muntin.optimized.scotty.lane import Lane
from muntin.optimized.scotty.moment import Moment
from muntin.optimized.scotty.report import Change, View
from muntin.optimized.scotty.session_view import SessionView
from muntin.optimized.scotty.slice import Lifted
from muntin.optimized.scotty.slice_manager import Plan, SliceManager
from muntin.spec.data_driven import Session
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Accepted, Event


class Verdict(NamedTuple):
    """Whether each query that sees an event accepts it, and whose first event of the key it is."""

    accepts: dict[str, bool]
    first_seen: list[str]


class Reports(NamedTuple):
    """What a step says of one query and key."""

    query: str
    key: Hashable
    changes: list[Change]


class Group(ABC):
    """Slices that several queries share, for each key."""

    def __init__(self, settings: Settings) -> None:
        """Start without queries."""
        self.settings = settings
        self.queries: dict[str, Query] = {}
        self.since: dict[str, float] = {}

    @abstractmethod
    def add(self, query: Query, since: float, missed: Mapping[Hashable, Event]) -> None:
        """Let a further query share the slices; it has missed these last events of their keys."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Ask a query no more, and release what only it needed."""

    @abstractmethod
    def take(self, accepted: Accepted, moment: Moment) -> Verdict:
        """Give an event to the queries that accept it."""

    @abstractmethod
    def reports(self, moment: Moment) -> list[Reports]:
        """Return what is to be said at the end of a step."""

    @abstractmethod
    def commit(self, reports: list[Reports], moment: Moment) -> None:
        """Take the step for done."""

    @abstractmethod
    def restore(self) -> None:
        """Undo what the step has done so far."""

    def lift(self, accepted: Accepted) -> Lifted:
        """Lift the value of an event, or name the first of the queries, and the event."""
        query = next(iter(self.queries.values()))
        event = accepted.event
        partial = query.guarded(f"{event}", lambda: query.aggregate.lift(event.value))
        return Lifted(accepted, partial)


class TimeGroup(Group):
    """Windows in time whose edges are known beforehand, and sessions: tuples find their slice."""

    def __init__(
        self, settings: Settings, query: Query, build: BuildStore, *, stored: bool
    ) -> None:
        """Start without queries, to combine as this one does."""
        super().__init__(settings)
        monoid, inclusive = query.aggregate.monoid, settings.dialect.session_merge == "le"
        self.plan = Plan(monoid, stored=stored, inclusive=inclusive)
        self._build = build
        self._calendars = dict[str, Calendar]()
        self.lanes: dict[Hashable, Lane] = {}
        self._new: list[Hashable] = []

    def add(self, query: Query, since: float, missed: Mapping[Hashable, Event]) -> None:
        """Let a further query share the slices: its edges matter from now on."""
        del missed
        self.queries[query.id], self.since[query.id] = query, since
        found = None if since == END else calendar(query.window, self.settings.dialect, since)
        if found:
            self._calendars[query.id] = found
        self._plan()
        for lane in self.lanes.values():
            self._attach(lane, query)

    def remove(self, name: str) -> None:
        """Ask a query no more; slices that only it kept apart become one."""
        del self.queries[name], self.since[name]
        self._calendars.pop(name, None)
        self._plan()
        for key, lane in list(self.lanes.items()):
            lane.views.pop(name, None)
            lane.firsts.pop(name, None)
            lane.unranked = [one for one in lane.unranked if one != name]
            with suppress(Exception):  # a combine that raises leaves the slices as they were
                lane.slices.refit()
            if not lane.views:
                del self.lanes[key]

    def _plan(self) -> None:
        """Derive the edges and the smallest gap anew."""
        edges: list[Progression] = [e for one in self._calendars.values() for e in one.edges()]
        gaps: list[int] = []
        for name, query in self.queries.items():
            if isinstance(query.window, Session):
                gaps.append(query.window.gap)
                if -END < self.since[name] < END:
                    edges.append(single(int(self.since[name]) + 1))
        self.plan.edges = Edges(edges)
        self.plan.gap = min(gaps, default=None)

    def _attach(self, lane: Lane, query: Query) -> None:
        """Give a query its view of a key, unless it came when the stream had ended."""
        since, dialect = self.since[query.id], self.settings.dialect
        if query.id in self._calendars:
            known = self._calendars[query.id]
            lane.views[query.id] = CalendarView(query, since, dialect, known)
        elif isinstance(query.window, Session) and since < END:
            lane.views[query.id] = SessionView(query, since, dialect, query.window.gap)
        lane.unranked.append(query.id)

    def _lane(self, key: Hashable) -> Lane:
        if key in self.lanes:
            return self.lanes[key]
        slices = SliceManager(self.plan, self._build(self.plan.monoid))
        lane = Lane(key, slices, self.settings.dialect)
        for query in self.queries.values():
            self._attach(lane, query)
        return lane

    def take(self, accepted: Accepted, moment: Moment) -> Verdict:
        """Add the event to its slice, if any query accepts it."""
        event = accepted.event
        lane = self._lane(event.key)
        seeing = [view for name, view in lane.views.items() if self.since[name] < event.time]
        accepts = {view.query.id: self._judge(lane, view, accepted, moment) for view in seeing}
        accepting = {view.query.id: view for view in seeing if accepts[view.query.id]}
        if not accepting:
            return Verdict(accepts, [])
        if event.key not in self.lanes:
            self.lanes[event.key] = lane
            self._new.append(event.key)
        lane.checkpoint()
        lifted = self.lift(accepted)
        query = next(iter(accepting.values())).query
        query.guarded(f"{event}", lambda: lane.slices.add(lifted))
        return Verdict(accepts, lane.note(lifted, accepting))

    def _judge(self, lane: Lane, view: View, accepted: Accepted, moment: Moment) -> bool:
        event, rule = accepted.event, self.settings.dialect.lateness
        on_time = rule == "never" or event.time >= moment.limit_before
        if rule != "window":
            return on_time
        extent = lane.extent(view.query.id, moment.reached, event)
        verdict = view.judge(event, moment.limit_before, extent)
        return on_time if verdict is None else verdict

    def reports(self, moment: Moment) -> list[Reports]:
        """Ask every view of every key that has news, or for which time has passed."""
        advanced = moment.now > moment.before
        return [
            report
            for lane in self.lanes.values()
            if advanced or lane.news
            for report in self._reports(lane, moment)
        ]

    def _reports(self, lane: Lane, moment: Moment) -> list[Reports]:
        """Ask every view; only tuples that were late already fall into windows that had ended."""
        late = [one for one in lane.news if one.accepted.event.time <= moment.before]
        return [
            Reports(
                name,
                lane.key,
                view.changes(moment, lane.slices, late, lane.extent(name, moment.reached)),
            )
            for name, view in lane.views.items()
        ]

    def commit(self, reports: list[Reports], moment: Moment) -> None:
        """Publish, and release slices, keys and edges that are needed no more."""
        for name, key, changes in reports:
            lane = self.lanes[key]
            lane.views[name].commit(changes, moment, lane.extent(name, moment.reached))
        for key in dict.fromkeys(report.key for report in reports):
            lane = self.lanes[key]
            lane.undo = None
            if not moment.held_back:
                lane.news.clear()
            if moment.done > moment.done_before:
                self._release(lane, moment.done)
        self._new.clear()

    def _release(self, lane: Lane, done: float) -> None:
        """Drop slices; of windows without bound, fuse those that no edge to come can part."""
        lane.slices.release(lane.needed_from(done))
        opened = {name: view.open_from() for name, view in lane.views.items()}
        marks = {mark for found in opened.values() if found for mark in found}
        bounded = [lane.views[name] for name, found in opened.items() if found is None]
        if marks:
            with suppress(Exception):  # a combine that raises leaves the slices as they were
                before = min([done, *(view.needed_from(done) for view in bounded)])
                lane.slices.compact(before, marks)
        if lane.idle:
            del self.lanes[lane.key]

    def restore(self) -> None:
        """Undo what the step has done so far."""
        for lane in self.lanes.values():
            if lane.undo:
                lane.undo()
                lane.undo = None
        for key in self._new:
            del self.lanes[key]
        self._new.clear()
