"""The operator: acceptance, keys, changing queries, and steps that fail without a trace.

It derives the workload of each query, lets queries that lift and combine alike share slices, and
orders what they report. Proofs: proofs/scotty.md, O1 and O2.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from muntin.optimized.common.query_sharing import Erased, shareable
from muntin.optimized.common.well_formed import check_query
from muntin.optimized.scotty.groups.base import LatenessVotes, QueryOutput, SliceGroup
from muntin.optimized.scotty.groups.count_group import CountGroup
from muntin.optimized.scotty.groups.count_key_state import CountSliceRequirements
from muntin.optimized.scotty.groups.in_order_group import InOrderGroup
from muntin.optimized.scotty.groups.time_group import TimeGroup
from muntin.optimized.scotty.groups.tuple_group import TupleGroup
from muntin.optimized.scotty.key_order import Cohort, KeyOrder
from muntin.optimized.scotty.opaque_windows import as_opaque_if_derived
from muntin.optimized.scotty.query_plan import ScottyPlan, strategy
from muntin.optimized.scotty.slices.aggregate_store import BuildStore, LazyStore
from muntin.optimized.scotty.slices.tuple_slices import SliceUpdatePolicy
from muntin.optimized.scotty.watermark import StepWatermarks
from muntin.optimized.scotty.workload import LETTERS
from muntin.snapshot import Persistent
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import DEFAULTS, Output, Query, Result, Settings
from muntin.spec.stream import END, AcceptedEvent, Event, Step, check_order


@dataclass
class QueryState:
    """A query, how it is served, its group, and those who accept the same events."""

    query: Query
    strategy: ScottyPlan
    group: SliceGroup
    cohort: Cohort
    nth: int


@dataclass
class SliceGroupEntry:
    """A group, and what a query must have in common with it."""

    scope: Hashable
    group: SliceGroup

    @property
    def aggregate(self) -> Erased:
        """The aggregate of the first query that is still asked."""
        return next(iter(self.group.queries.values())).aggregate


class Scotty(Persistent):
    """General stream slicing."""

    configuration = ("_build", "_letters")

    def __init__(
        self,
        settings: Settings = DEFAULTS,
        build: BuildStore = LazyStore,
        letters: tuple[object, ...] = LETTERS,
    ) -> None:
        """Start with no query. On the letters the declared facts of aggregates are checked."""
        self._settings, self._build, self._letters = settings, build, letters
        self._before: float = -END
        self._reached: float = -END
        self._seen: float = -END
        self._ranks = KeyOrder()
        self._arrivals = self._added = 0
        self._running: dict[str, QueryState] = {}
        self._shared: list[SliceGroupEntry] = []

    def add(self, query: Query) -> None:
        """Ask a further query: it sees what is younger than all that came."""
        check_query(query)
        if query.id in self._running:
            raise InvalidInputError(f"there is a query {query.id!r} already; remove it first")
        query, since = as_opaque_if_derived(query, self._settings), max(self._seen, self._before)
        found = strategy(query, self._settings, since, self._letters)
        missed = self._ranks.missed(query)
        group = self._group(query, found)
        group.add(query, since, missed)
        by_window = self._settings.dialect.lateness == "window"
        self._added += 1
        cohort = Cohort(since, query.id if by_window else None)
        self._ranks.add(cohort)
        self._running[query.id] = QueryState(query, found, group, cohort, self._added)

    @property
    def queries(self) -> list[Query]:
        """What is asked; a type that derives from a known one is told apart."""
        return [one.query for one in self._running.values()]

    @property
    def groups(self) -> list[SliceGroup]:
        """The groups of queries that share slices."""
        return [one.group for one in self._shared]

    def explain(self) -> str:
        """Say how each query is served, and which share slices."""
        told = list[str]()
        for name, one in self._running.items():
            others = [repr(other) for other in one.group.queries if other != name]
            shares = (
                f"slices are shared with {', '.join(others)}" if others else "slices of its own"
            )
            lines = one.strategy.lines(one.query, self._settings)
            told += [f"query {name!r}", *(f"  {line}" for line in lines)]
            told.append(f"  {shares}")
        return "\n".join(told)

    def _group(self, query: Query, found: ScottyPlan) -> SliceGroup:
        """Return the group that has the slices of such a query; perhaps a new one."""
        for shared in self._shared:
            if shared.scope == found.scope and shareable(shared.aggregate, query.aggregate):
                return shared.group
        how = SliceUpdatePolicy(query.aggregate.monoid, found.of.commutative, found.removal)
        group: SliceGroup
        if found.in_order:
            group = InOrderGroup(self._settings, self._build)
        elif found.in_ranks:
            plan = CountSliceRequirements(how, stored=found.stored, by_arrival=found.by_arrival)
            group = CountGroup(self._settings, plan, self._build)
        elif found.in_tuples:
            group = TupleGroup(self._settings, how, self._build, by_arrival=found.by_arrival)
        else:
            group = TimeGroup(self._settings, query, self._build, stored=found.stored)
        self._shared.append(SliceGroupEntry(found.scope, group))
        return group

    def remove(self, name: str) -> None:
        """Ask a query no more, and release what only it needed."""
        if name not in self._running:
            raise InvalidInputError(f"there is no query {name!r} to remove")
        gone = self._running[name]
        gone.group.remove(name)
        del self._running[name]
        if all(one.cohort != gone.cohort for one in self._running.values()):
            self._ranks.remove(gone.cohort)
        self._shared = [one for one in self._shared if one.group.queries]

    def take(self, step: Step, /) -> Output:
        """Take in a step, and say what it changes; a step that fails changes nothing."""
        seen, events = self._in_order(step.events), step.events
        given = -END if step.watermark is None else step.watermark
        now = max(self._before, given, seen if self._settings.in_order else -END)
        reached = now if now < END else self._reached
        moment = StepWatermarks(self._settings, self._before, now, reached)
        asked = StepWatermarks(self._settings, self._before, now, self._reached)
        batch = [AcceptedEvent(event, nth) for nth, event in enumerate(events, self._arrivals)]
        in_time, ballot = self._in_time(batch, asked), LatenessVotes()
        try:
            for one in self._shared:
                one.group.ingest(in_time, asked, ballot)
            reports = [(one.group, one.group.outputs(moment)) for one in self._shared]
        except BaseException:
            for one in self._shared:
                one.group.restore()
            raise
        late = self._meet(batch, in_time, asked, ballot)
        results = self._results([report for _, found in reports for report in found])
        for group, found in reports:
            group.commit(found, moment)
        self._before, self._reached, self._seen = now, reached, seen
        self._arrivals += len(events)
        return Output(results, late)

    def _in_order(self, events: Sequence[Event]) -> float:
        """Return the greatest time so far; refuse disorder where order was promised."""
        seen = self._seen
        for event in events:
            if event.time > seen:
                seen = event.time
            elif self._settings.in_order and event.time < seen:
                check_order([seen, event.time])
        return seen

    def _in_time(
        self, batch: Sequence[AcceptedEvent], moment: StepWatermarks
    ) -> Sequence[AcceptedEvent]:
        """Return the events that are not late, if that can be said of the event alone."""
        if self._settings.dialect.lateness != "event":
            return batch
        limit = moment.limit_before
        return [accepted for accepted in batch if accepted.event.time >= limit]

    def _meet(
        self,
        batch: Sequence[AcceptedEvent],
        in_time: Sequence[AcceptedEvent],
        moment: StepWatermarks,
        ballot: LatenessVotes,
    ) -> tuple[Event, ...]:
        """Note the keys of events, and return those that are late."""
        rule, limit = self._settings.dialect.lateness, moment.limit_before
        for accepted in in_time:
            self._ranks.record_key(accepted.event, ballot.refusing(accepted))
        for accepted in batch:
            self._ranks.record_latest_event(accepted.event)
        if rule == "event":
            return tuple(one.event for one in batch if one.event.time < limit)
        return tuple(one.event for one in batch if ballot.late(one))

    def _results(self, reports: list[QueryOutput]) -> tuple[Result, ...]:
        """Order what is said: retractions first, then by end, start, query, and key."""
        told = self._settings.output == "accumulate-retract"
        results: list[tuple[tuple[bool, float, int, int, int, int], Result]] = []
        for name, key, changes in reports:
            if not changes:
                continue
            running = self._running[name]
            nth, place = running.nth, self._ranks.of(running.cohort, key)
            for kind, (start, end, row), said in changes:
                if kind != "retracted" or told:
                    result = Result(name, key, start, end, said.value, kind, said.revision)
                    at = (kind != "retracted", end, start, nth, row, place)
                    results.append((at, result))
        return tuple(result for _, result in sorted(results, key=itemgetter(0)))
