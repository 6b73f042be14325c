"""What is asked of each window: aggregates, the columns they read, the types of their values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from pyspark.errors import PySparkException
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from muntin.kernels.slicing.forms import catalogued
from muntin.reference import sketches
from muntin.spark.call.arguments import is_several
from muntin.spark.execution.arrow import arrow_type
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.catalogue import named_keeping_nulls, skipping_nulls
from muntin.spec.errors import InvalidInputError

Erased = Aggregate[object, object, object]
AggregateSpec = str | Sequence[object]
"""`"count"`, `("sum", "v")`, `("argmax", "v", "name")`, or `(aggregate, "v", "double")`."""

INTEGER_TYPES = (ByteType, ShortType, IntegerType, LongType)
FLOATING_TYPES = (FloatType, DoubleType)
TEMPORAL_TYPES = (TimestampType, TimestampNTZType, DateType)
ORDERED = (*INTEGER_TYPES, *FLOATING_TYPES, *TEMPORAL_TYPES, StringType, BooleanType, BinaryType)
COUNTS = ("count", "mincount", "maxcount")
VALUE_PRESERVING = ("min", "max", "first", "last")
LISTS = ("collect", "distinct")
CHOICES = ("argmin", "argmax")
M4 = ("min", "max", "first", "last")
SKETCHES = ("hll", "theta", "kll(", "countmin(")


@dataclass(frozen=True)
class AggregateColumn:
    """One column of values: an aggregate by name or as it is, of some columns, of a type."""

    label: str
    what: str | Erased
    columns: tuple[str, ...]
    type: DataType

    @property
    def named(self) -> str | None:
        """The name of an aggregate of the catalogue."""
        return self.what if isinstance(self.what, str) else None

    @property
    def of_rows(self) -> bool:
        """Whether it counts rows, whatever they hold."""
        return not self.columns

    def aggregate(self) -> Erased:
        """Return the aggregate; nulls are skipped, unless rows are counted."""
        if self.of_rows:
            return named_keeping_nulls("count")
        return known(self.what) if isinstance(self.what, str) else skipping_nulls(self.what)

    @property
    def described(self) -> str:
        """What it is called in snapshots and messages."""
        name = self.what if isinstance(self.what, str) else self.what.name
        return f"{self.label} = {name}({', '.join(self.columns)})"


def known(name: str) -> Erased:
    """Return the aggregate of this name: of the catalogue, or a sketch."""
    return sketches.named(name) if name.startswith(SKETCHES) else catalogued(name)


def is_aggregate(value: object) -> TypeGuard[Erased]:
    """Whether a value is an aggregate, of whatever."""
    return isinstance(value, Aggregate)


def parse_aggregate(label: str, asked: object, columns: Mapping[str, DataType]) -> AggregateColumn:
    """Return what was asked for, checked against the columns that there are."""
    parts = tuple(asked) if is_several(asked) else (asked,)
    what = parts[0] if parts else None
    if is_aggregate(what):
        return _of_user(label, what, parts[1:], columns)
    if not isinstance(what, str):
        raise InvalidInputError(
            f"aggregate {label!r}: {asked!r} must be a name and a column, such as ('sum', 'price')"
        )
    try:
        known(what)
    except InvalidInputError as error:
        raise InvalidInputError(f"aggregate {label!r}: {error}") from error
    fields = _columns(label, what, parts[1:], columns)
    need = 2 if what in CHOICES else 1
    if len(fields) != need and (fields or what != "count"):
        raise InvalidInputError(
            f"aggregate {label!r}: {what} reads {need} columns, not {len(fields)}: {fields}"
        )
    return AggregateColumn(
        label, what, fields, _type(label, what, [columns[name] for name in fields])
    )


def _of_user(
    label: str, what: Erased, rest: Sequence[object], columns: Mapping[str, DataType]
) -> AggregateColumn:
    if len(rest) < 2 or not isinstance(rest[-1], str | DataType):  # noqa: PLR2004 - column and type
        raise InvalidInputError(
            f"aggregate {label!r}: after an aggregate of your own name its columns and the type "
            f"of its values, such as ({what.name}, 'price', 'double')"
        )
    kind = _written(label, rest[-1]) if isinstance(rest[-1], str) else rest[-1]
    try:
        arrow_type(kind)
    except PySparkException as error:
        raise InvalidInputError(
            f"aggregate {label!r}: workers of Spark can't make values of {kind.simpleString()}; "
            "say a type that they can, such as 'string', 'bigint' or 'interval day to second'"
        ) from error
    return AggregateColumn(label, what, _columns(label, what.name, rest[:-1], columns), kind)


def _written(label: str, text: str) -> DataType:
    try:
        return DataType.fromDDL(text)
    except PySparkException as error:
        raise InvalidInputError(
            f"aggregate {label!r}: {text!r} is no type of values, such as 'double' or 'bigint'"
        ) from error


def _columns(
    label: str, what: str, names: Sequence[object], columns: Mapping[str, DataType]
) -> tuple[str, ...]:
    for name in names:
        if not isinstance(name, str) or name not in columns:
            raise InvalidInputError(
                f"aggregate {label!r}: there is no column {name!r}; there are {', '.join(columns)}"
            )
        if not isinstance(columns[name], ORDERED) and what != "count":
            raise InvalidInputError(
                f"aggregate {label!r}: the column {name!r} is of {columns[name].simpleString()}; "
                "values may be numbers, strings, binaries, booleans, dates and timestamps "
                "(cast decimals to double, or to long in their smallest unit)"
            )
    return tuple(name for name in names if isinstance(name, str))


def _type(label: str, what: str, of: Sequence[DataType]) -> DataType:
    """Return the type of the values, or refuse columns that the aggregate does not take."""
    if what in COUNTS or what.startswith("countmin("):
        return LongType()
    if what in SKETCHES:
        return DoubleType()
    kind = of[-1]
    known: dict[str, DataType] = {
        **dict.fromkeys((*VALUE_PRESERVING, *CHOICES), kind),
        **dict.fromkeys(LISTS, ArrayType(kind)),
        "m4": StructType([StructField(name, kind) for name in M4]),
    }
    if what in known:
        return known[what]
    takes, name = (
        ((StringType,), "strings")
        if what == "concat"
        else ((*INTEGER_TYPES, *FLOATING_TYPES), "numbers")
    )
    if not isinstance(kind, takes):
        raise InvalidInputError(
            f"aggregate {label!r}: {what} takes {name}, not {kind.simpleString()}"
        )
    if what == "concat":
        return StringType()
    exact = what in ("sum", "range") and isinstance(kind, INTEGER_TYPES)
    return LongType() if exact else DoubleType()
