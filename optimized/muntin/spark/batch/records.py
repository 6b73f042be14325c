"""Rows as they are, all of a key in one place: for what no slices can be made of before."""

from collections.abc import Iterable, Iterator

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from muntin.spark.call.query_plan import Plan
from muntin.spark.execution.arrow import Table, Work, keys, mapped
from muntin.spark.execution.evaluation import answered
from muntin.spark.execution.internal_columns import beside
from muntin.spark.execution.repartition import chunks, columns_read, gathered
from muntin.spark.execution.result_rows import compact, named, told

ARRIVAL = beside("arrival")


def by_records(df: DataFrame, plan: Plan) -> DataFrame:
    """Return the answer: rows are brought together by key, in their order of arrival."""
    rows = df.select(*columns_read(plan)).withColumn(ARRIVAL, f.monotonically_increasing_id())
    return named(mapped(gathered(rows, plan, [ARRIVAL]), answering(plan), compact(plan)), plan)


def answering(plan: Plan) -> Work:
    """Return what a worker does."""

    def work(batches: Iterable[Table]) -> Iterator[object]:
        for whole in chunks(batches, plan.keys):
            found = keys(whole, plan.keys)
            yield from told(plan, answered(plan, whole, found), whole, found, compactly=True)

    return work
