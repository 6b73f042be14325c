"""Slices: rows become partial aggregates where they lie, and only these are brought together.

Between two edges of windows all rows of a key are one [Traub20]; slices are no wider than the
smallest gap, so sessions need no more than their first and last times.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from math import gcd

import numpy as np
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql.types import DoubleType, LongType, StructField, StructType

from muntin.kernels.arrow import values as arrow_values
from muntin.kernels.slicing.arrays import FIRST, LAST, Column, Ints, Objects, column_of, constant
from muntin.kernels.slicing.batch import Batch, Source, Values, objects
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.forms import Form, form_of
from muntin.kernels.slicing.grain import Slices, rows, slices
from muntin.kernels.slicing.moment import Clock, Within
from muntin.kernels.slicing.parts import Part
from muntin.kernels.slicing.store import Store
from muntin.kernels.slicing.track import view_of
from muntin.kernels.slicing.view import Line
from muntin.spark.answers import Told, told
from muntin.spark.arrow import (
    Keys,
    Table,
    Work,
    batches,
    column,
    keys,
    mapped,
    numbers,
    picked,
    table,
    times,
)
from muntin.spark.forms import columnar, over_columns
from muntin.spark.gathering import chunks, gathered, quoted
from muntin.spark.partials import MERGED, Carried, Kind, carried, columns_of, places, restored
from muntin.spark.plan import Plan
from muntin.spark.wanted import REAL
from muntin.spec.data_driven import Session
from muntin.spec.measure import TIME
from muntin.spec.periodic import Band, Cumulate, Landmark, Sliding

LOW, HIGH, ORDER = "muntin low", "muntin high", "muntin order"
SLICED = (Sliding, Cumulate, Landmark, Band, Session)
ENOUGH = 2**18
"""So many slices are held by a worker before they are passed on."""

ROWS = 2**40
"""More than a task has rows."""

SMALL = 2**16
"""So many numbers are sorted by counting."""


def sliced(plan: Plan) -> set[str]:
    """Return the windows that slices are made for: those that no row is needed for."""
    if any(not isinstance(part, MERGED) for part in _forms_of(plan)):
        return set()
    kinds, fast = plan.kinds(), columnar(plan)
    return {n for n in fast if isinstance(kinds[n], SLICED) and kinds[n].measure is TIME}


def _forms_of(plan: Plan) -> list[Part]:
    forms = [form_of(over_columns(plan, one)) for one in plan.wanted]
    return [part for form in forms if form for part in form.parts]


@dataclass(frozen=True)
class Slicing:
    """What both sides know: the windows, the parts that are kept, and how they travel."""

    plan: Plan

    @cached_property
    def forms(self) -> dict[str, Form]:
        """The form of each aggregate."""
        found = {one.label: form_of(over_columns(self.plan, one)) for one in self.plan.wanted}
        return {label: form for label, form in found.items() if form}

    @cached_property
    def parts(self) -> dict[Part, tuple[Kind, ...]]:
        """The parts of all aggregates, each once, with their columns."""
        real = {n for n in self.plan.values if isinstance(self.plan.types[n], REAL)}
        kinds: dict[Source, Carried] = {
            name: "float" if name in real else "int" for name in (*self.plan.values, self.plan.time)
        }
        parts = (part for form in self.forms.values() for part in form.parts)
        return {part: columns_of(part, kinds) for part in parts}

    @cached_property
    def grain(self) -> Slices:
        """The edges."""
        return slices(self.plan.kinds().values())

    @cached_property
    def unit(self) -> int:
        """What all edges are apart."""
        periods, phases = zip(*(self.grain.periods or ((1, 0),)), strict=True)
        first = (phase - phases[0] for phase in (*phases, *self.grain.single))
        return gcd(*periods, *first)

    @cached_property
    def carries(self) -> list[Carried]:
        """The columns by which the parts travel."""
        return [kind for each in self.parts.values() for kind in places(each)]

    @property
    def width(self) -> int:
        """How many these are."""
        return len(self.carries)

    @cached_property
    def schema(self) -> StructType:
        """The columns of slices."""
        fields = [StructField(name, self.plan.types[name]) for name in self.plan.keys]
        fields += [StructField(name, LongType()) for name in (LOW, HIGH, ORDER)]
        fields += [
            StructField(f"muntin {nth}", DoubleType() if kind == "float" else LongType())
            for nth, kind in enumerate(self.carries)
        ]
        return StructType(fields)


def by_slices(df: DataFrame, plan: Plan) -> DataFrame:
    """Return the answer: slices of each partition, brought together by key, and windows of them."""
    slicing = Slicing(plan)
    made = mapped(df.select(*quoted(plan.read)), making(plan), slicing.schema)
    return mapped(gathered(made, plan, []), combining(plan), plan.schema())


def making(plan: Plan) -> Work:
    """Return what a worker does to rows."""

    def work(given: Iterable[Table]) -> Iterator[object]:
        context = TaskContext.get()
        held = Held(Slicing(plan), (context.partitionId() if context else 0) * ROWS)
        for batch in given:
            if batch.num_rows:
                held.take(batch)
            if held.size > ENOUGH:
                yield from held.passed_on()
        yield from held.passed_on()

    return work


class Held:
    """The slices that a worker has made and not passed on yet."""

    def __init__(self, slicing: Slicing, arrival: int) -> None:
        """Start with none; the first row has this number."""
        self._slicing, self._arrival = slicing, arrival
        self._stores: list[Store] = []
        self._keys: list[Table] = []
        self.size = 0

    def take(self, batch: Table) -> None:
        """Make slices of rows."""
        plan, found = self._slicing.plan, keys(batch, self._slicing.plan.keys)
        time = times(batch, plan.time)
        none, names = constant(0, time.size), (*plan.values, plan.time)
        columns: dict[Source, Values] = {name: numbers(batch, name) for name in names}
        lifted = rows(
            Batch(time, found.number, none, none, columns, _no_events, self._arrival),
            self._slicing.parts,
        )
        slot = self._slicing.grain.slots(time)
        order = ordered(found.number, slot, self._slicing.unit)
        whole = Store(replace(lifted.cells, slot=slot), lifted.parts).picked(order).condensed()
        self._stores.append(whole)
        self._keys.append(picked(batch, plan.keys, found.row))
        self._arrival += time.size
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
        store = reduce(Store.followed, numbered).ordered().condensed()
        self._stores, self._keys, self.size = [], [], 0
        cells, each = (
            store.cells,
            picked(whole, self._slicing.plan.keys, found.row[store.cells.key]),
        )
        columns: dict[str, object] = {name: column(each, name) for name in self._slicing.plan.keys}
        columns |= {LOW: cells.low, HIGH: cells.high, ORDER: cells.arrival}
        parts = self._slicing.parts.items()
        out = [one for part, kinds in parts for one in carried(store.parts[part], kinds)]
        columns |= {f"muntin {nth}": one for nth, one in enumerate(out)}
        yield from batches(columns, self._slicing.schema)


def ordered(key: Ints, slot: Ints, unit: int) -> Ints:
    """Return the order by key and slot; what came first stays first."""
    least, n = int(slot.min()), int(key.max()) + 1
    span = (int(slot.max()) - least) // unit + 1
    if n * span <= SMALL:
        code = key * span + (slot - least) // unit
        return np.argsort(code.astype(np.uint16), kind="stable")
    return np.lexsort((slot, key))


def _no_events() -> Objects:
    return objects([])


def combining(plan: Plan) -> Work:
    """Return what a worker does to slices that were brought together."""

    def work(given: Iterable[Table]) -> Iterator[object]:
        slicing = Slicing(plan)
        for whole in chunks(given, plan.keys):
            found = keys(whole, plan.keys)
            yield from told(plan, windows_of(slicing, whole, found), whole, found)

    return work


def windows_of(slicing: Slicing, whole: Table, found: Keys) -> list[Told]:
    """Return all windows of some keys, from their slices."""
    store, lines = _store(slicing, whole, found), list[Told]()
    cells = store.cells
    line = Line(cells, np.zeros(len(cells), np.int64), FIRST, Clock(LAST, FIRST, LAST), final=False)
    for name, kind in slicing.plan.kinds().items():
        view = view_of(kind, line, Within(FIRST, LAST))
        values = {
            label: arrow_values(form(store, view.lo, view.hi))
            for label, form in slicing.forms.items()
        }
        n = len(view)
        lines.append(Told(name, view.key, view.start, view.end, values, ["new"] * n, [0] * n))
    return lines


def _store(slicing: Slicing, whole: Table, found: Keys) -> Store:
    """Return the slices of some keys, one for each stretch of time."""
    low, high, arrival = (_ints(whole, name) for name in (LOW, HIGH, ORDER))
    one, slot = np.ones_like(low), slicing.grain.slots(low)
    cells = Cells(found.number, slot, low, high, one, one, arrival, one * 0, one * 0)
    rest = iter([_carried(whole, nth) for nth in range(slicing.width)])
    parts = {part: restored(rest, kinds) for part, kinds in slicing.parts.items()}
    order = np.lexsort((arrival, slot, found.number))
    return Store(cells, parts).picked(order).condensed()


def _ints(whole: Table, name: str) -> Ints:
    return np.asarray(column(whole, name), np.int64)


def _carried(whole: Table, nth: int) -> Column:
    return column_of(column(whole, f"muntin {nth}"))
