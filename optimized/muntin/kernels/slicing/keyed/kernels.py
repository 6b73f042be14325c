"""Kernels over cells of many keys: found by hashing, added to, read and sorted in compiled code.

Each slice has a hash table, all in one array, so what comes at about one time lies close together,
however many keys there are. A table that is half full moves to the end of the array, at twice the
size or more.
"""

import numpy as np
from numpy.typing import NDArray

from muntin.kernels.compiler.jit import inlined, kernel, signed, unsigned
from muntin.kernels.slicing.arrays import Ints
from muntin.kernels.slicing.dense.placing import Numbers, Places
from muntin.kernels.slicing.keys import BITS, SPREAD

Tables = NDArray[np.int64]
"""Rows: where the table of a slice begins, its bits, and how many keys it has."""
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


@kernel
def count_each(found: Places, counts: Ints) -> None:
    """Count the events of cells."""
    for i in range(len(found)):
        counts[found[i]] += 1


@kernel
def add_each(found: Places, values: Numbers, sums: Numbers) -> None:
    """Add values to the sums of cells."""
    for i in range(len(found)):
        sums[found[i]] += values[i]


@kernel
def hear(cells: Places, counts: Ints, heard: Ints) -> None:
    """Take all events of some cells as told of."""
    for i in range(len(cells)):
        heard[cells[i]] = counts[cells[i]]


@kernel
def code(  # noqa: PLR0913, PLR0917 - each argument of a kernel is a number or an array
    cells: Places, slices: Ints, first: int, bits: int, keys: Ints, birth: Ints, out: Ints
) -> None:
    """Write codes that are in the order of slices, and in one of the births of keys."""
    for i in range(len(cells)):
        out[i] = ((slices[cells[i]] - first) << bits) | birth[keys[cells[i]]]


@kernel
def extents(cells: Places, slices: Ints, edges: Ints, start: Ints, end: Ints) -> None:
    """Write where the slices of cells begin and end."""
    for i in range(len(cells)):
        at = slices[cells[i]]
        start[i], end[i] = edges[at], edges[at + 1]


Rows = NDArray[np.int64]


@kernel
def windows_of(  # noqa: PLR0913, PLR0917 - each argument of a kernel is a number or an array
    windows: Rows,
    after: int,
    upto: int,
    since: int,
    edges: Ints,
    keys: Ints,
    slices: Ints,
    fresh: Ints,
    out: Rows,
) -> int:
    """Write the windows that end after one time and not after another, and hold what is fresh.

    Cells are in the order of their keys and slices; fresh counts events before each. A row of
    windows is size, slide, and some end. A row that is written is: which, start, end, first cell,
    cell after the last, how many fresh events. A window is found at its first cell: it holds that
    cell, and not the one before of the same key.
    """
    found = 0
    for which in range(len(windows)):
        size, slide, hi = windows[which, 0], windows[which, 1], 0
        for lo in range(len(keys)):
            low = edges[slices[lo]]
            least = max(low, after)
            if lo and keys[lo] == keys[lo - 1]:
                least = max(least, edges[slices[lo - 1]] + size)
            most = min(upto, low + size)
            end = least + 1 + (windows[which, 2] - least - 1) % slide
            hi = max(hi, lo)
            while end <= most:
                while hi < len(keys) and keys[hi] == keys[lo] and edges[slices[hi]] < end:
                    hi += 1
                more = fresh[hi] - fresh[lo]
                if more and end - size > since:
                    if found < len(out):
                        out[found, 0], out[found, 1], out[found, 2] = which, end - size, end
                        out[found, 3], out[found, 4], out[found, 5] = lo, hi, more
                    found += 1
                end += slide
    return found


DIGIT = 11
"""Bits that are sorted by at once: so many counters stay in the nearest cache."""


def by_code(codes: Ints, places: Places) -> Places:
    """Return places in the order of their codes, which are none below 0; both are written over.

    >>> by_code(np.array([5, 1, 4096]), np.array([0, 1, 2], np.uint32)).tolist()
    [1, 0, 2]
    """
    counts: Ints = np.empty(1 << DIGIT, np.int64)
    others = np.empty_like(codes), np.empty_like(places)
    for shift in range(0, int(codes.max(initial=0)).bit_length(), DIGIT):
        sort_digit(codes, places, shift, counts, *others)
        (codes, places), others = others, (codes, places)
    return places


@kernel
def sort_digit(  # noqa: PLR0913, PLR0917 - each argument of a kernel is a number or an array
    codes: Ints, places: Places, shift: int, counts: Ints, other: Ints, moved: Places
) -> None:
    """Sort by one digit."""
    mask = len(counts) - 1
    counts[:] = 0
    for i in range(len(codes)):
        counts[(codes[i] >> shift) & mask] += 1
    total = 0
    for digit in range(len(counts)):
        total, counts[digit] = total + counts[digit], total
    for i in range(len(codes)):
        digit = (codes[i] >> shift) & mask
        at = counts[digit]
        other[at], moved[at] = codes[i], places[i]
        counts[digit] = at + 1
