"""What all know who make slices or windows of them: the edges, the parts, and how they travel."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from pyspark.sql.types import DoubleType, LongType, StructField, StructType

from muntin.kernels.slicing.batch import Source
from muntin.kernels.slicing.forms import Form, form_of
from muntin.kernels.slicing.grain import Slices, slices
from muntin.kernels.slicing.ordering import ordered
from muntin.kernels.slicing.parts import Part
from muntin.kernels.slicing.session_view import beginnings, reaches
from muntin.kernels.slicing.store import Store
from muntin.spark.batch.partials import (
    IN_ORDER,
    Kind,
    WireType,
    columns_of,
    is_serializable,
    places,
)
from muntin.spark.call.aggregate_arguments import FLOATING_TYPES
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.columnar_support import columnar_windows, over_columns
from muntin.spark.execution.internal_columns import internal_name
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import TIME
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding

LOW, HIGH, ORDER = internal_name("low"), internal_name("high"), internal_name("order")
SLICED = (Sliding, Cumulate, Landmark, Band, Session)


def sliceable_windows(plan: AggregationPlan) -> set[str]:
    """Return the windows that slices are made for: those that no row is needed for."""
    forms = [form_of(over_columns(plan, one)) for one in plan.wanted]
    if not all(form and is_serializable(form) for form in forms):
        return set()
    kinds, fast = plan.kinds(), columnar_windows(plan)
    return {n for n in fast if isinstance(kinds[n], SLICED) and kinds[n].measure is TIME}


@dataclass(frozen=True)
class SlicePlan:
    """What both sides know: the windows, the parts that are kept, and how they travel."""

    plan: AggregationPlan

    @cached_property
    def forms(self) -> dict[str, Form]:
        """The form of each aggregate."""
        found = {one.label: form_of(over_columns(self.plan, one)) for one in self.plan.wanted}
        return {label: form for label, form in found.items() if form}

    @cached_property
    def parts(self) -> dict[Part, tuple[Kind, ...]]:
        """The parts of all aggregates, each once, with their columns."""
        real = {n for n in self.plan.values if isinstance(self.plan.types[n], FLOATING_TYPES)}
        kinds = dict[Source, WireType]()
        for name in (*self.plan.values, self.plan.time):
            kinds[name] = "float" if name in real else "int"
        parts = (part for form in self.forms.values() for part in form.parts)
        return {part: columns_of(part, kinds) for part in parts}

    @cached_property
    def slice_edges(self) -> Slices:
        """The edges."""
        return slices(self.plan.kinds().values())

    @cached_property
    def gap(self) -> int:
        """The smallest gap, if all windows are sessions and order shows in no part; else 0.

        Then cells are runs of events, each less than this after the one before: where sessions
        are short they are fewer than slices.
        """
        kinds = self.plan.kinds().values()
        gaps = [one.gap for one in kinds if isinstance(one, Session)]
        alone = len(gaps) == len(kinds) and not any(isinstance(p, IN_ORDER) for p in self.parts)
        return min(gaps) if alone else 0

    def cut(self, store: Store) -> Store:
        """Return one cell for each slice, or for each run."""
        if not self.gap:
            return store.ordered().condensed()
        cells = replace(store.cells, slot=store.cells.low)
        line = Store(cells, store.parts).picked(ordered(cells.key, cells.slot))
        begins = beginnings(line.cells, reaches(self.gap, line.cells))
        slot = np.repeat(line.cells.low[begins], np.diff(begins, append=len(line.cells)))
        return replace(line, cells=replace(line.cells, slot=slot)).condensed()

    @cached_property
    def encoded_columns(self) -> list[WireType]:
        """The columns by which the parts travel."""
        return [kind for each in self.parts.values() for kind in places(each)]

    @property
    def width(self) -> int:
        """How many these are."""
        return len(self.encoded_columns)

    @cached_property
    def schema(self) -> StructType:
        """The columns of slices."""
        fields = [StructField(name, self.plan.types[name]) for name in self.plan.keys]
        fields += [StructField(name, LongType()) for name in (LOW, HIGH, ORDER)]
        fields += [
            StructField(internal_name(nth), DoubleType() if kind == "float" else LongType())
            for nth, kind in enumerate(self.encoded_columns)
        ]
        return StructType(fields)
