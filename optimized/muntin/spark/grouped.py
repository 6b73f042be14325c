"""Slices by Spark's own group-by, in the JVM: no worker is asked.

It combines the rows of a slice where they lie before it brings slices together, so a key with most
of the rows does not fall on one task.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from muntin.spark.beside import beside
from muntin.spark.expressions import EXPRESSED, READABLE, long, number, partial, slot
from muntin.spark.gathering import quoted
from muntin.spark.plan import Plan
from muntin.spark.slicing import HIGH, LOW, ORDER, Slicing
from muntin.spec.data_driven import Session

SLOT, NULLS = beside("slot"), beside("nulls")
FEW = 32
"""So many different edges have expressions; more are found by kernels."""


def makes_slices(plan: Plan) -> bool:
    """Whether the group-by can make the slices of a plan."""
    slicing, grain = Slicing(plan), Slicing(plan).grain
    read = (plan.time, *plan.values)
    return (
        not slicing.gap
        and all(isinstance(part, EXPRESSED) for part in slicing.parts)
        and all(isinstance(plan.types[name], READABLE) for name in read)
        and len(grain.periods) + len(grain.single) <= FEW
    )


def grouped_slices(df: DataFrame, plan: Plan) -> DataFrame:
    """Return slices, as kernels make them."""
    slicing, clock = Slicing(plan), number(plan, plan.time)
    each = [one for part in slicing.parts for one in partial(plan, part)]
    low = high = f.col(f"`{SLOT}`")
    if any(isinstance(kind, Session) for kind in plan.kinds().values()):
        low, high = quoted([LOW, HIGH])
        each += [f.min(clock).alias(LOW), f.max(clock).alias(HIGH)]
    named = [one.alias(beside(nth)) for nth, one in enumerate(each[: slicing.width])]
    found = grouped(df, plan, slot(slicing.grain, clock), [*named, *each[slicing.width :]])
    where = [low.alias(LOW), high.alias(HIGH), long(0).alias(ORDER)]
    carried = quoted(beside(nth) for nth in range(slicing.width))
    return found.select(*quoted(plan.keys), *where, *carried)


def grouped(df: DataFrame, plan: Plan, at: Column, each: Sequence[Column]) -> DataFrame:
    """Return a line for each key and slot that has rows; a null time is refused."""
    (time,) = quoted([plan.time])
    nulls = f.count(f.when(time.isNull(), 1)).alias(NULLS)
    found = df.groupBy(*quoted(plan.keys), at.alias(SLOT)).agg(*each, nulls)
    some = f.col(f"`{NULLS}`")
    said = f.concat(
        f.lit(f"the time {plan.time!r} is null in "),
        some.cast("string"),
        f.lit(
            " of the rows of a key: leave them out of what you aggregate, or say bad_rows='skip' "
            "to have them counted and left out"
        ),
    )
    refused = f.raise_error(said).cast("boolean")
    return found.where(f.when(some > 0, refused).otherwise(f.col(f"`{SLOT}`").isNotNull()))
