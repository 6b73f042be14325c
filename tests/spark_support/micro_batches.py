"""Micro-batches on the stateful processor, each held to the steps that it stands for."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import strategies as st

from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.state import state_chunks as pieces
from muntin.spark.streaming import bucket
from muntin.spec.dialect import Dialect
from muntin.spec.query import Mode, Settings
from muntin.spec.stream import Step
from spark_support.cluster import Cluster
from spark_support.tables import Line, Row, denoted, dicts, event, expected, rows, same

MicroBatch = tuple[list[Row], int]
"""Rows, and by how much the watermark rises before them."""

TRACES = st.lists(st.tuples(rows(6), st.integers(0, 15)), min_size=1, max_size=6)
MODES: Sequence[Mode] = ("accumulate-retract", "accumulate", "discard", "final")
LATENESS = st.sampled_from([0, 0, 3, 9, 100])
SETTINGS = st.builds(Settings, LATENESS, st.sampled_from(MODES))
DIALECTS = st.builds(
    Dialect,
    st.sampled_from(["lt", "le"]),
    st.sampled_from(["gap", "last"]),
    st.sampled_from([0, 1, -1]),
    st.sampled_from(["event", "window", "never"]),
    st.sampled_from(["immediate", "next_watermark", "none"]),
    st.sampled_from(["all", "nonnegative", "floor_first"]),
    st.sampled_from(["floor", "truncate"]),
    st.sampled_from(["time", "arrival"]),
    st.sampled_from(["peers", "rows"]),
    st.sampled_from(["left", "right", "both"]),
)
IN_DIALECTS = st.builds(Settings, LATENESS, st.sampled_from(MODES), dialect=DIALECTS)

HOW = st.tuples(
    st.sampled_from([0, 10**9]), st.sampled_from([0, 1000, 2**15]), st.sampled_from([40, 2**17])
)
"""Slices are sent, or rows only; all pieces are on the shelf, or those of small states are not;
pieces are many, or one.
"""


def held_to_the_denotation(
    plan: AggregationPlan,
    trace: Sequence[MicroBatch],
    few: int = 0,
    small: int = bucket.INLINE_STATE_LIMIT,
    enough: int = pieces.ENOUGH,
) -> Cluster:
    """Run micro-batches, and compare each with the steps that it stands for.

    Slices are sent if so few rows are one; pieces of so many bytes lie in the head of a bucket;
    of what has more bytes than enough there is more than one piece.
    """
    cluster = Cluster(plan, few=few)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bucket, "INLINE_STATE_LIMIT", small)
        patch.setattr(pieces, "ENOUGH", enough)
        compare(cluster, plan, trace)
    return cluster


def compare(cluster: Cluster, plan: AggregationPlan, trace: Sequence[MicroBatch]) -> None:
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
