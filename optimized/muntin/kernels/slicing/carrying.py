"""Old slices of one live session folded into one: what never ends stays bounded.

No event comes to a slice that ends before the limit of lateness. Two such slices of one key are one
from then on if no window type needs them apart: none needs them, but for sessions whose gap is
greater than the distance between the two, which hold both for good.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from muntin.kernels.slicing.arrays import Flags
from muntin.kernels.slicing.grain import Slices
from muntin.kernels.slicing.store import Store
from muntin.spec.data_driven import Session
from muntin.spec.window import WindowType


def carried(store: Store, grain: Slices, needs: Mapping[WindowType, Flags], limit: int) -> Store:
    """Return the store with old slices folded, given which cells each window type needs."""
    cells = store.cells
    sessions = any(isinstance(kind, Session) for kind in needs)
    if not sessions or len(cells) <= 1 or cells.own.any():
        return store
    old = cells.slot < grain.slots(np.array([limit]))[0]
    joins = np.zeros(len(cells), np.bool_)
    joins[1:] = old[1:] & old[:-1]
    joins[cells.heads] = False
    for kind, need in needs.items():
        reach = cells.high[:-1] + (kind.gap if isinstance(kind, Session) else 0)
        joins[1:] &= ~(need[1:] | need[:-1]) | (cells.low[1:] < reach)
    if not joins.any():
        return store
    first = np.maximum.accumulate(np.where(joins, 0, np.arange(len(cells))))
    same = replace(cells, slot=cells.slot[first], arrival=cells.arrival[first])
    return Store(same, store.parts).condensed()
