"""Partial aggregates as columns of 64 bits, for those who make slices and those who combine them.

Sums of integers are exact whatever their size: they are sent in two halves, those of squares in
three parts.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np

from muntin.kernels.aggregator.array_backend import ArrayStorage
from muntin.kernels.slicing.arrays import Column, Fields, column_of
from muntin.kernels.slicing.batch import Source
from muntin.kernels.slicing.choice import Choice
from muntin.kernels.slicing.custom_part import Custom
from muntin.kernels.slicing.forms import Form
from muntin.kernels.slicing.parts import Count, First, Last, Max, Min, Part, Squares, Sum

WireType = Literal["int", "float"]
ColumnKind = Literal["int", "float", "wide", "widest"]
"""What a column holds: integers or floats of 64 bits, sums of integers, or sums of squares."""
WIRE_TYPES: Mapping[ColumnKind, tuple[WireType, ...]] = {
    "int": ("int",),
    "float": ("float",),
    "wide": ("int", "int"),
    "widest": ("int", "int", "int"),
}
"""The columns in which each kind is sent."""

SERIALIZABLE = (Count, Sum, Squares, Min, Max, First, Last, Choice)
"""Parts of the catalogue that are sent: all but those that hold every value."""
IN_ORDER = (First, Last, Choice)
"""Parts for which the order of arrival matters where times are equal."""


def is_serializable(form: Form) -> bool:
    """Whether partials of several tasks can be combined; the user's own only in any order."""
    is_custom = all(isinstance(part, Custom) for part in form.parts) and not form.ordered
    return is_custom or all(isinstance(part, SERIALIZABLE) for part in form.parts)


def part_columns(part: Part, kinds: Mapping[Source, WireType]) -> tuple[ColumnKind, ...]:
    """The columns of a part, given the kinds of those that it reads."""
    if isinstance(part, Custom):
        return "int", *part.summary.fields
    kind = kinds[part.source]
    total: ColumnKind = "wide" if kind == "int" else "float"
    if isinstance(part, Choice):
        return kind, kinds[part.brings], "int"
    if isinstance(part, Count):
        return ("int",)
    if isinstance(part, First | Last):
        return "int", kind
    if isinstance(part, Squares):
        return "int", total, "widest" if kind == "int" else "float"
    return (total,) if isinstance(part, Sum) else (kind,)


def wire_types(kinds: Sequence[ColumnKind]) -> list[WireType]:
    """The types of the columns in which some kinds are sent."""
    return [wire_type for kind in kinds for wire_type in WIRE_TYPES[kind]]


HALF = 31
"""The bits of the lower half of a sum."""
MIDDLE = 62
"""The bits between the lowest and the highest part of a sum of squares."""


def encode(fields: Fields, kinds: Sequence[ColumnKind]) -> Iterator[Column]:
    """The columns in which those of a part are sent.

    >>> [one.tolist() for one in encode((column_of([2**40 + 3]),), ["wide"])]
    [[512], [3]]
    >>> [one.tolist() for one in encode((column_of([2**124]),), ["widest"])]
    [[2147483648], [0], [0]]
    """
    flat = [column for field in fields for column in _flat(field)]
    for field, kind in zip(flat, kinds, strict=True):
        if len(WIRE_TYPES[kind]) > 1:
            high, low = field // 2**HALF, field % 2**HALF
            above = [high] if kind == "wide" else [high // 2**MIDDLE, high % 2**MIDDLE]
            yield from (column_of(part.astype(np.int64)) for part in (*above, low))
        else:
            yield column_of(field.astype(np.float64 if kind == "float" else np.int64, copy=False))


def _flat(field: Column) -> list[Column]:
    """A column of records as several."""
    names = field.dtype.names
    return [column_of(getattr(field.view(np.recarray), name)) for name in names or ()] or [field]


def decode(part: Part, columns: Iterator[Column], kinds: Sequence[ColumnKind]) -> Fields:
    """The columns of a part from those in which they were sent."""
    fields = tuple(_decode_column(columns, kind) for kind in kinds)
    if not isinstance(part, Custom) or len(fields) == 2:  # noqa: PLR2004 - numbers, no records
        return fields
    arrays = ArrayStorage(part.summary)
    return fields[0], column_of(np.rec.fromarrays(fields[1:], dtype=arrays.dtype).view(np.ndarray))


def _decode_column(columns: Iterator[Column], kind: ColumnKind) -> Column:
    first, *rest = (next(columns) for _ in WIRE_TYPES[kind])
    if kind == "widest":
        middle = rest.pop(0)
        above = first.astype(np.object_) * 2**MIDDLE + middle.astype(np.object_)
        first = column_of(above if first.any() else middle)
    return _join_halves(first, *rest) if rest else first


def _join_halves(high: Column, low: Column) -> Column:
    """Integers from their halves: of 64 bits, if their sums surely fit."""
    is_narrow = not high.size or float(np.abs(high).max()) * high.size < 2.0**HALF / 2
    if is_narrow:
        return column_of(high * 2**HALF + low)
    return column_of(high.astype(np.object_) * 2**HALF + low.astype(np.object_))
