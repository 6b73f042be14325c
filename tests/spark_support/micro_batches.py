"""Micro-batches on the stateful processor, each compared with its steps of the denotation."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import strategies as st

from muntin.columnar.embedding import checkpoint
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.streaming import bucket
from muntin.spec.dialect import Dialect
from muntin.spec.query import Mode, Settings
from muntin.spec.stream import Step
from spark_support.cluster import Cluster
from spark_support.tables import Line, Row, denoted, dicts, event, expected, rows, same

MicroBatch = tuple[list[Row], int]
"""Rows, and by how much the watermark advances before them."""

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
    edges=st.sampled_from(["left", "right", "both"]),
)
IN_DIALECTS = st.builds(Settings, LATENESS, st.sampled_from(MODES), dialect=DIALECTS)

STORAGE = st.tuples(
    st.sampled_from([0, 10**9]), st.sampled_from([0, 1000, 2**15]), st.sampled_from([40, 2**17])
)
"""Slices are sent, or rows only; all chunks are in the chunk store, or those of small states are in
the header; a table has many chunks, or one.
"""


def check_micro_batches(
    plan: AggregationPlan,
    trace: Sequence[MicroBatch],
    min_rows_per_slice: int = 0,
    inline_limit: int = bucket.INLINE_STATE_LIMIT,
    min_chunk_bytes: int = checkpoint.MIN_CHUNK_BYTES,
) -> Cluster:
    """Run micro-batches, and compare each with its steps of the denotation.

    Slices are sent if a slice holds this many rows on average; chunks of up to `inline_limit` bytes
    are in the header of a bucket; a table is split from `min_chunk_bytes` on.
    """
    cluster = Cluster(plan, min_rows_per_slice=min_rows_per_slice)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bucket, "INLINE_STATE_LIMIT", inline_limit)
        patch.setattr(checkpoint, "MIN_CHUNK_BYTES", min_chunk_bytes)
        compare(cluster, plan, trace)
    return cluster


def compare(cluster: Cluster, plan: AggregationPlan, trace: Sequence[MicroBatch]) -> None:
    """Compare the output of each micro-batch with the denotation."""
    watermark = 0
    steps, answers = list[Step](), list[list[Line]]()
    for batch_rows, advance in trace:
        watermark += advance
        events = tuple(event(plan, row) for row in dicts(batch_rows))
        steps += [Step((), watermark if watermark > 0 else None), Step(events)]
        answers.append(cluster.step(batch_rows, watermark))
    outputs = denoted(plan, steps)
    for index, answer in enumerate(answers):
        denoted_outputs = outputs[2 * index : 2 * index + 2]
        windows = [line for line in answer if line.kind != "late"]
        late = [(line.start, line.key) for line in answer if line.kind == "late"]
        assert same(windows, expected(plan, denoted_outputs))
        assert Counter(late) == Counter(
            (e.time, e.key) for output in denoted_outputs for e in output.late
        )
