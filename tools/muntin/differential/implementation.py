"""One implementation on one trace: its answers, and what they cost."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from time import process_time

from muntin.conformance.machines.lockstep import response_to
from muntin.conformance.output_comparison import Response
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.differential.cost_bounds import cost_bounds
from muntin.differential.plan import SPEC, DiffPlan
from muntin.registry.lookup import operator_named
from muntin.registry.state_size import StateSize, state_size
from muntin.spec.algebra.aggregate import AnyAggregate
from muntin.spec.algebra.catalogue import named
from muntin.spec.cost import Meter
from muntin.spec.dialect import Dialect
from muntin.spec.errors import UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query
from muntin.spec.stream import END
from muntin.spec.windows.measure import PositionedEvent
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.window import Interval


@dataclass
class TraceRun:
    """The answers of an implementation to each step of a trace, and their cost."""

    name: str
    queries: frozenset[Hashable]
    answers: list[Response] = field(default_factory=list[Response])
    meter: Meter = field(default_factory=Meter)
    seconds: float = 0.0
    compile_seconds: float = 0.0
    """Of the first trace that has these queries, what it took longer than the same trace again."""
    slices: int = 0
    tuples: int = 0
    results: int = 0
    violations: list[str] = field(default_factory=list[str])
    """The bounds on cost that it exceeded."""
    bounds: dict[str, int] = field(default_factory=dict[str, int])
    """The bounds, by what they count."""


@cache
def unsupported_queries(name: str, plan: DiffPlan) -> dict[str, str]:
    """The reason by query, for the queries that an implementation refuses."""
    build, reasons = operator_named(name).build, dict[str, str]()
    for query in plan.queries():
        try:
            build(plan.settings()).add(query)
        except UnsupportedError as refusal:
            reasons[query.id] = str(refusal)
    return reasons


COMPILED = set[tuple[str, frozenset[Hashable]]]()
"""The compiled implementations and queries of which this process has run a trace."""


def run_trace(name: str, trace: OperatorTranscript, unsupported: Sequence[str] = ()) -> TraceRun:
    """Run an implementation on a trace, with all queries but the unsupported ones.

    Of compiled code the first trace is run twice: to compile is not to answer.
    """
    run = _run_once(name, trace, unsupported)
    if operator_named(name).int64_times and (name, run.queries) not in COMPILED:
        COMPILED.add((name, run.queries))
        first, run = run, _run_once(name, trace, unsupported)
        run.compile_seconds = max(0.0, first.seconds - run.seconds)
    return run


def _run_once(name: str, trace: OperatorTranscript, unsupported: Sequence[str]) -> TraceRun:
    entry = operator_named(name)
    queries = tuple(query for query in trace.queries if query.id not in unsupported)
    metered = name != SPEC and not entry.int64_times  # compiled code counts no calls
    run = TraceRun(name, frozenset(query.id for query in queries))
    driver = _TraceDriver(entry.build(trace.settings), run, trace)
    start = process_time()
    for query in queries:
        if metered:
            driver.operator.add(replace(query, aggregate=metered_aggregate(query.aggregate.name)))
        else:
            driver.operator.add(memoize(query) if name == SPEC else query)
    METER.lifts = METER.combines = METER.inverts = 0  # adding a query checks its aggregate's laws
    for turn in trace.turns:
        driver.process(turn)
    run.seconds = process_time() - start
    run.meter = replace(METER) if metered else run.meter
    driver.check_totals(queries, metered=metered)
    return run


METER = Meter()
"""The meter of all metered aggregates of this process, reset for each trace."""


@cache
def metered_aggregate(name: str) -> AnyAggregate:
    """An aggregate of the catalogue that counts its calls; the same object each time.

    So queries share slices as they do without a meter, and its laws are checked once.
    """
    return METER.watch_aggregate(named(name))


class _TraceDriver:
    """Feeds a trace to an operator and compares its cost with its bounds."""

    def __init__(self, operator: Operator, run: TraceRun, trace: OperatorTranscript) -> None:
        self.operator, self._run, self._rows = operator, run, 0
        self._bounds = cost_bounds(run.name, trace.queries)
        self._limit, self._newest = -END, -END
        self._lateness = trace.settings.allowed_lateness

    def process(self, turn: TranscriptStep) -> None:
        answer = response_to(self.operator, turn)
        self._run.answers.append(answer)
        self._run.results += len(answer.results) if isinstance(answer, Output) else 0
        self._rows += len(turn.step.events)
        self._newest = max(self._newest, *(event.time for event in turn.step.events), -END)
        watermark = turn.step.watermark
        if watermark is not None and watermark < END:
            self._limit = max(self._limit, watermark - self._lateness)
            self._check_state_size()

    def _check_state_size(self) -> None:
        run, size = self._run, state_size(self.operator) or StateSize(0, 0)
        run.slices, run.tuples = max(run.slices, size.slices), max(run.tuples, size.tuples)
        if self._bounds:
            bound = self._bounds.slices(int(self._limit), int(self._newest), self._rows)
            run.bounds["slices"] = max(run.bounds.get("slices", 0), bound)
            if size.slices > bound:
                run.violations.append(f"{size.slices} slices exceed the bound of {bound}")

    def check_totals(self, queries: Sequence[Query], *, metered: bool) -> None:
        """Compare the lifts and combines of the trace with their bounds."""
        bounds = cost_bounds(self._run.name, queries)
        if not metered or bounds is None:
            return
        run, meter = self._run, self._run.meter
        run.bounds["lifts"] = bounds.lifts(self._rows)
        combines = bounds.combines(self._rows, run.results, run.slices)
        if combines is not None:
            run.bounds["combines"] = combines
        for what, count in (("lifts", meter.lifts), ("combines", meter.combines)):
            if count > run.bounds.get(what, count):
                run.violations.append(f"{count} {what} exceed the bound of {run.bounds[what]}")


@dataclass(frozen=True)
class MemoizedSliding(Sliding):
    """Sliding windows that compute the windows of a coordinate once, for one run and dialect.

    The denotation evaluates a window type for every window and event. Memoizing changes no answer,
    and makes it affordable to run the denotation itself over millions of rows.
    """

    cache: dict[int, set[int]] = field(default_factory=dict[int, set[int]], compare=False)

    def starts(self, coordinate: int, dialect: Dialect) -> set[int]:
        """The starts of the windows that contain this coordinate.

        >>> window = MemoizedSliding(4, 2)
        >>> window.starts(7, Dialect()) is window.starts(7, Dialect()), window.cache
        (True, {7: {4, 6}})
        """
        if coordinate not in self.cache:
            self.cache[coordinate] = super().starts(coordinate, dialect)
        return self.cache[coordinate]

    def holds(self, interval: Interval, at: PositionedEvent, dialect: Dialect, /) -> bool:
        """Whether the window contains the event."""
        starts = self.cache.get(at.coordinate)  # no further call: this runs per window and event
        return interval.start in (starts or self.starts(at.coordinate, dialect))


def memoize(query: Query) -> Query:
    """The same query, over memoized windows if its windows are sliding ones."""
    window = query.window
    if type(window) is not Sliding:
        return query
    memoized = MemoizedSliding(window.size, window.slide, window.offset, window.measure)
    return replace(query, window=memoized)
