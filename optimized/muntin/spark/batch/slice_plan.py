"""The plan of slices, for those who make them and those who combine them: edges, parts, columns.

Partial aggregates are sent as columns of 64 bits. Sums of integers are exact whatever their size:
they are sent in two halves, those of squares in three parts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from pyspark.sql.types import DoubleType, LongType, StructField, StructType

from muntin.kernels.aggregator.array_backend import ArrayStorage
from muntin.kernels.slicing.arrays import Column, Fields, Ints, column_of, constant
from muntin.kernels.slicing.batch import Batch, Source, Values, objects
from muntin.kernels.slicing.cells import Cells, ordered
from muntin.kernels.slicing.choice import Choice
from muntin.kernels.slicing.columns_in import check_times
from muntin.kernels.slicing.custom_part import Custom
from muntin.kernels.slicing.forms import Form, form_of
from muntin.kernels.slicing.grain import Slices, slices
from muntin.kernels.slicing.parts import Count, First, Last, Max, Min, Part, Squares, Sum
from muntin.kernels.slicing.store import Store
from muntin.kernels.slicing.view import beginnings, reaches
from muntin.optimized.common.window_traits import traits_of
from muntin.spark.call.aggregate_arguments import FLOATING_TYPES
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, column, numbers, times
from muntin.spark.execution.evaluation import columnar_windows
from muntin.spark.execution.repartition import internal_name
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import TIME

LOW, HIGH, ORDER = internal_name("low"), internal_name("high"), internal_name("order")

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


def sliceable_windows(plan: AggregationPlan) -> set[str]:
    """The windows that can be made of slices, without the rows."""
    forms = [form_of(each.over_columns(plan.time)) for each in plan.aggregates]
    if not all(form and is_serializable(form) for form in forms):
        return set()
    kinds, fast = plan.kinds(), columnar_windows(plan)
    sliceable = {n for n in fast if traits_of(kinds[n]).slice_edges is not None}
    return {n for n in sliceable if kinds[n].measure is TIME}


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


@dataclass(frozen=True)
class SlicePlan:
    """The windows of a plan, the parts that slices keep, and the columns in which they are sent."""

    plan: AggregationPlan

    @cached_property
    def forms(self) -> dict[str, Form]:
        """The form of each aggregate."""
        time = self.plan.time
        forms = {each.label: form_of(each.over_columns(time)) for each in self.plan.aggregates}
        return {label: form for label, form in forms.items() if form}

    @cached_property
    def parts(self) -> dict[Part, tuple[ColumnKind, ...]]:
        """The parts of all aggregates, each once, with their columns."""
        real = {n for n in self.plan.values if isinstance(self.plan.types[n], FLOATING_TYPES)}
        kinds = dict[Source, WireType]()
        for name in (*self.plan.values, self.plan.time):
            kinds[name] = "float" if name in real else "int"
        parts = (part for form in self.forms.values() for part in form.parts)
        return {part: part_columns(part, kinds) for part in parts}

    @cached_property
    def slice_edges(self) -> Slices:
        """The edges of all windows."""
        return slices(self.plan.kinds().values())

    @cached_property
    def gap(self) -> int:
        """The smallest gap, if all windows are sessions and no part depends on order; else 0.

        Then slices are runs of events, each less than this after the one before: where sessions
        are short they are fewer than slices of fixed edges.
        """
        kinds = self.plan.kinds().values()
        gaps = [kind.gap for kind in kinds if isinstance(kind, Session)]
        alone = len(gaps) == len(kinds) and not any(isinstance(p, IN_ORDER) for p in self.parts)
        return min(gaps) if alone else 0

    def cut(self, store: Store) -> Store:
        """One cell for each slice, or for each run."""
        if not self.gap:
            return store.ordered().condensed()
        cells = replace(store.cells, slot=store.cells.low)
        in_time = Store(cells, store.parts).picked(ordered(cells.key, cells.slot))
        begins = beginnings(in_time.cells, reaches(self.gap, in_time.cells))
        slot = np.repeat(in_time.cells.low[begins], np.diff(begins, append=len(in_time.cells)))
        return replace(in_time, cells=replace(in_time.cells, slot=slot)).condensed()

    @cached_property
    def encoded_columns(self) -> list[WireType]:
        """The types of the columns in which the parts are sent."""
        return [kind for each in self.parts.values() for kind in wire_types(each)]

    @cached_property
    def schema(self) -> StructType:
        """The columns of slices."""
        fields = [StructField(name, self.plan.types[name]) for name in self.plan.keys]
        fields += [StructField(name, LongType()) for name in (LOW, HIGH, ORDER)]
        for index, kind in enumerate(self.encoded_columns):
            wire_type = DoubleType() if kind == "float" else LongType()
            fields.append(StructField(internal_name(index), wire_type))
        return StructType(fields)


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
    batch = Batch(time, number, none, none, columns, lambda: objects([]), arrival)
    check_times(batch)
    return batch


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
    names = map(internal_name, range(len(slicing.encoded_columns)))
    rest = (column_of(column(rows, name)) for name in names)
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
