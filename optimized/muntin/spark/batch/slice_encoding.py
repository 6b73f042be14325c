"""Slices as tables: what travels from those who make slices to those who combine them."""

import numpy as np

from muntin.kernels.slicing.arrays import Ints, Objects, column_of, constant
from muntin.kernels.slicing.batch import Batch, Source, Values, objects
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.columns_in import check_times
from muntin.kernels.slicing.store import Store
from muntin.spark.batch.partials import decode, encode
from muntin.spark.batch.slice_plan import HIGH, LOW, ORDER, SlicePlan
from muntin.spark.execution.arrow import Table, column, numbers, times
from muntin.spark.execution.internal_columns import internal_name


def events(slicing: SlicePlan, rows: Table, number: Ints, arrival: int) -> Batch:
    """Return rows as a batch, given the numbers of their keys; the first came as the n-th.

    What an operator over columns refuses is refused here.
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


def columns_of(slicing: SlicePlan, store: Store) -> dict[str, object]:
    """Return what travels of slices, besides their keys."""
    cells, parts = store.cells, slicing.parts.items()
    each = [one for part, kinds in parts for one in encode(store.parts[part], kinds)]
    found: dict[str, object] = {LOW: cells.low, HIGH: cells.high, ORDER: cells.arrival}
    return found | {internal_name(nth): one for nth, one in enumerate(each)}


def decode_slices(
    slicing: SlicePlan, whole: Table, number: Ints, count: Ints | None = None
) -> Store:
    """Return slices, given the numbers of their keys, and how many events each holds."""
    low, high, arrival = (np.asarray(column(whole, name), np.int64) for name in (LOW, HIGH, ORDER))
    slot = slicing.slice_edges.slots(low)
    each = np.ones_like(low) if count is None else count
    none = np.zeros_like(low)
    cells = Cells(number, slot, low, high, each, each, arrival, none, none)
    rest = iter([column_of(column(whole, internal_name(nth))) for nth in range(slicing.width)])
    parts = {part: decode(part, rest, kinds) for part, kinds in slicing.parts.items()}
    return Store(cells, parts)
