"""Sessions: a cell begins one iff nothing of its key before it reaches so far (rule 8).

Cells are no wider than the smallest gap, so no session begins inside one, and the first and the
last time of a cell are all that is needed: nothing is merged or split.
"""

import numpy as np

from muntin.kernels.slicing.arrays import Ints
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.moment import Within
from muntin.kernels.slicing.view import Line, View, settling, whole
from muntin.spec.windows.data_driven import Session


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
