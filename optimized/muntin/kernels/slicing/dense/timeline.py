"""The edges of slices in an array, and the table that takes a time to its slice."""

from collections.abc import Iterator, Sequence
from math import gcd
from typing import NamedTuple

import numpy as np

from muntin.kernels.slicing.arrays import FIRST, LAST, Ints, ints
from muntin.kernels.slicing.blocks import BLOCK, Blocks
from muntin.kernels.slicing.dense.placing import (
    Bytes,
    Places,
    append,
    collect,
    mark,
    runs,
    strew,
    tabulate,
)

STRETCHES = 2**16
"""The least number of entries that the table has for the longest reach of a window."""
AHEAD = 256
"""Time is cut so many slices further than it has come: few batches need to cut it."""
FINE = 8
"""So many entries a slice, at least, or one a unit of time: few of them hold an edge."""
SPARSE = 16
"""Edges are sorted rather than marked in a grid if it has more units for each."""
MOST = 2**20
"""The most slices, and twice the most entries, that are kept without holes."""


class Timeline:
    """Slices from `edges[0]` to `edges[n]`; what follows the last edge is LAST."""

    def __init__(self, periods: Sequence[tuple[int, int]], reach: int, begin: int) -> None:
        """Cut time at the last edge before a begin, and no further yet."""
        self.periods, self.phases = (ints([one[i] for one in periods]) for i in (0, 1))
        self.unit = gcd(*(number for one in periods for number in one))
        self.step = int(self.periods.min())
        self.reach = reach
        fine = (self.width // FINE).bit_length() - 1
        self.shift = max((reach // STRETCHES).bit_length(), fine, 0)
        self.n = 0
        self.edges: Ints = np.full(1024, LAST)
        self.table: Places = np.zeros(1024, np.uint32)
        self.origin = max(begin - (begin - phase) % period for period, phase in periods)
        self.edges[0] = self.origin

    @property
    def width(self) -> int:
        """How long a slice is, on average."""
        return int(1 / (1 / self.periods).sum())

    @property
    def first(self) -> int:
        """Where the first slice begins."""
        return int(self.edges[0])

    @property
    def end(self) -> int:
        """Where the last slice ends."""
        return int(self.edges[self.n])

    def covers(self, upto: int) -> bool:
        """Cut time up to a time and somewhat beyond, if there is room."""
        if upto < self.end:
            return True
        ahead = max(AHEAD * self.width, min(self.reach // 2, 4096 * self.step))
        target = max(upto + self.step, min(upto + ahead, LAST - 1))
        stretches = ((target - self.origin) >> self.shift) + 2
        most = int(((target - self.end) // self.periods + 1).sum())
        if stretches > 2 * MOST or self.n + most + 2 > MOST:
            return False
        self._grow(self.n + most + 2, stretches)
        begin = (self.end - self.origin) >> self.shift
        self._cut(target, most)
        self._tabulate(begin)
        return True

    def _cut(self, target: int, most: int) -> None:
        """Append the edges up to a time, so many at most: by a grid, or sorted if they are few."""
        begin, span = self.end, (target - self.end) // self.unit + 1
        if span <= min(SPARSE * most, 2 * MOST):
            grid: Bytes = np.zeros(span, np.uint8)
            mark(grid, begin, self.unit, self.periods, self.phases)
            grid[0] = 0
            self.n = collect(grid, begin, self.unit, self.edges, self.n + 1) - 1
            return
        due = np.empty(most, np.int64)
        found = due[: strew(begin, target, self.periods, self.phases, due)]
        found.sort()
        self.n = append(found, self.edges, self.n)

    def _grow(self, edges: int, stretches: int) -> None:
        if edges > self.edges.size:
            grown = np.full(max(edges, 2 * self.edges.size), LAST)
            grown[: self.edges.size] = self.edges
            self.edges = grown
        if stretches > self.table.size:
            table = np.zeros(max(stretches, 2 * self.table.size), np.uint32)
            table[: self.table.size] = self.table
            self.table = table

    def _tabulate(self, begin: int) -> None:
        """Fill the table from a stretch on, in which an edge may lie: it is begun anew."""
        end = ((self.end - self.origin) >> self.shift) + 1
        known = self.slice_of(self.origin + (begin << self.shift))
        tabulate(self.table, begin, end, self.origin, self.shift, self.edges, known, self.n)

    def drop(self, slices: int) -> None:
        """Forget so many slices at the beginning."""
        self.edges[: self.n + 1 - slices] = self.edges[slices : self.n + 1]
        self.edges[self.n + 1 - slices : self.n + 1] = LAST
        self.n -= slices
        self.origin = self.first
        self._tabulate(0)

    def slice_of(self, time: int) -> int:
        """Return the slice that holds a time; the first, or n, if it lies before or after all."""
        return max(0, int(self.edges[: self.n + 1].searchsorted(time, "right")) - 1)

    def past(self, time: int) -> int:
        """Return how many slices end at or before a time."""
        return self.n if time >= self.end else self.slice_of(time)


def timeline_from(
    periods: Sequence[tuple[int, int]], longest: int, least: int, lateness: int
) -> Timeline:
    """Return a time line that begins well before a time: older events may come."""
    reach = max([longest, *(period for period, _ in periods)])
    return Timeline(periods, reach, max(FIRST + 2 * reach, least - 4 * reach - lateness))


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
