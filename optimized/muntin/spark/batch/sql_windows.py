"""Windows that do not overlap, by Spark's own group-by: each is a slice, and nothing is combined.

Spark's own windows are made so too, so nothing is faster.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import LongType, TimestampType

from muntin.spark.batch.slice_encoding import HALF
from muntin.spark.batch.sql_expressions import (
    WIDE,
    bounded_time,
    floor_to_edge,
    long,
    number,
    split_sum,
)
from muntin.spark.batch.sql_slices import SLOT, group_by_key_and_slice
from muntin.spark.call.aggregate_arguments import FLOATING_TYPES, AggregateColumn
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.repartition import quoted
from muntin.spec.windows.periodic import Sliding

SIMPLE = ("count", "sum", "min", "max")

HIGH_HALF_LIMIT = 2 ** (63 - HALF)
"""The bound of the upper half of an integer of 64 bits."""


def as_disjoint_window(plan: AggregationPlan) -> Sliding | None:
    """The one window type of a plan that the group-by can compute, if it can."""
    (first, *more) = plan.kinds().values()
    wide = isinstance(plan.types[plan.time], WIDE)
    if more or not wide or not all(_is_simple(plan, each) for each in plan.aggregates):
        return None
    return first if isinstance(first, Sliding) and first.size <= first.slide else None


def _is_simple(plan: AggregationPlan, column: AggregateColumn) -> bool:
    """Whether an expression is as exact as kernels: no quotients of integers."""
    name = column.catalogue_name
    mean = name == "mean" and isinstance(plan.types[column.columns[0]], FLOATING_TYPES)
    return mean or name in SIMPLE


def grouped_windows(df: DataFrame, plan: AggregationPlan, kind: Sliding) -> DataFrame:
    """The windows of one type, by group-by."""
    time = bounded_time(plan)
    start = floor_to_edge(time, kind.slide, kind.offset % kind.slide)
    if kind.size < kind.slide:
        df = df.where((time - start < kind.size) | time.isNull())
    values = [value(plan, each).alias(each.label) for each in plan.aggregates]
    windows, slot = group_by_key_and_slice(df, plan, start, values), f.col(f"`{SLOT}`")
    bounds = (slot, slot + long(kind.size))
    if isinstance(plan.types[plan.time], TimestampType):
        bounds = (f.timestamp_micros(bounds[0]), f.timestamp_micros(bounds[1]))
    (name,) = plan.kinds()
    return windows.select(
        f.lit(name).alias("window"),
        f.lit(kind.name).alias("window_type"),
        *(bound.alias(name) for bound, name in zip(bounds, ("start", "end"), strict=True)),
        *quoted([*plan.keys, *(each.label for each in plan.aggregates)]),
        f.lit("new").alias("kind"),
        f.lit(0).alias("revision"),
    )


def value(plan: AggregationPlan, column: AggregateColumn) -> Column:
    """The value of an aggregate; a sum that does not fit fails the task."""
    if column.counts_rows:
        return f.count(f.lit(1))
    (name,) = column.columns
    (read,) = quoted([name])
    by_name = {"count": f.count, "min": f.min, "max": f.max}
    if column.catalogue_name in by_name:
        return by_name[column.catalogue_name](read)
    if isinstance(plan.types[name], FLOATING_TYPES):
        return (f.avg if column.catalogue_name == "mean" else f.sum)(number(plan, name))
    return _integer_sum(plan, column.label, name)


def _integer_sum(plan: AggregationPlan, label: str, name: str) -> Column:
    if not isinstance(plan.types[name], LongType):
        return f.sum(number(plan, name))
    high, low = split_sum(plan, name)
    message = f"a value of {label!r} does not fit into bigint"
    fits = high.between(-HIGH_HALF_LIMIT, HIGH_HALF_LIMIT - 1) | high.isNull()
    failure = f.raise_error(f.lit(message)).cast("long")
    return f.when(fits, f.shiftleft(high, HALF).bitwiseOR(low)).otherwise(failure)
