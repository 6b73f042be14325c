"""One contender on one trace: what it answers, and what that costs."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from time import process_time

from muntin.conformance.machines.lockstep import Response, response_to
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.differential.cost_bounds import claim
from muntin.differential.memoized_windows import memoize
from muntin.differential.plan import SPEC, DiffPlan
from muntin.optimized.common.query_sharing import Erased
from muntin.registry.lookup import operator_named
from muntin.registry.state_size import held
from muntin.spec.algebra.catalogue import named
from muntin.spec.cost import Meter
from muntin.spec.errors import UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query
from muntin.spec.stream import END


@dataclass
class RunResult:
    """What a contender answered to each step, and spent."""

    name: str
    queries: frozenset[Hashable]
    answers: list[Response] = field(default_factory=list[Response])
    meter: Meter = field(default_factory=Meter)
    seconds: float = 0.0
    slices: int = 0
    tuples: int = 0
    results: int = 0
    over: list[str] = field(default_factory=list[str])
    """The claims on cost that it broke."""
    most: dict[str, int] = field(default_factory=dict[str, int])
    """What it may spend, by count."""


@cache
def refusals(name: str, plan: DiffPlan) -> dict[str, str]:
    """Return the queries that a contender refuses, and why."""
    build, found = operator_named(name).build, dict[str, str]()
    for query in plan.queries():
        try:
            build(plan.settings()).add(query)
        except UnsupportedError as refusal:
            found[query.id] = str(refusal)
    return found


def attempt(name: str, trace: OperatorTranscript, refused: Sequence[str] = ()) -> RunResult:
    """Let a contender take a trace, with the queries that it does not refuse."""
    entry = operator_named(name)
    queries = tuple(query for query in trace.queries if query.id not in refused)
    metered = (
        name != SPEC and not entry.int64_times
    )  # compiled code combines numbers, and counts none
    done = RunResult(name, frozenset(query.id for query in queries))
    lane = _Lane(entry.build(trace.settings), done, trace)
    start = process_time()
    for query in queries:
        lane.operator.add(_put(query, name, metered=metered))
    METER.lifts = METER.combines = METER.inverts = 0  # so far claims were checked
    for turn in trace.turns:
        lane.take(turn)
    done.seconds = process_time() - start
    done.meter = replace(METER) if metered else done.meter
    lane.settle(queries, metered=metered)
    return done


def _put(query: Query, name: str, *, metered: bool) -> Query:
    """Return a query as it is put to a contender."""
    if metered:
        return replace(query, aggregate=counted(query.aggregate.name))
    return memoize(query) if name == SPEC else query


METER = Meter()
"""What all metered aggregates of this process count on, one attempt after another."""


@cache
def counted(name: str) -> Erased:
    """Return an aggregate of the catalogue that counts; the same one each time.

    So queries share slices as they do when nobody counts, and claims are checked once.
    """
    return METER.watch_aggregate(named(name))


class _Lane:
    """An operator at work on a trace."""

    def __init__(self, operator: Operator, done: RunResult, trace: OperatorTranscript) -> None:
        self.operator, self._done, self._rows = operator, done, 0
        self._claim = claim(done.name, trace.queries)
        self._limit, self._newest = -END, -END
        self._lateness = trace.settings.allowed_lateness

    def take(self, turn: TranscriptStep) -> None:
        answer = response_to(self.operator, turn)
        self._done.answers.append(answer)
        self._done.results += len(answer.results) if isinstance(answer, Output) else 0
        self._rows += len(turn.step.events)
        self._newest = max(self._newest, *(event.time for event in turn.step.events), -END)
        watermark = turn.step.watermark
        if watermark is not None and watermark < END:
            self._limit = max(self._limit, watermark - self._lateness)
            self._count()

    def _count(self) -> None:
        """Hold what is held now against its bound."""
        now = held(self.operator)
        if now is None:
            return
        self._done.slices = max(self._done.slices, now.slices)
        self._done.tuples = max(self._done.tuples, now.tuples)
        if self._claim:
            most = self._claim.slices(int(self._limit), int(self._newest), self._rows)
            self._done.most["slices"] = max(self._done.most.get("slices", 0), most)
            if now.slices > most:
                self._done.over.append(f"{now.slices} slices, and {most} are claimed")

    def settle(self, queries: Sequence[Query], *, metered: bool) -> None:
        """Hold what was spent in all against its bound."""
        spent = claim(self._done.name, queries)
        if not metered or spent is None:
            return
        done, meter = self._done, self._done.meter
        done.most["lifts"] = spent.lifts(self._rows)
        combines = spent.combines(self._rows, done.results, done.slices)
        if combines is not None:
            done.most["combines"] = combines
        for what, count in (("lifts", meter.lifts), ("combines", meter.combines)):
            if count > done.most.get(what, count):
                done.over.append(f"{count} {what}, and {done.most[what]} are claimed")
