"""The operator: acceptance, keys, queries that come and go, and steps that fail without a trace.

`take` is one step in four stages: `ingest` events into slices, compute `outputs`, order results,
`commit` each group. The operator plans each query by its workload, and lets queries that lift and
combine by the same code share slices. Proofs: proofs/scotty.md, O1 and O2.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from muntin.optimized.common.decisions import unsupported_decision
from muntin.optimized.common.query_sharing import can_share
from muntin.optimized.common.user_code import check_query
from muntin.optimized.scotty.groups.base import Batch, LatenessVotes, QueryOutput, SliceGroup
from muntin.optimized.scotty.groups.count_group import CountGroup
from muntin.optimized.scotty.groups.count_key_state import CountSliceRequirements
from muntin.optimized.scotty.groups.in_order_group import InOrderGroup
from muntin.optimized.scotty.groups.time_group import TimeGroup
from muntin.optimized.scotty.groups.tuple_group import TupleGroup
from muntin.optimized.scotty.opaque_windows import as_opaque_if_derived
from muntin.optimized.scotty.query_plan import ScottyPlan, plan_for
from muntin.optimized.scotty.slices.aggregate_store import BuildStore, LazyStore
from muntin.optimized.scotty.slices.tuple_slices import SliceUpdatePolicy
from muntin.optimized.scotty.watermark import StepWatermarks
from muntin.optimized.scotty.workload import LETTERS
from muntin.snapshot import Persistent
from muntin.spec.algebra.aggregate import AnyAggregate
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.query import DEFAULTS, Output, Query, Result, Settings
from muntin.spec.stream import END, AcceptedEvent, Event, Step, check_order
from muntin.spec.windows.measure import COUNT, TIME


@dataclass
class QueryState:
    """A query, its plan and group, and its position in the order of additions."""

    query: Query
    plan: ScottyPlan
    group: SliceGroup
    position: int


@dataclass
class SliceGroupEntry:
    """A group, and what a query must have in common with it."""

    scope: Hashable
    group: SliceGroup

    @property
    def aggregate(self) -> AnyAggregate:
        """The aggregate of the first query that is still registered."""
        return next(iter(self.group.queries.values())).aggregate


class Scotty(Persistent):
    """General stream slicing."""

    configuration = ("_build", "_letters")
    failures_change_nothing = True

    def __init__(
        self,
        settings: Settings = DEFAULTS,
        build: BuildStore = LazyStore,
        letters: tuple[object, ...] = LETTERS,
    ) -> None:
        """Start with no query. The declared facts of aggregates are checked on the letters."""
        self._settings, self._build, self._letters = settings, build, letters
        self._watermark: float = -END
        self._last_finite: float = -END
        self._latest_time: float = -END
        self._latest_events: dict[Hashable, Event] = {}  # of every key, forever (rule 13)
        self._arrival_count = self._added_count = 0
        self._query_states: dict[str, QueryState] = {}
        self._group_entries: list[SliceGroupEntry] = []

    def add(self, query: Query) -> None:
        """Register a query: it sees the events after all that came before."""
        check_query(query)
        if query.id in self._query_states:
            raise InvalidInputError(f"there is a query {query.id!r} already; remove it first")
        if reason := unsupported_decision(query.window, self._settings.dialect):
            raise UnsupportedError(f"query {query.id!r}: {reason}")
        query = as_opaque_if_derived(query, self._settings)
        since = max(self._latest_time, self._watermark)
        plan = plan_for(query, self._settings, since, self._letters)
        self.begin_commit()
        group, timed = self._group_for(query, plan), query.window.measure in (TIME, COUNT)
        group.add(query, since, {} if timed else self._latest_events.copy())
        self._added_count += 1
        self._query_states[query.id] = QueryState(query, plan, group, self._added_count)

    @property
    def queries(self) -> list[Query]:
        """The registered queries; a type that derives from a built-in one is opaque."""
        return [state.query for state in self._query_states.values()]

    @property
    def groups(self) -> list[SliceGroup]:
        """The groups of queries that share slices."""
        return [entry.group for entry in self._group_entries]

    def explain(self) -> str:
        """Describe how each query is served, and which queries share slices."""
        lines = list[str]()
        for name, state in self._query_states.items():
            others = ", ".join(repr(other) for other in state.group.queries if other != name)
            shares = f"slices are shared with {others}" if others else "slices of its own"
            lines += [f"query {name!r}"]
            plan_lines = state.plan.explanation(state.query, self._settings)
            lines += [f"  {line}" for line in (*plan_lines, shares)]
        return "\n".join(lines)

    def _group_for(self, query: Query, plan: ScottyPlan) -> SliceGroup:
        """The group whose slices serve the query; perhaps a new one."""
        for entry in self._group_entries:
            if entry.scope == plan.scope and can_share(entry.aggregate, query.aggregate):
                return entry.group
        commutative, by_arrival = plan.characteristics.commutative, plan.by_arrival
        policy = SliceUpdatePolicy(query.aggregate.monoid, commutative, plan.removal)
        group: SliceGroup
        if plan.in_order:
            group = InOrderGroup(self._settings, self._build)
        elif plan.slices_by_rank:
            requirements = CountSliceRequirements(policy, plan.tuples_stored, by_arrival)
            group = CountGroup(self._settings, requirements, self._build)
        elif plan.slices_hold_tuples:
            group = TupleGroup(self._settings, policy, self._build, by_arrival=by_arrival)
        else:
            group = TimeGroup(self._settings, query, self._build, stored=plan.tuples_stored)
        self._group_entries.append(SliceGroupEntry(plan.scope, group))
        return group

    def remove(self, name: str) -> None:
        """Drop a query, and the state that only it needed."""
        if name not in self._query_states:
            raise InvalidInputError(f"there is no query {name!r} to remove")
        self.begin_commit()
        self._query_states[name].group.remove(name)
        del self._query_states[name]
        self._group_entries = [other for other in self._group_entries if other.group.queries]

    def take(self, step: Step, /) -> Output:
        """Process a step, and emit the results that it changes; a failed step changes nothing."""
        latest_time, events = self._checked_latest_time(step.events), step.events
        step_watermark = -END if step.watermark is None else step.watermark
        now = max(self._watermark, step_watermark, latest_time if self._settings.in_order else -END)
        last_finite = now if now < END else self._last_finite
        output_watermarks = StepWatermarks(self._settings, self._watermark, now, last_finite)
        ingest_watermarks = StepWatermarks(self._settings, self._watermark, now, self._last_finite)
        batch = [AcceptedEvent(event, a) for a, event in enumerate(events, self._arrival_count)]
        on_time, votes = self._on_time_events(batch, ingest_watermarks), LatenessVotes()
        try:
            for entry in self._group_entries:
                entry.group.ingest(on_time, ingest_watermarks, votes)
            outputs = [(e.group, e.group.outputs(output_watermarks)) for e in self._group_entries]
        except BaseException:
            for entry in self._group_entries:
                entry.group.restore()
            raise
        late_events = self._late_events(batch, ingest_watermarks, votes)
        results = self._ordered_results([output for _, g in outputs for output in g])
        self.begin_commit()
        for group, group_outputs in outputs:
            group.commit(group_outputs, output_watermarks)
        self._record_latest_events(events)
        self._watermark, self._last_finite, self._latest_time = now, last_finite, latest_time
        self._arrival_count += len(events)
        return Output(results, late_events)

    def _checked_latest_time(self, events: Sequence[Event]) -> float:
        """The greatest event time so far; disorder is refused where order was promised."""
        latest_time = self._latest_time
        for event in events:
            if event.time > latest_time:
                latest_time = event.time
            elif self._settings.in_order and event.time < latest_time:
                check_order([latest_time, event.time])
        return latest_time

    def _on_time_events(self, batch: Batch, watermarks: StepWatermarks) -> Batch:
        """The events that are not late, if that follows from the event alone."""
        if self._settings.dialect.lateness != "event":
            return batch
        limit = watermarks.limit_before
        return [accepted for accepted in batch if accepted.event.time >= limit]

    def _late_events(
        self, batch: Batch, watermarks: StepWatermarks, votes: LatenessVotes
    ) -> tuple[Event, ...]:
        """The late events, in order of arrival."""
        if self._settings.dialect.lateness == "event":
            limit = watermarks.limit_before
            return tuple(accepted.event for accepted in batch if accepted.event.time < limit)
        return tuple(accepted.event for accepted in batch if votes.is_late(accepted))

    def _record_latest_events(self, events: Sequence[Event]) -> None:
        """Record events, on time or late: each may be the last of its key."""
        latest = self._latest_events
        for event in events:
            if event.time >= latest.get(event.key, event).time:
                latest[event.key] = event

    def _ordered_results(self, outputs: list[QueryOutput]) -> tuple[Result, ...]:
        """Results in order: retractions first, then by end, start and query (rule 11)."""
        emits_retractions = self._settings.output == "accumulate-retract"
        results: list[tuple[tuple[bool, float, int, int, int], Result]] = []
        for name, key, changes in outputs:
            if not changes:
                continue
            position = self._query_states[name].position
            for kind, (start, end, row), emitted in changes:
                if kind != "retracted" or emits_retractions:
                    result = Result(name, key, start, end, emitted.value, kind, emitted.revision)
                    results.append(((kind != "retracted", end, start, position, row), result))
        return tuple(result for _, result in sorted(results, key=itemgetter(0)))
