"""Rows for the events of a batch: which cell of the state, a slice and a key, each belongs to."""

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import (
    UNLINKED,
    Ints,
    Phase,
    inlined,
    ints,
    lacks,
    linked,
    outlined,
)
from muntin.columnar.engine.partials.columns import count_between
from muntin.columnar.engine.timeline import ONE, U, slice_of

FEW_SLICES = 10
"""A block of rows in fewer slices is read once for each, in vectors."""
BLOCK = 256
MANY_SLICES = 2 * BLOCK
"""A block of rows in fewer slices has units for each of them before it is placed."""
SPREAD = np.uint64(0x9E3779B97F4A7C15)
WORD_BITS = 64
KEY_SHIFT = 32
ROW_MASK = (1 << 32) - 1


@inlined
def slot_of(key: int, bits: int) -> int:
    """Where a key belongs in a table of 2^bits slots (Fibonacci hashing)."""
    return np.int64(U(key) * SPREAD >> U(WORD_BITS - bits))  # type: ignore[return-value] # an integer to kernels


@inlined
def take_unit(scalars: Ints, next_unit: Ints) -> int:
    """A free unit of rows; there is one."""
    unit = scalars[d.FREE_UNIT]
    if unit:
        scalars[d.FREE_UNIT] = next_unit[unit]
        scalars[d.FREE_UNITS] -= 1
    else:
        unit = scalars[d.TOP_UNIT]
        scalars[d.TOP_UNIT] = unit + 1
    next_unit[unit] = 0
    return unit


@inlined
def mark_dirty(t: Directory, scalars: Ints, s: int, n: int) -> None:
    """Note that events came to a slice whose windows may have been reported."""
    fresh = ints(t, d.FRESH)
    if fresh[s] == 0:
        ints(t, d.DIRTY_SLICE)[scalars[d.DIRTY_SLICES]] = s
        scalars[d.DIRTY_SLICES] += 1
    fresh[s] += n


@outlined
def scatter_lanes(t: Directory, begin: int, end: int) -> int:
    """Place rows one by one whose slices have units, and were not reported."""
    scalars, times = ints(t, d.SCALARS), ints(t, d.TIMES)
    edges, lookup, units = ints(t, d.EDGES), ints(t, d.LOOKUP), ints(t, d.UNIT)
    counts, placed = ints(t, d.ROW_COUNT), ints(t, d.PLACED)
    origin, shift = scalars[d.LOOKUP_ORIGIN], U(scalars[d.LOOKUP_SHIFT])
    lane_bits = U(scalars[d.LANE_BITS])
    for i in range(U(begin), U(end)):
        s = U(lookup[U(times[i] - origin) >> shift])
        while times[i] >= edges[s + ONE]:
            s += ONE
        row = U(units[s] << 2) + (i & lane_bits)
        placed[i] = row
        counts[row] += 1
    return 0


@inlined
def lane_row(t: Directory, s: int, n: int) -> int:
    """The first row of a slice of one key, for rows that come to it."""
    scalars, units = ints(t, d.SCALARS), ints(t, d.UNIT)
    if units[s] == 0:
        units[s] = take_unit(scalars, ints(t, d.NEXT_UNIT))
    if s < scalars[d.SEALED]:
        mark_dirty(t, scalars, s, n)
    return 4 * units[s]


@inlined
def note_entry(t: Directory, begin: int, end: int, row: int, low: int, high: int) -> None:
    """Note that the rows of a run whose times lie in an interval go to one row, or to their own."""
    scalars, rows = ints(t, d.SCALARS), ints(t, d.ENTRY_ROW)
    ends, lows = ints(t, d.ENTRY_END), ints(t, d.ENTRY_LOW)
    o = scalars[d.ENTRIES]
    follows = o > 0 and rows[o - 1] == row and ends[o - 1] == begin
    if follows and low == -d.FAR and lows[o - 1] == -d.FAR:
        ends[o - 1] = end
        return
    ints(t, d.ENTRY_BEGIN)[o], ends[o], rows[o] = begin, end, row
    lows[o], ints(t, d.ENTRY_HIGH)[o] = low, high
    scalars[d.ENTRIES] = o + 1


@inlined
def note_all(t: Directory) -> None:
    """Note that each row of a batch goes to its own row."""
    scalars = ints(t, d.SCALARS)
    scalars[d.ENTRIES] = 0
    note_entry(t, 0, scalars[d.N], -1, -d.FAR, d.FAR)


@outlined
def scatter_marked_lanes(t: Directory, begin: int, end: int) -> int:
    """Place rows one by one, and note those in slices that may have been reported."""
    scalars, times = ints(t, d.SCALARS), ints(t, d.TIMES)
    edges, lookup = ints(t, d.EDGES), ints(t, d.LOOKUP)
    counts, placed = ints(t, d.ROW_COUNT), ints(t, d.PLACED)
    origin, shift, slices = scalars[d.LOOKUP_ORIGIN], scalars[d.LOOKUP_SHIFT], scalars[d.SLICES]
    for i in range(begin, end):
        s = slice_of(times[i], edges, lookup, origin, shift, slices)
        row = lane_row(t, s, 1) + (i & scalars[d.LANE_BITS])
        placed[i] = row
        counts[row] += 1
    return 0


@outlined
def place_block(t: Directory, begin: int, end: int, first: int, last: int) -> int:
    """Place a block of rows that lie in more than one slice."""
    scalars, edges = ints(t, d.SCALARS), ints(t, d.EDGES)
    if last - first < FEW_SLICES:
        times, counts = ints(t, d.TIMES)[begin:end], ints(t, d.ROW_COUNT)
        for s in range(first, last + 1):
            n = count_between(times, edges[s], edges[s + 1])
            if n:
                row = lane_row(t, s, n)
                counts[row] += n
                note_entry(t, begin, end, row, edges[s], edges[s + 1])
        return 0
    known = ints(t, d.BLOCK_LOW)[begin >> 8] >= scalars[d.LOOKUP_ORIGIN]
    if last - first < MANY_SLICES and first >= scalars[d.SEALED] and known:
        for s in range(first, last + 1):
            lane_row(t, s, 0)
        scatter_lanes(t, begin, end)
    else:
        scatter_marked_lanes(t, begin, end)
    note_entry(t, begin, end, -1, -d.FAR, d.FAR)
    return 0


@linked(d.PLACE_LANES)
def place_lanes(t: Directory) -> int:
    """Place the rows of one key: runs that lie in one slice go to one row."""
    scalars, edges, lookup = ints(t, d.SCALARS), ints(t, d.EDGES), ints(t, d.LOOKUP)
    lows, highs, counts = ints(t, d.BLOCK_LOW), ints(t, d.BLOCK_HIGH), ints(t, d.ROW_COUNT)
    n, origin, shift = scalars[d.N], scalars[d.LOOKUP_ORIGIN], scalars[d.LOOKUP_SHIFT]
    slices = scalars[d.SLICES]
    scalars[d.ENTRIES] = 0
    for block in range((n + BLOCK - 1) >> 8):
        begin, end = block * BLOCK, min(block * BLOCK + BLOCK, n)
        first = slice_of(lows[block], edges, lookup, origin, shift, slices)
        if highs[block] < edges[first + 1]:
            row = lane_row(t, first, end - begin)
            counts[row] += end - begin
            note_entry(t, begin, end, row, -d.FAR, d.FAR)
        else:
            last = slice_of(highs[block], edges, lookup, origin, shift, slices)
            place_block(t, begin, end, first, last)
    return 0


@inlined
def note_dirty_cell(t: Directory, scalars: Ints, s: int, key: int) -> None:
    """Note an event behind the reported time, with its key."""
    n = scalars[d.DIRTY_CELLS]
    ints(t, d.DIRTY_CELL_SLICE)[n] = s
    ints(t, d.DIRTY_CELL_KEY)[n] = key
    scalars[d.DIRTY_CELLS] = n + 1
    mark_dirty(t, scalars, s, 1)


@linked(d.PLACE_DENSE)
def place_dense(t: Directory) -> int:
    """Place rows where each slice has a row for each key."""
    scalars, times, keys = ints(t, d.SCALARS), ints(t, d.TIMES), ints(t, d.KEY_ID)
    edges, lookup = ints(t, d.EDGES), ints(t, d.LOOKUP)
    units, next_unit = ints(t, d.UNIT), ints(t, d.NEXT_UNIT)
    counts, placed = ints(t, d.ROW_COUNT), ints(t, d.PLACED)
    origin, shift, slices = scalars[d.LOOKUP_ORIGIN], scalars[d.LOOKUP_SHIFT], scalars[d.SLICES]
    sealed, width = scalars[d.SEALED], scalars[d.UNIT_ROWS]
    for i in range(scalars[d.N]):
        s = slice_of(times[i], edges, lookup, origin, shift, slices)
        if units[s] == 0:
            units[s] = take_unit(scalars, next_unit)
        row = U(units[s] * width + keys[i])
        placed[i] = row
        counts[row] += 1
        if s < sealed:
            note_dirty_cell(t, scalars, s, keys[i])
    return 0


@inlined
def take_index(scalars: Ints, index: Ints, free: Ints, bits: int) -> int:
    """A hash index of 2^bits empty slots; there is room."""
    at = free[bits]
    if at > 0:
        free[bits] = index[at - 1]
        index[at - 1] = 0
        return at - 1
    at = scalars[d.INDEX_TOP]
    scalars[d.INDEX_TOP] = at + (1 << bits)
    return at


@inlined
def release_index(index: Ints, free: Ints, at: int, bits: int) -> None:
    """Give an index back, emptied."""
    for i in range(at, at + (1 << bits)):
        index[i] = 0
    index[at] = free[bits]
    free[bits] = at + 1


@outlined
def widen_index(t: Directory, s: int) -> int:
    """Give a slice its first index, or one that has room for more cells than it has."""
    scalars, index, free = ints(t, d.SCALARS), ints(t, d.INDEX), ints(t, d.FREE_INDEX)
    bits_of, at_of, row_key = ints(t, d.INDEX_BITS), ints(t, d.INDEX_AT), ints(t, d.ROW_KEY)
    next_unit, width = ints(t, d.NEXT_UNIT), scalars[d.UNIT_ROWS]
    bits = bits_of[s] + 1 if bits_of[s] else scalars[d.INDEX_GUESS]
    while 3 * ints(t, d.CELLS)[s] >= 2 << bits:
        bits += 1
    at = take_index(scalars, index, free, bits)
    mask, unit, left = (1 << bits) - 1, ints(t, d.UNIT)[s], ints(t, d.CELLS)[s]
    while left > 0:
        for row in range(unit * width, unit * width + min(width, left)):
            slot = slot_of(row_key[row], bits)
            while index[at + slot]:
                slot = (slot + 1) & mask
            index[at + slot] = row_key[row] << KEY_SHIFT | (row + 1)
        left -= width
        unit = next_unit[unit]
    if bits_of[s]:
        release_index(index, free, at_of[s], bits_of[s])
    at_of[s], bits_of[s] = at, bits
    return 0


@linked(d.PLACE_SPARSE)
def place_sparse(t: Directory) -> int:
    """Place rows where each slice has rows for the keys that came, found by a hash index."""
    scalars, times, keys = ints(t, d.SCALARS), ints(t, d.TIMES), ints(t, d.KEY_ID)
    edges, lookup = ints(t, d.EDGES), ints(t, d.LOOKUP)
    units, lasts, cells = ints(t, d.UNIT), ints(t, d.LAST_UNIT), ints(t, d.CELLS)
    next_unit, row_key = ints(t, d.NEXT_UNIT), ints(t, d.ROW_KEY)
    index, index_at, index_bits = ints(t, d.INDEX), ints(t, d.INDEX_AT), ints(t, d.INDEX_BITS)
    counts, placed = ints(t, d.ROW_COUNT), ints(t, d.PLACED)
    origin, shift, slices = scalars[d.LOOKUP_ORIGIN], scalars[d.LOOKUP_SHIFT], scalars[d.SLICES]
    sealed, width = scalars[d.SEALED], scalars[d.UNIT_ROWS]
    for i in range(scalars[d.N]):
        s = U(slice_of(times[i], edges, lookup, origin, shift, slices))
        key, n = keys[i], cells[s]
        if 3 * n >= 2 << index_bits[s] or index_bits[s] == 0:
            widen_index(t, np.int64(s))  # type: ignore[arg-type] # an integer to kernels
        at, bits = index_at[s], index_bits[s]
        slot, mask = slot_of(key, bits), (1 << bits) - 1
        word = index[U(at + slot)]
        while word != 0 and word >> KEY_SHIFT != key:
            slot = (slot + 1) & mask
            word = index[U(at + slot)]
        row = (word & ROW_MASK) - 1
        if word == 0:
            if n % width == 0:
                unit = take_unit(scalars, next_unit)
                if n == 0:
                    units[s] = unit
                else:
                    next_unit[lasts[s]] = unit
                lasts[s] = unit
            row = lasts[s] * width + n % width
            row_key[U(row)] = key
            index[U(at + slot)] = key << KEY_SHIFT | (row + 1)
            cells[s] = n + 1
        placed[i] = row
        counts[U(row)] += 1
        if np.int64(s) < sealed:
            note_dirty_cell(t, scalars, np.int64(s), key)  # type: ignore[arg-type] # as above
    return 0


@inlined
def row_of(t: Directory, s: int, key: int) -> int:
    """The row of a key in a slice, 0 if it has none."""
    scalars = ints(t, d.SCALARS)
    if scalars[d.LAYOUT] == d.DENSE:
        unit = ints(t, d.UNIT)[s]
        return unit * scalars[d.UNIT_ROWS] + key if unit else 0
    bits = ints(t, d.INDEX_BITS)[s]
    if bits == 0:
        return 0
    index = ints(t, d.INDEX)
    at: int = ints(t, d.INDEX_AT)[s]
    slot, mask = slot_of(key, bits), (1 << bits) - 1
    while index[at + slot] != 0 and index[at + slot] >> KEY_SHIFT != key:
        slot = (slot + 1) & mask
    word = index[at + slot]
    return (word & ROW_MASK) - 1 if word else 0


@linked(d.NUMBER_KEYS)
def number_keys(t: Directory) -> int:
    """Number the keys of a batch in the order in which they come; 0 if the table has no room."""
    scalars, table, keys = ints(t, d.SCALARS), ints(t, d.KEY_TABLE), ints(t, d.KEYS)
    numbers, slots, key_of = ints(t, d.KEY_ID), ints(t, d.KEY_SLOT), ints(t, d.KEY_OF)
    n, known, bits = scalars[d.N], scalars[d.KEY_COUNT], scalars[d.KEY_BITS]
    mask, touched = (1 << bits) - 1, 0
    for begin in range(0, n, BLOCK):
        end = min(begin + BLOCK, n)
        if 3 * (known + BLOCK) > 2 << bits:
            scalars[d.KEY_COUNT] = known
            return 0
        for i in range(begin, end):  # read all slots first, so that misses of the cache overlap
            slots[i - begin] = slot_of(keys[i], bits)
            touched += table[U(2 * slots[i - begin])]
        for i in range(begin, end):
            key, slot = keys[i], slots[i - begin]
            while table[U(2 * slot + 1)] != 0 and table[U(2 * slot)] != key:
                slot = (slot + 1) & mask
            if table[U(2 * slot + 1)] == 0:
                key_of[known] = key
                known += 1
                table[2 * slot], table[2 * slot + 1] = key, known
            numbers[U(i)] = table[U(2 * slot + 1)] - 1
    scalars[d.KEY_COUNT] = known
    scalars[d.TOUCHED] = touched
    return 1


@outlined
def fill_key_table(t: Directory, first: int) -> int:
    """Enter the keys that have numbers from the first on into the table."""
    scalars, table, key_of = ints(t, d.SCALARS), ints(t, d.KEY_TABLE), ints(t, d.KEY_OF)
    bits = scalars[d.KEY_BITS]
    mask = (1 << bits) - 1
    for number in range(first, scalars[d.KEY_COUNT]):
        slot = slot_of(key_of[number], bits)
        while table[2 * slot + 1]:
            slot = (slot + 1) & mask
        table[2 * slot], table[2 * slot + 1] = key_of[number], number + 1
    return 0


@Phase
def number_column(t: Directory, n: int) -> int:
    """Number a column of keys outside a step; 0 if the table has no room."""
    ints(t, d.SCALARS)[d.N] = n
    return UNLINKED if lacks(t, d.NUMBER_KEYS) else number_keys(t)


@Phase
def move_keys(t: Directory) -> int:
    """Enter the keys of an old table, which lies at INDEX, into a larger one."""
    scalars, table, old = ints(t, d.SCALARS), ints(t, d.KEY_TABLE), ints(t, d.INDEX)
    bits = scalars[d.KEY_BITS]
    mask = (1 << bits) - 1
    for at in range(0, len(old), 2):
        if old[at + 1]:
            slot = slot_of(old[at], bits)
            while table[2 * slot + 1]:
                slot = (slot + 1) & mask
            table[2 * slot], table[2 * slot + 1] = old[at], old[at + 1]
    return 0
