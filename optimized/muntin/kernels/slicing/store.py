"""The cells of a group of queries, with what is kept of their events."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from muntin.kernels.slicing.arrays import Column, Ints
from muntin.kernels.slicing.cells import Cells

Fields: TypeAlias = tuple[Column, ...]
"""The columns of one part: a partial aggregate for each cell."""


@dataclass(frozen=True)
class Store:
    """Cells, and for each part that some aggregate needs, its columns."""

    cells: Cells = field(default_factory=Cells)
    parts: Mapping[str, Fields] = field(default_factory=dict[str, Fields])

    def picked(self, which: object) -> "Store":
        """Return some cells, by their places or by a mask."""
        parts = {
            name: tuple(column[which] for column in fields)  # type: ignore[index]  # mask or places
            for name, fields in self.parts.items()
        }
        return Store(self.cells.picked(which), parts)

    def followed(self, other: "Store") -> "Store":
        """Return these cells and others, in no order yet."""
        if not len(self.cells):
            return other
        parts = {
            name: tuple(np.concatenate(pair) for pair in zip(fields, other.parts[name], strict=True))
            for name, fields in self.parts.items()
        }
        return Store(self.cells.followed(other.cells), parts)

    def merged(self, other: "Store") -> "Store":
        """Return the events of both in event order; those of the other arrived later."""
        if not len(other.cells):
            return self if self.parts else other
        both = self.followed(other)
        cells = both.cells
        return both.picked(np.lexsort((cells.low, cells.key)))

    def dropped(self, prefix: Ints) -> "Store":
        """Return the store without so many cells at the beginning of each key present."""
        if not prefix.any():
            return self
        return self.picked(self.cells.place >= prefix[self.cells.run])
