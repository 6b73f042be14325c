"""The runs of a piece of a batch, and what is left of it."""

from typing import NamedTuple

import numpy as np

from muntin.kernels.slicing.arrays import Column, Ints, column_of, ints
from muntin.kernels.slicing.blocks import BLOCK, Blocks
from muntin.kernels.slicing.dense.placing import Places
from muntin.kernels.slicing.dense.running import count_runs, pick, runs
from muntin.kernels.slicing.dense.timeline import Timeline

PIECE = 2**15
"""So many events are cut at once: their columns stay in a near cache."""
RUN = 32
"""So many events a slice, on average, are worth a run."""


class Runs(NamedTuple):
    """Where each run begins, its slice, and what tells which of its events lie there."""

    begins: Ints
    slices: Ints
    times: Ints
    bottoms: Ints
    edges: Ints

    def picked(self, places: Places) -> Ints:
        """Return the times at some places."""
        return ints(picked(column_of(self.times), places))


def worth_it(times: Ints, blocks: Blocks, line: Timeline) -> bool:
    """Whether there are many events for each slice that the greatest time goes through."""
    span = line.slice_of(blocks.most) - line.slice_of(int(times[0]))
    return RUN * span < times.size


class Cutter:
    """Cuts pieces; its arrays are written over by the next piece."""

    def __init__(self) -> None:
        """Make room for one piece."""
        self._begins: Ints = np.empty(PIECE + 1, np.int64)
        self._slices: Ints = np.empty(PIECE, np.int64)
        self._rest: Places = np.empty(PIECE, np.uint32)

    def cut(self, times: Ints, blocks: Blocks, line: Timeline, begin: int) -> Runs:
        """Return the runs of a piece that begins with a block."""
        piece, first = times[begin : begin + PIECE], begin // BLOCK
        bottoms, tops = (
            one[first : first + PIECE // BLOCK] for one in (blocks.bottoms, blocks.tops)
        )
        where = (line.table, line.origin, line.shift, line.edges)
        n = runs(piece, tops, *where, self._begins, self._slices)
        return Runs(self._begins[: n + 1], self._slices[:n], piece, bottoms, line.edges)

    def counted(self, cut: Runs, counts: Ints) -> Places:
        """Count the events of runs; return the places of those that lie in other slices."""
        return self._rest[: count_runs(*cut, counts, self._rest)]


def picked(values: Column, places: Places) -> Column:
    """Return the values at some places."""
    out = np.empty(places.size, values.dtype)
    pick(values, places, out)
    return out
