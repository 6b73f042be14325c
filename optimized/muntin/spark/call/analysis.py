"""The arguments of a call checked against the columns of its DataFrame, and made into a plan."""

from collections.abc import Mapping

from pyspark.sql.types import (
    BooleanType,
    DataType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from muntin.columnar.aggregate_requests import AggregateSpecs, parse_aggregates
from muntin.columnar.arguments import (
    RESULT_COLUMNS,
    InputColumns,
    Windows,
    check_frames,
    check_result_names,
)
from muntin.optimized.common.window_traits import traits_of
from muntin.spark.call.aggregate_arguments import (
    FLOATING_TYPES,
    INTEGER_TYPES,
    lookup,
    typed_column,
)
from muntin.spark.call.column_checks import check_key, check_value
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.call.window_arguments import serialize_windows
from muntin.spark.execution.columnar_support import NUMBERS
from muntin.spark.execution.evaluation import operator_of, queries_of
from muntin.spark.execution.internal_columns import PREFIX, is_internal_name
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Settings

RESERVED = (*RESULT_COLUMNS, "kind", "revision", "late")
TIMES = (*INTEGER_TYPES, TimestampType, TimestampNTZType)


def analyze(
    schema: StructType,
    inputs: InputColumns,
    windows: Windows,
    aggregates: AggregateSpecs,
    settings: Settings,
) -> AggregationPlan:
    """The plan of a call, or an error that names what is wrong with it."""
    types = {field.name: field.dataType for field in schema.fields}
    time = _time(types, inputs.time)
    for name in inputs.keys:
        check_key(name, _type_of(types, name))
    columns = tuple(typed_column(each, types) for each in parse_aggregates(aggregates, lookup))
    for name in (*inputs.extra, *(name for each in columns for name in each.columns)):
        check_value(name, _type_of(types, name))
    check_result_names([*inputs.keys, *(one.label for one in columns)], RESERVED, fold=True)
    gap, mark = _gap(types, inputs.gap), _mark(types, inputs.mark)
    sent = serialize_windows(windows)
    plan = AggregationPlan(
        time, types, inputs.keys, sent, columns, inputs.extra, gap, mark, settings
    )
    check_frames(plan.kinds(), plan.values, is_single=plan.has_single_value_column)
    _check_frame_types(plan)
    _check_internal_names(plan)
    operator_of(plan, queries_of(plan))  # which refuses what no operator supports
    return plan


def _type_of(types: Mapping[str, DataType], name: str) -> DataType:
    if name not in types:
        raise InvalidInputError(f"there is no column {name!r}; there are {', '.join(types)}")
    return types[name]


def _time(types: Mapping[str, DataType], name: str) -> str:
    kind = _type_of(types, name)
    if isinstance(kind, FLOATING_TYPES):
        raise InvalidInputError(
            f"the time {name!r} is of {kind.simpleString()}: NaN and fractions have no place in "
            "the order of time; cast it to a timestamp or to an integer"
        )
    if not isinstance(kind, TIMES):
        raise InvalidInputError(
            f"the time {name!r} must be a timestamp or an integer, not {kind.simpleString()}"
        )
    return name


def _check_internal_names(plan: AggregationPlan) -> None:
    """Refuse columns that could be confused with internal ones."""
    for name in (*plan.read, *(one.label for one in plan.aggregates)):
        if is_internal_name(name):
            raise InvalidInputError(
                f"the column {name!r} has a name that begins with {PREFIX!r}, as internal columns "
                "do; rename it"
            )


def _gap(types: Mapping[str, DataType], name: str | None) -> str | None:
    if name is not None and not isinstance(_type_of(types, name), INTEGER_TYPES):
        raise InvalidInputError(f"the gaps {name!r} must be integers, in the unit of time; cast it")
    return name


def _mark(types: Mapping[str, DataType], name: str | None) -> str | None:
    if name is not None and not isinstance(_type_of(types, name), BooleanType):
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
