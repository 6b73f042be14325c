"""Sliding, cumulate, landmark and band windows in time, each found at its first cell.

A window is found once, at the first cell that it holds: it holds that cell, and not the previous
one of the same key. So the cost is that of the windows that hold something.
"""

import numpy as np

from muntin.kernels.slicing.arrays import Ints, spread
from muntin.kernels.slicing.moment import Within
from muntin.kernels.slicing.view import Line, View, last_of_keys, ranges, whole
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding


def multiples(first: Ints, last: Ints, step: int, offset: int) -> tuple[Ints, Ints]:
    """Return, for each pair of bounds, the numbers of offset + step * Z between them.

    >>> one = np.array([3, 8]), np.array([9, 8])
    >>> [part.tolist() for part in multiples(*one, 3, 0)]
    [[0, 0, 0], [3, 6, 9]]
    """
    offset %= step
    lowest, highest = -((offset - first) // step), (last - offset) // step
    row, nth = spread(np.maximum(highest - lowest + 1, 0))
    return row, (lowest[row] + nth) * step + offset


def sliding(kind: Sliding, line: Line, among: Within) -> View:
    """Return windows that start after the previous cell and not after their first."""
    cells, size = line.cells, kind.size
    first = np.maximum(cells.before + 1, cells.low - size + 1)
    first = np.maximum(first, max(among.after - size, line.since) + 1)
    last = np.minimum(cells.low, among.upto - size)
    lo, start = multiples(first, last, kind.slide, kind.offset)
    return ranges(cells, lo, start, start + size)


def cumulate(kind: Cumulate, line: Line, among: Within) -> View:
    """Return, at the first cell of each pane, the windows from its start that hold the cell."""
    cells, size = line.cells, kind.size
    offset = kind.offset % size
    pane = (cells.low - offset) // size * size + offset
    heads = np.flatnonzero(cells.before < pane)
    start = pane[heads]
    first = np.maximum(cells.low[heads], among.after) + 1
    last = np.minimum(start + size, among.upto)
    row, end = multiples(first, last, kind.step, offset % kind.step)
    return whole(ranges(cells, heads[row], start[row], end), line.since)


def landmark(kind: Landmark, line: Line, among: Within) -> View:
    """Return, for each key, the windows from the landmark; after the last event come few more."""
    cells = line.cells
    heads = np.flatnonzero((cells.before < kind.at) & (cells.low >= kind.at))
    reach = np.maximum(last_of_keys(cells)[heads], max(line.clock.reached, kind.at))
    first = np.maximum(cells.low[heads], among.after) + 1
    last = np.minimum(reach + kind.every, among.upto)
    row, end = multiples(first, last, kind.every, kind.at)
    start = np.full_like(end, kind.at)
    return whole(ranges(cells, heads[row], start, end), line.since)


def band(kind: Band, line: Line, among: Within) -> View:
    """Return, for each key, the band if it holds an event."""
    cells = line.cells
    due = among.after < kind.end <= among.upto
    holds = (cells.before < kind.start) & (cells.low >= kind.start) & (cells.low < kind.end)
    heads = np.flatnonzero(holds & due)
    start, end = np.full_like(heads, kind.start), np.full_like(heads, kind.end)
    return whole(ranges(cells, heads, start, end), line.since)
