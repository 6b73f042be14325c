"""Slices, or windows that do not overlap, by Spark's own group-by: no Python worker takes part.

It combines the rows of a slice where they lie before it shuffles slices, so a key with most of the
rows does not fall on one task. A window that overlaps no other is a slice, as Spark's own windows
are, so nothing is faster.

Sums of integers are sent in two halves, so they are exact whatever their size; null is skipped; NaN
is the greatest float.
"""

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import DateType, LongType, TimestampType

from muntin.columnar.embedding import FARTHEST, HALF, PartialColumns, SliceLayout
from muntin.spark.batch.slice_plan import HIGH, LOW, ORDER, SlicePlan
from muntin.spark.call.aggregate_arguments import FLOATING_TYPES, INTEGER_TYPES, AggregateColumn
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.repartition import internal_name, quoted
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding

READABLE = (*INTEGER_TYPES, *FLOATING_TYPES, DateType, TimestampType)
"""Types of columns that expressions exist for."""
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


def slot(layout: SliceLayout, time: Column) -> Column:
    """The last edge that is not after a time; null if there is none."""
    every = [floor_to_edge(time, period, phase) for period, phase in layout.edges.periods]
    single = [f.when(time >= edge, long(edge)) for edge in layout.edges.single]
    return reduce(f.greatest, every + single)


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


def partial(plan: AggregationPlan, part: PartialColumns) -> list[Column]:
    """The columns in which a part is sent; of no value they hold what kernels hold."""
    name = part.source
    if part.function == "count":
        return [f.count(f.lit(1) if name == plan.time else quoted([name])[0])]
    real, column = isinstance(plan.types[name], FLOATING_TYPES), number(plan, name)
    if part.function == "sum":
        sums = (f.sum(column),) if real else split_sum(plan, name)
        return [f.coalesce(total, f.lit(0).cast("double" if real else "long")) for total in sums]
    is_least = part.function == "min"
    none = ("NaN" if real else MOST) if is_least else ("-Infinity" if real else LEAST)
    best = f.min(column) if is_least else f.max(column)
    return [f.coalesce(best, f.lit(none).cast("double" if real else "long"))]


SLOT, NULLS, FAR = internal_name("slot"), internal_name("nulls"), internal_name("far")
MAX_EDGE_EXPRESSIONS = 32
"""The edges that may each have an expression; more are computed by kernels."""


def can_slice_in_sql(plan: AggregationPlan) -> bool:
    """Whether the group-by can make the slices of a plan."""
    layout = SlicePlan(plan).layout
    edges = layout.edges
    read = (plan.time, *plan.values)
    return (
        not layout.gap
        and all(part.function for part in layout.partials)
        and all(isinstance(plan.types[name], READABLE) for name in read)
        and len(edges.periods) + len(edges.single) <= MAX_EDGE_EXPRESSIONS
    )


def grouped_slices(df: DataFrame, plan: AggregationPlan) -> DataFrame:
    """The slices of a DataFrame, as kernels would make them."""
    layout, time = SlicePlan(plan).layout, bounded_time(plan)
    width = len(layout.encoded_columns)
    each = [column for part in layout.partials for column in partial(plan, part)]
    low = high = f.col(f"`{SLOT}`")
    if any(isinstance(kind, Session) for kind in plan.kinds().values()):
        low, high = quoted([LOW, HIGH])
        each += [f.min(time).alias(LOW), f.max(time).alias(HIGH)]
    parts = [column.alias(internal_name(i)) for i, column in enumerate(each[:width])]
    position, each = slot(layout, time), [*parts, *each[width:]]
    slices = group_by_key_and_slice(df, plan, position, each)
    bounds = [low.alias(LOW), high.alias(HIGH), long(0).alias(ORDER)]
    encoded = quoted(internal_name(index) for index in range(width))
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
