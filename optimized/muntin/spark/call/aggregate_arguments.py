"""The aggregates of a call on a DataFrame: the columns they read and the types of their values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.errors import PySparkException
from pyspark.sql import types as t

from muntin.columnar.aggregate_requests import PAIR_AGGREGATES, AggregateRequest
from muntin.columnar.embedding import M4, CompiledAggregate, catalogued
from muntin.reference import sketches
from muntin.spark.execution.arrow import arrow_type
from muntin.spec.algebra.aggregate import AnyAggregate
from muntin.spec.errors import InvalidInputError

INTEGER_TYPES = (t.ByteType, t.ShortType, t.IntegerType, t.LongType)
FLOATING_TYPES = (t.FloatType, t.DoubleType)
TEMPORAL_TYPES = (t.TimestampType, t.TimestampNTZType, t.DateType)
NUMBERS = (*INTEGER_TYPES, *FLOATING_TYPES, *TEMPORAL_TYPES)
ORDERED = (*NUMBERS, t.StringType, t.BooleanType, t.BinaryType)
COUNTS = ("count", "mincount", "maxcount")
VALUE_PRESERVING = ("min", "max", "first", "last")
LISTS = ("collect", "distinct")
SKETCHES = ("hll", "theta", "kll(", "countmin(")


@dataclass(frozen=True)
class AggregateColumn(AggregateRequest):
    """A result column: an aggregate of some columns, and the type of its values."""

    type: t.DataType

    def named(self, name: str) -> AnyAggregate:
        """An aggregate of the catalogue, or a sketch."""
        return lookup(name)


def lookup(name: str) -> AnyAggregate:
    """The aggregate of this name: of the catalogue, or a sketch."""
    return sketches.named(name) if name.startswith(SKETCHES) else catalogued(name)


def typed_column(request: AggregateRequest, columns: Mapping[str, t.DataType]) -> AggregateColumn:
    """A request checked against the columns of a DataFrame, with the type of its values."""
    label, what, names = request.label, request.what, request.columns
    name = what if isinstance(what, str) else what.name
    _check_columns(label, name, names, columns)
    if isinstance(what, str):
        kind = _catalogue_type(label, what, [columns[each] for each in names])
    elif request.type is None and isinstance(what, CompiledAggregate):
        kind = _compiled_type(what)
    else:
        kind = _own_type(label, request.type)
    return AggregateColumn(label, what, names, kind)


def _own_type(label: str, written: object) -> t.DataType:
    try:
        kind = t.DataType.fromDDL(written) if isinstance(written, str) else written
    except PySparkException as error:
        raise _no_type(label, written) from error
    if not isinstance(kind, t.DataType):
        raise _no_type(label, written)
    try:
        arrow_type(kind)
    except PySparkException as error:
        raise InvalidInputError(
            f"aggregate {label!r}: workers of Spark can't make values of {kind.simpleString()}; "
            "name a type that they can, such as 'string', 'bigint' or 'interval day to second'"
        ) from error
    return kind


def _no_type(label: str, written: object) -> InvalidInputError:
    return InvalidInputError(
        f"aggregate {label!r}: {written!r} is no type of values, such as 'double' or 'bigint'"
    )


def _compiled_type(what: CompiledAggregate) -> t.DataType:
    summary = what.summary
    results = summary.results[:-1] if summary.checked else summary.results
    kinds = [t.LongType() if kind == "int" else t.DoubleType() for kind in results]
    if len(kinds) == 1:
        return kinds[0]
    return t.StructType([t.StructField(*field) for field in zip(M4, kinds, strict=False)])


def _check_columns(
    label: str, what: str, names: Sequence[str], columns: Mapping[str, t.DataType]
) -> None:
    for name in names:
        if name not in columns:
            raise InvalidInputError(
                f"aggregate {label!r}: there is no column {name!r}; there are {', '.join(columns)}"
            )
        if not isinstance(columns[name], ORDERED) and what != "count":
            raise InvalidInputError(
                f"aggregate {label!r}: the column {name!r} is of {columns[name].simpleString()}; "
                "values may be numbers, strings, binaries, booleans, dates and timestamps "
                "(cast decimals to double, or to long in their smallest unit)"
            )


def _catalogue_type(label: str, what: str, of: Sequence[t.DataType]) -> t.DataType:
    """The type of the values; refuse columns that the aggregate does not accept."""
    if what in COUNTS or what.startswith("countmin("):
        return t.LongType()
    if what in SKETCHES:
        return t.DoubleType()
    kind = of[-1]
    by_name: dict[str, t.DataType] = {
        **dict.fromkeys((*VALUE_PRESERVING, *PAIR_AGGREGATES), kind),
        **dict.fromkeys(LISTS, t.ArrayType(kind)),
        "m4": t.StructType([t.StructField(name, kind) for name in M4]),
    }
    if what in by_name:
        return by_name[what]
    accepted = t.StringType if what == "concat" else (*INTEGER_TYPES, *FLOATING_TYPES)
    if not isinstance(kind, accepted):
        name = "strings" if what == "concat" else "numbers"
        problem = f"{what} takes {name}, not {kind.simpleString()}"
        raise InvalidInputError(f"aggregate {label!r}: {problem}")
    if what == "concat":
        return t.StringType()
    exact = what in ("sum", "range") and isinstance(kind, INTEGER_TYPES)
    return t.LongType() if exact else t.DoubleType()
