"""What is asked, checked against the columns before any job starts, and made into a plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql.types import (
    BooleanType,
    DataType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from muntin.spark.call import column_checks as accepted
from muntin.spark.call.aggregate_arguments import (
    FLOATING_TYPES,
    INTEGER_TYPES,
    AggregateColumn,
    AggregateSpec,
    parse_aggregate,
)
from muntin.spark.call.arguments import labelled
from muntin.spark.call.query_plan import END, START, AggregationPlan
from muntin.spark.call.window_arguments import windows_of
from muntin.spark.execution.columnar_support import NUMBERS
from muntin.spark.execution.evaluation import operator_of, queries_of
from muntin.spark.execution.internal_columns import PREFIX, is_internal_name
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Settings
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.window import WindowType

Windows = Mapping[str, WindowType] | Sequence[WindowType]
RESERVED = ("window", "window_type", "start", "end", START, END, "kind", "revision", "late")
TIMES = (*INTEGER_TYPES, TimestampType, TimestampNTZType)


@dataclass(frozen=True)
class InputColumns:
    """The columns that a call names."""

    time: str
    keys: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    gap: str | None = None
    mark: str | None = None


def analyze(
    schema: StructType,
    reads: InputColumns,
    windows: Windows,
    aggregates: Mapping[str, AggregateSpec],
    settings: Settings,
) -> AggregationPlan:
    """Return the plan, or say what is wrong with what is asked."""
    types = {field.name: field.dataType for field in schema.fields}
    time, keys, extra = _time(types, reads.time), reads.keys, reads.extra
    for name in keys:
        accepted.key(name, _there(types, name))
    made = tuple(parse_aggregate(label, one, types) for label, one in labelled(aggregates).items())
    for name in (*extra, *(name for one in made for name in one.columns)):
        accepted.value(name, _there(types, name))
    _names(keys, made)
    gap, mark = _gap(types, reads.gap), _mark(types, reads.mark)
    plan = AggregationPlan(time, types, keys, windows_of(windows), made, extra, gap, mark, settings)
    _frames(plan)
    _apart(plan)
    operator_of(plan, queries_of(plan))  # which refuses what no operator takes
    return plan


def _there(types: Mapping[str, DataType], name: str) -> DataType:
    if name not in types:
        raise InvalidInputError(f"there is no column {name!r}; there are {', '.join(types)}")
    return types[name]


def _time(types: Mapping[str, DataType], name: str) -> str:
    kind = _there(types, name)
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


def _names(keys: tuple[str, ...], made: tuple[AggregateColumn, ...]) -> None:
    """Refuse columns of the answer that have the same name to Spark, which looks at no case."""
    asked = [*keys, *(one.label for one in made)]
    labels = [name.lower() for name in (*RESERVED, *asked)]
    for name in asked:
        if labels.count(name.lower()) > 1:
            raise InvalidInputError(
                f"the answer would have two columns {name!r}; rename the key, or ask for the "
                f"aggregate under another name (reserved are {', '.join(RESERVED)})"
            )


def _apart(plan: AggregationPlan) -> None:
    """Refuse columns that would be taken for those put beside them."""
    for name in (*plan.read, *(one.label for one in plan.wanted)):
        if is_internal_name(name):
            raise InvalidInputError(
                f"the column {name!r} has a name that begins with {PREFIX!r}, as those that are "
                "put beside yours do; rename it"
            )


def _gap(types: Mapping[str, DataType], name: str | None) -> str | None:
    if name is not None and not isinstance(_there(types, name), INTEGER_TYPES):
        raise InvalidInputError(f"the gaps {name!r} must be integers, in the unit of time")
    return name


def _mark(types: Mapping[str, DataType], name: str | None) -> str | None:
    if name is not None and not isinstance(_there(types, name), BooleanType):
        raise InvalidInputError(f"the marks of punctuations, {name!r}, must be booleans")
    return name


def _frames(plan: AggregationPlan) -> None:
    """Refuse frames that have no single value to look at, or one that is no number."""
    for name, kind in plan.kinds().items():
        if isinstance(kind, Delta | State | Threshold) and not plan.has_single_value_column:
            raise InvalidInputError(
                f"window {name!r}: {kind.name} frames look at the value that is aggregated, so "
                f"all aggregates must be of one column, not of {', '.join(plan.values)}"
            )
        if type(kind) in (Delta, State, Threshold) and not plan.values:
            raise InvalidInputError(
                f"window {name!r}: {kind.name} frames look at the value that is aggregated, and "
                "'count' alone reads none: say of which column, such as ('count', 'price')"
            )
        for column in plan.values if type(kind) in (Delta, Threshold) else ():
            if not isinstance(plan.types[column], NUMBERS):
                raise InvalidInputError(
                    f"window {name!r}: {kind.name} frames look at numbers, and {column!r} is of "
                    f"{plan.types[column].simpleString()}"
                )
