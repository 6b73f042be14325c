"""The columns that a call accepts: their types as keys, values and state, and their names."""

from collections.abc import Iterator

from pyspark.sql import DataFrame
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

from muntin.columnar.arguments import check_inputs
from muntin.spark.call.aggregate_arguments import (
    FLOATING_TYPES,
    INTEGER_TYPES,
    ORDERED,
    TEMPORAL_TYPES,
)
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spec.errors import InvalidInputError

CASE = "spark.sql.caseSensitive"
KEYS = (
    StringType,
    *INTEGER_TYPES,
    *FLOATING_TYPES,
    DecimalType,
    BooleanType,
    BinaryType,
    *TEMPORAL_TYPES,
)
"""Types that every strategy groups in the same way."""


def check_key(name: str, kind: DataType) -> None:
    """Refuse keys that some strategy does not group, or groups differently."""
    if not isinstance(kind, KEYS):
        raise InvalidInputError(
            f"the key {name!r} is of {kind.simpleString()}; keys may be strings, numbers, "
            "decimals, booleans, binaries, dates and timestamps: take a field of it as the key, "
            "or cast it to a string"
        )
    check_value(name, kind)


def check_value(name: str, kind: DataType) -> None:
    """Refuse columns that workers can't read, or would compare differently from Spark."""
    for part in parts_of(kind):
        if isinstance(part, StringType) and not part.isUTF8BinaryCollation():
            raise InvalidInputError(
                f"the column {name!r} is of {kind.simpleString()}: strings are compared byte by "
                "byte here, by no collation; add `collate UTF8_BINARY` to it, of lower(...) if "
                "case does not matter"
            )
        if isinstance(part, YearMonthIntervalType):
            raise InvalidInputError(
                f"the column {name!r} is of {kind.simpleString()}, which workers of Spark can't "
                "read; cast it to an integer"
            )


def parts_of(kind: DataType) -> Iterator[DataType]:
    """A type, and those of all that its values hold."""
    yield kind
    if isinstance(kind, ArrayType):
        yield from parts_of(kind.elementType)
    if isinstance(kind, MapType):
        yield from parts_of(kind.keyType)
        yield from parts_of(kind.valueType)
    if isinstance(kind, StructType):
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
    """Refuse ambiguous columns, unused ones, and those that a stream can't keep."""
    check_unambiguous(plan, df)
    check_inputs(plan.kinds(), plan.gap, plan.mark)
    if df.isStreaming:
        check_state_types(plan)


def check_unambiguous(plan: AggregationPlan, df: DataFrame) -> None:
    """Refuse a name that several columns have to Spark, as after a join."""
    sensitive = df.sparkSession.conf.get(CASE, "false") == "true"
    names = [name if sensitive else name.lower() for name in df.columns]
    for name in plan.read:
        if names.count(name if sensitive else name.lower()) > 1:
            same = [column for column in df.columns if column.lower() == name.lower()]
            raise InvalidInputError(
                f"the DataFrame has several columns {name!r} to Spark: {', '.join(same)}; "
                "rename them, or select one"
            )
