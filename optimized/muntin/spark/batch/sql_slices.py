"""Slices by Spark's own group-by, in the JVM: no worker is asked.

It combines the rows of a slice where they lie before it brings slices together, so a key with most
of the rows does not fall on one task.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from muntin.kernels.slicing.arrays import FARTHEST
from muntin.spark.batch.slice_plan import HIGH, LOW, ORDER, SlicePlan
from muntin.spark.batch.sql_expressions import EXPRESSED, READABLE, WIDE, clock, long, partial, slot
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.internal_columns import internal_name
from muntin.spark.execution.repartition import quoted
from muntin.spec.windows.data_driven import Session

SLOT, NULLS, FAR = internal_name("slot"), internal_name("nulls"), internal_name("far")
FEW = 32
"""So many different edges have expressions; more are found by kernels."""


def can_slice_in_sql(plan: AggregationPlan) -> bool:
    """Whether the group-by can make the slices of a plan."""
    slicing, grain = SlicePlan(plan), SlicePlan(plan).slice_edges
    read = (plan.time, *plan.values)
    return (
        not slicing.gap
        and all(isinstance(part, EXPRESSED) for part in slicing.parts)
        and all(isinstance(plan.types[name], READABLE) for name in read)
        and len(grain.periods) + len(grain.single) <= FEW
    )


def grouped_slices(df: DataFrame, plan: AggregationPlan) -> DataFrame:
    """Return slices, as kernels make them."""
    slicing, time = SlicePlan(plan), clock(plan)
    each = [one for part in slicing.parts for one in partial(plan, part)]
    low = high = f.col(f"`{SLOT}`")
    if any(isinstance(kind, Session) for kind in plan.kinds().values()):
        low, high = quoted([LOW, HIGH])
        each += [f.min(time).alias(LOW), f.max(time).alias(HIGH)]
    named = [one.alias(internal_name(nth)) for nth, one in enumerate(each[: slicing.width])]
    found = group_by_key_and_slice(
        df, plan, slot(slicing.slice_edges, time), [*named, *each[slicing.width :]]
    )
    where = [low.alias(LOW), high.alias(HIGH), long(0).alias(ORDER)]
    carried = quoted(internal_name(nth) for nth in range(slicing.width))
    return found.select(*quoted(plan.keys), *where, *carried)


def group_by_key_and_slice(
    df: DataFrame, plan: AggregationPlan, at: Column, each: Sequence[Column]
) -> DataFrame:
    """Return a line for each key and slot that has rows; a time that is none is refused."""
    bad = bad_times(plan)
    counts = [f.count(f.when(one, 1)).alias(name) for name, (one, _) in bad.items()]
    found = df.groupBy(*quoted(plan.keys), at.alias(SLOT)).agg(*each, *counts)
    some = f.col(f"`{SLOT}`").isNotNull()
    for name, (_, what) in bad.items():
        (count,) = quoted([name])
        said = f.concat(
            f.lit(f"the time {plan.time!r} is {what[0]} in "), count.cast("string"), f.lit(what[1])
        )
        some = f.when(count > 0, f.raise_error(said).cast("boolean")).otherwise(some)
    return found.where(some)


def bad_times(plan: AggregationPlan) -> dict[str, tuple[Column, tuple[str, str]]]:
    """Return what no time may be, and what is said of it."""
    (time,) = quoted([plan.time])
    leave = " of the rows of a key: leave them out of what you aggregate"
    skip = ", or say bad_rows='skip' to have them counted and left out"
    nulls = {NULLS: (time.isNull(), ("null", leave + skip))}
    if not isinstance(plan.types[plan.time], WIDE):
        return nulls
    far = time.isNotNull() & clock(plan).isNull()
    return nulls | {FAR: (far, (f"beyond {FARTHEST - 1} of 0", leave))}
