"""What the limit of lateness decides: cells still needed, cells folded, events refused.

A cell is needed by a window that is not frozen, or may yet be (rule 12). No event comes to a slice
that ends before the limit. Two such slices of one key are one from then on if no window type needs
them apart, so that what never ends stays bounded. A landmark or a band needs both, or neither; a
session needs neither, or holds both for good, as its gap is greater than what lies between the two
(where events bring gaps of their own, nothing is folded for sessions). Any other needs neither.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import singledispatch

import numpy as np

from muntin.kernels.slicing.arrays import LAST, Flags, Ints
from muntin.kernels.slicing.batch import Batch
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.grain import Slices
from muntin.kernels.slicing.store import Store
from muntin.kernels.slicing.view import beginnings, reaches
from muntin.optimized.common.window_traits import traits_of
from muntin.spec.windows.data_driven import Punctuation, Rolling, Session
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.window import WindowType


@singledispatch
def needed(_: WindowType, cells: Cells, limit: int) -> Flags:
    """Return which cells a window that settles after the limit may hold."""
    del limit
    return np.ones(len(cells), np.bool_)


@needed.register(Sliding)
@needed.register(Rolling)
def _(kind: Sliding | Rolling, cells: Cells, limit: int) -> Flags:
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


def is_long(kind: WindowType) -> bool:
    """Whether windows may hold any number of slices that no event comes to any more."""
    return isinstance(kind, Session) or traits_of(kind).has_one_start


def carried(store: Store, grain: Slices, needs: Mapping[WindowType, Flags], limit: int) -> Store:
    """Return the store with old slices folded, given which cells each window type needs."""
    cells = store.cells
    gaps = cells.own.any() and any(isinstance(kind, Session) for kind in needs)
    if gaps or not any(map(is_long, needs)) or len(cells) <= 1:
        return store
    old = cells.slot < grain.slots(np.array([limit]))[0]
    joins = np.zeros(len(cells), np.bool_)
    joins[1:] = old[1:] & old[:-1]
    joins[cells.heads] = False
    for kind, need in needs.items():
        joins[1:] &= _alike(kind, need, cells)
    if not joins.any():
        return store
    first = np.maximum.accumulate(np.where(joins, 0, np.arange(len(cells))))
    same = replace(cells, slot=cells.slot[first], arrival=cells.arrival[first])
    return Store(same, store.parts).condensed()


def _alike(kind: WindowType, need: Flags, cells: Cells) -> Flags:
    """Tell which cells are in the same windows that are not frozen as the one before them."""
    if isinstance(kind, Session):
        return np.asarray(~(need[1:] | need[:-1]) | (cells.low[1:] < cells.high[:-1] + kind.gap))
    if traits_of(kind).has_one_start:
        return np.asarray(need[1:] == need[:-1])
    return ~(need[1:] | need[:-1])


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
