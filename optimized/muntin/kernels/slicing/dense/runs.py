"""The runs of a piece of a batch, and what is left of it."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from muntin.kernels.slicing.arrays import Column, Ints
from muntin.kernels.slicing.blocks import BLOCK, Blocks
from muntin.kernels.slicing.dense.placing import Places
from muntin.kernels.slicing.dense.running import pick, runs
from muntin.kernels.slicing.dense.timeline import Timeline

PIECE = 2**15
"""So many events are cut at once: their columns stay in a near cache."""
FEW = 1024
"""Fewer events are placed one by one: it takes fewer calls."""


class Runs(NamedTuple):
    """Where each run begins and ends, its first and last slice, and what tells slices apart."""

    begins: Ints
    ends: Ints
    firsts: Ints
    lasts: Ints
    times: Ints
    edges: Ints

    @property
    def mixed(self) -> bool:
        """Whether some blocks lie in several slices."""
        return bool((self.firsts != self.lasts).any())


class Cutter:
    """Cuts pieces; its arrays are written over by the next piece."""

    def __init__(self) -> None:
        """Make room for one piece."""
        self._begins: Ints = np.empty(PIECE // BLOCK, np.int64)
        self._ends, self._firsts, self._lasts = (self._begins.copy() for _ in range(3))
        self._rest: Places = np.empty(PIECE, np.uint32)

    def cut(
        self, times: Ints, blocks: Blocks, line: Timeline, most: int
    ) -> Iterator[tuple[slice, Runs, Places]]:
        """Yield pieces of a batch, their runs of at most so many slices, and what is left."""
        if times.size < FEW:
            return
        for begin in range(0, times.size, PIECE):
            piece, first = slice(begin, begin + PIECE), begin // BLOCK
            part = times[piece]
            n, left = runs(
                blocks.bottoms[first : first + PIECE // BLOCK],
                blocks.tops[first : first + PIECE // BLOCK],
                part.size,
                *(line.table, line.origin, line.shift, line.edges),
                most,
                *(self._begins, self._ends, self._firsts, self._lasts),
                self._rest,
            )
            firsts, lasts = self._firsts[:n], self._lasts[:n]
            found = Runs(self._begins[:n], self._ends[:n], firsts, lasts, part, line.edges)
            yield piece, found, self._rest[:left]


def picked(values: Column, places: Places) -> Column:
    """Return the values at some places."""
    out = np.empty(places.size, values.dtype)
    pick(values, places, out)
    return out
