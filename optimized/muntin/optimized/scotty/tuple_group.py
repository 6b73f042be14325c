"""The queries that need tuples, and share slices which hold them."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial

from muntin.optimized.scotty.aggregate_store import BuildStore
from muntin.optimized.scotty.forgetting import needless
from muntin.optimized.scotty.group import OneByOne, Reports, Verdict
from muntin.optimized.scotty.moment import Moment
from muntin.optimized.scotty.slice import Lifted
from muntin.optimized.scotty.tiling import How, Tiling
from muntin.optimized.scotty.tuple_lane import Live, TupleLane
from muntin.optimized.scotty.tuple_view import Told, TupleView
from muntin.spec.data_driven import Punctuation, Session
from muntin.spec.denotation import earliest
from muntin.spec.errors import MuntinError
from muntin.spec.frames import Delta, State, Threshold
from muntin.spec.measure import COUNT, TIME
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Accepted, Event
from muntin.spec.window import Interval

FRAMES = (Session, Punctuation, Delta, State, Threshold)
"""Types that need nothing of what is forgotten, not even how much it was."""


@dataclass
class Keyed:
    """One key: its tuples, the views of its queries, and what these are about to publish."""

    lane: TupleLane
    views: dict[str, TupleView]
    unranked: list[str]
    due: dict[str, dict[Interval, Told]] = field(default_factory=dict[str, dict[Interval, Told]])


class TupleGroup(OneByOne):
    """Windows that tuples make or move: their edges are found anew from the tuples kept."""

    def __init__(
        self, settings: Settings, how: How, build: BuildStore, *, by_arrival: bool
    ) -> None:
        """Start without queries."""
        super().__init__(settings)
        self._how, self._build, self._by_arrival = how, build, by_arrival
        self.keyed: dict[Hashable, Keyed] = {}
        self._missed: dict[str, Mapping[Hashable, Event]] = {}
        self._new: list[Hashable] = []
        self._unranked: dict[Hashable, list[str]] = {}

    def add(self, query: Query, since: float, missed: Mapping[Hashable, Event]) -> None:
        """Let a further query share the slices."""
        self.queries[query.id], self.since[query.id] = query, since
        self._missed[query.id] = missed
        for one in self.keyed.values():
            one.views[query.id] = self._view(query, one.lane.key)
            one.unranked.append(query.id)

    def _view(self, query: Query, key: Hashable) -> TupleView:
        missed = self._missed[query.id].get(key)
        return TupleView(query, earliest(query, self.since[query.id], missed))

    def remove(self, name: str) -> None:
        """Ask a query no more: the edges of its windows go with the next report."""
        del self.queries[name], self.since[name], self._missed[name]
        for one in self.keyed.values():
            del one.views[name]
            one.unranked = [other for other in one.unranked if other != name]

    def _of(self, key: Hashable) -> Keyed:
        if key in self.keyed:
            return self.keyed[key]
        tiling = Tiling(self._how, self._build(self._how.monoid))
        views = {q.id: self._view(q, key) for q in self.queries.values()}
        return Keyed(TupleLane(key, self.settings.dialect, tiling), views, list(views))

    def take(self, accepted: Accepted, moment: Moment) -> Verdict:
        """Add the event, if it is accepted."""
        event = accepted.event
        if event.time <= max(self.since.values()):
            return Verdict({}, [])
        one = self._of(event.key)
        accepts = {
            query.id: self._judge(one, query, accepted, moment) for query in self.queries.values()
        }
        if not any(accepts.values()):
            return Verdict(accepts, [])
        if event.key not in self.keyed:
            self.keyed[event.key] = one
            self._new.append(event.key)
        one.lane.checkpoint()
        lifted = self._lifted(one.lane, accepted, moment)
        query = next(iter(self.queries.values()))
        by_arrival = self._by_arrival
        query.guarded(f"{event}", lambda: one.lane.insert(lifted, by_arrival=by_arrival))
        self._unranked.setdefault(event.key, list(one.unranked))
        first_seen, one.unranked = one.unranked, []
        return Verdict(accepts, first_seen)

    def _lifted(self, lane: TupleLane, accepted: Accepted, moment: Moment) -> Lifted:
        """Lift an event; a window that cannot take it says so before the aggregate does."""
        try:
            return self.lift(accepted)
        except MuntinError:
            for query in self.queries.values():
                find = partial(lane.windows, query, moment.reached, accepted)
                query.guarded(f"{accepted.event}", find)
            raise

    def _judge(self, one: Keyed, query: Query, accepted: Accepted, moment: Moment) -> bool:
        """Whether some window that would hold the event is not frozen; else judge by event."""
        event, rule = accepted.event, self.settings.dialect.lateness
        on_time = rule == "never" or event.time >= moment.limit_before
        if rule != "window":
            return on_time
        if self._precedes(one.lane, query, event):
            return False

        def holding() -> list[Live]:
            found = one.lane.windows(query, moment.reached, accepted)
            line = one.lane.line(query.window.measure, moment.reached, accepted)
            at = next(i for i, p in enumerate(line.placed) if p.accepted is accepted)
            return [live for live in found if live.low <= at < live.high]

        held = query.guarded(f"{event}", holding)
        return any(live.settles > moment.limit_before for live in held) if held else on_time

    def _precedes(self, lane: TupleLane, query: Query, event: Event) -> bool:
        """Whether an event comes before a rank that was forgotten, and so in frozen windows."""
        older = lane.gone is not None and event.time < lane.gone.event.time
        return older and not self._by_arrival and query.window.measure is COUNT

    def reports(self, moment: Moment) -> list[Reports]:
        """Find the windows of every key that has news, or for which time has passed."""
        advanced = moment.now > moment.before
        return [
            report
            for one in self.keyed.values()
            if (advanced or one.lane.news) and not moment.held_back
            for report in self._reports(one, moment)
        ]

    def _reports(self, one: Keyed, moment: Moment) -> list[Reports]:
        one.lane.checkpoint()
        lane, tiling = one.lane, one.lane.tiling
        found: dict[str, dict[Interval, Live]] = {}
        for name, view in one.views.items():
            find = partial(lane.windows, view.query, moment.reached)
            lives = view.query.guarded(f"the events up to {moment.now}", find)
            found[name] = view.visible(lives, moment)
        cuts = [cut for lives in found.values() for live in lives.values() for cut in live[1:3]]
        query = next(iter(self.queries.values()))
        query.guarded("its slices", lambda: tiling.fit(cuts))
        one.due = {
            name: view.renewed(found[name], moment, tiling) for name, view in one.views.items()
        }
        return [
            Reports(name, lane.key, view.changes(one.due[name], moment))
            for name, view in one.views.items()
        ]

    def commit(self, reports: list[Reports], moment: Moment) -> None:
        """Publish, and forget tuples that are needed no more."""
        for key in dict.fromkeys(report.key for report in reports):
            one = self.keyed[key]
            for name, view in one.views.items():
                view.commit(one.due[name], moment)
            one.lane.news = False
        for one in self.keyed.values():
            one.lane.undo = None
        self._new.clear()
        self._unranked.clear()
        if moment.done > moment.done_before:
            for one in list(self.keyed.values()):
                self._forget(one, moment.done)

    def _forget(self, one: Keyed, done: float) -> None:
        """By window, in a user's measure, any event may tell that an old window has ended."""
        by_window = self.settings.dialect.lateness == "window"
        kinds = [query.window for query in self.queries.values()]
        if by_window and any(kind.measure not in (TIME, COUNT) for kind in kinds):
            return
        lines = [(kind, one.lane.line(kind.measure, done)) for kind in kinds]
        one.lane.release(min(needless(kind, line, done) for kind, line in lines))
        told = any(view.published for view in one.views.values())
        rankless = all(kind.measure is TIME and isinstance(kind, FRAMES) for kind in kinds)
        if rankless and not (told or one.lane.tiling.tiles):
            del self.keyed[one.lane.key]

    def restore(self) -> None:
        """Undo what the step has done so far."""
        for one in self.keyed.values():
            if one.lane.undo:
                one.lane.undo()
                one.lane.undo = None
        for key, unranked in self._unranked.items():
            self.keyed[key].unranked = unranked
        for key in self._new:
            del self.keyed[key]
        self._new.clear()
        self._unranked.clear()
