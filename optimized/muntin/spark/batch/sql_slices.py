"""Slices by Spark's own group-by, in the JVM: no Python worker takes part.

It combines the rows of a slice where they lie before it shuffles slices, so a key with most of the
rows does not fall on one task.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from muntin.kernels.slicing.arrays import FARTHEST
from muntin.spark.batch.slice_plan import HIGH, LOW, ORDER, SlicePlan
from muntin.spark.batch.sql_expressions import (
    EXPRESSED,
    READABLE,
    WIDE,
    bounded_time,
    long,
    partial,
    slot,
)
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.internal_columns import internal_name
from muntin.spark.execution.repartition import quoted
from muntin.spec.windows.data_driven import Session

SLOT, NULLS, FAR = internal_name("slot"), internal_name("nulls"), internal_name("far")
MAX_EDGE_EXPRESSIONS = 32
"""The edges that may each have an expression; more are computed by kernels."""


def can_slice_in_sql(plan: AggregationPlan) -> bool:
    """Whether the group-by can make the slices of a plan."""
    slicing, edges = SlicePlan(plan), SlicePlan(plan).slice_edges
    read = (plan.time, *plan.values)
    return (
        not slicing.gap
        and all(isinstance(part, EXPRESSED) for part in slicing.parts)
        and all(isinstance(plan.types[name], READABLE) for name in read)
        and len(edges.periods) + len(edges.single) <= MAX_EDGE_EXPRESSIONS
    )


def grouped_slices(df: DataFrame, plan: AggregationPlan) -> DataFrame:
    """The slices of a DataFrame, as kernels would make them."""
    slicing, time = SlicePlan(plan), bounded_time(plan)
    each = [column for part in slicing.parts for column in partial(plan, part)]
    low = high = f.col(f"`{SLOT}`")
    if any(isinstance(kind, Session) for kind in plan.kinds().values()):
        low, high = quoted([LOW, HIGH])
        each += [f.min(time).alias(LOW), f.max(time).alias(HIGH)]
    parts = [column.alias(internal_name(i)) for i, column in enumerate(each[: slicing.width])]
    slices = group_by_key_and_slice(
        df, plan, slot(slicing.slice_edges, time), [*parts, *each[slicing.width :]]
    )
    bounds = [low.alias(LOW), high.alias(HIGH), long(0).alias(ORDER)]
    encoded = quoted(internal_name(index) for index in range(slicing.width))
    return slices.select(*quoted(plan.keys), *bounds, *encoded)


def group_by_key_and_slice(
    df: DataFrame, plan: AggregationPlan, position: Column, each: Sequence[Column]
) -> DataFrame:
    """A row for each key and slot that has rows; null and far times fail the task."""
    bad = bad_times(plan)
    counts = [f.count(f.when(is_bad, 1)).alias(name) for name, (is_bad, _) in bad.items()]
    slices = df.groupBy(*quoted(plan.keys), position.alias(SLOT)).agg(*each, *counts)
    has_slot = f.col(f"`{SLOT}`").isNotNull()
    for name, (_, (problem, remedy)) in bad.items():
        (count,) = quoted([name])
        message = f.concat(
            f.lit(f"the time {plan.time!r} is {problem} in "), count.cast("string"), f.lit(remedy)
        )
        has_slot = f.when(count > 0, f.raise_error(message).cast("boolean")).otherwise(has_slot)
    return slices.where(has_slot)


def bad_times(plan: AggregationPlan) -> dict[str, tuple[Column, tuple[str, str]]]:
    """Conditions that no time may meet, each with its problem and remedy."""
    (time,) = quoted([plan.time])
    leave = " of the rows of a key: leave them out of the input"
    skip = ", or say bad_rows='skip' to have them counted and left out"
    nulls = {NULLS: (time.isNull(), ("null", leave + skip))}
    if not isinstance(plan.types[plan.time], WIDE):
        return nulls
    far = time.isNotNull() & bounded_time(plan).isNull()
    return nulls | {FAR: (far, (f"beyond {FARTHEST - 1} of 0", leave))}
