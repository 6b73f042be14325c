"""Slices of rows: partial aggregates between edges of windows, made in one place, used in another.

Between two edges of windows all rows of a key are one [Traub20]; slices are no wider than the
smallest gap, so sessions need no more than their first and last times.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import NamedTuple

import numpy as np

from muntin.columnar.arrow import result_array
from muntin.columnar.embedding.result_rows import ResultRows
from muntin.columnar.embedding.slice_encoding import (
    IN_ORDER,
    ColumnKind,
    WireType,
    decode,
    encode,
    part_columns,
    wire_types,
)
from muntin.kernels.slicing.arrays import (
    FIRST,
    LAST,
    Column,
    Ints,
    constant,
)
from muntin.kernels.slicing.batch import Batch, Source, Values, objects
from muntin.kernels.slicing.cells import Cells, ordered
from muntin.kernels.slicing.columns_in import check_times
from muntin.kernels.slicing.forms import Form, form_of
from muntin.kernels.slicing.grain import Runs, Slices, rows, sliced, slices
from muntin.kernels.slicing.moment import Clock, Within
from muntin.kernels.slicing.parts import Count, Max, Min, Part, Sum
from muntin.kernels.slicing.store import Store
from muntin.kernels.slicing.track import view_of
from muntin.kernels.slicing.view import Line, beginnings, reaches
from muntin.spec.algebra.aggregate import AnyAggregate
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.window import WindowType

FUNCTIONS: Mapping[type[Part], str] = {Count: "count", Sum: "sum", Min: "min", Max: "max"}
"""Parts that a group-by has a function for."""


class PartialColumns(NamedTuple):
    """The function of a group-by that computes a partial aggregate, if one does, and its column."""

    function: str | None
    source: str


@dataclass(frozen=True)
class PartialSlices:
    """Slices with their keys, extents, events and partial aggregates; what they hold is columns."""

    store: Store

    def __len__(self) -> int:
        """How many there are."""
        return len(self.store.cells)

    @property
    def key(self) -> Ints:
        """The number of the key of each."""
        return self.store.cells.key

    @property
    def count(self) -> Ints:
        """How many rows each has."""
        return self.store.cells.count

    @property
    def low(self) -> Ints:
        """The time of the first row of each."""
        return self.store.cells.low

    @property
    def high(self) -> Ints:
        """The time of the last row of each."""
        return self.store.cells.high

    @property
    def order(self) -> Ints:
        """The arrival number of the first row of each."""
        return self.store.cells.arrival

    def with_keys(self, key: Ints) -> "PartialSlices":
        """The slices with other numbers of keys."""
        return PartialSlices(replace(self.store, cells=replace(self.store.cells, key=key)))

    def delayed(self, arrivals: int) -> "PartialSlices":
        """The slices as they are after other rows have arrived."""
        cells = replace(self.store.cells, arrival=self.order + arrivals)
        return PartialSlices(replace(self.store, cells=cells))


@dataclass(frozen=True)
class SortedRows:
    """Rows in the order of their slices."""

    batch: Batch
    runs: Runs
    parts: Collection[Part]

    def __len__(self) -> int:
        """How many slices they make."""
        return self.runs.begins.size

    @property
    def order(self) -> Ints:
        """The places of the rows."""
        return self.runs.order

    @property
    def key(self) -> Ints:
        """The number of the key of each slice."""
        return self.runs.key

    def slices(self) -> PartialSlices:
        """The slices."""
        return PartialSlices(sliced(self.batch, self.runs, self.parts))


class SliceLayout:
    """Where slices begin, which partial aggregates they keep, and in which columns these are sent.

    `aggregates` are over records, by result name; `floats` are the columns that hold floats.
    """

    def __init__(
        self,
        windows: Mapping[str, WindowType],
        aggregates: Mapping[str, AnyAggregate],
        floats: Collection[str],
    ) -> None:
        """Find out what slices need."""
        self.windows = windows
        forms = {label: form_of(aggregate) for label, aggregate in aggregates.items()}
        self.forms: dict[str, Form] = {label: form for label, form in forms.items() if form}
        self._floats = floats

    @cached_property
    def parts(self) -> dict[Part, tuple[ColumnKind, ...]]:
        """The parts of all aggregates, each once, with their columns."""
        parts = [*{part: None for form in self.forms.values() for part in form.parts}]
        sources = {source for part in parts for source in part.sources}
        kinds: dict[Source, WireType] = {
            source: "float" if source in self._floats else "int" for source in sources
        }
        return {part: part_columns(part, kinds) for part in parts}

    @property
    def sources(self) -> list[Source]:
        """The columns that are read."""
        return [*{source: None for part in self.parts for source in part.sources}]

    @property
    def partials(self) -> list[PartialColumns]:
        """What a group-by computes for each part."""
        return [PartialColumns(FUNCTIONS.get(type(p)), str(p.source)) for p in self.parts]

    @cached_property
    def encoded_columns(self) -> list[WireType]:
        """The types of the columns in which partial aggregates are sent."""
        return [kind for each in self.parts.values() for kind in wire_types(each)]

    @cached_property
    def edges(self) -> Slices:
        """The edges of all windows: at every period, at a phase, and single ones."""
        return slices(self.windows.values())

    @cached_property
    def gap(self) -> int:
        """The smallest gap, if all windows are sessions and no part depends on order; else 0.

        Then slices are runs of events, each less than this after the one before: where sessions
        are short they are fewer than slices of fixed edges.
        """
        kinds = self.windows.values()
        gaps = [kind.gap for kind in kinds if isinstance(kind, Session)]
        alone = len(gaps) == len(kinds) and not any(isinstance(p, IN_ORDER) for p in self.parts)
        return min(gaps) if alone else 0

    # ------------------------------------------------------------ rows to slices

    def sorted_rows(
        self, times: Ints, columns: Mapping[Source, Values], keys: Ints, arrival: int = 0
    ) -> SortedRows:
        """Rows by key and slice; what an engine refuses is refused here."""
        batch = self._batch(times, columns, keys, arrival)
        return SortedRows(batch, self.edges.runs(batch), self.parts)

    def preaggregate(
        self, times: Ints, columns: Mapping[Source, Values], keys: Ints, arrival: int = 0
    ) -> PartialSlices:
        """Slices of rows, given the numbers of their keys and the arrival number of the first."""
        if not self.gap:
            return self.sorted_rows(times, columns, keys, arrival).slices()
        return PartialSlices(
            self._cut(rows(self._batch(times, columns, keys, arrival), self.parts))
        )

    def _batch(
        self, times: Ints, columns: Mapping[Source, Values], keys: Ints, arrival: int
    ) -> Batch:
        none = constant(0, times.size)
        batch = Batch(times, keys, none, none, columns, lambda: objects([]), arrival)
        check_times(batch)
        return batch

    def merge(self, each: Sequence[PartialSlices]) -> PartialSlices:
        """One slice for each key and interval, or for each run of rows."""
        return PartialSlices(self._cut(reduce(Store.followed, [one.store for one in each])))

    @staticmethod
    def collect(each: Sequence[PartialSlices]) -> PartialSlices:
        """One slice for each key and interval; each began to come after those before it."""
        store = reduce(Store.followed, [one.store for one in each])
        return PartialSlices(store.ordered().condensed())

    def _cut(self, store: Store) -> Store:
        if not self.gap:
            cells = store.cells
            return store.picked(np.lexsort((cells.arrival, cells.slot, cells.key))).condensed()
        cells = replace(store.cells, slot=store.cells.low)
        in_time = Store(cells, store.parts).picked(ordered(cells.key, cells.slot))
        begins = beginnings(in_time.cells, reaches(self.gap, in_time.cells))
        slot = np.repeat(in_time.cells.low[begins], np.diff(begins, append=len(in_time.cells)))
        return replace(in_time, cells=replace(in_time.cells, slot=slot)).condensed()

    # ------------------------------------------------------------ slices as columns

    def encode(self, partial: PartialSlices) -> list[Column]:
        """The columns of partial aggregates, of the types of `encoded_columns`."""
        parts, store = self.parts.items(), partial.store
        return [one for part, kinds in parts for one in encode(store.parts[part], kinds)]

    def decode(
        self,
        extents: tuple[Ints, Ints, Ints],
        columns: Iterator[Column],
        keys: Ints,
        count: Ints | None = None,
    ) -> PartialSlices:
        """Slices from their first and last times, orders and columns, and their keys and rows."""
        low, high, arrival = extents
        each, none = np.ones_like(low) if count is None else count, np.zeros_like(low)
        slot = self.edges.slots(low)
        cells = Cells(keys, slot, low, high, each, each, arrival, none, none)
        parts = {part: decode(part, columns, kinds) for part, kinds in self.parts.items()}
        return PartialSlices(Store(cells, parts))

    # ------------------------------------------------------------ slices to windows

    def final_windows(self, partial: PartialSlices) -> list[ResultRows]:
        """All windows of slices that have been merged, when no more rows can come."""
        store, results = partial.store, list[ResultRows]()
        cells = store.cells
        clock, none = Clock(LAST, FIRST, LAST), np.zeros(len(cells), np.int64)
        line = Line(cells, none, FIRST, clock, final=False)
        for name, kind in self.windows.items():
            view = view_of(kind, line, Within(FIRST, LAST))
            forms = self.forms.items()
            values = {label: result_array(form(store, view.lo, view.hi)) for label, form in forms}
            results.append(ResultRows(name, view.key, view.start, view.end, values, None, None))
        return results
