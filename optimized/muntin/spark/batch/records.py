"""Rows as they are, all of a key in one place: for what no slices can be made of before."""

from collections.abc import Iterable, Iterator

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import Table, Work, keys, mapped
from muntin.spark.execution.evaluation import evaluate
from muntin.spark.execution.internal_columns import internal_name
from muntin.spark.execution.repartition import (
    columns_read,
    repartition_by_key,
    split_at_key_boundaries,
)
from muntin.spark.execution.result_rows import compact_schema, expand_compact, result_batches

ARRIVAL = internal_name("arrival")


def by_records(df: DataFrame, plan: AggregationPlan) -> DataFrame:
    """Return the answer: rows are brought together by key, in their order of arrival."""
    rows = df.select(*columns_read(plan)).withColumn(ARRIVAL, f.monotonically_increasing_id())
    return expand_compact(
        mapped(repartition_by_key(rows, plan, [ARRIVAL]), answering(plan), compact_schema(plan)),
        plan,
    )


def answering(plan: AggregationPlan) -> Work:
    """Return what a worker does."""

    def work(batches: Iterable[Table]) -> Iterator[object]:
        for whole in split_at_key_boundaries(batches, plan.keys):
            found = keys(whole, plan.keys)
            yield from result_batches(
                plan, evaluate(plan, whole, found), whole, found, compactly=True
            )

    return work
