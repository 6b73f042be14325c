"""Windows that look at the rank of events: count, rolling, slide-by-tuple. A cell is an event."""

import numpy as np

from muntin.kernels.slicing.arrays import Flags, Ints
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.moment import Within
from muntin.kernels.slicing.view import Line, View, ranges, settling, whole
from muntin.spec.windows.data_driven import Rolling
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.periodic import Sliding

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
    at = at[_once(cells, at)]
    end = cells.low[at] + 1
    start = end - kind.size
    return whole(ranges(cells, cells.find(at, start), start, end), line.since)


def _once(cells: Cells, at: Ints) -> Flags:
    """Tell, of events in order, the first of each key and instant."""
    key, low = cells.key[at], cells.low[at]
    first = np.ones(at.size, np.bool_)
    first[1:] = (key[1:] != key[:-1]) | (low[1:] != low[:-1])
    return first


def _by_rank(kind: Rolling, line: Line, at: Ints) -> View:
    cells, end = line.cells, line.rank[at] + 1
    lo = at + 1 - np.minimum(kind.size, end)
    return View(cells.key[at], end - kind.size, end, lo, at + 1, cells.low[at] + 1)
