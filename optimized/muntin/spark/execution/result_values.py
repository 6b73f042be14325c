"""Values of windows as values of their column's type; none is truncated in silence."""

from decimal import Decimal
from fractions import Fraction
from numbers import Real

from pyspark.sql.types import ArrayType, DataType, DoubleType, FloatType, StructType

from muntin.kernels.slicing.over import is_record, is_row
from muntin.spark.call.aggregate_arguments import INTEGER_TYPES, TEMPORAL_TYPES
from muntin.spec.errors import InvalidInputError

WHOLE_TYPES = (*INTEGER_TYPES, *TEMPORAL_TYPES)
"""Timestamps are whole numbers of microseconds, and dates of days."""


def as_type(value: object, kind: DataType) -> object:
    """A value that was computed exactly, as one of a column's type.

    >>> as_type(Fraction(1, 4), DoubleType())
    0.25
    """
    if value is None:
        return None
    if isinstance(kind, DoubleType | FloatType) and isinstance(value, int | Fraction):
        return float(value)
    if isinstance(kind, ArrayType) and is_row(value):
        return list(value)
    if isinstance(kind, StructType) and is_row(value):
        return dict(zip(kind.names, value, strict=True))
    return value


def cast_exactly(value: object, kind: DataType, label: str) -> object:
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
    if isinstance(kind, ArrayType) and is_row(value):
        return [cast_exactly(item, kind.elementType, label) for item in value]
    if isinstance(kind, StructType) and is_record(value):
        if {*value} != {*kind.names}:
            raise _misfit(value, kind, label, f"its fields must be {', '.join(kind.names)}")
        items = ((field, value[field.name]) for field in kind.fields)
        return {field.name: cast_exactly(item, field.dataType, label) for field, item in items}
    if isinstance(kind, StructType) and is_row(value):
        if len(value) != len(kind.fields):
            raise _misfit(value, kind, label, f"it must have {len(kind.fields)} fields")
        fields = zip(kind.fields, value, strict=True)
        return {field.name: cast_exactly(item, field.dataType, label) for field, item in fields}
    return as_type(value, kind)


def _integer(value: Real | Decimal, kind: DataType, label: str) -> int:
    try:
        integer = int(value)  # type: ignore[arg-type]  # each number that is used has it
    except (OverflowError, ValueError):  # infinity, NaN
        integer = None
    if integer is None or integer != value:
        raise _misfit(value, kind, label, "it is no whole number; round it in `lower`")
    return integer


def _misfit(value: object, kind: DataType, label: str, why: str) -> InvalidInputError:
    name = kind.simpleString()
    return InvalidInputError(f"a value of {label!r} does not fit into {name}: {value!r}: {why}")
