"""Batch: a whole DataFrame is one step that ends the stream."""

from functools import reduce

from pyspark.sql import DataFrame

from muntin.spark.plan import Plan
from muntin.spark.records import by_records
from muntin.spark.slices import by_slices, sliced


def in_batch(df: DataFrame, plan: Plan) -> DataFrame:
    """Return a line for each window that holds a row.

    Windows that slices can be made for are one job, those that need the rows themselves another.
    """
    fast = sliced(plan)
    slow = {one.id for one in plan.windows} - fast
    whole = plan.schema().names
    parts = [by_slices(df, plan.only(fast))] if fast else []
    parts += [by_records(df, plan.only(slow))] if slow else []
    return reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), parts).select(*whole)
