"""The types of columns that are taken: as keys, as values, and by streams, which keep them."""

from collections.abc import Iterator

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DecimalType,
    MapType,
    StringType,
    StructType,
    YearMonthIntervalType,
)

from muntin.spark.call.aggregate_arguments import (
    FLOATING_TYPES,
    INTEGER_TYPES,
    ORDERED,
    TEMPORAL_TYPES,
)
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spec.errors import InvalidInputError

KEYS = (
    StringType,
    *INTEGER_TYPES,
    *FLOATING_TYPES,
    DecimalType,
    BooleanType,
    BinaryType,
    *TEMPORAL_TYPES,
)
"""What all ways group alike."""


def key(name: str, kind: DataType) -> None:
    """Refuse keys that some way of making windows does not group, or groups otherwise."""
    if not isinstance(kind, KEYS):
        raise InvalidInputError(
            f"the key {name!r} is of {kind.simpleString()}; keys may be strings, numbers, "
            "decimals, booleans, binaries, dates and timestamps: take a field of it as the key, "
            "or cast it to a string"
        )
    value(name, kind)


def value(name: str, kind: DataType) -> None:
    """Refuse columns that workers can't read, or would compare as Spark does not."""
    for one in within(kind):
        if isinstance(one, StringType) and not one.isUTF8BinaryCollation():
            raise InvalidInputError(
                f"the column {name!r} is of {kind.simpleString()}: strings are compared byte by "
                "byte here, by no collation; add `collate UTF8_BINARY` to it, of lower(...) if "
                "case does not matter"
            )
        if isinstance(one, YearMonthIntervalType):
            raise InvalidInputError(
                f"the column {name!r} is of {kind.simpleString()}, which workers of Spark can't "
                "read; cast it to an integer"
            )


def within(kind: DataType) -> Iterator[DataType]:
    """Yield a type, and those of all that values of it hold."""
    yield kind
    if isinstance(kind, ArrayType):
        yield from within(kind.elementType)
    if isinstance(kind, MapType):
        yield from within(kind.keyType)
        yield from within(kind.valueType)
    if isinstance(kind, StructType):
        for field in kind.fields:
            yield from within(field.dataType)


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
