"""The slices of one key: a timeline, how many events each slice holds, and a table a part."""

from collections.abc import Mapping, Sequence

import numpy as np

from muntin.kernels.slicing.arrays import FIRST, LAST, Column, Fields, Ints, column_of, unpacked
from muntin.kernels.slicing.batch import Batch
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.dense.extremes import lift, lift_runs, lower, lower_runs
from muntin.kernels.slicing.dense.placing import (
    Places,
    count,
    count_runs,
    freshen,
    place,
    place_and_add,
    prefix,
    warm,
)
from muntin.kernels.slicing.dense.tables import COPIES, MANY, SOME, Table, table_of
from muntin.kernels.slicing.dense.timeline import Runs, Timeline, cut
from muntin.kernels.slicing.parts import Part
from muntin.kernels.slicing.picking import picked, whole
from muntin.kernels.slicing.store import Store

NOWHERE: Places = np.empty(0, np.uint32)
CHUNK = 2**15
"""Events placed at once: their places stay in the nearest cache."""
NEAR = 256
"""Counts that are looked at first."""


class DenseSlices:
    """All slices from the oldest that is needed; empty ones too."""

    def __init__(self, timeline: Timeline, columns: Mapping[Part, Column], *, timed: bool) -> None:
        """Start empty; if timed, with the first and the last time of each slice."""
        self.timeline, self.timed = timeline, timed
        self.tables: dict[Part, Table] = {
            part: table_of(part, c.dtype) for part, c in columns.items()
        }
        self.plain: set[Part] = set()  # what counts all events
        self.size = 1
        self.counts: Ints = np.zeros(COPIES, np.int64)
        self.told: Ints = np.zeros(1, np.int64)  # how many events each held when told of last
        self.low: Ints = np.full(COPIES, LAST)
        self.high: Ints = np.full(COPIES, FIRST)
        self.sums: Ints = np.zeros(2, np.int64)  # events before each slice, of those sealed
        self.fresh: Ints = np.zeros(2, np.int64)
        self.sealed = 0

    @property
    def n(self) -> int:
        """How many slices there are."""
        return self.timeline.n

    def covers(self, upto: int) -> bool:
        """Make slices up to a time, if they are not too many."""
        if not self.timeline.covers(upto):
            return False
        if self.n >= self.size:
            self._resize(1 << self.n.bit_length())
        return True

    def _resize(self, size: int) -> None:
        def grown(old: Ints, length: int, filling: int) -> Ints:
            new = np.full(length, filling)
            new[: old.size] = old
            return new

        self.counts = grown(self.counts, COPIES * size, 0)
        self.told = grown(self.told, size, 0)
        if self.timed:
            self.low = grown(self.low, COPIES * size, LAST)
            self.high = grown(self.high, COPIES * size, FIRST)
        self.sums, self.fresh = grown(self.sums, size + 1, 0), grown(self.fresh, size + 1, 0)
        for table in self.tables.values():
            table.resize(size)
            if self.sealed:
                table.seal(0, self.sealed)
        self.size = size

    def suits(self, columns: Mapping[Part, Column]) -> bool:
        """Whether values are of the types that the tables hold."""
        return all(self.tables[part].identity.dtype == c.dtype for part, c in columns.items())

    def takes(self, batch: Batch, given: Mapping[Part, Column]) -> bool:
        """Take in events that are not older than the first slice; False if there is no room."""
        line, times = self.timeline, batch.time
        if batch.least < line.first or not self.covers(batch.most):
            return False
        columns = [(table, given[part]) for part, table in self.tables.items()]
        columns.sort(key=lambda one: not one[0].adds)
        most = SOME if self.timed else min((table.most for table, _ in columns), default=MANY)
        done = 0
        ordered = any(table.ordered for table, _ in columns)
        for piece, run, rest in () if ordered else cut(times, batch.blocks, line, most):
            if 2 * rest.size > run.times.size:
                break
            done = piece.stop
            self._run(run, [(table, column[piece]) for table, column in columns], rest)
        self._place(times[done:], [(table, column[done:]) for table, column in columns])
        return True

    def _run(self, run: Runs, columns: Sequence[tuple[Table, Column]], rest: Places) -> None:
        """Take in the runs of a piece, and one by one what is left."""
        count_runs(*run, self.counts)
        for table, column in columns:
            if run.mixed:
                warm(column)
            table.take_runs(run, column)
        when = column_of(run.times)
        if self.timed:
            lower_runs(*run, when, column_of([LAST]), column_of(self.low))
            lift_runs(*run, when, column_of([FIRST]), column_of(self.high))
        if rest.size:
            late = [(table, picked(column, rest)) for table, column in columns]
            self._place(whole(run.times, rest), late)

    def _place(self, times: Ints, columns: Sequence[tuple[Table, Column]]) -> None:
        """Take in events in any order."""
        line, alone = self.timeline, int(bool(columns) and columns[0][0].adds)
        if alone == len(columns) == 1 and not self.timed:
            table, values = columns[0]
            where = (line.table, line.origin, line.shift, line.edges, NOWHERE)
            place_and_add(times, *where, self.counts, values, table.copies)
            return
        places: Places = np.empty(min(CHUNK, times.size), np.uint32)
        for begin in range(0, times.size, CHUNK):
            chunk = times[begin : begin + CHUNK]
            found = places[: chunk.size]
            where = (line.table, line.origin, line.shift, line.edges, found)
            for table, column in columns[:alone]:
                values = column[begin : begin + CHUNK]
                place_and_add(chunk, *where, self.counts, values, table.copies)
            if not alone:
                place(chunk, *where)
                count(found, self.counts)
            for table, column in columns[alone:]:
                table.take(found, column[begin : begin + CHUNK])
            if self.timed:
                lower(found, column_of(chunk), column_of(self.low))
                lift(found, column_of(chunk), column_of(self.high))

    def seal(self, before: int, limit: int, upto: int) -> int | None:
        """Seal the slices up to a time; return the first of those before that has changed."""
        old = max(self.timeline.past(before), self.sealed)
        self.sums[self.sealed + 1 : old + 1] = self.sums[self.sealed]
        first = min(self.timeline.slice_of(limit), old)
        fresh = freshen(self.counts, self.sums, self.fresh, first, old)
        changed, now = min(fresh, self.sealed), max(self.timeline.past(upto), old)
        if now > changed:
            prefix(self.counts, self.sums, changed, now)
            for table in self.tables.values():
                table.seal(changed, now)
        self.sealed = now
        return fresh if fresh < old else None

    def fold(self, part: Part, lo: Ints, hi: Ints) -> Fields:
        """Return the folds of ranges of sealed slices."""
        if part in self.tables:
            return unpacked(self.tables[part].fold(lo, hi))
        return (column_of(self.sums[hi] - self.sums[lo]),)

    def empty(self, first: int) -> bool:
        """Whether no slice from one on holds an event."""
        begin = COPIES * first
        soon = self.counts[begin : begin + NEAR].any()  # most often: so the rest is not read
        return not (soon or self.counts[begin + NEAR :].any())

    def drop(self, slices: int) -> None:
        """Forget so many slices at the beginning, at most those that are sealed."""
        n, rest = self.n, self.n - slices
        columns = [(self.counts, 0), (self.low, LAST), (self.high, FIRST)]
        for column, filling in columns if self.timed else columns[:1]:
            column[: COPIES * rest] = column[COPIES * slices : COPIES * n]
            column[COPIES * rest : COPIES * n] = filling
        self.told[:rest] = self.told[slices:n]
        self.told[rest:n] = 0
        for table in self.tables.values():
            table.drop(slices, n)
        self.timeline.drop(slices)
        self.sealed -= slices
        prefix(self.counts, self.sums, 0, self.sealed)
        for table in self.tables.values():
            if self.sealed:
                table.seal(0, self.sealed)

    def held(self) -> Ints:
        """Return how many events each slice holds."""
        return np.asarray(self.counts[: COPIES * self.n].reshape(-1, COPIES).sum(axis=1), np.int64)

    def store(self, key: int) -> Store:
        """Return the slices that hold anything as cells, with what is fresh."""
        held = self.held()
        some = np.flatnonzero(held)
        slot = self.timeline.edges[some]
        low, high = slot, slot
        if self.timed:
            low = self.low.reshape(-1, COPIES)[some].min(axis=1) if some.size else slot
            high = self.high.reshape(-1, COPIES)[some].max(axis=1) if some.size else slot
        zero = np.zeros_like(slot)
        fresh = held[some] - self.told[some]
        cells = Cells(zero + key, slot, low, high, held[some], fresh, zero, zero, zero)
        parts = {
            part: unpacked(table.leaves(0, self.n)[some]) for part, table in self.tables.items()
        }
        return Store(cells, parts | {part: (column_of(held[some]),) for part in self.plain})

    def settle(self) -> None:
        """Take all as told of."""
        self.told[: self.n] = self.held()
