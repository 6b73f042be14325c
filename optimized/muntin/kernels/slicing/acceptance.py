"""Which events of a batch take part, where lateness is judged by window (rule 4)."""

import numpy as np

from muntin.kernels.slicing.arrays import LAST, Flags, Ints
from muntin.kernels.slicing.batch import Batch
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.session_view import beginnings, reaches
from muntin.optimized.common.window_traits import traits_of
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.window import WindowType

Span = tuple[int, int]


def taken(kind: WindowType, batch: Batch, cells: Cells, limit: int) -> Flags:
    """Tell which events lie in a window that is not frozen, or in none and are not too old."""
    on_time = batch.time >= limit
    if on_time.all() or limit == LAST:
        return np.asarray(on_time)
    if isinstance(kind, Session):
        return _by_session(kind.gap, batch, cells, limit)
    last_end = traits_of(kind).last_end
    if last_end is None:
        raise NotImplementedError(kind)
    ends = [last_end(int(time)) for time in batch.time]
    return np.array(
        [bool(ok) if end is None else end > limit for end, ok in zip(ends, on_time, strict=True)],
        np.bool_,
    )


def _by_session(gap: int, batch: Batch, cells: Cells, limit: int) -> Flags:
    """Judge each event after the merge with all that came before it in the batch."""
    spans = {int(key): _spans(gap, cells, int(key)) for key in np.unique(batch.key)}
    found = np.zeros(len(batch), np.bool_)
    for i in range(len(batch)):
        time, key = int(batch.time[i]), int(batch.key[i])
        span = (time, time + (int(batch.own[i]) or gap))
        touching = [one for one in spans[key] if one[0] < span[1] and span[0] < one[1]]
        starts, ends = zip(span, *touching, strict=True)
        merged = (min(starts), max(ends))
        found[i] = merged[1] > limit
        if found[i]:
            spans[key] = [one for one in spans[key] if one not in touching] + [merged]
    return found


def _spans(gap: int, cells: Cells, key: int) -> list[Span]:
    """Return the sessions of a key."""
    mine = cells.picked(cells.key == key)
    reach: Ints = reaches(gap, mine)
    lo = beginnings(mine, reach)
    hi = np.append(lo[1:], len(mine)) if lo.size else lo
    return [(int(mine.low[a]), int(reach[b - 1])) for a, b in zip(lo, hi, strict=True)]
