"""The arguments of a call checked against the columns of its DataFrame, and made into a plan."""

from collections.abc import Iterator, Mapping

from pyspark.sql import DataFrame
from pyspark.sql import types as t

from muntin.columnar.aggregate_requests import AggregateSpecs, parse_aggregates
from muntin.columnar.arguments import (
    RESULT_COLUMNS,
    InputColumns,
    check_frames,
    check_inputs,
    check_result_names,
)
from muntin.columnar.durations import TimeUnit
from muntin.optimized.common.window_traits import traits_of
from muntin.spark.call.aggregate_arguments import (
    FLOATING_TYPES,
    INTEGER_TYPES,
    NUMBERS,
    ORDERED,
    lookup,
    typed_column,
)
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.call.window_arguments import serialize_windows
from muntin.spark.execution.evaluation import operator_of, queries_of
from muntin.spark.execution.repartition import PREFIX, is_internal_name
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Settings
from muntin.spec.windows.window import WindowType

CASE = "spark.sql.caseSensitive"
KEYS = (*ORDERED, t.DecimalType)
"""Types that every strategy groups in the same way."""


def check_key(name: str, kind: t.DataType) -> None:
    """Refuse keys that some strategy does not group, or groups differently."""
    if not isinstance(kind, KEYS):
        raise InvalidInputError(
            f"the key {name!r} is of {kind.simpleString()}; keys may be strings, numbers, "
            "decimals, booleans, binaries, dates and timestamps: take a field of it as the key, "
            "or cast it to a string"
        )
    check_value(name, kind)


def check_value(name: str, kind: t.DataType) -> None:
    """Refuse columns that workers can't read, or would compare differently from Spark."""
    for part in parts_of(kind):
        if isinstance(part, t.StringType) and not part.isUTF8BinaryCollation():
            raise InvalidInputError(
                f"the column {name!r} is of {kind.simpleString()}: strings are compared byte by "
                "byte here, by no collation; add `collate UTF8_BINARY` to it, of lower(...) if "
                "case does not matter"
            )
        if isinstance(part, t.YearMonthIntervalType):
            raise InvalidInputError(
                f"the column {name!r} is of {kind.simpleString()}, which workers of Spark can't "
                "read; cast it to an integer"
            )


def parts_of(kind: t.DataType) -> Iterator[t.DataType]:
    """A type, and those of all that its values hold."""
    yield kind
    if isinstance(kind, t.ArrayType):
        yield from parts_of(kind.elementType)
    if isinstance(kind, t.MapType):
        yield from parts_of(kind.keyType)
        yield from parts_of(kind.valueType)
    if isinstance(kind, t.StructType):
        for field in kind.fields:
            yield from parts_of(field.dataType)


def check_state_types(plan: AggregationPlan) -> None:
    """Refuse columns whose values the state of a stream can't hold."""
    for name in (*plan.keys, *plan.values):
        kind = plan.types[name]
        if not isinstance(kind, ORDERED):
            raise InvalidInputError(
                f"the column {name!r} is of {kind.simpleString()}, which a stream can't keep; it "
                "keeps numbers, strings, binaries, booleans, dates and timestamps: cast it (a "
                "decimal to a string, or to a long in its smallest unit), or leave it out"
            )


def check_columns(plan: AggregationPlan, df: DataFrame) -> None:
    """Refuse columns that are ambiguous, as after a join, unused, or that a stream can't keep."""
    sensitive = df.sparkSession.conf.get(CASE, "false") == "true"
    names = [name if sensitive else name.lower() for name in df.columns]
    for name in plan.read:
        if names.count(name if sensitive else name.lower()) > 1:
            same = [column for column in df.columns if column.lower() == name.lower()]
            raise InvalidInputError(
                f"the DataFrame has several columns {name!r} to Spark: {', '.join(same)}; "
                "rename them, or select one"
            )
    check_inputs(plan.kinds(), plan.gap, plan.mark)
    if df.isStreaming:
        check_state_types(plan)


RESERVED = (*RESULT_COLUMNS, "kind", "revision", "late")
TIMES = (*INTEGER_TYPES, t.TimestampType, t.TimestampNTZType)


def analyze(
    schema: t.StructType,
    inputs: InputColumns,
    windows: Mapping[str, WindowType],
    aggregates: AggregateSpecs,
    settings: Settings,
) -> AggregationPlan:
    """The plan of a call, or an error that names what is wrong with it."""
    types = {field.name: field.dataType for field in schema.fields}
    check_time(types, inputs.time)
    for name in inputs.keys:
        check_key(name, _type_of(types, name))
    columns = tuple(typed_column(each, types) for each in parse_aggregates(aggregates, lookup))
    for name in (*inputs.extra, *(name for each in columns for name in each.columns)):
        check_value(name, _type_of(types, name))
    check_result_names([*inputs.keys, *(one.label for one in columns)], RESERVED, fold=True)
    gap, mark = _gap(types, inputs.gap), _mark(types, inputs.mark)
    sent, keys, extra = serialize_windows(windows), inputs.keys, inputs.extra
    plan = AggregationPlan(inputs.time, types, keys, sent, columns, extra, gap, mark, settings)
    check_frames(plan.kinds(), plan.values, is_single=plan.has_single_value_column)
    _check_frame_types(plan)
    _check_internal_names(plan)
    operator_of(plan, queries_of(plan))  # which refuses what no operator supports
    return plan


def _type_of(types: Mapping[str, t.DataType], name: str) -> t.DataType:
    if name not in types:
        raise InvalidInputError(f"there is no column {name!r}; there are {', '.join(types)}")
    return types[name]


def time_unit(schema: t.StructType, name: str) -> TimeUnit:
    """The unit of a time column: microseconds, if it holds timestamps."""
    kind = check_time({field.name: field.dataType for field in schema.fields}, name)
    if isinstance(kind, INTEGER_TYPES):
        return TimeUnit(name)
    return TimeUnit(name, 1000, has_zone=isinstance(kind, t.TimestampType))


def check_time(types: Mapping[str, t.DataType], name: str) -> t.DataType:
    """The type of a time column; refuse others than timestamps and integers."""
    kind = _type_of(types, name)
    if isinstance(kind, FLOATING_TYPES):
        raise InvalidInputError(
            f"the time {name!r} is of {kind.simpleString()}: NaN and fractions have no place in "
            "the order of time; cast it to a timestamp or to an integer"
        )
    if not isinstance(kind, TIMES):
        raise InvalidInputError(
            f"the time {name!r} must be a timestamp or an integer, not {kind.simpleString()}; "
            "cast it"
        )
    return kind


def _check_internal_names(plan: AggregationPlan) -> None:
    """Refuse columns that could be confused with internal ones."""
    for name in (*plan.read, *(one.label for one in plan.aggregates)):
        if is_internal_name(name):
            raise InvalidInputError(
                f"the column {name!r} has a name that begins with {PREFIX!r}, as internal columns "
                "do; rename it"
            )


def _gap(types: Mapping[str, t.DataType], name: str | None) -> str | None:
    if name is not None and not isinstance(_type_of(types, name), INTEGER_TYPES):
        raise InvalidInputError(f"the gaps {name!r} must be integers, in the unit of time; cast it")
    return name


def _mark(types: Mapping[str, t.DataType], name: str | None) -> str | None:
    if name is not None and not isinstance(_type_of(types, name), t.BooleanType):
        raise InvalidInputError(f"the marks of punctuations, {name!r}, must be booleans; cast it")
    return name


def _check_frame_types(plan: AggregationPlan) -> None:
    """Refuse frames that compare numbers over a column that holds none."""
    for name, kind in plan.kinds().items():
        for column in plan.values if traits_of(kind).needs_numbers else ():
            if not isinstance(plan.types[column], NUMBERS):
                raise InvalidInputError(
                    f"window {name!r}: {kind.name} frames look at numbers, and {column!r} is of "
                    f"{plan.types[column].simpleString()}"
                )
