"""Partial aggregates as columns that Arrow can carry, and back.

Sums of integers are exact whatever their size: they travel in two halves, those of squares in three
parts.
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
Kind = Literal["int", "float", "wide", "widest"]
"""What a column holds: integers or floats of 64 bits, sums of integers, or sums of squares."""
PLACES: Mapping[Kind, tuple[WireType, ...]] = {
    "int": ("int",),
    "float": ("float",),
    "wide": ("int", "int"),
    "widest": ("int", "int", "int"),
}
"""In what they are carried."""

HALF = 31
MIDDLE = 62
"""Bits of what is between the lowest and the highest part of a sum of squares."""
KNOWN = (Count, Sum, Squares, Min, Max, First, Last, Choice)
"""Parts of the catalogue that travel: all but those that hold everything."""

IN_ORDER = (First, Last, Choice)
"""Parts for which the order of arrival matters where times are equal."""


def is_serializable(form: Form) -> bool:
    """Whether partials can be brought together: also those of the user, if order plays no part."""
    own = all(isinstance(part, Custom) for part in form.parts) and not form.ordered
    return own or all(isinstance(part, KNOWN) for part in form.parts)


def columns_of(part: Part, kinds: Mapping[Source, WireType]) -> tuple[Kind, ...]:
    """Return the columns of a part, given those that it reads."""
    if isinstance(part, Custom):
        return "int", *part.summary.fields
    kind = kinds[part.source]
    total: Kind = "wide" if kind == "int" else "float"
    if isinstance(part, Choice):
        return kind, kinds[part.brings], "int"
    if isinstance(part, Count):
        return ("int",)
    if isinstance(part, First | Last):
        return "int", kind
    if isinstance(part, Squares):
        return "int", total, "widest" if kind == "int" else "float"
    return (total,) if isinstance(part, Sum) else (kind,)


def encode(fields: Fields, kinds: Sequence[Kind]) -> Iterator[Column]:
    """Yield what is carried of the columns of a part.

    >>> [one.tolist() for one in encode((column_of([2**40 + 3]),), ["wide"])]
    [[512], [3]]
    >>> [one.tolist() for one in encode((column_of([2**124]),), ["widest"])]
    [[2147483648], [0], [0]]
    """
    plain = [column for field in fields for column in _flat(field)]
    for field, kind in zip(plain, kinds, strict=True):
        if len(PLACES[kind]) > 1:
            high, low = field // 2**HALF, field % 2**HALF
            above = [high] if kind == "wide" else [high // 2**MIDDLE, high % 2**MIDDLE]
            yield from (column_of(one.astype(np.int64)) for one in (*above, low))
        else:
            yield column_of(field.astype(np.float64 if kind == "float" else np.int64, copy=False))


def _flat(field: Column) -> list[Column]:
    """Return a column of records as several."""
    names = field.dtype.names
    return [column_of(getattr(field.view(np.recarray), name)) for name in names or ()] or [field]


def decode(part: Part, columns: Iterator[Column], kinds: Sequence[Kind]) -> Fields:
    """Return the columns of a part from what was carried."""
    found = tuple(_restored(columns, kind) for kind in kinds)
    if not isinstance(part, Custom) or len(found) == 2:  # noqa: PLR2004 - numbers, no records
        return found
    arrays = ArrayStorage(part.summary)
    return found[0], column_of(np.rec.fromarrays(found[1:], dtype=arrays.dtype).view(np.ndarray))


def _restored(columns: Iterator[Column], kind: Kind) -> Column:
    first, *rest = (next(columns) for _ in PLACES[kind])
    if kind == "widest":
        middle = rest.pop(0)
        above = first.astype(np.object_) * 2**MIDDLE + middle.astype(np.object_)
        first = column_of(above if first.any() else middle)
    return _joined(first, *rest) if rest else first


def _joined(high: Column, low: Column) -> Column:
    """Return integers from their halves: of 64 bits, if their sums surely fit."""
    small = not high.size or float(np.abs(high).max()) * high.size < 2.0**HALF / 2
    if small:
        return column_of(high * 2**HALF + low)
    return column_of(high.astype(np.object_) * 2**HALF + low.astype(np.object_))


def places(kinds: Sequence[Kind]) -> list[WireType]:
    """Return the kinds of what is carried."""
    return [one for kind in kinds for one in PLACES[kind]]
