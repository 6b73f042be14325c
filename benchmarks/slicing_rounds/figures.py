"""The sweeps: one for each figure of [Traub20] whose shape is compared."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from slicing_rounds.implementations import READABLE
from slicing_rounds.measure import SlicingPlan
from slicing_rounds.workload import SECOND, Workload

MAX_EXPENSIVE_WINDOWS = 100
"""The most windows of sweeps whose steps are expensive."""


@dataclass(frozen=True)
class Figure:
    """A sweep: its title, its axis, its workloads, and the operators if not all take part."""

    name: str
    title: str
    along: str
    workloads: Sequence[Workload]
    only: Sequence[str] = ()


def at(workload: Workload, along: str) -> str:
    """The place of a workload on the axis of its figure.

    >>> at(Workload("17b", delays=(2000, 4000)), "delay in seconds")
    '2-4'
    """
    low, high = workload.delays
    return {
        "concurrent windows": str(workload.windows),
        "% out of order": f"{100 * workload.share:.0f}",
        "delay in seconds": f"{low // SECOND}-{high // SECOND}",
        "aggregate": workload.aggregate,
    }[along]


def figures(plan: SlicingPlan) -> list[Figure]:
    """All sweeps."""
    disorder = Workload("14", share=0.2, session=True)
    counting = replace(disorder, session=False, measure="count")
    return [*_windows(plan, disorder, counting), *_rest(plan, disorder, counting)]


def _windows(plan: SlicingPlan, disorder: Workload, counting: Workload) -> list[Figure]:
    """The sweeps along the number of windows."""
    few = [w for w in plan.windows if w <= MAX_EXPENSIVE_WINDOWS]

    def widening(
        name: str, title: str, base: Workload, windows: Sequence[int] = plan.windows
    ) -> Figure:
        loads = [replace(base, figure=name, windows=w) for w in windows]
        return Figure(name, title, "concurrent windows", loads)

    in_order, late = Workload("13"), "20 % out of order"
    single, sliding = replace(in_order, batch=1), replace(in_order, shape="sliding")
    return [
        widening("13", "in order, tumbling queries", in_order),
        widening("13-sliding", "in order, one sliding query", sliding),
        widening("13-single", "in order, tumbling queries, a tuple at a time", single, few),
        widening("14", f"{late}, tumbling queries, a session", disorder),
        widening("21", f"tumbling queries of count, {late}", counting, few),
    ]


def _rest(plan: SlicingPlan, disorder: Workload, counting: Workload) -> list[Figure]:
    """The sweeps along disorder and aggregates."""
    queries, late = "20 tumbling queries", "20 % out of order"

    def aggregating(name: str, of: str, base: Workload, only: Sequence[str]) -> Figure:
        loads = [replace(base, figure=name, aggregate=aggregate) for aggregate in plan.aggregates]
        return Figure(name, f"{queries} of {of}, {late}", "aggregate", loads, only)

    shares = [replace(disorder, figure="17a", share=share) for share in plan.shares]
    delays = [replace(disorder, figure="17b", delays=delays) for delays in plan.delays]
    in_time = replace(disorder, session=False)
    return [
        Figure("17a", f"{queries} and a session", "% out of order", shares),
        Figure("17b", f"{queries} and a session, {late}", "delay in seconds", delays),
        aggregating("18a", "time", in_time, (READABLE, "tuple-buffer", "aggregate-buckets")),
        aggregating("18b", "count", counting, (READABLE, "tuple-buffer")),
    ]
