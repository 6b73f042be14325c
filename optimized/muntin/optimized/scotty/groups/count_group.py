"""Queries that count tuples: tumbling and sliding windows of ranks share the slices of a key.

What a step does depends on its tuples, on the windows that end, and on the slices behind a late
tuple; not on how many tuples, queries or keys there are. Proofs: proofs/scotty.md, C1 to C4.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from muntin.optimized.common.timers import TimerQueue
from muntin.optimized.scotty.emission.window_manager import EmittedResult, ResultChange
from muntin.optimized.scotty.groups.base import LatenessVotes, QueryOutput, SliceGroup
from muntin.optimized.scotty.groups.count_key_state import CountKeyState, CountSliceRequirements
from muntin.optimized.scotty.slices.aggregate_store import BuildStore
from muntin.optimized.scotty.slices.count_slices import CountEdges
from muntin.optimized.scotty.undo_log import UndoLog
from muntin.optimized.scotty.watermark import (
    StepWatermarks,
    emission_watermark,
    finalization_watermark,
)
from muntin.spec.query import ChangeKind, Query, Settings
from muntin.spec.stream import END, AcceptedEvent, Event
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.window import Interval


class DueWindows(NamedTuple):
    """What is to be told of a key: the slices with which new and with which changed windows end."""

    new: list[int]
    again: list[int]
    silent: list[int]  # frozen before they were full; or full too late, where none is told late


@dataclass
class StepTargets:
    """The keys that a step may concern, and what is to be told of them."""

    lanes: dict[Hashable, CountKeyState] = field(default_factory=dict[Hashable, CountKeyState])
    due: dict[Hashable, DueWindows] = field(default_factory=dict[Hashable, DueWindows])


class CountGroup(SliceGroup):
    """Count windows, in event order or in order of arrival. They are never retracted."""

    def __init__(self, settings: Settings, plan: CountSliceRequirements, build: BuildStore) -> None:
        """Start without queries."""
        super().__init__(settings)
        self.plan, self._build = plan, build
        self.lanes: dict[Hashable, CountKeyState] = {}
        self._kinds = dict[str, Sliding]()
        self._closing = settings.dialect.closing_of("count")
        self._since: float = -END
        self._longest = 0
        self._log = UndoLog()
        self._alarms = TimerQueue[Hashable]()
        self._asked = StepTargets()

    def add(self, query: Query, since: float, missed: Mapping[Hashable, Event]) -> None:
        """Let a further query share the slices: queries that see the same have seen nothing yet."""
        del missed
        self.queries[query.id], self.since[query.id], self._since = query, since, since
        kind = query.window
        self._kinds |= {query.id: kind} if isinstance(kind, Sliding) else {}
        self._longest = max(kind.size for kind in self._kinds.values())

    def remove(self, name: str) -> None:
        """Ask a query no more: slices to come have no edges of its own."""
        del self.queries[name], self.since[name], self._kinds[name]
        self._longest = max((kind.size for kind in self._kinds.values()), default=0)
        for lane in self.lanes.values() if self.queries else ():
            lane.edges = self._edges(lane.behind)

    def _edges(self, after: int) -> CountEdges:
        return CountEdges(self._kinds.items(), after)

    def ingest(
        self, batch: Sequence[AcceptedEvent], moment: StepWatermarks, ballot: LatenessVotes
    ) -> None:
        """Give events to the queries, all of which accept them or none."""
        by_window = self.settings.dialect.lateness == "window"
        for accepted in batch:
            if accepted.event.time <= self._since:
                continue
            accepts = not by_window or self._judge(accepted, moment)
            for name in self.queries if by_window else ():
                ballot.record(accepted, name, accepts=accepts)
            if accepts:
                ballot.accept(accepted)
                self._add(accepted)

    def _judge(self, accepted: AcceptedEvent, moment: StepWatermarks) -> bool:
        """Whether some window that would hold the event is not frozen; else judge by event."""
        (kind,), event = self._kinds.values(), accepted.event
        rank = self.lanes[event.key].total if event.key in self.lanes else 0
        start = rank - (rank - kind.offset) % kind.slide
        end = start + kind.size
        if start < 0 or end <= rank:
            return event.time >= moment.limit_before
        settles = event.time + 1 + max(0, self._closing) if end == rank + 1 else END
        return settles > moment.limit_before

    def _add(self, accepted: AcceptedEvent) -> None:
        """Add a tuple to its slice."""
        lifted, event = self.lift(accepted), accepted.event
        lane = self.lanes.get(event.key)
        if lane is None:
            store = self._build(self.plan.how.monoid)
            lane = CountKeyState(event.key, self.plan, store, self._edges(0), self._log)
            self.lanes[event.key] = lane
            self._log.record_undo(partial(self.lanes.__delitem__, event.key))
        self._asked.lanes[event.key] = lane
        query = next(iter(self.queries.values()))
        query.call_user_code(f"{event}", partial(lane.insert, lifted))

    def outputs(self, moment: StepWatermarks) -> list[QueryOutput]:
        """Ask the keys that have new tuples, or of which a slice is past."""
        for key in self._alarms.pop_due(moment.now):
            self._asked.lanes[key] = self.lanes[key]
        if moment.held_back:
            return []
        found = list[QueryOutput]()
        for key, lane in self._asked.lanes.items():
            due = self._asked.due[key] = self._due(lane, moment)
            changes = dict[str, list[ResultChange]]()
            for at in due.again:
                self._tell("updated", lane, at, changes)
            for at in due.new:
                self._tell("new", lane, at, changes)
            found += [QueryOutput(name, key, told) for name, told in changes.items()]
        return found

    def _due(self, lane: CountKeyState, moment: StepWatermarks) -> DueWindows:
        low, high = moment.reporting(self._closing)
        frozen, known = moment.done_before - max(0, self._closing), lane.ended
        found = dict[bool, list[int]]({True: [], False: []})
        for at in lane.end(high):
            past = lane.slices[at].past
            found[past > frozen and not (moment.only_fresh and past <= low)].append(at)
        untold = moment.only_fresh or lane.dirty is None
        return DueWindows(
            found[True], [] if untold else list(range(lane.dirty or 0, known)), found[False]
        )

    def _tell(
        self, kind: ChangeKind, lane: CountKeyState, at: int, changes: dict[str, list[ResultChange]]
    ) -> None:
        """Make a report on each window that ends with a slice."""
        one = lane.slices[at]
        revision, settles = one.revision + (kind == "updated"), one.past + max(0, self._closing)
        for name in one.cell.ending:
            if name in self.queries:
                interval = Interval(one.cell.high - self._kinds[name].size, one.cell.high)
                said = EmittedResult(self._value(name, interval, lane, at, kind), revision, settles)
                changes.setdefault(name, []).append(ResultChange(kind, interval, said))

    def _value(
        self, name: str, one: Interval, lane: CountKeyState, at: int, kind: ChangeKind
    ) -> object:
        fresh = kind == "updated" and self.settings.output == "discard"
        fold, query = lane.fold_fresh if fresh else lane.fold, self.queries[name]
        where = f"the window [{one.start}, {one.end})"
        return query.call_user_code(where, lambda: query.aggregate.lower(fold(one.start, at + 1)))

    def commit(self, reports: list[QueryOutput], moment: StepWatermarks) -> None:
        """Take it as told; release what has settled; set the alarm of each key anew."""
        del reports
        for key, lane in self._asked.lanes.items():
            if key in self._asked.due:
                new, again, silent = self._asked.due[key]
                for at in again:
                    lane.slices[at].revision += 1
                lane.told([*new, *silent])
                lane.release(moment.done - max(0, self._closing), self._longest)
            self._set_alarm(lane)
        self._asked = StepTargets()
        self._log.commit()

    def _set_alarm(self, lane: CountKeyState) -> None:
        told = emission_watermark(self.settings, lane.next_end, self._closing)
        settled = finalization_watermark(self.settings, lane.next_settled + max(0, self._closing))
        due = -END if lane.dirty is not None else min(told, settled)
        if due < END or lane.next_end < END:
            self._alarms.set(lane.key, due)

    def restore(self) -> None:
        """Undo what the step has done so far."""
        self._log.rollback()
        for key in self._asked.lanes:
            if key in self.lanes:
                self.lanes[key].forget_step()
                self._alarms.set(key, -END)
        self._asked = StepTargets()
