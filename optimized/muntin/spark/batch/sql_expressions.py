"""What kernels say of rows and slices, as expressions of Spark.

Sums of integers travel in two halves, so they are exact whatever their size; null is skipped; NaN
is the greatest float.
"""

from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as f
from pyspark.sql.types import DateType, LongType, TimestampType

from muntin.kernels.slicing.arrays import FARTHEST
from muntin.kernels.slicing.grain import Slices
from muntin.kernels.slicing.parts import Count, Max, Min, Part, Sum
from muntin.spark.batch.partials import HALF
from muntin.spark.call.aggregate_arguments import FLOATING_TYPES, INTEGER_TYPES
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.repartition import quoted

READABLE = (*INTEGER_TYPES, *FLOATING_TYPES, DateType, TimestampType)
"""Types of columns that there are expressions for."""
EXPRESSED = (Count, Sum, Min, Max)
"""Parts that there are expressions for: the order of rows shows in none of them."""
WIDE = (LongType, TimestampType)
"""Types of times that have 64 bits."""
MOST, LEAST = 2**63 - 1, -(2**63)
BELOW = 2**HALF - 1


def number(plan: AggregationPlan, name: str) -> Column:
    """Return a column as kernels read it: integers and clocks of 64 bits, or floats."""
    (one,), kind = quoted([name]), plan.types[name]
    if isinstance(kind, TimestampType):
        return f.unix_micros(one)
    if isinstance(kind, DateType):
        return f.unix_date(one).cast("long")
    return one.cast("double" if isinstance(kind, FLOATING_TYPES) else "long")


def clock(plan: AggregationPlan) -> Column:
    """Return the time as kernels read it; null where it is too far from 0 for them."""
    time = number(plan, plan.time)
    if not isinstance(plan.types[plan.time], WIDE):
        return time
    return f.when(time.between(1 - FARTHEST, FARTHEST - 1), time)


def slot(grain: Slices, time: Column) -> Column:
    """Return the last edge that is not after a time; null if there is none."""
    every = [floored(time, period, phase) for period, phase in grain.periods]
    single = [f.when(time >= edge, long(edge)) for edge in grain.single]
    edges = every + single
    return reduce(f.greatest, edges)


def floored(time: Column, period: int, phase: int) -> Column:
    """Return the last of the edges that are a period apart, at a phase."""
    since = time - long(phase) if phase else time
    return time - f.pmod(since, long(period))


def long(value: int) -> Column:
    """Return a number of 64 bits."""
    return f.lit(value).cast("long")


def split_sum(plan: AggregationPlan, name: str) -> tuple[Column, Column]:
    """Return the sum of integers as what is above and below so many bits."""
    one = number(plan, name)
    if not isinstance(plan.types[name], LongType):
        total = f.sum(one)  # of 32 bits each: that many rows there are not
        return f.shiftright(total, HALF), total.bitwiseAND(long(BELOW))
    high, low = f.sum(f.shiftright(one, HALF)), f.sum(one.bitwiseAND(long(BELOW)))
    return high + f.shiftright(low, HALF), low.bitwiseAND(long(BELOW))


def partial(plan: AggregationPlan, part: Part) -> list[Column]:
    """Return the columns by which a part travels; of no value they say what kernels say."""
    name = str(part.source)
    if isinstance(part, Count):
        return [f.count(f.lit(1) if name == plan.time else quoted([name])[0])]
    real, one = isinstance(plan.types[name], FLOATING_TYPES), number(plan, name)
    if isinstance(part, Sum):
        sums = (f.sum(one),) if real else split_sum(plan, name)
        return [f.coalesce(total, f.lit(0).cast("double" if real else "long")) for total in sums]
    none = ("NaN" if real else MOST) if isinstance(part, Min) else ("-Infinity" if real else LEAST)
    best = f.min(one) if isinstance(part, Min) else f.max(one)
    return [f.coalesce(best, f.lit(none).cast("double" if real else "long"))]
