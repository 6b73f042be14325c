"""What kernels compute of rows and slices, as expressions of Spark.

Sums of integers are sent in two halves, so they are exact whatever their size; null is skipped; NaN
is the greatest float.
"""

from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as f
from pyspark.sql.types import DateType, LongType, TimestampType

from muntin.kernels.slicing.arrays import FARTHEST
from muntin.kernels.slicing.grain import Slices
from muntin.kernels.slicing.parts import Count, Max, Min, Part, Sum
from muntin.spark.batch.slice_encoding import HALF
from muntin.spark.call.aggregate_arguments import FLOATING_TYPES, INTEGER_TYPES
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.repartition import quoted

READABLE = (*INTEGER_TYPES, *FLOATING_TYPES, DateType, TimestampType)
"""Types of columns that expressions exist for."""
EXPRESSED = (Count, Sum, Min, Max)
"""Parts that expressions exist for: none of them depends on the order of rows."""
WIDE = (LongType, TimestampType)
"""Types of times that have 64 bits."""
MOST, LEAST = 2**63 - 1, -(2**63)
BELOW = 2**HALF - 1


def number(plan: AggregationPlan, name: str) -> Column:
    """A column as kernels read it: integers and times of 64 bits, or floats."""
    (column,), kind = quoted([name]), plan.types[name]
    if isinstance(kind, TimestampType):
        return f.unix_micros(column)
    if isinstance(kind, DateType):
        return f.unix_date(column).cast("long")
    return column.cast("double" if isinstance(kind, FLOATING_TYPES) else "long")


def bounded_time(plan: AggregationPlan) -> Column:
    """The time as kernels read it; null where it is too far from 0 for them."""
    time = number(plan, plan.time)
    if not isinstance(plan.types[plan.time], WIDE):
        return time
    return f.when(time.between(1 - FARTHEST, FARTHEST - 1), time)


def slot(slice_edges: Slices, time: Column) -> Column:
    """The last edge that is not after a time; null if there is none."""
    every = [floor_to_edge(time, period, phase) for period, phase in slice_edges.periods]
    single = [f.when(time >= edge, long(edge)) for edge in slice_edges.single]
    edges = every + single
    return reduce(f.greatest, edges)


def floor_to_edge(time: Column, period: int, phase: int) -> Column:
    """The last of the edges that are a period from each other, at a phase."""
    since = time - long(phase) if phase else time
    return time - f.pmod(since, long(period))


def long(value: int) -> Column:
    """A number of 64 bits."""
    return f.lit(value).cast("long")


def split_sum(plan: AggregationPlan, name: str) -> tuple[Column, Column]:
    """The sum of integers in two halves."""
    column = number(plan, name)
    if not isinstance(plan.types[name], LongType):
        total = f.sum(column)  # of 32 bits each: a table has fewer rows than would overflow
        return f.shiftright(total, HALF), total.bitwiseAND(long(BELOW))
    high, low = f.sum(f.shiftright(column, HALF)), f.sum(column.bitwiseAND(long(BELOW)))
    return high + f.shiftright(low, HALF), low.bitwiseAND(long(BELOW))


def partial(plan: AggregationPlan, part: Part) -> list[Column]:
    """The columns in which a part is sent; of no value they hold what kernels hold."""
    name = str(part.source)
    if isinstance(part, Count):
        return [f.count(f.lit(1) if name == plan.time else quoted([name])[0])]
    real, column = isinstance(plan.types[name], FLOATING_TYPES), number(plan, name)
    if isinstance(part, Sum):
        sums = (f.sum(column),) if real else split_sum(plan, name)
        return [f.coalesce(total, f.lit(0).cast("double" if real else "long")) for total in sums]
    none = ("NaN" if real else MOST) if isinstance(part, Min) else ("-Infinity" if real else LEAST)
    best = f.min(column) if isinstance(part, Min) else f.max(column)
    return [f.coalesce(best, f.lit(none).cast("double" if real else "long"))]
