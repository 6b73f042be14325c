"""What holds of the slices, rows and windows of the columnar engine after each step."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.engine import REVISION_ARRAYS, ColumnarEngine
from muntin.columnar.engine.timetable import Timetable
from muntin.kernels.slicing.parts import Sum

Relation = Iterator[tuple[str, bool]]
KEY_SHIFT, LOW_HALF = 32, (1 << 32) - 1


class WindowState:
    """The arrays of an engine, read as slices, units of rows, hash indexes and revisions."""

    def __init__(self, engine: ColumnarEngine, table: Timetable) -> None:
        """Read what all relations need."""
        self.engine, self.table, self.arrays = engine, table, engine.directory.arrays
        self.scalars = [int(value) for value in engine.scalars]
        self.layout, self.slices = self.scalars[d.LAYOUT], self.scalars[d.SLICES]
        self.width = self.scalars[d.UNIT_ROWS]
        self.counts = self.arrays[d.ROW_COUNT]
        heads = self.arrays[d.UNIT][: self.slices].tolist()
        self.units = [list(self.chain(unit)) for unit in heads]
        self.free = list(self.chain(self.scalars[d.FREE_UNIT]))

    def chain(self, unit: int) -> Iterator[int]:
        """The units of a chain; one that never ends is cut off."""
        for _ in range(self.scalars[d.UNITS] + 1):
            if unit:
                yield unit
                unit = int(self.arrays[d.NEXT_UNIT][unit])

    def rows(self, s: int) -> list[int]:
        """The rows of a slice that hold events."""
        rows = [row for unit in self.units[s] for row in self.rows_of(unit)]
        return [row for row in rows if self.counts[row]]

    def rows_of(self, unit: int) -> range:
        """The rows of a unit."""
        return range(unit * self.width, (unit + 1) * self.width)

    def events(self, s: int) -> int:
        """How many events a slice holds."""
        return sum(int(self.counts[row]) for row in self.rows(s))

    def slice_relations(self) -> Relation:
        """Edges, and how far slices were reported and given back."""
        edges, n = self.arrays[d.EDGES].tolist(), self.table.blank.size
        yield "edges ascend", all(low < high for low, high in pairwise(edges[: n + 1]))
        yield "the timetable has the edges", edges[: n + 1] == self.table.edges.tolist()
        blank = np.flatnonzero(self.table.blank[: self.slices]).tolist()
        yield "a blank slice has no rows", not any(self.units[s] for s in blank)
        sealed, released = self.scalars[d.SEALED], self.scalars[d.RELEASED]
        yield "slices are sealed, then released", 0 <= released <= sealed <= self.slices
        yield "released slices have no rows", not any(self.units[:released])
        complete = self.engine.reported - self.scalars[d.EARLY]
        yield "what is sealed was reported", sealed == 0 or edges[sealed] <= complete
        q = self.arrays[d.QUERIES].reshape(-1, d.Q_FIELDS)
        yield (
            "what is due was reported",
            bool((q[:, d.Q_NEXT] > self.engine.reported).all()) or (self.engine.reported == d.FAR),
        )
        yield "the next time is the least", self.scalars[d.DUE] == q[:, d.Q_NEXT].min(initial=d.FAR)

    def row_relations(self) -> Relation:
        """Units of rows, and what lies in them."""
        used = [unit for chain in self.units for unit in chain]
        every = list(range(1, self.scalars[d.TOP_UNIT]))
        yield "a unit belongs to one slice, or is free", sorted([*used, *self.free]) == every
        yield "free units are counted", self.scalars[d.FREE_UNITS] == len(self.free)
        empty = [row for unit in (0, *self.free) for row in self.rows_of(unit)]
        yield "free rows hold no events", not self.counts[empty].any()
        for kept in self.engine.parts:
            for place, identity in zip(kept.cells, kept.kernels.identity, strict=True):
                held = self.arrays[place][empty]
                same = (held == identity) | ((held != held) & (identity != identity))  # noqa: PLR0124 - a NaN
                yield f"free rows hold no {kept.part}", bool(np.all(same))
        if self.layout == d.LANES:
            return
        for s in range(self.slices if self.layout == d.SPARSE else 0):
            yield "cells are counted", self.arrays[d.CELLS][s] == len(self.rows(s))
        keys = self.scalars[d.KEY_COUNT]
        if self.layout == d.DENSE:
            rows = [row for s in range(self.slices) for row in self.rows(s)]
            yield "a key has its row", all(row % self.width < keys for row in rows)
        else:
            yield from self.index_relations()

    def index_relations(self) -> Relation:
        """The hash indexes of slices."""
        index, bits = self.arrays[d.INDEX], self.arrays[d.INDEX_BITS]
        for s in range(self.slices):
            at, size = int(self.arrays[d.INDEX_AT][s]), (1 << int(bits[s])) if bits[s] else 0
            words = [int(word) for word in index[at : at + size] if word] if self.units[s] else []
            rows = [(word & LOW_HALF) - 1 for word in words]
            yield "an index has the rows of its slice", sorted(rows) == sorted(self.rows(s))
            names = [word >> KEY_SHIFT for word in words]
            yield (
                "an index has the keys of its rows",
                names == self.arrays[d.ROW_KEY][rows].tolist(),
            )
            yield "keys are named once", len({*names}) == len(names)
            yield "an index has room", 3 * len(words) <= 2 * size

    def dirty_relations(self) -> Relation:
        """What came behind the reported time."""
        fresh = self.arrays[d.FRESH]
        dirty = self.arrays[d.DIRTY_SLICE][: self.scalars[d.DIRTY_SLICES]].tolist()
        waits = self.scalars[d.LATE_UPDATES] == d.AT_WATERMARK
        yield "updates are emitted, or wait", waits or not (dirty or self.scalars[d.DIRTY_CELLS])
        marked = np.flatnonzero(fresh).tolist()
        yield "slices with such events are listed", sorted(dirty) == marked
        needed = [s for s in dirty if s >= max(1, self.scalars[d.RELEASED])]
        yield "such events lie in their slices", all(fresh[s] <= self.events(s) for s in needed)
        if self.scalars[d.DIRTY_CELLS]:
            cells = self.arrays[d.DIRTY_CELL_SLICE][: self.scalars[d.DIRTY_CELLS]]
            yield (
                "such events are counted",
                bool((np.bincount(cells, minlength=fresh.size) == fresh).all()),
            )

    def prefix_relations(self) -> Relation:
        """What is folded of slices of one key."""
        if self.layout != d.LANES:
            return
        dirty = self.arrays[d.DIRTY_SLICE][: self.scalars[d.DIRTY_SLICES]]
        first, n = self.scalars[d.RELEASED], min([self.scalars[d.PREFIXED], *dirty.tolist()])
        if n <= first:
            return
        events = [self.events(s) for s in range(first, n)]
        counted = np.diff(self.arrays[d.COUNT_BEFORE][first : n + 1]).tolist()
        yield "events are counted up", counted == events
        for kept in self.engine.parts:
            if isinstance(kept.part, Sum) and kept.types == ("int",):
                column, sums = self.arrays[kept.cells[0]], self.arrays[kept.tree[0]]
                each = [sum(int(column[row]) for row in self.rows(s)) for s in range(first, n)]
                yield "sums are added up", np.diff(sums[first : n + 1]).tolist() == each

    def revision_relations(self) -> Relation:
        """Revisions of windows that were updated."""
        ends, names, numbers = (self.arrays[place] for place in REVISION_ARRAYS)
        held = np.flatnonzero(numbers)
        yield "revisions are counted", self.scalars[d.REVISIONS] == held.size
        pairs = [(int(ends[at]), int(names[at])) for at in held]
        yield "a window has one revision", len({*pairs}) == len(pairs)
        queries = {int(row[d.Q_ID]): row for row in self.engine.reach.rows}
        for end, name in pairs:
            yield "a revision is of a key", name & LOW_HALF < max(self.scalars[d.KEY_COUNT], 1)
            row = queries.get(name >> KEY_SHIFT)
            if row is not None:
                due = end + int(row[d.Q_WAIT])
                yield "a revision is of a window", (due - row[d.Q_PHASE]) % row[d.Q_STEP] == 0
                yield "a revision is of one reported", row[d.Q_FIRST] <= due <= row[d.Q_LAST]

    def relations(self) -> Relation:
        """All that holds after a step."""
        yield from self.slice_relations()
        yield from self.row_relations()
        yield from self.dirty_relations()
        yield from self.prefix_relations()
        yield from self.revision_relations()


def check_windows(engine: ColumnarEngine) -> None:
    """Fail with the name of what does not hold."""
    if engine.timetable is None:
        return
    for name, holds in WindowState(engine, engine.timetable).relations():
        assert holds, name
