"""The runs of a piece of a batch, and what is left of it."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from muntin.kernels.slicing.arrays import Ints
from muntin.kernels.slicing.blocks import BLOCK, Blocks
from muntin.kernels.slicing.dense.placing import Places
from muntin.kernels.slicing.dense.running import runs
from muntin.kernels.slicing.dense.timeline import Timeline

PIECE, LONG = 2**15, 2**17
"""So many events are cut at once: their columns stay in a near cache, since blocks that lie in many
slices are read again and again. What is in order is read once, in fewer calls.
"""
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


def cut(
    times: Ints, blocks: Blocks, line: Timeline, most: int
) -> Iterator[tuple[slice, Runs, Places]]:
    """Yield pieces of a batch, their runs of at most so many slices, and what is left.

    What is yielded is written over by the next piece.
    """
    if times.size < FEW:
        return
    size = LONG if (blocks.bottoms[1:] >= blocks.tops[:-1]).all() else PIECE
    numbers: Ints = np.empty((4, size // BLOCK), np.int64)
    places: Places = np.empty(min(size, times.size), np.uint32)
    for begin in range(0, times.size, size):
        piece, first = slice(begin, begin + size), begin // BLOCK
        part = times[piece]
        n, left = runs(
            blocks.bottoms[first : first + size // BLOCK],
            blocks.tops[first : first + size // BLOCK],
            part.size,
            *(line.table, line.origin, line.shift, line.edges),
            most,
            BLOCK,
            *(numbers[0], numbers[1], numbers[2], numbers[3]),
            places,
        )
        begins, ends, firsts, lasts = numbers[:, :n]
        yield piece, Runs(begins, ends, firsts, lasts, part, line.edges), places[:left]
