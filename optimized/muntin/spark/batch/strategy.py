"""Batch: a whole DataFrame is one step that ends the stream.

Here is the choice of how windows are made. Cheapest first: by Spark's own group-by, if they lie
apart; of slices that the group-by makes; of slices that kernels make where rows lie; of the rows
themselves, brought together by key. `explain` shows which: HashAggregate, then none or one
MapInArrow; two MapInArrow; one MapInArrow.
"""

from functools import reduce

from pyspark.sql import DataFrame

from muntin.spark.batch.arrow_slices import final_windows, partial_slices
from muntin.spark.batch.records import by_records
from muntin.spark.batch.slice_plan import sliceable_windows
from muntin.spark.batch.sql_slices import can_slice_in_sql, grouped_slices
from muntin.spark.batch.sql_windows import as_disjoint_window, grouped_windows
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.repartition import quoted


def in_batch(df: DataFrame, plan: AggregationPlan) -> DataFrame:
    """Return a line for each window that holds a row.

    Windows that slices can be made for are one job, those that need the rows themselves another.
    """
    fast = sliceable_windows(plan)
    slow = {one.id for one in plan.windows} - fast
    whole = quoted(plan.schema().names)
    parts = [by_slices(df, plan.restricted_to(fast))] if fast else []
    parts += [by_records(df, plan.restricted_to(slow))] if slow else []
    return reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), parts).select(*whole)


def by_slices(df: DataFrame, plan: AggregationPlan) -> DataFrame:
    """Return the answer for windows that slices can be made for."""
    if not can_slice_in_sql(plan):
        return final_windows(partial_slices(df, plan), plan)
    kind = as_disjoint_window(plan)
    return (
        grouped_windows(df, plan, kind) if kind else final_windows(grouped_slices(df, plan), plan)
    )
