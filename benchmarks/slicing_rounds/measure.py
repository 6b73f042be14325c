"""Throughput as ratios in one run: contenders take turns at the same steps; the best turn counts.

Time is that of the process. First an operator takes as much of the stream as the longest window
holds, or as it manages in a while. What it answers is compared, step by step, with what the
first contender answers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from time import process_time

from muntin.spec.operator import Operator
from muntin.spec.query import Output
from muntin.spec.stream import Step
from rounds.clock import DisagreementError, collector_off
from slicing_rounds.contenders import Contender
from slicing_rounds.workload import LONGEST, SECOND, Workload

AGGREGATES = (
    "sum", "count", "min", "max", "maxcount", "mean", "std_pop", "m4", "median", "percentile(90)",
)  # fmt: skip
"""Distributive, algebraic, holistic, in this order."""


@dataclass(frozen=True)
class Plan:
    """How long to look, in seconds of the process; and how many windows to try."""

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


QUICK = Plan(
    turn=0.01,
    turns=2,
    filling=0.02,
    windows=(1, 10, 100),
    shares=(0.0, 0.2, 0.9),
    delays=((0, 2 * SECOND), (8 * SECOND, 10 * SECOND)),
    aggregates=("sum", "m4", "median"),
)


@dataclass(frozen=True)
class Row:
    """What a contender manages in one cell."""

    workload: Workload
    contender: str
    rate: float  # tuples a second
    filled: float  # how much of the longest window it has taken before
    compared: int  # steps whose answers were compared
    slowest: float  # seconds that a step took at most


@dataclass
class Lane:
    """One contender, its own place in the stream, and what it has answered."""

    name: str
    operator: Operator
    steps: Iterator[Step]
    answers: list[Output] = field(default_factory=list[Output])
    events: int = 0
    best: float = 0.0
    slowest: float = 0.0

    def take(self, seconds: float, events: float = inf) -> None:
        """Take steps for a while, at least one; note the throughput if it is the best."""
        spent, taken = 0.0, 0
        for step in self.steps:
            start = process_time()
            self.answers.append(self.operator.take(step))
            now = process_time() - start
            spent, taken = spent + now, taken + len(step.events)
            self.slowest = max(now, self.slowest)
            if spent >= seconds or taken >= events:
                break
        self.events += taken
        self.best = max(self.best, taken / max(spent, 1e-9))


def compared(lanes: Sequence[Lane]) -> None:
    """Hold the answers of all contenders against those of the first, as far as both came."""
    for lane in lanes[1:]:
        for nth, (wanted, got) in enumerate(zip(lanes[0].answers, lane.answers, strict=False)):
            if wanted != got:
                raise DisagreementError(
                    f"{lane.name} does not answer step {nth} as {lanes[0].name}"
                )


def cell(workload: Workload, entered: Sequence[Contender], plan: Plan) -> list[Row]:
    """Let all that serve a workload take turns."""
    asked = [(one.name, one.asked(workload)) for one in entered]
    lanes = [Lane(name, operator, workload.steps()) for name, operator in asked if operator]
    filled: dict[str, float] = {}
    with collector_off():
        for lane in lanes:
            lane.take(plan.filling, plan.fill)
            filled[lane.name] = min(1.0, lane.events / LONGEST)
        quick = [lane for lane in lanes if lane.slowest <= plan.longest_step]
        for lane in quick:
            lane.best = 0.0
        for turn in range(plan.turns):
            first = turn % max(1, len(quick))
            for lane in quick[first:] + quick[:first]:
                lane.take(plan.turn)
    compared(lanes)
    return [
        Row(workload, one.name, one.best, filled[one.name], len(one.answers), one.slowest)
        for one in lanes
    ]


def sweep(workloads: Sequence[Workload], entered: Sequence[Contender], plan: Plan) -> Iterator[Row]:
    """Yield the rows of one cell after another; who takes too long is not asked again."""
    going = list(entered)
    for workload in workloads:
        rows = cell(workload, going, plan)
        yield from rows
        slow = {row.contender for row in rows if row.slowest > plan.longest_step}
        going = [one for one in going if one.name not in slow]
