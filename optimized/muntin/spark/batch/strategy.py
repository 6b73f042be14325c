"""Batch: a whole DataFrame is one step that ends the stream.

Here is the choice of how windows are made. Cheapest first: by Spark's own group-by, if they lie
apart; of slices that the group-by makes; of slices that kernels make where rows lie; of the rows
themselves, brought together by key. `explain` shows which: HashAggregate, then none or one
MapInArrow; two MapInArrow; one MapInArrow.
"""

from functools import reduce

from pyspark.sql import DataFrame

from muntin.spark.batch.arrow_slices import combined, mapped_slices
from muntin.spark.batch.records import by_records
from muntin.spark.batch.slice_plan import sliced
from muntin.spark.batch.sql_slices import grouped_slices, makes_slices
from muntin.spark.batch.sql_windows import apart, grouped_windows
from muntin.spark.call.query_plan import Plan
from muntin.spark.execution.repartition import quoted


def in_batch(df: DataFrame, plan: Plan) -> DataFrame:
    """Return a line for each window that holds a row.

    Windows that slices can be made for are one job, those that need the rows themselves another.
    """
    fast = sliced(plan)
    slow = {one.id for one in plan.windows} - fast
    whole = quoted(plan.schema().names)
    parts = [by_slices(df, plan.only(fast))] if fast else []
    parts += [by_records(df, plan.only(slow))] if slow else []
    return reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), parts).select(*whole)


def by_slices(df: DataFrame, plan: Plan) -> DataFrame:
    """Return the answer for windows that slices can be made for."""
    if not makes_slices(plan):
        return combined(mapped_slices(df, plan), plan)
    kind = apart(plan)
    return grouped_windows(df, plan, kind) if kind else combined(grouped_slices(df, plan), plan)
