"""The queries that need tuples, and share slices which hold them."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter

from muntin.optimized.common.timers import TimerQueue
from muntin.optimized.common.user_code import check_combinable
from muntin.optimized.scotty.emission.tuple_windows import EmittedTupleWindow, TupleWindows
from muntin.optimized.scotty.eviction_rules import evictable_count
from muntin.optimized.scotty.groups.base import PerEventGroup, QueryOutput
from muntin.optimized.scotty.groups.tuple_key_state import OpenWindow, TupleKeyState
from muntin.optimized.scotty.groups.user_window_state import MachineCheckpoint, evictable_prefix
from muntin.optimized.scotty.opaque_windows import FRAMES, SUFFIX_CLOSED
from muntin.optimized.scotty.slices.aggregate_store import BuildStore
from muntin.optimized.scotty.slices.slice import LiftedEvent
from muntin.optimized.scotty.slices.tuple_slices import SliceUpdatePolicy, TupleSlices
from muntin.optimized.scotty.watermark import StepWatermarks, finalization_watermark
from muntin.spec.denotation import first_visible_start
from muntin.spec.errors import MuntinError
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, AcceptedEvent, Event
from muntin.spec.windows.data_driven import Rolling
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import Interval, WindowType

STABLE_PAST = (*SUFFIX_CLOSED, *FRAMES)
"""Types of which nothing that is past is moved by an event that lies behind the watermark."""


def is_rank_independent(kind: WindowType) -> bool:
    """Whether it does not matter how many tuples there have been."""
    return isinstance(kind, FRAMES) or (isinstance(kind, Rolling) and kind.every == 1)


@dataclass
class TupleGroupKey:
    """One key: its tuples, the views of its queries, and what these are about to publish."""

    lane: TupleKeyState
    views: dict[str, TupleWindows]
    lives: dict[str, list[OpenWindow]] = field(default_factory=dict[str, list[OpenWindow]])
    due: dict[str, dict[Interval, EmittedTupleWindow]] = field(
        default_factory=dict[str, dict[Interval, EmittedTupleWindow]]
    )
    wakes: list[float] = field(default_factory=list[float])  # when windows are to be told of
    spare: tuple[int, MachineCheckpoint] = (
        0,
        MachineCheckpoint(),
    )  # how many tuples may go, and what is known behind them


class TupleGroup(PerEventGroup):
    """Windows that tuples make or move: their edges are found anew from the tuples kept."""

    def __init__(
        self, settings: Settings, how: SliceUpdatePolicy, build: BuildStore, *, by_arrival: bool
    ) -> None:
        """Start without queries."""
        super().__init__(settings)
        self._how, self._build, self._by_arrival = how, build, by_arrival
        self.keyed: dict[Hashable, TupleGroupKey] = {}
        self._missed: dict[str, Mapping[Hashable, Event]] = {}
        self._new: list[Hashable] = []
        self._patient = False
        self._alarms = TimerQueue[Hashable]()
        self._rung: list[Hashable] = []
        self._touched: dict[Hashable, TupleGroupKey] = {}
        self._asked: dict[Hashable, TupleGroupKey] = {}

    def add(self, query: Query, since: float, missed: Mapping[Hashable, Event]) -> None:
        """Let a further query share the slices: those that do have seen nothing yet."""
        self.queries[query.id], self.since[query.id] = query, since
        self._missed[query.id] = missed
        self._patient = self._may_wait()

    def _may_wait(self) -> bool:
        """Whether an event behind the watermark changes nothing that is past.

        In a user's measure it can tell that a window has ended; by window, it is judged at once.
        """
        kinds = [query.window for query in self.queries.values()]
        known = all(type(kind) in STABLE_PAST and kind.measure in (TIME, COUNT) for kind in kinds)
        return known and self.settings.dialect.lateness != "window"

    def _view(self, query: Query, key: Hashable) -> TupleWindows:
        missed = self._missed[query.id].get(key)
        return TupleWindows(query, first_visible_start(query, self.since[query.id], missed))

    def remove(self, name: str) -> None:
        """Ask a query no more: the edges of its windows go with the next report."""
        del self.queries[name], self.since[name], self._missed[name]
        for one in self.keyed.values():
            del one.views[name]

    def _of(self, key: Hashable) -> TupleGroupKey:
        if key in self.keyed:
            return self.keyed[key]
        tiling = TupleSlices(self._how, self._build(self._how.monoid))
        views = {q.id: self._view(q, key) for q in self.queries.values()}
        return TupleGroupKey(TupleKeyState(key, self.settings.dialect, tiling), views)

    def take(self, accepted: AcceptedEvent, moment: StepWatermarks) -> Mapping[str, bool]:
        """Add the event, if it is accepted."""
        event = accepted.event
        if event.time <= max(self.since.values()):
            return {}
        one = self._of(event.key)
        accepts = {
            query.id: self._judge(one, query, accepted, moment) for query in self.queries.values()
        }
        if not any(accepts.values()):
            return accepts
        if event.key not in self.keyed:
            self.keyed[event.key] = one
            self._new.append(event.key)
        self._touched[event.key] = one
        lifted = self._lifted(one.lane, accepted, moment)
        if event.time > moment.now + 1 and self._patient:
            self._check(one.lane, accepted, moment)
            one.lane.defer(lifted)
        else:
            one.lane.checkpoint()
            self._insert(one.lane, lifted)
        return accepts

    def _lifted(
        self, lane: TupleKeyState, accepted: AcceptedEvent, moment: StepWatermarks
    ) -> LiftedEvent:
        """Lift an event; a window that cannot take it says so before the aggregate does."""
        query = next(iter(self.queries.values()))
        try:
            lifted = self.lift(accepted)
            query.call_user_code(
                f"{accepted.event}", lambda: check_combinable(self._how.monoid, lifted.partial)
            )
        except MuntinError:
            for query in self.queries.values():
                find = partial(lane.windows, query, moment.reached, accepted)
                query.call_user_code(f"{accepted.event}", find)
            raise
        return lifted

    def _check(self, lane: TupleKeyState, accepted: AcceptedEvent, moment: StepWatermarks) -> None:
        """Refuse an event that a window cannot take, though its place does not matter yet."""
        alone = TupleKeyState(lane.key, self.settings.dialect, lane.tiling.empty())
        for query in self.queries.values():
            find = partial(alone.windows, query, moment.reached, accepted)
            query.call_user_code(f"{accepted.event}", find)

    def _insert(self, lane: TupleKeyState, *further: LiftedEvent) -> None:
        """Put tuples into slices: those that could not matter until now, and further ones."""
        query, by_arrival = next(iter(self.queries.values())), self._by_arrival
        for lifted in [*lane.deferred(by_arrival=by_arrival), *further]:
            insert = partial(lane.insert, lifted, by_arrival=by_arrival)
            query.call_user_code(f"{lifted.accepted.event}", insert)

    def _judge(
        self, one: TupleGroupKey, query: Query, accepted: AcceptedEvent, moment: StepWatermarks
    ) -> bool:
        """Whether some window that would hold the event is not frozen; else judge by event."""
        event, rule = accepted.event, self.settings.dialect.lateness
        on_time = rule == "never" or event.time >= moment.limit_before
        if rule != "window":
            return on_time
        if self._precedes(one.lane, query, event):
            return False

        def holding() -> list[OpenWindow]:
            found = one.lane.windows(query, moment.reached, accepted)
            line = one.lane.line(query.window.measure, moment.reached, accepted)
            at = next(i for i, p in enumerate(line.events) if p.accepted is accepted)
            return [live for live in found if live.low <= at < live.high]

        held = query.call_user_code(f"{event}", holding)
        return any(live.settles > moment.limit_before for live in held) if held else on_time

    def _precedes(self, lane: TupleKeyState, query: Query, event: Event) -> bool:
        """Whether an event comes before a rank that was forgotten, and so in frozen windows."""
        older = lane.gone is not None and event.time < lane.gone.event.time
        return older and not self._by_arrival and query.window.measure is COUNT

    def outputs(self, moment: StepWatermarks) -> list[QueryOutput]:
        """Find the windows of every key that has news, or for which it is time."""
        self._rung += self._alarms.pop_due(moment.now)
        news = [key for key, one in self._touched.items() if one.lane.news]
        if moment.held_back:
            for key in news:
                self._found(self.keyed[key], moment)
            return []
        woken = [key for key in self._rung if key in self.keyed]
        self._asked = {key: self.keyed[key] for key in (*news, *woken)}
        return [report for one in self._asked.values() for report in self._reports(one, moment)]

    def _reports(self, one: TupleGroupKey, moment: StepWatermarks) -> list[QueryOutput]:
        one.lane.checkpoint()
        self._insert(one.lane)
        lane, tiling = one.lane, one.lane.tiling
        found: dict[str, dict[Interval, OpenWindow]] = {}
        one.wakes.clear()
        counts = list[tuple[int, MachineCheckpoint]]()
        one.lives = self._found(one, moment)
        for name, view in one.views.items():
            lives = one.lives[name]
            found[name] = view.visible(lives, moment)
            one.wakes += view.emission_watermarks(lives, moment)
            may_go = partial(self._needless, lane, view.query.window, lives, moment.done)
            counts.append(view.query.call_user_code(f"the events up to {moment.now}", may_go))
        one.spare = min(counts, key=itemgetter(0))
        cuts = [cut for lives in found.values() for live in lives.values() for cut in live[1:3]]
        query = next(iter(self.queries.values()))
        query.call_user_code("its slices", lambda: tiling.fit(cuts))
        one.due = {
            name: view.renewed(found[name], moment, tiling) for name, view in one.views.items()
        }
        return [
            QueryOutput(name, lane.key, view.changes(one.due[name], moment))
            for name, view in one.views.items()
        ]

    def _found(self, one: TupleGroupKey, moment: StepWatermarks) -> dict[str, list[OpenWindow]]:
        """Return the windows of each query, or say which cannot take what came."""
        found: dict[str, list[OpenWindow]] = {}
        for name, view in one.views.items():
            find = partial(one.lane.windows, view.query, moment.reached)
            found[name] = view.query.call_user_code(f"the events up to {moment.now}", find)
        return found

    def commit(self, reports: list[QueryOutput], moment: StepWatermarks) -> None:
        """Publish, forget tuples that are needed no more, and set alarms anew."""
        del reports
        for key, one in self._touched.items():
            if one.lane.pending:
                nearest = min(lifted.accepted.event.time for lifted in one.lane.pending)
                self._alarms.set(key, nearest - 1)
        if moment.held_back:
            self._rung += [key for key, one in self._touched.items() if one.lane.news]
        else:
            self._rung.clear()
        for one in (*self._touched.values(), *self._asked.values()):
            one.lane.commit()
        for one in self._asked.values():
            for name, view in one.views.items():
                view.commit(one.due[name], one.lives.pop(name), moment)
            one.lane.news = False
            self._forget(one)
            self._set_alarm(one, moment)
        self._end()

    def _end(self) -> None:
        self._new.clear()
        self._touched.clear()
        self._asked = {}

    def _set_alarm(self, one: TupleGroupKey, moment: StepWatermarks) -> None:
        """Wake a key when a window is to be told of, or something may be forgotten."""
        settling = [
            told.said.settles for view in one.views.values() for told in view.published.values()
        ]
        newest = max((entry.accepted.event.time for entry in one.lane.entries), default=-END)
        places = [at for at in (*settling, newest + 1) if at > moment.done]
        waits = newest > -END and moment.done < END and not (places or one.wakes)
        if waits:  # for what some type needs longer: ever more rarely
            places = [2 * moment.done - newest]
        later = [finalization_watermark(self.settings, at) for at in places]
        if one.lane.key in self.keyed and (later or one.wakes):
            self._alarms.set(one.lane.key, min(*later, *one.wakes, END))

    def _needless(
        self, lane: TupleKeyState, kind: WindowType, lives: Sequence[OpenWindow], done: float
    ) -> tuple[int, MachineCheckpoint]:
        """Return how many of the oldest tuples a query does not need, and what it knows of them.

        By window, in a user's measure, any event may tell that an old window has ended.
        """
        by_window = self.settings.dialect.lateness == "window"
        if by_window and kind.measure not in (TIME, COUNT):
            return 0, lane.front
        line = lane.line(kind.measure, done)
        if isinstance(kind, UserWindow | UserTrigger):
            needed = [live.low for live in lives if live.settles > done]
            return evictable_prefix(kind, line, lane.front, done, needed)
        return evictable_count(kind, line, done), lane.front

    def _forget(self, one: TupleGroupKey) -> None:
        """Let go of tuples, and of a key that has none and was never counted."""
        one.lane.release(*one.spare)
        told = any(view.published for view in one.views.values())
        kinds = [query.window for query in self.queries.values()]
        rankless = all(kind.measure is TIME and is_rank_independent(kind) for kind in kinds)
        if rankless and not (told or one.lane.tiling.tiles):
            del self.keyed[one.lane.key]

    def restore(self) -> None:
        """Undo what the step has done so far."""
        for one in (*self._touched.values(), *self._asked.values()):
            one.lane.restore()
        for key in self._new:
            del self.keyed[key]
        self._end()
