"""Slices by kernels: rows become partial aggregates where they lie, and only these are shuffled.

Between two edges of windows all rows of a key are one [Traub20]; slices are no wider than the
smallest gap, so sessions need no more than their first and last times.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from pyspark import TaskContext
from pyspark.sql import DataFrame

from muntin.spark.batch.slice_plan import SlicePlan
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution import arrow
from muntin.spark.execution.arrow import ArrowBatch, Work
from muntin.spark.execution.repartition import (
    columns_read,
    repartition_by_key,
    split_at_key_boundaries,
)
from muntin.spark.execution.result_rows import compact_schema, expand_compact, result_batches

if TYPE_CHECKING:
    from muntin.columnar.embedding import PartialSlices

BUFFERED_SLICES = 2**18
"""The slices that a worker holds before it sends them on, at least."""

ROWS = 2**40
"""More than a task has rows."""


def partial_slices(df: DataFrame, plan: AggregationPlan) -> DataFrame:
    """The slices that kernels make of each partition."""
    rows = df.select(*columns_read(plan))
    return arrow.mapped(rows, partial_aggregation_task(plan), SlicePlan(plan).schema)


def final_windows(slices: DataFrame, plan: AggregationPlan) -> DataFrame:
    """The windows of slices, which are shuffled by key."""
    by_key = repartition_by_key(slices, plan, [])
    results = arrow.mapped(by_key, final_aggregation_task(plan), compact_schema(plan))
    return expand_compact(results, plan)


def partial_aggregation_task(plan: AggregationPlan) -> Work:
    """The work on rows of one partition: slices of them."""

    def work(partition: Iterable[ArrowBatch]) -> Iterator[object]:
        context = TaskContext.get()
        slices = PendingSlices(SlicePlan(plan), (context.partitionId() if context else 0) * ROWS)
        for batch in partition:
            if batch.num_rows:
                slices.add(batch)
            if slices.size > BUFFERED_SLICES:
                yield from slices.flush()
        yield from slices.flush()

    return work


class PendingSlices:
    """The slices that a worker has made and not sent on yet."""

    def __init__(self, slicing: SlicePlan, arrival: int) -> None:
        """Start empty; the first row has this arrival number."""
        self._slicing, self._arrival = slicing, arrival
        self._slices: list[PartialSlices] = []
        self._keys: list[ArrowBatch] = []
        self.size = 0

    def add(self, batch: ArrowBatch) -> None:
        """Make slices of rows."""
        numbers = arrow.keys(batch, self._slicing.plan.keys)
        slices = self._slicing.preaggregate(batch, numbers.number, self._arrival)
        self._slices.append(slices)
        self._keys.append(arrow.picked(batch, self._slicing.plan.keys, numbers.row))
        self._arrival += batch.num_rows
        self.size += len(slices)

    def flush(self) -> Iterator[ArrowBatch]:
        """Send all slices as batches."""
        if not self.size:
            return
        joined = arrow.table(self._keys)
        numbers = arrow.keys(joined, self._slicing.plan.keys)
        offsets = np.cumsum([0, *(one.num_rows for one in self._keys)]).tolist()
        renumbered = [
            slices.with_keys(numbers.number[offset + slices.key])
            for slices, offset in zip(self._slices, offsets, strict=False)
        ]
        slices = self._slicing.layout.merge(renumbered)
        self._slices, self._keys, self.size = [], [], 0
        names = self._slicing.plan.keys
        key_rows = arrow.picked(joined, names, numbers.row[slices.key])
        columns = {name: arrow.column(key_rows, name) for name in names}
        encoded = self._slicing.encode(slices)
        yield from arrow.batches({**columns, **encoded}, self._slicing.schema)


def final_aggregation_task(plan: AggregationPlan) -> Work:
    """The work on slices that are sorted by key: windows of them."""

    def work(partition: Iterable[ArrowBatch]) -> Iterator[object]:
        slicing = SlicePlan(plan)
        for slices in split_at_key_boundaries(partition, plan.keys):
            numbers = arrow.keys(slices, plan.keys)
            merged = slicing.layout.merge([slicing.decode(slices, numbers.number)])
            results = slicing.layout.final_windows(merged)
            yield from result_batches(plan, results, slices, numbers, compactly=True)

    return work
