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

from muntin.spark.answering import operator_of, queries_of
from muntin.spark.beside import PREFIX, taken
from muntin.spark.plan import END, START, Plan
from muntin.spark.shipping import Shipped, shipped
from muntin.spark.wanted import REAL, WHOLE, Asked, Wanted, wanted
from muntin.spec.errors import InvalidInputError
from muntin.spec.frames import Delta, State, Threshold
from muntin.spec.query import Settings
from muntin.spec.window import WindowType

Windows = Mapping[str, WindowType] | Sequence[WindowType]
RESERVED = ("window", "window_type", "start", "end", START, END, "kind", "revision", "late")
TIMES = (*WHOLE, TimestampType, TimestampNTZType)


@dataclass(frozen=True)
class Reads:
    """The columns that a call names."""

    time: str
    keys: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    gap: str | None = None
    mark: str | None = None


def planned(
    schema: StructType,
    reads: Reads,
    windows: Windows,
    aggregates: Mapping[str, Asked],
    settings: Settings,
) -> Plan:
    """Return the plan, or say what is wrong with what is asked."""
    types = {field.name: field.dataType for field in schema.fields}
    time, keys, extra = _time(types, reads.time), reads.keys, reads.extra
    for name in (*keys, *extra):
        _there(types, name)
    if not aggregates:
        raise InvalidInputError("say at least one aggregate, such as {'total': ('sum', 'price')}")
    made = tuple(wanted(label, one, types) for label, one in aggregates.items())
    _names(keys, made)
    gap, mark = _gap(types, reads.gap), _mark(types, reads.mark)
    plan = Plan(time, types, keys, _windows(windows), made, extra, gap, mark, settings)
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
    if isinstance(kind, REAL):
        raise InvalidInputError(
            f"the time {name!r} is of {kind.simpleString()}: NaN and fractions have no place in "
            "the order of time; cast it to a timestamp or to an integer"
        )
    if not isinstance(kind, TIMES):
        raise InvalidInputError(
            f"the time {name!r} must be a timestamp or an integer, not {kind.simpleString()}"
        )
    return name


def _names(keys: tuple[str, ...], made: tuple[Wanted, ...]) -> None:
    """Refuse columns of the answer that have the same name to Spark, which looks at no case."""
    asked = [*keys, *(one.label for one in made)]
    labels = [name.lower() for name in (*RESERVED, *asked)]
    for name in asked:
        if labels.count(name.lower()) > 1:
            raise InvalidInputError(
                f"the answer would have two columns {name!r}; rename the key, or ask for the "
                f"aggregate under another name (reserved are {', '.join(RESERVED)})"
            )


def _apart(plan: Plan) -> None:
    """Refuse columns that would be taken for those put beside them."""
    for name in (*plan.read, *(one.label for one in plan.wanted)):
        if taken(name):
            raise InvalidInputError(
                f"the column {name!r} has a name that begins with {PREFIX!r}, as those that are "
                "put beside yours do; rename it"
            )


def _gap(types: Mapping[str, DataType], name: str | None) -> str | None:
    if name is not None and not isinstance(_there(types, name), WHOLE):
        raise InvalidInputError(f"the gaps {name!r} must be integers, in the unit of time")
    return name


def _mark(types: Mapping[str, DataType], name: str | None) -> str | None:
    if name is not None and not isinstance(_there(types, name), BooleanType):
        raise InvalidInputError(f"the marks of punctuations, {name!r}, must be booleans")
    return name


def _windows(windows: Windows) -> tuple[Shipped, ...]:
    """Return the windows under their names; in a list, each is called by its type."""
    if isinstance(windows, Mapping):
        pairs = list(windows.items())
    else:
        names = [one.name for one in _all(windows)]
        pairs = [
            (name if names.count(name) == 1 else f"{name} {names[:i].count(name) + 1}", one)
            for i, (name, one) in enumerate(zip(names, windows, strict=True))
        ]
    if not pairs:
        raise InvalidInputError("say at least one window")
    _all([one for _, one in pairs])
    return tuple(shipped(name, one) for name, one in pairs)


def _all(windows: Sequence[object]) -> Sequence[WindowType]:
    for one in windows:
        if not isinstance(one, WindowType):
            raise InvalidInputError(
                f"{one!r} is no window type, such as tumbling(micros('1 hour'))"
            )
    return [one for one in windows if isinstance(one, WindowType)]


def _frames(plan: Plan) -> None:
    """Refuse what looks at single values, where a value is a record."""
    for name, kind in plan.kinds().items():
        if isinstance(kind, Delta | State | Threshold) and not plan.plain:
            raise InvalidInputError(
                f"window {name!r}: {kind.name} frames look at the value that is aggregated, so "
                f"all aggregates must be of one column, not of {', '.join(plan.values)}"
            )
