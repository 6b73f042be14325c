"""Windows that lie apart, by Spark's own group-by: each is a slice, so nothing has to be combined.

Spark's own windows are made so too, so nothing is faster.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import LongType, TimestampType

from muntin.spark.batch.partials import HALF
from muntin.spark.batch.sql_expressions import WIDE, clock, floored, long, number, split_sum
from muntin.spark.batch.sql_slices import SLOT, group_by_key_and_slice
from muntin.spark.call.aggregate_arguments import FLOATING_TYPES, AggregateColumn
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.repartition import quoted
from muntin.spec.windows.periodic import Sliding

SIMPLE = ("count", "sum", "min", "max")

HIGH_HALF_LIMIT = 2 ** (63 - HALF)
"""What is above so many bits of a number of 64."""


def as_disjoint_window(plan: AggregationPlan) -> Sliding | None:
    """Return the one window type of a plan that the group-by can answer, if it can."""
    (first, *more) = plan.kinds().values()
    clocked = isinstance(plan.types[plan.time], WIDE)
    if more or not clocked or not all(_simple(plan, one) for one in plan.wanted):
        return None
    return first if isinstance(first, Sliding) and first.size <= first.slide else None


def _simple(plan: AggregationPlan, one: AggregateColumn) -> bool:
    """Whether an expression says a value as exactly as kernels: no quotients of integers."""
    mean = one.named == "mean" and isinstance(plan.types[one.columns[0]], FLOATING_TYPES)
    return mean or one.named in SIMPLE


def grouped_windows(df: DataFrame, plan: AggregationPlan, kind: Sliding) -> DataFrame:
    """Return the answer."""
    time = clock(plan)
    start = floored(time, kind.slide, kind.offset % kind.slide)
    if kind.size < kind.slide:
        df = df.where((time - start < kind.size) | time.isNull())
    values = [value(plan, one).alias(one.label) for one in plan.wanted]
    found, begin = group_by_key_and_slice(df, plan, start, values), f.col(f"`{SLOT}`")
    ends = (begin, begin + long(kind.size))
    if isinstance(plan.types[plan.time], TimestampType):
        ends = (f.timestamp_micros(ends[0]), f.timestamp_micros(ends[1]))
    (name,) = plan.kinds()
    return found.select(
        f.lit(name).alias("window"),
        f.lit(kind.name).alias("window_type"),
        *(end.alias(name) for end, name in zip(ends, ("start", "end"), strict=True)),
        *quoted([*plan.keys, *(one.label for one in plan.wanted)]),
        f.lit("new").alias("kind"),
        f.lit(0).alias("revision"),
    )


def value(plan: AggregationPlan, one: AggregateColumn) -> Column:
    """Return the value of an aggregate; a sum that does not fit is refused."""
    if one.of_rows:
        return f.count(f.lit(1))
    (name,) = one.columns
    (of,) = quoted([name])
    known = {"count": f.count, "min": f.min, "max": f.max}
    if one.named in known:
        return known[one.named](of)
    if isinstance(plan.types[name], FLOATING_TYPES):
        return (f.avg if one.named == "mean" else f.sum)(number(plan, name))
    return _whole(plan, one.label, name)


def _whole(plan: AggregationPlan, label: str, name: str) -> Column:
    if not isinstance(plan.types[name], LongType):
        return f.sum(number(plan, name))
    high, low = split_sum(plan, name)
    said = f"a value of {label!r} does not fit into bigint"
    fits = high.between(-HIGH_HALF_LIMIT, HIGH_HALF_LIMIT - 1) | high.isNull()
    refused = f.raise_error(f.lit(said)).cast("long")
    return f.when(fits, f.shiftleft(high, HALF).bitwiseOR(low)).otherwise(refused)
