"""Windows from each punctuation to the next; the first one starts at the first event."""

import numpy as np

from muntin.kernels.slicing.moment import Within
from muntin.kernels.slicing.view import Line, View, ranges, settling, whole
from muntin.spec.windows.data_driven import Punctuation


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
