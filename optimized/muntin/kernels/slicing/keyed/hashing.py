"""Kernels that find the cell of a key in a slice: one hash table a slice, all in one array.

What comes at about one time lies close together, however many keys there are. A table that is half
full moves to the end of the array, at twice the size or more.
"""

import numpy as np
from numpy.typing import NDArray

from muntin.kernels.compiler.jit import inlined, kernel, signed, unsigned
from muntin.kernels.slicing.arrays import Ints
from muntin.kernels.slicing.dense.placing import Places

Tables = NDArray[np.int64]
"""Rows: where the table of a slice begins, its bits, and how many keys it has."""
SPREAD = 0x9E3779B97F4A7C15
"""2^64 over the golden ratio: its multiples are far apart in their highest bits."""
BITS = 64
FIRST_BITS, SMALL = 3, 10
"""The first table of a slice has 2^3 slots; up to 2^10 it grows fourfold."""


@inlined
def slot_of(key: int, slots: Places, begin: int, bits: int, keys: Ints) -> int:
    """Return the slot of a table that holds a key, or the empty one where it belongs."""
    last = (1 << bits) - 1
    spread = unsigned(int(key)) * unsigned(SPREAD) >> unsigned(int(BITS - bits))
    at = signed(spread & unsigned(int(last)))
    while slots[begin + at] and keys[slots[begin + at] - 1] != key:
        at = (at + 1) & last
    return begin + at


@kernel
def find(  # noqa: PLR0913, PLR0917 - each argument of a kernel is a number or an array
    key: Ints,
    within: Places,
    done: int,
    tables: Tables,
    slots: Places,
    keys: Ints,
    slices: Ints,
    state: Ints,
    found: Places,
) -> int:
    """Write the cell of each event, a new one if there is none; return how far there was room.

    State is how many cells there are, and how many slots are in use.
    """
    for i in range(done, len(key)):
        at = np.int64(within[i])
        bits = tables[at, 1]
        if 2 * tables[at, 2] + 2 > (1 << bits):
            wider = FIRST_BITS if bits == 0 else (bits + 2 if bits < SMALL else bits + 1)
            begin = state[1]
            if begin + (1 << wider) > len(slots):
                return i
            for old in range(tables[at, 0], tables[at, 0] + (1 << bits) if bits else 0):
                if slots[old]:
                    cell = slots[old]
                    slots[slot_of(int(keys[cell - 1]), slots, begin, wider, keys)] = cell
            tables[at, 0], tables[at, 1], state[1] = begin, wider, begin + (1 << wider)
        slot = slot_of(key[i], slots, tables[at, 0], tables[at, 1], keys)
        if not slots[slot]:
            n = state[0]
            if n >= len(keys):
                return i
            keys[n], slices[n], slots[slot] = key[i], at, n + 1
            state[0] = n + 1
            tables[at, 2] += 1
        found[i] = slots[slot] - 1
    return len(key)


@kernel
def gather(tables: Tables, slots: Places, first: int, last: int, out: Places) -> int:
    """Write the cells of some slices, slice by slice; there must be room for one more."""
    n = 0
    for at in range(first, last):
        if tables[at, 1]:
            for slot in range(tables[at, 0], tables[at, 0] + (1 << tables[at, 1])):
                out[n] = max(slots[slot], 1) - 1
                n += int(slots[slot] > 0)
    return n
