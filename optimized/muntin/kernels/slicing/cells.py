"""Cells: what is known of a stretch of the events of one key, or of a single event.

Cells are sorted by key and time, and no two of one key overlap: each window holds consecutive
cells. All columns are immutable; a step makes new ones.
"""

from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np

from muntin.kernels.slicing.arrays import FIRST, NONE, Ints, Which, no_ints

SAFE = 2**62
"""The codes of keys and times stay below it."""


@dataclass(frozen=True)
class Cells:
    """Columns of equal length: `slot` says which stretch of time a cell stands for.

    `own` is the gap that an event brings, or 0; `mark` is 1 at a punctuation; `fresh` counts the
    events of this step, `arrival` is the number of the first event in a cell.
    """

    key: Ints = field(default_factory=no_ints)
    slot: Ints = field(default_factory=no_ints)
    low: Ints = field(default_factory=no_ints)
    high: Ints = field(default_factory=no_ints)
    count: Ints = field(default_factory=no_ints)
    fresh: Ints = field(default_factory=no_ints)
    arrival: Ints = field(default_factory=no_ints)
    own: Ints = field(default_factory=no_ints)
    mark: Ints = field(default_factory=no_ints)

    def __len__(self) -> int:
        """Return the number of cells."""
        return self.key.size

    def picked(self, which: Which) -> "Cells":
        """Return some cells, by their places or by a mask."""
        return Cells(*(getattr(self, one.name)[which] for one in fields(self)))

    def followed(self, other: "Cells") -> "Cells":
        """Return these cells and others, in no order yet."""
        pairs = [(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)]
        return Cells(*(np.concatenate(pair) for pair in pairs))

    def settled(self) -> "Cells":
        """Return the cells when a step is over."""
        return replace(self, fresh=np.zeros_like(self.fresh))

    @cached_property
    def heads(self) -> Ints:
        """The places at which a key begins."""
        return np.flatnonzero(np.diff(self.key, prepend=-1)) if len(self) else NONE

    @cached_property
    def bounds(self) -> Ints:
        """The places at which a key begins, and the end."""
        return np.append(self.heads, len(self))

    @cached_property
    def run(self) -> Ints:
        """For each cell, which of the keys present it belongs to."""
        return np.repeat(np.arange(self.heads.size), np.diff(self.bounds))

    @cached_property
    def place(self) -> Ints:
        """The place of each cell among those of its key."""
        return np.arange(len(self)) - self.heads[self.run]

    @cached_property
    def before(self) -> Ints:
        """The first time of the previous cell of the same key, or FIRST."""
        shifted = np.empty_like(self.low)
        shifted[1:] = self.low[:-1]
        shifted[self.heads] = FIRST
        return shifted

    @cached_property
    def _codes(self) -> tuple[Ints, Ints | None]:
        """One number for key and time that sorts as they do; perhaps over the ranks of times."""
        if self.heads.size <= 1:
            return self.low, None
        span = int(self.low.max()) - int(self.low.min()) + 2
        if span * self.heads.size < SAFE:
            return self.run * span + (self.low - self.low.min()), None
        times, ranks = np.unique(self.low, return_inverse=True)
        return self.run * (times.size + 1) + ranks, times

    def find(self, like: Ints, time: Ints) -> Ints:
        """Return, for each key of a cell and a time, the first cell that is not before it."""
        codes, times = self._codes
        if self.heads.size <= 1:
            return np.searchsorted(codes, time)
        if times is None:
            least, most = int(self.low.min()), int(self.low.max())
            near = np.clip(time, least, most + 1) - least
            wanted = self.run[like] * (most - least + 2) + near
        else:
            wanted = self.run[like] * (times.size + 1) + np.searchsorted(times, time)
        return np.searchsorted(codes, wanted)
