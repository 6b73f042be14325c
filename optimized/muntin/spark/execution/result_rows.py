"""Windows that are emitted, as result columns; no value is truncated in silence."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Real

import numpy as np
from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql import types as t

from muntin.columnar.arguments import END, START, has_time_bounds
from muntin.columnar.embedding import (
    FIRST,
    LAST,
    Ints,
    KeyNumbers,
    ResultRows,
    is_record,
    is_row,
)
from muntin.spark.call.aggregate_arguments import INTEGER_TYPES, TEMPORAL_TYPES
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, batches, column, pa
from muntin.spark.execution.repartition import internal_name, quoted
from muntin.spec.errors import InvalidInputError
from muntin.spec.stream import END as END_OF_STREAM
from muntin.spec.windows.window import WindowType

WINDOW_INDEX_COLUMN = internal_name("window")
"""Which of the windows of a plan, where the result is compact."""
CONSTANT = ("window", "window_type", "kind", "revision")


def compact_schema(plan: AggregationPlan) -> t.StructType:
    """The result columns in batch, without those that the window determines."""
    fields = [field for field in plan.schema().fields if field.name not in CONSTANT]
    return t.StructType([t.StructField(WINDOW_INDEX_COLUMN, t.IntegerType()), *fields])


def expand_compact(result: DataFrame, plan: AggregationPlan) -> DataFrame:
    """A compact result with all its columns: in batch each window is new, once."""
    kinds = plan.kinds()
    names = _by_index([f.lit(name) for name in kinds])
    types = _by_index([f.lit(kind.name) for kind in kinds.values()])
    constants = dict[str, Expression]()
    constants |= zip(CONSTANT, (names, types, f.lit("new"), f.lit(0)), strict=True)
    return result.withColumns(constants).select(*quoted(plan.schema().names))


def _by_index(each: Sequence[Expression]) -> Expression:
    return f.array(*each)[f.col(f"`{WINDOW_INDEX_COLUMN}`")] if len(each) > 1 else each[0]


def result_batches(
    plan: AggregationPlan,
    results: Sequence[ResultRows],
    rows: ArrowBatch,
    keys: KeyNumbers,
    *,
    compactly: bool = False,
) -> Iterator[ArrowBatch]:
    """Result rows as batches; the key columns are those of the rows of a table."""
    kinds, names = plan.kinds(), list(plan.kinds())
    schema = compact_schema(plan) if compactly else plan.schema()
    key_columns = {name: column(rows, name) for name in plan.keys}
    for result in results:
        n, kind = result.key.size, kinds[result.window]
        if n:
            columns = _bounds(result, kind)
            columns |= {each.label: result.values[each.label] for each in plan.aggregates}
            row = keys.row[result.key]
            columns |= {name: values.take(row) for name, values in key_columns.items()}
            if compactly:
                columns[WINDOW_INDEX_COLUMN] = np.full(n, names.index(result.window), np.int32)
            else:
                columns |= {"window": pa.repeat(result.window, n), "late": pa.nulls(n)}
                columns |= {"window_type": pa.repeat(kind.name, n)}
                columns |= {"kind": result.kind, "revision": result.revision}
            yield from batches(columns, schema)


def _bounds(result: ResultRows, kind: WindowType) -> dict[str, object]:
    time_start, time_end = has_time_bounds(kind)
    start, end = pa.array(result.start), pa.array(result.end, mask=result.end == LAST)
    none = pa.nulls(result.key.size, pa.int64())
    return {
        "start": start if time_start else none,
        "end": end if time_end else none,
        START: none if time_start else start,
        END: none if time_end else end,
    }


def coordinates(bounds: Sequence[float]) -> Ints:
    """Starts or ends as integers of 64 bits; the end of the stream is LAST."""
    return np.array([_coordinate(bound) for bound in bounds], np.int64)


def _coordinate(bound: float) -> int:
    if bound == END_OF_STREAM:
        return LAST
    if FIRST < bound < LAST:
        return int(bound)
    raise InvalidInputError(
        f"a window begins or ends at {bound}, which is more than result columns can hold: "
        f"it must lie within {LAST - 1} of 0"
    )


WHOLE_TYPES = (*INTEGER_TYPES, *TEMPORAL_TYPES)
"""Timestamps are whole numbers of microseconds, and dates of days."""


def as_type(value: object, kind: t.DataType) -> object:
    """A value that was computed exactly, as one of a column's type.

    >>> as_type(Fraction(1, 4), t.DoubleType())
    0.25
    """
    if value is None:
        return None
    if isinstance(kind, t.DoubleType | t.FloatType) and isinstance(value, int | Fraction):
        return float(value)
    if isinstance(kind, t.ArrayType) and is_row(value):
        return list(value)
    if isinstance(kind, t.StructType) and is_row(value):
        return dict(zip(kind.names, value, strict=True))
    return value


def cast_exactly(value: object, kind: t.DataType, label: str) -> object:
    """A value of the user's own aggregate as one of a column's type, or an error.

    >>> from pyspark.sql.types import LongType
    >>> cast_exactly(2.0, LongType(), "n")
    2
    >>> cast_exactly(1.5, LongType(), "n")
    Traceback (most recent call last):
        ...
    muntin.spec.errors.InvalidInputError: a value of 'n' does not fit into bigint: 1.5: it is...
    """
    if isinstance(kind, WHOLE_TYPES) and isinstance(value, Real | Decimal):
        return _integer(value, kind, label)
    if isinstance(kind, t.ArrayType) and is_row(value):
        return [cast_exactly(item, kind.elementType, label) for item in value]
    if isinstance(kind, t.StructType) and is_record(value):
        if {*value} != {*kind.names}:
            raise _misfit(value, kind, label, f"its fields must be {', '.join(kind.names)}")
        items = ((field, value[field.name]) for field in kind.fields)
        return {field.name: cast_exactly(item, field.dataType, label) for field, item in items}
    if isinstance(kind, t.StructType) and is_row(value):
        if len(value) != len(kind.fields):
            raise _misfit(value, kind, label, f"it must have {len(kind.fields)} fields")
        fields = zip(kind.fields, value, strict=True)
        return {field.name: cast_exactly(item, field.dataType, label) for field, item in fields}
    return as_type(value, kind)


def _integer(value: Real | Decimal, kind: t.DataType, label: str) -> int:
    try:
        integer = int(value)  # type: ignore[arg-type]  # each number that is used has it
    except (OverflowError, ValueError):  # infinity, NaN
        integer = None
    if integer is None or integer != value:
        raise _misfit(value, kind, label, "it is no whole number; round it in `lower`")
    return integer


def _misfit(value: object, kind: t.DataType, label: str, why: str) -> InvalidInputError:
    name = kind.simpleString()
    return InvalidInputError(f"a value of {label!r} does not fit into {name}: {value!r}: {why}")
