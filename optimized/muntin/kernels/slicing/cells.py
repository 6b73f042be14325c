"""Cells: what is known of a stretch of the events of one key, or of a single event.

Cells are sorted by key and time, and no two of one key overlap: each window holds consecutive
cells. All columns are immutable; a step makes new ones. Events are ordered by digits of one number
for key and time.
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


BITS = 16
"""Numbers of so many bits are sorted by counting."""
DIGITS = 3
"""Numbers of more such digits are sorted by comparing."""


def ordered(key: Ints, slot: Ints, unit: int = 1) -> Ints:
    """Return the order by key and slot; what came first stays first.

    All slots are multiples of the unit apart.

    >>> ordered(np.array([1, 0, 1, 0]), np.array([5, 7, -5, 7]), 2).tolist()
    [1, 3, 2, 0]
    """
    if not key.size:
        return np.zeros_like(key)
    least, n = int(slot.min()), int(key.max()) + 1
    span = (int(slot.max()) - least) // unit + 1
    if n * span > SAFE:
        return np.lexsort((slot, key))
    rank = (slot - least) // unit if unit > 1 else slot - least
    return by_digits(key * span + rank, (n * span).bit_length())


def by_digits(code: Ints, bits: int) -> Ints:
    """Return the order of numbers of so many bits: digit by digit, the last one first.

    >>> by_digits(np.array([2**20, 5, 2**20 + 1, 5]), 21).tolist()
    [1, 3, 0, 2]
    """
    if bits > DIGITS * BITS:
        return np.argsort(code, kind="stable")
    order = np.argsort(code.astype(np.uint16), kind="stable")
    for shift in range(BITS, bits, BITS):
        digit = (code[order] >> shift).astype(np.uint16)
        order = order[np.argsort(digit, kind="stable")]
    return order


def beginnings(key: Ints, slot: Ints) -> Ints:
    """Return where runs of the same key and slot begin.

    >>> beginnings(np.array([0, 0, 1, 1]), np.array([5, 5, 5, 7])).tolist()
    [0, 2, 3]
    """
    begins = np.ones(key.size, np.bool_)
    begins[1:] = (key[1:] != key[:-1]) | (slot[1:] != slot[:-1])
    return np.flatnonzero(begins)
