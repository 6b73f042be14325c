"""The plan of slices, for those who make them and those who combine them: edges, parts, columns.

Partial aggregates are sent as columns of 64 bits. Sums of integers are exact whatever their size:
they are sent in two halves, those of squares in three parts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from pyspark.sql.types import DoubleType, LongType, StructField, StructType

from muntin.kernels.slicing.batch import Source
from muntin.kernels.slicing.cells import ordered
from muntin.kernels.slicing.choice import Choice
from muntin.kernels.slicing.custom_part import Custom
from muntin.kernels.slicing.forms import Form, form_of
from muntin.kernels.slicing.grain import Slices, slices
from muntin.kernels.slicing.parts import Count, First, Last, Max, Min, Part, Squares, Sum
from muntin.kernels.slicing.store import Store
from muntin.kernels.slicing.view import beginnings, reaches
from muntin.optimized.common.window_traits import traits_of
from muntin.spark.call.aggregate_arguments import FLOATING_TYPES
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.columnar_support import columnar_windows
from muntin.spark.execution.internal_columns import internal_name
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

    @property
    def width(self) -> int:
        """The number of these columns."""
        return len(self.encoded_columns)

    @cached_property
    def schema(self) -> StructType:
        """The columns of slices."""
        fields = [StructField(name, self.plan.types[name]) for name in self.plan.keys]
        fields += [StructField(name, LongType()) for name in (LOW, HIGH, ORDER)]
        fields += [
            StructField(internal_name(index), DoubleType() if kind == "float" else LongType())
            for index, kind in enumerate(self.encoded_columns)
        ]
        return StructType(fields)
