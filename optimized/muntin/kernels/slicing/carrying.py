"""Old slices of one live window folded into one: what never ends stays bounded.

No event comes to a slice that ends before the limit of lateness. Two such slices of one key are one
from then on if no window type needs them apart. A landmark or a band needs both, or neither; a
session needs neither, or holds both for good, as its gap is greater than what lies between the two
(where events bring gaps of their own, nothing is folded for sessions). Any other needs neither.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from muntin.kernels.slicing.arrays import Flags
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.grain import Slices
from muntin.kernels.slicing.store import Store
from muntin.optimized.common.window_traits import traits_of
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.window import WindowType


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
