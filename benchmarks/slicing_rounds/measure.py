"""Throughput as ratios in one run: operators take turns over the same steps; the best turn counts.

Time is CPU time of the process. First an operator processes as much of the stream as the longest
window holds, or as it can in a given time. Its answers are compared, step by step, with those of
the first operator.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from time import process_time

from muntin.conformance.output_comparison import response_difference
from muntin.spec.operator import Operator
from muntin.spec.query import Output
from muntin.spec.stream import Step
from rounds.clock import DisagreementError, collector_off, rotated
from slicing_rounds.implementations import MeasuredOperator
from slicing_rounds.workload import LONGEST, SECOND, Workload

AGGREGATES = (
    "sum", "count", "min", "max", "maxcount", "mean", "std_pop", "m4", "median", "percentile(90)",
)  # fmt: skip
"""Distributive, algebraic, holistic, in this order."""


@dataclass(frozen=True)
class SlicingPlan:
    """The sizes to measure, and the times of turns in seconds."""

    turn: float = 0.05
    turns: int = 3
    filling: float = 0.2
    longest_step: float = 0.3
    windows: tuple[int, ...] = (1, 10, 100, 1000)
    shares: tuple[float, ...] = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9)
    delays: tuple[tuple[int, int], ...] = tuple(
        (low * SECOND, (low + 2) * SECOND) for low in range(0, 10, 2)
    )
    aggregates: tuple[str, ...] = AGGREGATES
    fill: int = LONGEST


QUICK = SlicingPlan(
    turn=0.01,
    turns=2,
    filling=0.02,
    windows=(1, 10, 100),
    shares=(0.0, 0.2, 0.9),
    delays=((0, 2 * SECOND), (8 * SECOND, 10 * SECOND)),
    aggregates=("sum", "m4", "median"),
)


@dataclass(frozen=True)
class SlicingRow:
    """The throughput of one operator in one cell."""

    workload: Workload
    implementation: str
    rate: float  # tuples a second
    filled: float  # share of the longest window processed before
    compared: int  # steps whose answers were compared
    slowest: float  # seconds of the slowest step


@dataclass
class SlicingTimer:
    """One implementation, its own place in the stream, and what it has answered."""

    name: str
    operator: Operator
    steps: Iterator[Step]
    answers: list[Output] = field(default_factory=list[Output])
    events: int = 0
    best: float = 0.0
    slowest: float = 0.0

    def run(self, seconds: float, events: float = inf) -> None:
        """Process steps for some seconds, at least one; keep the throughput if it is the best."""
        spent, processed = 0.0, 0
        for step in self.steps:
            start = process_time()
            self.answers.append(self.operator.take(step))
            now = process_time() - start
            spent, processed = spent + now, processed + len(step.events)
            self.slowest = max(now, self.slowest)
            if spent >= seconds or processed >= events:
                break
        self.events += processed
        self.best = max(self.best, processed / max(spent, 1e-9))


def check_answers(timers: Sequence[SlicingTimer]) -> None:
    """Compare the answers of all operators with those of the first, as far as both got."""
    for timer in timers[1:]:
        for index, (expected, actual) in enumerate(
            zip(timers[0].answers, timer.answers, strict=False)
        ):
            if difference := response_difference(expected, actual):
                raise DisagreementError(
                    f"{timer.name} does not answer step {index} as {timers[0].name}: {difference}"
                )


def cell(
    workload: Workload, implementations: Sequence[MeasuredOperator], plan: SlicingPlan
) -> list[SlicingRow]:
    """Measure all operators that support a workload, in turns."""
    built = [(entry.name, entry.build_for(workload)) for entry in implementations]
    timers = [
        SlicingTimer(name, operator, workload.steps()) for name, operator in built if operator
    ]
    filled: dict[str, float] = {}
    with collector_off():
        for timer in timers:
            timer.run(plan.filling, plan.fill)
            filled[timer.name] = min(1.0, timer.events / LONGEST)
        quick = [timer for timer in timers if timer.slowest <= plan.longest_step]
        for timer in quick:
            timer.best = 0.0
        for turn in range(plan.turns):
            for timer in rotated(quick, turn):
                timer.run(plan.turn)
    check_answers(timers)
    return [
        SlicingRow(
            workload, timer.name, timer.best, filled[timer.name], len(timer.answers), timer.slowest
        )
        for timer in timers
    ]


def sweep(
    workloads: Sequence[Workload], implementations: Sequence[MeasuredOperator], plan: SlicingPlan
) -> Iterator[SlicingRow]:
    """Yield the rows of one cell after another; slow operators get no further cells."""
    active = list(implementations)
    for workload in workloads:
        rows = cell(workload, active, plan)
        yield from rows
        slow = {row.implementation for row in rows if row.slowest > plan.longest_step}
        active = [entry for entry in active if entry.name not in slow]
