"""The cells of a group of queries, with the partials that are kept of their events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from muntin.kernels.slicing.arrays import Fields, Ints, Which, column_of
from muntin.kernels.slicing.cells import Cells, beginnings, ordered
from muntin.kernels.slicing.parts import Count, Max, Min, Part


@dataclass(frozen=True)
class Store:
    """Cells, and for each part that some aggregate needs, its columns."""

    cells: Cells = field(default_factory=Cells)
    parts: Mapping[Part, Fields] = field(default_factory=dict[Part, Fields])

    def picked(self, which: Which) -> "Store":
        """Return some cells, by their places or by a mask."""
        parts = {
            part: tuple(column[which] for column in fields) for part, fields in self.parts.items()
        }
        return Store(self.cells.picked(which), parts)

    def followed(self, other: "Store") -> "Store":
        """Return these cells and others, in no order yet."""
        if not self.parts or not len(other.cells):
            return self if self.parts else other
        parts, mixed = dict[Part, Fields](), list[Part]()
        for part, fields in self.parts.items():
            mine, theirs = part.alike(fields, other.parts[part])
            parts[part] = tuple(np.concatenate(pair) for pair in zip(mine, theirs, strict=True))
            if isinstance(part, Min | Max) and mine[0].dtype != theirs[0].dtype:
                mixed.append(part)
        return Store(self.cells.followed(other.cells), parts | _emptied(mixed, parts))

    def ordered(self) -> "Store":
        """Return the cells by key and slot; what came first stays first."""
        return self.picked(ordered(self.cells.key, self.cells.slot))

    def condensed(self) -> "Store":
        """Return one cell for all that have the same key and slot, which follow each other."""
        cells = self.cells
        lo = beginnings(cells.key, cells.slot)
        if lo.size == len(cells):
            return self
        merged = Cells(
            cells.key[lo],
            cells.slot[lo],
            np.minimum.reduceat(cells.low, lo),
            np.maximum.reduceat(cells.high, lo),
            np.add.reduceat(cells.count, lo),
            np.add.reduceat(cells.fresh, lo),
            np.minimum.reduceat(cells.arrival, lo),
            np.maximum.reduceat(cells.own, lo),
            np.maximum.reduceat(cells.mark, lo),
        )
        return Store(merged, {part: part.runs(f, lo) for part, f in self.parts.items()})

    def dropped(self, prefix: Ints) -> "Store":
        """Return the store without so many cells at the beginning of each key present."""
        if not prefix.any():
            return self
        return self.picked(self.cells.place >= prefix[self.cells.run])


def _emptied(mixed: Sequence[Part], parts: Mapping[Part, Fields]) -> dict[Part, Fields]:
    """Return extremes of mixed types, with nothing where no value is: an integer stood there."""
    found = dict[Part, Fields]()
    for part in mixed:
        count, values = parts[Count(part.source)][0], parts[part]
        found[part] = (column_of(np.where(count > 0, *values, *part.identity(values))),)
    return found
