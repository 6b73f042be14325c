"""Windows as ranges of cells: those that a step has to look at.

A window in time is found once, at the first cell that it holds: it holds that cell, and not the
previous one of the same key. So the cost is that of the windows that hold something. Cells are no
wider than the smallest gap, so no session begins inside one, and the first and the last time of a
cell are all that is needed: nothing is merged or split. Of count windows a cell is one event.
"""

from dataclasses import dataclass, field, fields
from typing import NamedTuple

import numpy as np

from muntin.kernels.slicing.arrays import FIRST, Ints, Which, no_ints, spread
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.cells import beginnings as runs_of
from muntin.kernels.slicing.moment import Clock, Within
from muntin.spec.windows.data_driven import Punctuation, Rolling, Session
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding


class Line(NamedTuple):
    """The cells of a group, and what is known besides.

    `rank` is that of each cell's first event, `since` the time that queries came too late to see.
    """

    cells: Cells
    rank: Ints
    since: int
    clock: Clock
    final: bool


@dataclass(frozen=True)
class View:
    """Windows that hold an event: key, extent, the range of cells, and the time of settling."""

    key: Ints = field(default_factory=no_ints)
    start: Ints = field(default_factory=no_ints)
    end: Ints = field(default_factory=no_ints)
    lo: Ints = field(default_factory=no_ints)
    hi: Ints = field(default_factory=no_ints)
    settles: Ints = field(default_factory=no_ints)

    def __len__(self) -> int:
        """Return the number of windows."""
        return self.key.size

    def picked(self, which: Which) -> "View":
        """Return some windows, by their places or by a mask."""
        return View(*(getattr(self, one.name)[which] for one in fields(self)))


def ranges(cells: Cells, lo: Ints, start: Ints, end: Ints) -> View:
    """Return windows in time, given their first cells."""
    return View(cells.key[lo], start, end, lo, cells.find(lo, end), end)


def settling(view: View, among: Within) -> View:
    """Return the windows that settle in time."""
    return view.picked((view.settles > among.after) & (view.settles <= among.upto))


def whole(view: View, since: int) -> View:
    """Return the windows that a query did not come too late to see whole (rule 13)."""
    return view if since == FIRST else view.picked(view.start > since)


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
    last_time = cells.high[cells.bounds[1:] - 1][cells.run]
    reach = np.maximum(last_time[heads], max(line.clock.reached, kind.at))
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


def reaches(gap: int, cells: Cells) -> Ints:
    """Return, for each cell, how far it and those of its key before it keep a session open."""
    reach = cells.high + (np.where(cells.own > 0, cells.own, gap) if cells.own.any() else gap)
    falls = np.diff(reach) < 0
    falls[cells.heads[1:] - 1] = False
    if not falls.any():
        return reach
    known, ranks = np.unique(reach, return_inverse=True)
    most = np.maximum.accumulate(cells.run * known.size + ranks)
    return np.asarray(known[most - cells.run * known.size], np.int64)


def beginnings(cells: Cells, reach: Ints) -> Ints:
    """Return the cells with which sessions begin."""
    begins = np.zeros(len(cells), np.bool_)
    begins[1:] = cells.low[1:] >= reach[:-1]
    begins[cells.heads] = True
    return np.flatnonzero(begins)


def session(kind: Session, line: Line, among: Within) -> View:
    """Return the sessions of all keys."""
    cells = line.cells
    reach = reaches(kind.gap, cells)
    lo = beginnings(cells, reach)
    hi = np.append(lo[1:], len(cells)) if lo.size else lo
    end = reach[hi - 1]
    found = View(cells.key[lo], cells.low[lo], end, lo, hi, end)
    return settling(whole(found, line.since), among)


COUNTED = (Sliding, Rolling)
"""Types with a view of windows of events."""


def count(kind: Sliding, line: Line, among: Within) -> View:
    """Return full windows, each found at its last event; it waits until that is past."""
    cells, size = line.cells, kind.size
    settles = cells.low + 1
    full = line.rank + 1 - size
    ends = (full >= 0) & ((full - kind.offset) % kind.slide == 0)
    hi = 1 + np.flatnonzero(ends & (settles > among.after) & (settles <= among.upto))
    start = full[hi - 1]
    return View(cells.key[hi - 1], start, start + size, hi - size, hi, settles[hi - 1])


def rolling(kind: Rolling, line: Line, among: Within) -> View:
    """Return the windows that end with every n-th event; events of one instant share theirs."""
    cells, nth = line.cells, (line.rank + 1) % kind.every == 0
    if kind.measure is COUNT:
        return settling(_by_rank(kind, line, np.flatnonzero(nth)), among)
    at = np.flatnonzero(nth & (cells.low + 1 > among.after) & (cells.low + 1 <= among.upto))
    at = at[runs_of(cells.key[at], cells.low[at])]  # the first event of each key and instant
    end = cells.low[at] + 1
    start = end - kind.size
    return whole(ranges(cells, cells.find(at, start), start, end), line.since)


def _by_rank(kind: Rolling, line: Line, at: Ints) -> View:
    cells, end = line.cells, line.rank[at] + 1
    lo = at + 1 - np.minimum(kind.size, end)
    return View(cells.key[at], end - kind.size, end, lo, at + 1, cells.low[at] + 1)


def punctuation(_: Punctuation, line: Line, among: Within) -> View:
    """Return the windows that a punctuation has ended."""
    cells = line.cells
    cuts = cells.mark > 0
    cuts[cells.heads] = True
    at = np.flatnonzero(cuts)
    key, low = cells.key[at], cells.low[at]
    ends = np.flatnonzero((key[1:] == key[:-1]) & (low[1:] > low[:-1]))
    lo = cells.find(at[ends], low[ends])
    found = ranges(cells, lo, low[ends], low[ends + 1])
    return settling(whole(found, line.since), among)
