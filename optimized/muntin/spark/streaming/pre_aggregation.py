"""Partial aggregation before the shuffle: rows combined into slices where slices are few.

Task before the shuffle. A bucket reads the rows of a slice only if some may be late, for only the
bucket knows the watermark. So the rows are sent too, encoded narrow and in the order of their
slices, which hold the keys. No row is lost here, or declared late.
"""

from math import expm1
from typing import NamedTuple, Protocol

import numpy as np

from muntin.kernels.slicing.arrays import Ints
from muntin.kernels.slicing.grain import sliced
from muntin.spark.batch.slice_encoding import encode_slices, events
from muntin.spark.batch.slice_plan import SlicePlan, sliceable_windows
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, column, keys, pa, picked
from muntin.spark.execution.evaluation import columnar_operator_for
from muntin.spark.execution.internal_columns import internal_name
from muntin.spark.state.operator_state import operator_image
from muntin.spec.dialect import OURS
from muntin.spec.errors import UnsupportedError

COUNT_COLUMN = internal_name("count")
MIN_ROWS_PER_SLICE = 16
"""Slices are sent if a slice holds at least this many rows on average."""
SAMPLE_ROWS = 2**12
"""A sample of this size shows well enough whether slices are few."""


class PreAggregationConfig(Protocol):
    """The number of buckets, and the rows that a slice must hold on average to be sent."""

    @property
    def buckets(self) -> int: ...  # noqa: D102 - as above
    @property
    def min_rows_per_slice(self) -> int: ...  # noqa: D102 - as above


class PreAggregatedRows(NamedTuple):
    """The order of rows by bucket and slice, the number of rows a bucket, and the slices.

    Slices of bucket b begin at `slice_bounds[b]` and end before `slice_bounds[b + 1]`.
    """

    row_order: Ints
    row_counts: Ints
    slices: ArrowBatch
    slice_bounds: Ints

    def slices_of(self, bucket: int) -> ArrowBatch:
        """The slices of a bucket."""
        begin, end = self.slice_bounds[bucket : bucket + 2].tolist()
        return self.slices.slice(begin, end - begin)


def pre_aggregation_plan(plan: AggregationPlan) -> SlicePlan | None:
    """How rows are combined into slices; None if some window needs rows."""
    if plan.settings.dialect != OURS or sliceable_windows(plan) != plan.kinds().keys():
        return None
    groups = operator_image(columnar_operator_for(plan, "slices")).groups
    return SlicePlan(plan) if [method for _, method, _ in groups] == ["slices"] else None


def pre_aggregate(
    rows: ArrowBatch, slice_plan: SlicePlan, bucket: Ints, config: PreAggregationConfig
) -> PreAggregatedRows | None:
    """Combine rows into slices, given the bucket of each row; None if slices are too many.

    None also if an operator would refuse some row: if that row is late, no operator gets it.
    """
    try:
        return _pre_aggregate(rows, slice_plan, bucket, config)
    except UnsupportedError:
        return None


def _pre_aggregate(
    rows: ArrowBatch, slice_plan: SlicePlan, bucket: Ints, config: PreAggregationConfig
) -> PreAggregatedRows | None:
    if not is_worthwhile(rows, slice_plan, config.min_rows_per_slice):
        return None
    names, numbers = slice_plan.plan.keys, keys(rows, slice_plan.plan.keys)
    key_bucket = bucket[numbers.row]
    by_bucket = np.argsort(key_bucket, kind="stable")
    rank = np.empty_like(by_bucket)
    rank[by_bucket] = np.arange(by_bucket.size)
    batch = events(slice_plan, rows, rank[numbers.number], 0)
    runs = slice_plan.slice_edges.runs(batch)
    if runs.begins.size * config.min_rows_per_slice > rows.num_rows:
        return None
    store = sliced(batch, runs, slice_plan.parts)
    slice_bucket = key_bucket[by_bucket][runs.key]
    slice_keys = picked(rows, names, numbers.row[by_bucket][runs.key])
    columns: dict[str, object] = {name: column(slice_keys, name) for name in names}
    columns |= encode_slices(slice_plan, store) | {COUNT_COLUMN: store.cells.count}
    slices: ArrowBatch = pa.table(columns)
    bounds = np.searchsorted(slice_bucket, np.arange(config.buckets + 1))
    counts = np.bincount(key_bucket[numbers.number], minlength=config.buckets)
    return PreAggregatedRows(runs.order, counts, slices, bounds)


def is_worthwhile(rows: ArrowBatch, slice_plan: SlicePlan, min_rows_per_slice: int) -> bool:
    """Whether slices may be few enough: in a sample, some rows must share a slice.

    Of s rows in n slices, if all are as likely, n * (1 - exp(-s / n)) slices hold one.
    """
    if not min_rows_per_slice or rows.num_rows <= SAMPLE_ROWS:
        return True
    step = rows.num_rows // SAMPLE_ROWS
    names = slice_plan.plan.read
    sample_rows = picked(rows, names, np.arange(0, step * SAMPLE_ROWS, step))
    number = keys(sample_rows, slice_plan.plan.keys).number
    sample = events(slice_plan, sample_rows, number, 0)
    slices = rows.num_rows / min_rows_per_slice
    sample_slices = slice_plan.slice_edges.runs(sample).begins.size
    return sample_slices <= -slices * expm1(-SAMPLE_ROWS / slices)
