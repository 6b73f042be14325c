"""Values of the user's own aggregates, held to the type that was said: none is cut in silence."""

from decimal import Decimal
from numbers import Real

from pyspark.sql.types import ArrayType, DataType, StructType

from muntin.kernels.slicing.over import is_record
from muntin.spark.call.aggregate_arguments import INTEGER_TYPES, TEMPORAL_TYPES
from muntin.spark.execution.result_rows import as_type, is_row
from muntin.spec.errors import InvalidInputError

COUNTED = (*INTEGER_TYPES, *TEMPORAL_TYPES)
"""Clocks are whole numbers of microseconds, or of days."""


def cast_exactly(value: object, kind: DataType, label: str) -> object:
    """Return a value as one of a column's type, and so all that it holds; or refuse it.

    >>> from pyspark.sql.types import LongType
    >>> cast_exactly(2.0, LongType(), "n")
    2
    >>> cast_exactly(1.5, LongType(), "n")
    Traceback (most recent call last):
        ...
    muntin.spec.errors.InvalidInputError: a value of 'n' does not fit into bigint: 1.5: it is...
    """
    if isinstance(kind, COUNTED) and isinstance(value, Real | Decimal):
        return _whole(value, kind, label)
    if isinstance(kind, ArrayType) and is_row(value):
        return [cast_exactly(one, kind.elementType, label) for one in value]
    if isinstance(kind, StructType) and is_record(value):
        if {*value} != {*kind.names}:
            raise _refused(value, kind, label, f"its fields must be {', '.join(kind.names)}")
        held = ((field, value[field.name]) for field in kind.fields)
        return {field.name: cast_exactly(one, field.dataType, label) for field, one in held}
    if isinstance(kind, StructType) and is_row(value):
        if len(value) != len(kind.fields):
            raise _refused(value, kind, label, f"it has {len(kind.fields)} fields")
        fields = zip(kind.fields, value, strict=True)
        return {field.name: cast_exactly(one, field.dataType, label) for field, one in fields}
    return as_type(value, kind)


def _whole(value: Real | Decimal, kind: DataType, label: str) -> int:
    try:
        whole = int(value)  # type: ignore[arg-type]  # each number that is used has it
    except (OverflowError, ValueError):  # infinity, NaN
        whole = None
    if whole is None or whole != value:
        raise _refused(value, kind, label, "it is no whole number; round it in `lower`")
    return whole


def _refused(value: object, kind: DataType, label: str, why: str) -> InvalidInputError:
    name = kind.simpleString()
    return InvalidInputError(f"a value of {label!r} does not fit into {name}: {value!r}: {why}")
