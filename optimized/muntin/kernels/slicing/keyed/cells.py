"""Cells of many keys: for each slice and key that has an event, a partial of each part."""

from collections.abc import Iterator, Mapping

import numpy as np

from muntin.kernels.slicing.arrays import (
    Column,
    Fields,
    Ints,
    climb,
    column_of,
    ints,
    no_ints,
    packed,
    unpacked,
)
from muntin.kernels.slicing.batch import Batch
from muntin.kernels.slicing.dense.joining import fold_each, join_each
from muntin.kernels.slicing.dense.placing import Places, place
from muntin.kernels.slicing.dense.timeline import Timeline
from muntin.kernels.slicing.keyed.kernels import Tables, add_each, count_each, find, gather, hear
from muntin.kernels.slicing.parts import Count, Part, Sum
from muntin.kernels.slicing.picking import picked, whole

PORTION = 2**15
"""Cells told of at once, if they are of several slices."""
SHORT = 64
"""Ranges of at most so many cells, on average, are folded one by one."""
CHUNK = 8192
"""Events placed at once: their places stay in the nearest cache."""


class KeyedCells:
    """Columns of cells in the order in which they came, and a hash table for each slice."""

    def __init__(
        self, timeline: Timeline, columns: Mapping[Part, Column], plain: set[Part]
    ) -> None:
        """Hold no cell."""
        self.timeline, self.plain = timeline, plain
        self.none = {p: packed(p.identity(unpacked(of[:0]))) for p, of in columns.items()}
        self.partials: dict[Part, Column] = {part: of[:0] for part, of in self.none.items()}
        self.key, self.slice, self.counts = no_ints(), no_ints(), no_ints()
        self.heard = no_ints()  # how many events each held when it was told of last
        self._tables: Tables = np.zeros((0, 3), np.int64)
        self._slots: Places = np.zeros(0, np.uint32)
        self._state: Ints = np.zeros(2, np.int64)
        self.sealed = 0
        self.stale: list[Ints] = []  # cells of sealed slices that have got an event

    def __len__(self) -> int:
        """Return the number of cells."""
        return int(self._state[0])

    def suits(self, columns: Mapping[Part, Column]) -> bool:
        """Whether values are of the types that are kept."""
        return all(self.partials[part].dtype == of.dtype for part, of in columns.items())

    def takes(self, batch: Batch, columns: Mapping[Part, Column], told: int) -> bool:
        """Take in events that are not older than the first slice; False if there is no room.

        All windows are told of that end at some time, or before.
        """
        line = self.timeline
        if batch.least < line.first or not line.covers(batch.most):
            return False
        if line.n > len(self._tables):
            tables: Tables = np.zeros((1 << line.n.bit_length(), 3), np.int64)
            tables[: len(self._tables)] = self._tables
            self._tables = tables
        self.sealed = max(self.sealed, line.past(told))
        where: Places = np.empty(min(CHUNK, len(batch)), np.uint32)
        cells = np.empty_like(where)
        old = self.sealed > 0 and batch.least < int(line.edges[self.sealed])
        for begin in range(0, len(batch), CHUNK):
            times = batch.time[begin : begin + CHUNK]
            slices, found = where[: times.size], cells[: times.size]
            place(times, line.table, line.origin, line.shift, line.edges, slices)
            self._find(batch.key[begin : begin + CHUNK], slices, found)
            count_each(found, self.counts)
            for part, column in columns.items():
                _add(part, found, column[begin : begin + CHUNK], self.partials[part])
            if old:
                self.stale.append(np.unique(found[slices < self.sealed]).astype(np.int64))
        return True

    def _find(self, key: Ints, slices: Places, found: Places) -> None:
        """Find the cells of events; make room where there is none."""
        done = 0
        while True:
            columns = (self._tables, self._slots, self.key, self.slice, self._state)
            done = find(key, slices, done, *columns, found)
            if done == key.size:
                return
            self._grow()

    def _grow(self) -> None:
        """Make room for as many cells again; there are at most twice two slots a cell."""
        if len(self) == self.key.size:
            more = max(1024, len(self))
            self.key, self.slice, self.counts, self.heard = (
                np.concatenate([column, np.zeros(more, np.int64)])
                for column in (self.key, self.slice, self.counts, self.heard)
            )
            for part, column in self.partials.items():
                self.partials[part] = np.concatenate([column, np.repeat(self.none[part], more)])
        else:
            more = max(8192, self._slots.size)
            self._slots = np.concatenate([self._slots, np.zeros(more, np.uint32)])

    def between(self, first: int, last: int) -> Places:
        """Return the cells of some slices, slice by slice."""
        out: Places = np.empty(int(self._tables[first:last, 2].sum()) + 1, np.uint32)
        return out[: gather(self._tables, self._slots, first, last, out)]

    def portions(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield slices in portions of not too many cells, but of one slice at least."""
        base, before = first, climb(self._tables[first:last, 2])
        while first < last:
            most = int(before[first - base]) + PORTION
            upto = base + int(before.searchsorted(most, "right")) - 1
            yield first, max(upto, first + 1)
            first = max(upto, first + 1)

    def seal(self, upto: int) -> None:
        """Seal the slices that end at or before a time."""
        now = max(self.timeline.past(upto), self.sealed)
        for first, last in self.portions(self.sealed, now):
            hear(self.between(first, last), self.counts, self.heard)
        self.sealed = now

    def changed(self) -> Ints:
        """Return the cells of sealed slices that have got an event since they were told of."""
        cells = np.unique(np.concatenate(self.stale)) if self.stale else no_ints()
        self.stale = []
        return cells

    def insert(
        self,
        key: Ints,
        slices: Ints,
        counts: Ints,
        partials: Mapping[Part, Column],
        room: int = 1,
    ) -> None:
        """Put in cells, each once, of which all is told that can be; keep room for slices."""
        self._tables = np.zeros((max(1 << self.timeline.n.bit_length(), room), 3), np.int64)
        found: Places = np.empty(key.size, np.uint32)
        self._find(key, slices.astype(np.uint32), found)
        at = ints(found)
        self.counts[at] = counts
        self.heard[at] = counts
        for part, column in partials.items():
            self.partials[part][at] = column

    def empty(self, first: int) -> bool:
        """Whether no slice from one on holds a cell."""
        return not self._tables[first:, 2].any()

    def idle(self, slices: int) -> bool:
        """Whether at least half of all slices, or of all cells, are so many at the beginning."""
        gone = int(self._tables[:slices, 2].sum())
        return slices > 0 and (2 * slices > self.timeline.n or 2 * gone > len(self))

    def drop(self, slices: int) -> "KeyedCells":
        """Return the cells without so many slices at the beginning, at most those sealed."""
        n = len(self)
        kept = np.flatnonzero(self.slice[:n] >= slices)
        fewer = KeyedCells(self.timeline, self.partials, self.plain)
        self.timeline.drop(slices)
        partials = {part: column[kept] for part, column in self.partials.items()}
        key, slot, counts = self.key[kept], self.slice[kept] - slices, self.counts[kept]
        fewer.insert(key, slot, counts, partials, len(self._tables))
        fewer.heard[: kept.size] = self.heard[kept]
        fewer.sealed = self.sealed - slices
        return fewer

    def columns(self, part: Part, cells: Places) -> Fields:
        """Return a part of some cells."""
        if part in self.partials:
            return unpacked(self._partials(part, cells))
        return (column_of(whole(self.counts, cells)),)

    def _partials(self, part: Part, cells: Places) -> Column:
        column = self.partials[part]
        return column[cells] if column.dtype.names else picked(column, cells)

    def fold(self, part: Part, cells: Places, lo: Ints, hi: Ints) -> Fields:
        """Return the folds of ranges of some cells."""
        if part not in self.partials or int(hi.sum() - lo.sum()) > SHORT * lo.size:
            return part.fold(self.columns(part, cells), lo, hi)
        values = self._partials(part, cells)
        return unpacked(fold_each(part, values, lo, hi, self.none[part]))


def _add(part: Part, found: Places, values: Column, partials: Column) -> None:
    if isinstance(part, Count | Sum):
        add_each(found, values, partials)
    else:
        join_each(part, found, values, partials)
