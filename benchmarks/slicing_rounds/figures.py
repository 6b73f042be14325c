"""The sweeps: one for each figure of [Traub20] whose shape is looked for here."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from slicing_rounds.contenders import READABLE
from slicing_rounds.measure import Plan
from slicing_rounds.workload import SECOND, Workload

FEW = 100
"""The most windows where a step is dear."""


@dataclass(frozen=True)
class Figure:
    """A sweep: what it shows, along what, and who takes part."""

    name: str
    title: str
    along: str
    workloads: Sequence[Workload]
    only: Sequence[str] = ()


def at(workload: Workload, along: str) -> str:
    """Return the place of a workload on the axis of its figure.

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


def figures(plan: Plan) -> list[Figure]:
    """Return all sweeps."""
    by, disorder = "concurrent windows", Workload("14", share=0.2, session=True)
    few = [w for w in plan.windows if w <= FEW]
    counting = replace(disorder, session=False, measure="count")

    def widening(
        name: str, base: Workload, windows: Sequence[int] = plan.windows
    ) -> list[Workload]:
        return [replace(base, figure=name, windows=w) for w in windows]

    def aggregating(name: str, base: Workload) -> list[Workload]:
        return [replace(base, figure=name, aggregate=one) for one in plan.aggregates]

    best = (READABLE, "tuple-buffer", "aggregate-buckets")
    return [
        Figure("13", "in order, tumbling queries", by, widening("13", Workload("13"))),
        Figure(
            "13-sliding",
            "in order, one sliding query",
            by,
            widening("13-sliding", Workload("13", shape="sliding")),
        ),
        Figure(
            "13-single",
            "in order, tumbling queries, a tuple at a time",
            by,
            widening("13-single", Workload("13", batch=1), few),
        ),
        Figure(
            "14", "20 % out of order, tumbling queries, a session", by, widening("14", disorder)
        ),
        Figure(
            "17a",
            "20 tumbling queries and a session",
            "% out of order",
            [replace(disorder, figure="17a", share=share) for share in plan.shares],
        ),
        Figure(
            "17b",
            "20 tumbling queries and a session, 20 % out of order",
            "delay in seconds",
            [replace(disorder, figure="17b", delays=delays) for delays in plan.delays],
        ),
        Figure(
            "18a",
            "20 tumbling queries of time, 20 % out of order",
            "aggregate",
            aggregating("18a", replace(disorder, session=False)),
            best,
        ),
        Figure(
            "18b",
            "20 tumbling queries of count, 20 % out of order",
            "aggregate",
            aggregating("18b", counting),
            (READABLE, "tuple-buffer"),
        ),
        Figure(
            "21", "tumbling queries of count, 20 % out of order", by, widening("21", counting, few)
        ),
    ]
