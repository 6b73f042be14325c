"""Micro-batches on the stateful processor, each held to the steps that it stands for."""

from collections import Counter
from collections.abc import Sequence

import pytest

from muntin.spark import bucket
from muntin.spark.plan import Plan
from muntin.spec.stream import Step
from spark_support.cluster import Cluster
from spark_support.tables import Line, Row, denoted, dicts, event, expected, same

MicroBatch = tuple[list[Row], int]
"""Rows, and by how much the watermark rises before them."""


def held_to_the_denotation(
    plan: Plan, trace: Sequence[MicroBatch], few: int = 0, small: int = bucket.SMALL
) -> Cluster:
    """Run micro-batches, and compare each with the steps that it stands for.

    Slices are sent if so few rows are one; pieces of so many bytes lie in the head of a bucket.
    """
    cluster = Cluster(plan, few=few)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bucket, "SMALL", small)
        compare(cluster, plan, trace)
    return cluster


def compare(cluster: Cluster, plan: Plan, trace: Sequence[MicroBatch]) -> None:
    """Compare what a cluster says with the denotation."""
    watermark = 0
    steps, answers = list[Step](), list[list[Line]]()
    for given_rows, rise in trace:
        watermark += rise
        events = tuple(event(plan, row) for row in dicts(given_rows))
        steps += [Step((), watermark if watermark > 0 else None), Step(events)]
        answers.append(cluster.step(given_rows, watermark))
    outputs = denoted(plan, steps)
    for nth, answer in enumerate(answers):
        mine = outputs[2 * nth : 2 * nth + 2]
        told = [line for line in answer if line.kind != "late"]
        late = [(line.start, line.key) for line in answer if line.kind == "late"]
        assert same(told, expected(plan, mine))
        assert Counter(late) == Counter((e.time, e.key) for one in mine for e in one.late)
