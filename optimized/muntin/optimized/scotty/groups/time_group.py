"""Queries whose windows a tuple's time tells: all share the slices of a key.

What a step does depends on the tuples, on the windows that end, and on those that late tuples fall
into; not on how many queries or keys there are. Proofs: proofs/scotty.md, W1 to W3.
"""

from collections.abc import Hashable, Mapping, Sequence
from functools import partial

from muntin.optimized.common.blame import blame
from muntin.optimized.common.timers import TimerQueue
from muntin.optimized.scotty.emission.scheduled_windows import ScheduledWindows
from muntin.optimized.scotty.emission.session_windows import SessionWindows
from muntin.optimized.scotty.emission.window_manager import WindowManager
from muntin.optimized.scotty.groups.base import LatenessVotes, QueryOutput, SliceGroup
from muntin.optimized.scotty.groups.key_state import KeyState
from muntin.optimized.scotty.retention import Retention
from muntin.optimized.scotty.schedules.base import SeenRange, WindowSchedule
from muntin.optimized.scotty.schedules.fixed import schedule_for
from muntin.optimized.scotty.slices.aggregate_store import BuildStore
from muntin.optimized.scotty.slices.edges import Progression, single
from muntin.optimized.scotty.slices.slice import LiftedEvent
from muntin.optimized.scotty.slices.slice_manager import SliceManager, SliceRequirements
from muntin.optimized.scotty.undo_log import UndoLog
from muntin.optimized.scotty.watermark import (
    StepWatermarks,
    emission_watermark,
    finalization_watermark,
    max_early_emission,
)
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, AcceptedEvent, Event
from muntin.spec.windows.data_driven import Session

TimerKey = tuple[Hashable, str | None]
"""A view of a key; with None, what is settled there."""


class TimeGroup(SliceGroup):
    """Windows in time whose edges are known beforehand, and sessions."""

    def __init__(
        self, settings: Settings, query: Query, build: BuildStore, *, stored: bool
    ) -> None:
        """Start without queries, to combine as this one does."""
        super().__init__(settings)
        monoid, inclusive = query.aggregate.monoid, settings.dialect.session_merge == "le"
        self.plan = SliceRequirements(monoid, stored=stored, inclusive=inclusive)
        self.lanes: dict[Hashable, KeyState] = {}
        self.log = UndoLog()
        self._build, self._calendars = build, dict[str, WindowSchedule]()
        self._lift = query.aggregate.lift
        self._early = max_early_emission(settings.dialect)
        self._firsts = settings.dialect.first_window == "floor_first"
        self._least_since: float = END
        self._sessions = set[str]()
        self._retention = Retention(settings, {}, {}, {})
        self._stale = True
        self._alarms = TimerQueue[TimerKey]()
        self._touched = dict[Hashable, KeyState]()
        self._told_of = dict[Hashable, KeyState]()  # those with late tuples
        self._armed = list[tuple[KeyState, list[str]]]()
        self._woken = list[TimerKey]()
        self._asked = dict[tuple[Hashable, str], WindowManager]()

    def add(self, query: Query, since: float, missed: Mapping[Hashable, Event]) -> None:
        """Let a further query share the slices: its edges matter from now on."""
        del missed
        self.queries[query.id], self.since[query.id] = query, since
        found = None if since == END else schedule_for(query.window, self.settings.dialect, since)
        if found:
            self._calendars[query.id] = found
        self.plan.edges = self.plan.edges.extended(self._edges(query.id))
        self._stale = True
        for lane in self.lanes.values():
            self._attach(lane, query)

    def remove(self, name: str) -> None:
        """Ask a query no more; slices that only it kept apart become one."""
        left = (edge for one in self.queries if one != name for edge in self._edges(one))
        self.plan.edges = self.plan.edges.without(self._edges(name), left)
        del self.queries[name], self.since[name]
        self._calendars.pop(name, None)
        self._stale = True
        self._derive()
        for lane in list(self.lanes.values()):
            lane.drop(name)
            if not (lane.late_events and self._apart):
                lane.refit()
            if not lane.views:
                del self.lanes[lane.key]
                self._told_of.pop(lane.key, None)
        self.log.commit()

    @property
    def _apart(self) -> bool:
        """Whether slices stay as they were told of while late tuples are not (M8)."""
        return self.settings.output == "discard" and bool(self._sessions)

    def _edges(self, name: str) -> list[Progression]:
        """Return the edges that a query brings: a session has none but where it begins to see."""
        if name in self._calendars:
            return self._calendars[name].edges()
        since = self.since[name]
        return [single(int(since) + 1)] if -END < since < END else []

    def _derive(self) -> None:
        """Derive what is known of all queries together, if any has come or gone."""
        if not self._stale:
            return
        self._stale = False
        gaps = [q.window.gap for q in self.queries.values() if isinstance(q.window, Session)]
        self.plan.gap = min(gaps, default=None)
        self.plan.shortest = min((one.shortest for one in self._calendars.values()), default=END)
        self._sessions = self.queries.keys() - self._calendars.keys()
        self._retention = Retention(self.settings, self.queries, self.since, self._calendars)
        self._least_since = min(self.since.values(), default=END)
        self._lift = next((query.aggregate.lift for query in self.queries.values()), self._lift)

    def _attach(self, lane: KeyState, query: Query) -> None:
        """Give a query its view of a key, unless it came when the stream had ended."""
        since, dialect = self.since[query.id], self.settings.dialect
        if query.id in self._calendars:
            known = self._calendars[query.id]
            lane.views[query.id] = ScheduledWindows(query, since, dialect, known)
        elif isinstance(query.window, Session) and since < END:
            lane.views[query.id] = SessionWindows(query, since, dialect, query.window.gap)
        if query.id in lane.views:
            lane.idle_queries.add(query.id)

    def _new_lane(self, key: Hashable) -> KeyState:
        lane = KeyState(key, SliceManager(self.plan, self._build(self.plan.monoid), self.log))
        for query in self.queries.values():
            self._attach(lane, query)
        return lane

    def ingest(
        self, batch: Sequence[AcceptedEvent], moment: StepWatermarks, ballot: LatenessVotes
    ) -> None:
        """Give events to those who accept them: in time, all who see them."""
        self._derive()
        by_window, limit = self.settings.dialect.lateness == "window", moment.limit_before
        for accepted in batch:
            time = accepted.event.time
            if time <= self._least_since:
                continue
            if by_window and time < limit:
                names = self._judged(accepted, moment, ballot)
                if names:
                    self._add(accepted, moment, names)
            else:
                ballot.accept(accepted)
                self._add(accepted, moment, None)

    def _judged(
        self, accepted: AcceptedEvent, moment: StepWatermarks, ballot: LatenessVotes
    ) -> set[str]:
        """Let every view that sees a tuple judge it by window; return those that accept it."""
        event, limit = accepted.event, moment.limit_before
        lane = self.lanes.get(event.key) or self._new_lane(event.key)
        names = set[str]()
        for name, view in lane.views.items():
            if self.since[name] < event.time:
                extent = lane.extent(name, moment.reached, event)
                accepts = bool(view.is_on_time(event, limit, lane.slices, extent))
                ballot.record(accepted, name, accepts=accepts)
                names |= {name} if accepts else set[str]()
        return names

    def _changing(self, key: Hashable) -> KeyState:
        """Return the state of a key, for a step to change it."""
        lane = self.lanes.get(key)
        if lane is None:
            lane = self.lanes[key] = self._new_lane(key)
            self.log.record_undo(partial(self.lanes.__delitem__, key))
        if lane.step != self.log.step:
            lane.begin(self.log)
            self._touched[key] = lane
        return lane

    def _add(self, accepted: AcceptedEvent, moment: StepWatermarks, names: set[str] | None) -> None:
        """Add a tuple to its slice: one lift and one combine."""
        event, lane = accepted.event, self._changing(accepted.event.key)
        border = moment.before + self._early
        late = event.time < border
        told = border if self._apart and (late or lane.has_pending_links) else -END
        try:
            value = self._lift(event.value)
            lane.slices.add(accepted, value, told)
        except Exception as cause:
            seeing = next(q for q in self.queries.values() if self.since[q.id] < event.time)
            raise blame(seeing, event, cause) from cause
        lane.last = max(lane.last, event.time)
        if late:
            lane.late_events.append(LiftedEvent(accepted, value))
        if self._firsts:
            lane.record_first_time(lane.views if names is None else names, event.time)

    def outputs(self, moment: StepWatermarks) -> list[QueryOutput]:
        """Ask the views for which a window has ended, and all of the keys with late tuples."""
        for lane in self._touched.values():
            self._arm(lane, moment)
            if lane.late_events or (moment.held_back and self._apart and lane.has_pending_links):
                self._told_of[lane.key] = lane
        self._woken += self._alarms.pop_due(moment.now)
        if moment.held_back:
            return []
        rung = [(key, name) for key, name in self._woken if name is not None and key in self.lanes]
        late = [(key, name) for key, lane in self._told_of.items() for name in lane.views]
        self._asked = {
            (key, name): self.lanes[key].views[name]
            for key, name in dict.fromkeys([*rung, *late])
            if name in self.lanes[key].views
        }
        return [self._report(*at, moment) for at in self._asked]

    def _report(self, key: Hashable, name: str, moment: StepWatermarks) -> QueryOutput:
        lane = self.lanes[key]
        extent = lane.extent(name, moment.reached)
        found = self._asked[key, name].changes(moment, lane.slices, lane.late_events, extent)
        return QueryOutput(name, key, found)

    def _arm(self, lane: KeyState, moment: StepWatermarks) -> None:
        """Let views sleep no more that a new slice may concern."""
        asked = lane.affected_queries(self._sessions)
        armed = [name for name in asked if self._set_alarm(lane, name, moment)]
        self._armed.append((lane, armed))

    def _set_alarm(
        self, lane: KeyState, name: str, moment: StepWatermarks, told: SeenRange | None = None
    ) -> bool:
        """Set the alarm for the next window that ends and holds a slice, if there is one.

        What has ended with this step counts unless it has been told of, to this extent.
        """
        view = lane.views[name]
        after = moment.reporting(view.closing)[told is not None]
        due = view.due(after, lane.slices, told or lane.extent(name, moment.reached))
        if due < END:
            self._alarms.set((lane.key, name), emission_watermark(self.settings, due, view.closing))
        return due < END

    def commit(self, reports: list[QueryOutput], moment: StepWatermarks) -> None:
        """Publish; set alarms anew; release slices and keys that are needed no more."""
        for lane, names in self._armed:
            lane.idle_queries.difference_update(names)
        for report in reports:
            self._publish(report, moment)
        if moment.held_back:
            self._sleep_on()
        else:
            self._tell(moment)
        told = (key for _, key, _ in reports)
        asked = dict.fromkeys([*self._touched, *(key for key, _ in self._woken), *told])
        for lane in [self.lanes[key] for key in asked if key in self.lanes]:
            if lane.slices.inserted or moment.now >= lane.release_at:
                self._release(lane, moment.done)
            else:  # it may have rung too early
                self._alarms.set((lane.key, None), lane.release_at)
        self._end()

    def _tell(self, moment: StepWatermarks) -> None:
        """Take all late tuples for told: slices that were kept apart for them need it no more."""
        if self._apart:
            border, held = moment.before + self._early, self.settings.dialect.late_update
            for lane in (self._touched | self._told_of).values():
                lane.refit(None if held == "next_watermark" else border)
        for lane in self._told_of.values():
            lane.late_events.clear()
        self._told_of.clear()

    def _publish(self, report: QueryOutput, moment: StepWatermarks) -> None:
        name, key, changes = report
        lane = self.lanes[key]
        view = lane.views[name]
        extent = lane.extent(name, moment.reached)
        view.commit(changes, moment, extent)
        for kind, interval, said in changes:
            if kind == "new":
                lane.schedule_finalization(said.settles, name, interval)
                lane.release_at = min(
                    lane.release_at, finalization_watermark(self.settings, said.settles)
                )
        if self._set_alarm(lane, name, moment, extent):
            lane.idle_queries.discard(name)
        else:
            lane.idle_queries.add(name)

    def _end(self) -> None:
        for one in (self._touched, self._armed, self._woken, self._asked):
            one.clear()
        self.log.commit()

    def _sleep_on(self) -> None:
        """Let what has rung ring again at the next step."""
        for sleeper in self._woken:
            self._alarms.set(sleeper, -END)

    def restore(self) -> None:
        """Undo what the step has done so far."""
        self.log.rollback()
        self._sleep_on()
        self._told_of = {key: lane for key, lane in self._told_of.items() if lane.late_events}
        self._end()

    def _release(self, lane: KeyState, done: float) -> None:
        """Drop slices; of windows without bound, fuse those that no edge to come can part."""
        settled = self._retention.release(lane, done)
        if lane.idle:
            del self.lanes[lane.key]
            return
        lane.release_at = finalization_watermark(self.settings, settled)
        self._alarms.set((lane.key, None), lane.release_at)
