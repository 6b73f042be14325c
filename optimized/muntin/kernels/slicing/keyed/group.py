"""Queries over many keys: sliding windows over cells that are found by hashing.

A window of one slice is its cell. Of others, the cells that are due are put in the order of their
keys, and windows are ranges of them. What does not fit moves all to an ordinary group.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from muntin.kernels.slicing.arrays import FIRST, Flags, Ints, climb, packed
from muntin.kernels.slicing.batch import Batch
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.dense.group import COLUMNS, SOME, DenseGroup
from muntin.kernels.slicing.dense.placing import Places
from muntin.kernels.slicing.grain import slices
from muntin.kernels.slicing.group import Group
from muntin.kernels.slicing.keyed.cells import KeyedCells
from muntin.kernels.slicing.keyed.kernels import by_code, code, extents, windows_of
from muntin.kernels.slicing.keys import births
from muntin.kernels.slicing.known import Known, Told
from muntin.kernels.slicing.moment import Clock, Moment
from muntin.kernels.slicing.picking import whole
from muntin.kernels.slicing.store import Store

SINGLE = 3
"""Columns of windows of one cell each: which, start, end."""


class Found(NamedTuple):
    """Windows, the cells that they are ranges of, and which of them were told of before."""

    rows: NDArray[np.int64]
    cells: Places
    updated: Flags | None = None


class KeyedGroup(DenseGroup):
    """A group that changes in place, as that of one key does, from which it is made."""

    method = "keyed"

    def __init__(self, of: DenseGroup) -> None:
        """Take over all that a group knows of one key; it has only sliding windows."""
        super().__init__(of.since, of.settings, of.tracks)
        vars(self).update(vars(of))
        self._cells: KeyedCells | None = None
        held, self._slices = self._slices, None
        if held:
            at = np.flatnonzero(held.held())
            cells = held.store(self._key)
            partials = {part: packed(cells.parts[part]) for part in held.tables}
            self._cells = KeyedCells(held.timeline, partials, held.plain)
            self._cells.insert(np.full(at.size, self._key), at, cells.cells.count, partials)
            self._cells.sealed = held.sealed

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self._cells) if self._cells else 0

    def without(self, name: str) -> DenseGroup | Group:
        """Return a group with one query less."""
        return self.spread_out().without(name)

    def step(self, batch: Batch, moment: Moment) -> tuple[DenseGroup | Group, list[Told]]:
        """Take in events, publish, forget; or move to an ordinary group first."""
        if len(batch) and not self._takes_in(batch, moment):
            return self.spread_out().step(batch, moment)
        if self._cells is None:
            return self, []
        told = self._told_of_keys(self._cells, moment)
        self._clock = moment.after
        self._cells = self._fewer(self._cells, moment.after)
        return self, told

    def _takes_in(self, batch: Batch, moment: Moment) -> bool:
        lifted = self._lifted(batch)
        if not lifted:
            return False
        plain, columns = lifted
        held, limit = self._cells, moment.before.limit
        if held is None or self._over(held.timeline, held.empty, batch, limit):
            held = KeyedCells(self._timeline(batch.least), columns, plain)
        told, _ = moment.reporting(final=self.settings.output == "final")
        if held.plain != plain or not held.suits(columns) or not held.takes(batch, columns, told):
            return False
        self._cells, self.birth = held, births(self.birth, batch.key)
        return True

    def _told_of_keys(self, held: KeyedCells, moment: Moment) -> list[Told]:
        before, after = moment
        final, line = self.settings.output == "final", held.timeline
        low, top = moment.reporting(final=final)
        low, top = max(low, line.first), min(top, line.end + self._sizes)
        found = list[Found]()
        changed = held.changed()
        if changed.size and not final:
            found.append(self._reopened(held, changed, max(before.limit, line.first), low))
        sealed = held.timeline.past(low)
        held.seal(top)
        alone = self._windows[0] if len(self._windows) == 1 else None
        if alone is not None and alone[0] == alone[1]:
            portions = held.portions(sealed, held.timeline.past(top))
            found += [self._single(held, first, last) for first, last in portions]
        else:
            found.append(self._ranges(held, low, top))
        return [line for one in found if len(one.rows) for line in self._lines_of(held, one, after)]

    def _single(self, held: KeyedCells, first: int, last: int) -> Found:
        """Return the windows of one slice each, in the order of time and keys."""
        cells, edges = held.between(first, last), held.timeline.edges
        if self.since > FIRST:
            cells = cells[edges[held.slice[cells]] > self.since]
        codes = np.empty(cells.size, np.int64)
        bits = len(self.birth).bit_length()
        code(cells, held.slice, first, bits, held.key, self.birth, codes)
        cells = by_code(codes, cells)
        rows: NDArray[np.int64] = np.zeros((3, cells.size), np.int64).T
        extents(cells, held.slice, edges, rows[:, 1], rows[:, 2])
        return Found(rows, cells)

    def _ordered(self, held: KeyedCells, after: int, upto: int) -> Places:
        """Return the cells of all windows that end after one time and not after another."""
        line = held.timeline
        first, last = (
            line.slice_of(max(after + 1 - self._sizes, line.first)),
            held.timeline.past(upto),
        )
        cells = held.between(first, last) if after < upto else held.between(0, 0)
        return by_code(held.key[cells], cells)

    def _ranges(self, held: KeyedCells, after: int, upto: int) -> Found:
        """Return the windows that end after one time and not after another."""
        cells = self._ordered(held, after, upto)
        return Found(self._rows(held, cells, climb(held.counts[cells]), after, upto), cells)

    def _reopened(self, held: KeyedCells, changed: Ints, after: int, upto: int) -> Found:
        """Return the windows that ended before, and have got an event since."""
        cells = self._ordered(held, after, upto)
        flags = np.zeros(self.birth.size, np.bool_)
        flags[held.key[changed]] = True
        cells = cells[flags[held.key[cells]]]
        more = climb(held.counts[cells] - held.heard[cells])
        rows = self._rows(held, cells, more, after, upto)
        heard = climb(held.heard[cells])
        held.heard[changed] = held.counts[changed]
        return Found(rows, cells, heard[rows[:, 4]] > heard[rows[:, 3]])

    def _rows(
        self, held: KeyedCells, cells: Places, fresh: Ints, after: int, upto: int
    ) -> NDArray[np.int64]:
        key, at, edges = held.key[cells], held.slice[cells], held.timeline.edges
        where = (self._windows, after, upto, self.since, edges, key, at, fresh)
        found = windows_of(*where, self._out)
        if found > len(self._out):
            self._out = np.empty((COLUMNS, 2 * found), np.int64).T
            found = windows_of(*where, self._out)
        return self._out[:found].copy("F")

    def _lines_of(self, held: KeyedCells, found: Found, after: Clock) -> list[Told]:
        cells = found.cells
        if found.rows.shape[1] == SINGLE:
            folded = {part: held.columns(part, cells) for part in self._parts}
        else:
            lo, hi = (np.ascontiguousarray(found.rows[:, i]) for i in (3, 4))
            folded = {part: held.fold(part, cells, lo, hi) for part in self._parts}
            cells = cells[lo]
        key = whole(held.key, cells)
        return [self._told(found.rows, key, folded, found.updated, after.limit)]

    def spread_out(self) -> Group:
        """Return an ordinary group that knows the same."""
        grain, held = slices(self.tracks), self._cells
        if held is None:
            return Group(self.since, self.settings, grain, self.tracks)
        tracks = self._tracks_told(self._told_of_many(held))
        every = held.between(0, held.timeline.n)
        cells = by_code(held.key[every], every)
        zero, slot = np.zeros(cells.size, np.int64), held.timeline.edges[held.slice[cells]]
        count = held.counts[cells]
        kept = Cells(held.key[cells], slot, slot, slot, count, zero, zero, zero, zero)
        parts = {part: held.columns(part, cells) for part in self._parts}
        dropped = np.zeros(self.birth.size, np.int64)
        store = Store(kept, parts)
        return Group(self.since, self.settings, grain, tracks, store, dropped, self.birth)

    def _told_of_many(self, held: KeyedCells) -> Known:
        """Return all windows that are told and not frozen."""
        clock, line = self._clock, held.timeline
        if self.settings.output == "final":
            return Known()
        after, upto = max(clock.limit, line.first), min(clock.watermark, line.end + self._sizes)
        found = self._ranges(held, after, upto)
        return self._remembered(found.rows, held.key[found.cells[found.rows[:, 3]]])

    def _fewer(self, held: KeyedCells, clock: Clock) -> KeyedCells:
        """Drop cells that no query needs any more, when they are as many as the others."""
        line = held.timeline
        if max(len(held), line.n) < SOME or clock.limit == FIRST:
            return held
        keep = min(line.slice_of(clock.limit - self._sizes), held.sealed)
        return held.drop(keep) if held.idle(keep) else held
