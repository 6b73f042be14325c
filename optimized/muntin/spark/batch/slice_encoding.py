"""Slices as tables, sent from those who make slices to those who combine them."""

from collections.abc import Iterator, Sequence

import numpy as np

from muntin.kernels.aggregator.array_backend import ArrayStorage
from muntin.kernels.slicing.arrays import Column, Fields, Ints, Objects, column_of, constant
from muntin.kernels.slicing.batch import Batch, Source, Values, objects
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.columns_in import check_times
from muntin.kernels.slicing.custom_part import Custom
from muntin.kernels.slicing.parts import Part
from muntin.kernels.slicing.store import Store
from muntin.spark.batch.slice_plan import HIGH, LOW, ORDER, WIRE_TYPES, ColumnKind, SlicePlan
from muntin.spark.execution.arrow import ArrowBatch, column, numbers, times
from muntin.spark.execution.internal_columns import internal_name

HALF = 31
"""The bits of the lower half of a sum."""
MIDDLE = 62
"""The bits between the lowest and the highest part of a sum of squares."""


def events(slicing: SlicePlan, rows: ArrowBatch, number: Ints, arrival: int) -> Batch:
    """Rows as a batch, given the numbers of their keys and the arrival number of the first.

    What a columnar operator refuses is refused here.
    """
    plan = slicing.plan
    time = times(rows, plan.time)
    none, names = constant(0, time.size), (*plan.values, plan.time)
    columns: dict[Source, Values] = {name: numbers(rows, name) for name in names}
    batch = Batch(time, number, none, none, columns, _no_events, arrival)
    check_times(batch)
    return batch


def _no_events() -> Objects:
    return objects([])


def encode_slices(slicing: SlicePlan, store: Store) -> dict[str, object]:
    """The columns of slices, besides their keys."""
    cells, parts = store.cells, slicing.parts.items()
    each = [encoded for part, kinds in parts for encoded in encode(store.parts[part], kinds)]
    columns: dict[str, object] = {LOW: cells.low, HIGH: cells.high, ORDER: cells.arrival}
    return columns | {internal_name(index): encoded for index, encoded in enumerate(each)}


def decode_slices(
    slicing: SlicePlan, rows: ArrowBatch, number: Ints, count: Ints | None = None
) -> Store:
    """Slices from their columns, given the numbers of their keys, and the events in each."""
    low, high, arrival = (np.asarray(column(rows, name), np.int64) for name in (LOW, HIGH, ORDER))
    slot = slicing.slice_edges.slots(low)
    each = np.ones_like(low) if count is None else count
    none = np.zeros_like(low)
    cells = Cells(number, slot, low, high, each, each, arrival, none, none)
    rest = iter([column_of(column(rows, internal_name(i))) for i in range(slicing.width)])
    parts = {part: decode(part, rest, kinds) for part, kinds in slicing.parts.items()}
    return Store(cells, parts)


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
