"""Slices before the shuffle: what a task sends to buckets is few slices, and the rows beside them.

Where slices are few, a bucket looks at no row, unless a slice holds some that may be late: only it
knows the watermark. So rows travel too, narrow and in the order of their slices, which say the keys
of all. Nothing is lost or judged here.
"""

from math import expm1
from typing import NamedTuple, Protocol

import numpy as np

from muntin.kernels.slicing.arrays import Ints
from muntin.kernels.slicing.grain import sliced
from muntin.spark.batch.slice_encoding import encode_slices, events
from muntin.spark.batch.slice_plan import SlicePlan
from muntin.spark.batch.slice_plan import sliceable_windows as made_of_slices
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import Table, column, keys, pa, picked
from muntin.spark.execution.evaluation import columnar_operator_for
from muntin.spark.execution.internal_columns import internal_name
from muntin.spark.state.idle_keys import image_of
from muntin.spec.dialect import OURS
from muntin.spec.errors import UnsupportedError

COUNT = internal_name("count")
MIN_ROWS_PER_SLICE = 16
"""Slices are sent if each holds at least so many rows on average."""
SAMPLE = 2**12
"""So many rows tell, by and large, whether slices are few."""


class PreAggregationConfig(Protocol):
    """How many buckets there are, and how many rows a slice that is sent has to hold."""

    @property
    def buckets(self) -> int: ...  # noqa: D102 - as said
    @property
    def few(self) -> int: ...  # noqa: D102 - as said


class PreAggregatedRows(NamedTuple):
    """The order of rows by bucket and slice, how many each bucket gets, and the slices of each."""

    order: Ints
    rows: Ints
    slices: Table
    bounds: Ints

    def of(self, bucket: int) -> Table:
        """Return the slices of a bucket."""
        begin, end = self.bounds[bucket : bucket + 2].tolist()
        return self.slices.slice(begin, end - begin)


def slicing_of(plan: AggregationPlan) -> SlicePlan | None:
    """Return how slices are made before the shuffle, if all windows can be made of such."""
    if plan.settings.dialect != OURS or made_of_slices(plan) != plan.kinds().keys():
        return None
    groups = image_of(columnar_operator_for(plan, "slices")).groups
    return SlicePlan(plan) if [how for _, how, _ in groups] == ["slices"] else None


def cut(
    rows: Table, slicing: SlicePlan, place: Ints, packing: PreAggregationConfig
) -> PreAggregatedRows | None:
    """Return the slices of rows, given the bucket of each row; None if they are too many.

    None also if an operator would refuse some row: if it is late, no operator sees it.
    """
    try:
        return _cut(rows, slicing, place, packing)
    except UnsupportedError:
        return None


def _cut(
    rows: Table, slicing: SlicePlan, place: Ints, packing: PreAggregationConfig
) -> PreAggregatedRows | None:
    if not is_worthwhile(rows, slicing, packing.few):
        return None
    names, found = slicing.plan.keys, keys(rows, slicing.plan.keys)
    where = place[found.row]
    by_bucket = np.argsort(where, kind="stable")
    number = np.empty_like(by_bucket)
    number[by_bucket] = np.arange(by_bucket.size)
    batch = events(slicing, rows, number[found.number], 0)
    runs = slicing.slice_edges.runs(batch)
    if runs.begins.size * packing.few > rows.num_rows:
        return None
    store = sliced(batch, runs, slicing.parts)
    bucket_of = where[by_bucket][runs.key]
    each = picked(rows, names, found.row[by_bucket][runs.key])
    columns: dict[str, object] = {name: column(each, name) for name in names}
    slices: Table = pa.table(columns | encode_slices(slicing, store) | {COUNT: store.cells.count})
    bounds = np.searchsorted(bucket_of, np.arange(packing.buckets + 1))
    held = np.bincount(where[found.number], minlength=packing.buckets)
    return PreAggregatedRows(runs.order, held, slices, bounds)


def is_worthwhile(rows: Table, slicing: SlicePlan, few: int) -> bool:
    """Whether slices of so many rows may be few: of a sample, some share theirs.

    Of s rows in n slices, if all are as likely, n * (1 - exp(-s / n)) slices hold one.
    """
    if not few or rows.num_rows <= SAMPLE:
        return True
    step = rows.num_rows // SAMPLE
    some = picked(rows, slicing.plan.read, np.arange(0, step * SAMPLE, step))
    sample = events(slicing, some, keys(some, slicing.plan.keys).number, 0)
    slices = rows.num_rows / few
    return slicing.slice_edges.runs(sample).begins.size <= -slices * expm1(-SAMPLE / slices)
