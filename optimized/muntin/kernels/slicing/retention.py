"""Which cells are still needed: those of a window that is not frozen, or may yet be (rule 12)."""

from functools import singledispatch

import numpy as np

from muntin.kernels.slicing.arrays import Flags, Ints
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.session_view import beginnings, reaches
from muntin.spec.windows.data_driven import Punctuation, Rolling, Session
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.window import WindowType


@singledispatch
def needed(_: WindowType, cells: Cells, limit: int) -> Flags:
    """Return which cells a window that settles after the limit may hold."""
    del limit
    return np.ones(len(cells), np.bool_)


@needed.register
def _(kind: Sliding, cells: Cells, limit: int) -> Flags:
    if kind.measure is COUNT:
        return _ranked(kind.size, cells, limit)
    return np.asarray(cells.low > limit - kind.size)


@needed.register
def _(kind: Cumulate, cells: Cells, limit: int) -> Flags:
    past = (cells.low - kind.offset % kind.size) % kind.size
    return np.asarray(cells.low - past + kind.size > limit)


@needed.register
def _(kind: Landmark, cells: Cells, _: int) -> Flags:
    return np.asarray(cells.low >= kind.at)


@needed.register
def _(kind: Band, cells: Cells, limit: int) -> Flags:
    return np.asarray((cells.low >= kind.start) & (cells.low < kind.end) & (kind.end > limit))


@needed.register
def _(kind: Session, cells: Cells, limit: int) -> Flags:
    reach = reaches(kind.gap, cells)
    lo = beginnings(cells, reach)
    ends = reach[np.append(lo[1:], len(cells)) - 1] if lo.size else lo
    return np.repeat(ends > limit, np.diff(np.append(lo, len(cells))))


@needed.register
def _(kind: Rolling, cells: Cells, limit: int) -> Flags:
    if kind.measure is COUNT:
        return _ranked(kind.size, cells, limit)
    return np.asarray(cells.low > limit - kind.size)


@needed.register
def _(_: Punctuation, cells: Cells, limit: int) -> Flags:
    """All from the last cut that is not past the limit."""
    cuts = cells.mark > 0
    cuts[cells.heads] = True
    settled = cuts & (cells.low <= limit)
    at = np.where(settled, np.arange(len(cells)), 0)
    last = np.maximum.reduceat(at, cells.heads) if len(cells) else at
    return np.asarray(cells.low >= cells.low[np.maximum(last, cells.heads)][cells.run])


def _ranked(size: int, cells: Cells, limit: int) -> Flags:
    """All but what is more than `size` events before the first that may yet change."""
    heads: Ints = cells.heads
    first = cells.find(heads, np.full_like(heads, limit)) - heads
    return np.asarray(cells.place > (first - size)[cells.run])


def prefix_dropped(cells: Cells, need: Flags) -> Ints:
    """Return, for each key present, how many cells before the first that is needed."""
    places = np.where(need, cells.place, len(cells))
    least = np.minimum.reduceat(places, cells.heads) if len(cells) else places
    return np.minimum(least, np.diff(cells.bounds))
