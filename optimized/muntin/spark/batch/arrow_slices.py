"""Slices: rows become partial aggregates where they lie, and only these are brought together.

Between two edges of windows all rows of a key are one [Traub20]; slices are no wider than the
smallest gap, so sessions need no more than their first and last times.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import reduce

import numpy as np
from pyspark import TaskContext
from pyspark.sql import DataFrame

from muntin.columnar.arrow import result_array as arrow_values
from muntin.kernels.slicing.arrays import FIRST, LAST
from muntin.kernels.slicing.grain import rows, sliced
from muntin.kernels.slicing.moment import Clock, Within
from muntin.kernels.slicing.store import Store
from muntin.kernels.slicing.track import view_of
from muntin.kernels.slicing.view import Line
from muntin.spark.batch.slice_encoding import columns_of, decode_slices, events
from muntin.spark.batch.slice_plan import SlicePlan
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import (
    KeyNumbers,
    Table,
    Work,
    batches,
    column,
    keys,
    mapped,
    picked,
    table,
)
from muntin.spark.execution.repartition import (
    columns_read,
    repartition_by_key,
    split_at_key_boundaries,
)
from muntin.spark.execution.result_rows import (
    ResultRows,
    compact_schema,
    expand_compact,
    result_batches,
)

ENOUGH = 2**18
"""So many slices are held by a worker before they are passed on."""

ROWS = 2**40
"""More than a task has rows."""


def partial_slices(df: DataFrame, plan: AggregationPlan) -> DataFrame:
    """Return slices that kernels make of each partition."""
    return mapped(
        df.select(*columns_read(plan)), partial_aggregation_task(plan), SlicePlan(plan).schema
    )


def final_windows(made: DataFrame, plan: AggregationPlan) -> DataFrame:
    """Return the answer: slices are brought together by key, and windows made of them."""
    return expand_compact(
        mapped(
            repartition_by_key(made, plan, []), final_aggregation_task(plan), compact_schema(plan)
        ),
        plan,
    )


def partial_aggregation_task(plan: AggregationPlan) -> Work:
    """Return what a worker does to rows."""

    def work(given: Iterable[Table]) -> Iterator[object]:
        context = TaskContext.get()
        held = PendingSlices(SlicePlan(plan), (context.partitionId() if context else 0) * ROWS)
        for batch in given:
            if batch.num_rows:
                held.take(batch)
            if held.size > ENOUGH:
                yield from held.passed_on()
        yield from held.passed_on()

    return work


class PendingSlices:
    """The slices that a worker has made and not passed on yet."""

    def __init__(self, slicing: SlicePlan, arrival: int) -> None:
        """Start with none; the first row has this number."""
        self._slicing, self._arrival = slicing, arrival
        self._stores: list[Store] = []
        self._keys: list[Table] = []
        self.size = 0

    def take(self, batch: Table) -> None:
        """Make slices of rows."""
        found = keys(batch, self._slicing.plan.keys)
        came = events(self._slicing, batch, found.number, self._arrival)
        if self._slicing.gap:
            whole = self._slicing.cut(rows(came, self._slicing.parts))
        else:
            whole = sliced(came, self._slicing.slice_edges.runs(came), self._slicing.parts)
        self._stores.append(whole)
        self._keys.append(picked(batch, self._slicing.plan.keys, found.row))
        self._arrival += batch.num_rows
        self.size += len(whole.cells)

    def passed_on(self) -> Iterator[Table]:
        """Yield what is held as batches, and hold nothing."""
        if not self.size:
            return
        whole = table(self._keys)
        found = keys(whole, self._slicing.plan.keys)
        sizes = np.cumsum([0, *(one.num_rows for one in self._keys)]).tolist()
        numbered = [
            replace(one, cells=replace(one.cells, key=found.number[at + one.cells.key]))
            for one, at in zip(self._stores, sizes, strict=False)
        ]
        store = self._slicing.cut(reduce(Store.followed, numbered))
        self._stores, self._keys, self.size = [], [], 0
        names = self._slicing.plan.keys
        each = picked(whole, names, found.row[store.cells.key])
        columns: dict[str, object] = {name: column(each, name) for name in names}
        columns |= columns_of(self._slicing, store)
        yield from batches(columns, self._slicing.schema)


def final_aggregation_task(plan: AggregationPlan) -> Work:
    """Return what a worker does to slices that were brought together."""

    def work(given: Iterable[Table]) -> Iterator[object]:
        slicing = SlicePlan(plan)
        for whole in split_at_key_boundaries(given, plan.keys):
            found = keys(whole, plan.keys)
            lines = windows_of(slicing, whole, found)
            yield from result_batches(plan, lines, whole, found, compactly=True)

    return work


def windows_of(slicing: SlicePlan, whole: Table, found: KeyNumbers) -> list[ResultRows]:
    """Return all windows of some keys, from their slices."""
    store, lines = _store(slicing, whole, found), list[ResultRows]()
    cells = store.cells
    line = Line(cells, np.zeros(len(cells), np.int64), FIRST, Clock(LAST, FIRST, LAST), final=False)
    for name, kind in slicing.plan.kinds().items():
        view = view_of(kind, line, Within(FIRST, LAST))
        values = {
            label: arrow_values(form(store, view.lo, view.hi))
            for label, form in slicing.forms.items()
        }
        lines.append(ResultRows(name, view.key, view.start, view.end, values, None, None))
    return lines


def _store(slicing: SlicePlan, whole: Table, found: KeyNumbers) -> Store:
    """Return the slices of some keys, one for each stretch of time."""
    store = decode_slices(slicing, whole, found.number)
    if slicing.gap:
        return slicing.cut(store)
    cells = store.cells
    return store.picked(np.lexsort((cells.arrival, cells.slot, cells.key))).condensed()
