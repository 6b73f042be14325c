"""Batch: a DataFrame is one step that ends the stream, computed by the cheapest strategy.

Cheapest first: Spark's own group-by, if windows do not overlap; slices that the group-by makes;
slices that kernels make where rows lie; the rows themselves, shuffled by key. `explain` shows
which: HashAggregate, then none or one MapInArrow; two MapInArrow; one MapInArrow.
"""

from collections.abc import Iterable, Iterator
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from muntin.spark.batch.arrow_slices import final_windows, partial_slices
from muntin.spark.batch.slice_plan import sliceable_windows
from muntin.spark.batch.sql_slices import (
    as_disjoint_window,
    can_slice_in_sql,
    grouped_slices,
    grouped_windows,
)
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, Work, keys, mapped
from muntin.spark.execution.evaluation import evaluate
from muntin.spark.execution.repartition import (
    columns_read,
    internal_name,
    quoted,
    repartition_by_key,
    split_at_key_boundaries,
)
from muntin.spark.execution.result_rows import compact_schema, expand_compact, result_batches

ARRIVAL = internal_name("arrival")


def in_batch(df: DataFrame, plan: AggregationPlan) -> DataFrame:
    """A row for each window that holds a row.

    Windows that can be made of slices are one job, those that need the rows themselves another.
    """
    fast = sliceable_windows(plan)
    slow = {window.id for window in plan.windows} - fast
    columns = quoted(plan.schema().names)
    parts = [by_slices(df, plan.restricted_to(fast))] if fast else []
    parts += [by_rows(df, plan.restricted_to(slow))] if slow else []
    return reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), parts).select(*columns)


def by_slices(df: DataFrame, plan: AggregationPlan) -> DataFrame:
    """The windows of a plan that can be made of slices only."""
    if not can_slice_in_sql(plan):
        return final_windows(partial_slices(df, plan), plan)
    if kind := as_disjoint_window(plan):
        return grouped_windows(df, plan, kind)
    return final_windows(grouped_slices(df, plan), plan)


def by_rows(df: DataFrame, plan: AggregationPlan) -> DataFrame:
    """The windows of a plan from its rows, shuffled by key, in their order of arrival."""
    rows = df.select(*columns_read(plan)).withColumn(ARRIVAL, f.monotonically_increasing_id())
    by_key = repartition_by_key(rows, plan, [ARRIVAL])
    return expand_compact(mapped(by_key, evaluation_task(plan), compact_schema(plan)), plan)


def evaluation_task(plan: AggregationPlan) -> Work:
    """The work on rows that are sorted by key."""

    def work(batches: Iterable[ArrowBatch]) -> Iterator[object]:
        for rows in split_at_key_boundaries(batches, plan.keys):
            numbers = keys(rows, plan.keys)
            results = evaluate(plan, rows, numbers)
            yield from result_batches(plan, results, rows, numbers, compactly=True)

    return work
