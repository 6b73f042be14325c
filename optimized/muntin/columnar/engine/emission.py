"""Rows of results: the partials of the slices of each window, merged by key."""

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.cells import row_of, slot_of
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import (
    Ints,
    Phase,
    call,
    inlined,
    ints,
    linked,
    outlined,
)
from muntin.columnar.engine.timeline import U

CHUNK = 1024
"""The pairs that are noted at once."""


@outlined
def flush(t: Directory, to: int, origin: int, trees: bool) -> int:
    """Copy and merge the pairs of rows that were noted, in each part."""
    scalars, parts = ints(t, d.SCALARS), ints(t, d.PARTS)
    for part in range(scalars[d.PART_COUNT]):
        at = part * d.P_FIELDS
        if trees and parts[at + d.P_PREFIX]:
            continue
        call(parts[at + d.P_COPY], t, part, parts[at + to], parts[at + origin])
        call(parts[at + d.P_MERGE], t, part, parts[at + to], parts[at + origin])
    scalars[d.COPIES] = scalars[d.MERGES] = 0
    return 0


@inlined
def has_room(t: Directory, scalars: Ints, n: int) -> bool:
    """Whether more pairs have room."""
    size = len(ints(t, d.COPY_FROM))
    return scalars[d.COPIES] + n < size and scalars[d.MERGES] + n < size


@inlined
def note_copy(t: Directory, scalars: Ints, row: int, to: int) -> None:
    """Note that a row is copied."""
    n = scalars[d.COPIES]
    ints(t, d.COPY_FROM)[n], ints(t, d.COPY_TO)[n] = row, to
    scalars[d.COPIES] = n + 1


@inlined
def note_merge(t: Directory, scalars: Ints, row: int, to: int) -> None:
    """Note that a row is merged into another."""
    n = scalars[d.MERGES]
    ints(t, d.MERGE_FROM)[n], ints(t, d.MERGE_TO)[n] = row, to
    scalars[d.MERGES] = n + 1


@linked(d.SEAL_LANES)
def seal_lanes(t: Directory, last: int) -> int:
    """Count the events of one key up to a slice, and fold its slices into prefixes and trees."""
    scalars, parts = ints(t, d.SCALARS), ints(t, d.PARTS)
    before, units, counts = ints(t, d.COUNT_BEFORE), ints(t, d.UNIT), ints(t, d.ROW_COUNT)
    first = scalars[d.PREFIXED]
    for s in range(first, last):
        row = 4 * units[s]
        held = counts[row] + counts[row + 1] + counts[row + 2] + counts[row + 3]
        before[s + 1] = before[s] + held
    for part in range(scalars[d.PART_COUNT]):
        prefix = parts[part * d.P_FIELDS + d.P_PREFIX]
        if prefix:
            call(prefix, t, part, first, last)
    if scalars[d.TREE_PARTS] and last > first:
        grow_tree(t, first, last)
    scalars[d.PREFIXED] = max(last, first)
    return 0


@linked(d.GROW_TREE)
def grow_tree(t: Directory, first: int, last: int) -> int:
    """Fold the lanes of slices into the leaves of a flat tree, and those into its nodes."""
    scalars, units, half = ints(t, d.SCALARS), ints(t, d.UNIT), ints(t, d.SCALARS)[d.TREE_HALF]
    for s in range(first, last):
        if not has_room(t, scalars, 3):
            flush(t, d.P_TREE, d.P_CELLS, True)
        note_copy(t, scalars, 4 * units[s], half + s)
        for lane in range(1, 4):
            note_merge(t, scalars, 4 * units[s] + lane, half + s)
    flush(t, d.P_TREE, d.P_CELLS, True)
    low, high = (half + first) >> 1, (half + last - 1) >> 1
    while low >= 1:
        for node in range(low, high + 1):
            if not has_room(t, scalars, 1):
                flush(t, d.P_TREE, d.P_TREE, True)
            note_copy(t, scalars, 2 * node, node)
            note_merge(t, scalars, 2 * node + 1, node)
        flush(t, d.P_TREE, d.P_TREE, True)
        low, high = low >> 1, high >> 1
    return 0


@outlined
def fold_lanes(t: Directory, windows: int) -> int:
    """Fold the slices of each window of one key: by prefixes, or by nodes of trees."""
    scalars, parts = ints(t, d.SCALARS), ints(t, d.PARTS)
    for part in range(scalars[d.PART_COUNT]):
        kernel = parts[part * d.P_FIELDS + d.P_RANGE]
        if kernel:
            call(kernel, t, part, 0, windows)
    if scalars[d.TREE_PARTS]:
        fold_trees(t, windows)
    return 0


@linked(d.FOLD_TREES)
def fold_trees(t: Directory, windows: int) -> int:
    """Fold the nodes of trees that the slices of each window make up."""
    scalars = ints(t, d.SCALARS)
    lows, highs, half = ints(t, d.DUE_LOW), ints(t, d.DUE_HIGH), scalars[d.TREE_HALF]
    for w in range(windows):
        if not has_room(t, scalars, 128):
            flush(t, d.P_OUT, d.P_TREE, True)
        low, high, some = lows[w] + half, highs[w] + half, False
        while low < high:
            if low & 1:
                if some:
                    note_merge(t, scalars, low, w)
                else:
                    note_copy(t, scalars, low, w)
                some, low = True, low + 1
            if high & 1:
                high -= 1
                if some:
                    note_merge(t, scalars, high, w)
                else:
                    note_copy(t, scalars, high, w)
                some = True
            low, high = low >> 1, high >> 1
    flush(t, d.P_OUT, d.P_TREE, True)
    return 0


@inlined
def revision_slot(t: Directory, end: int, name: int) -> int:
    """Where the revision of a window of a key lies, or may lie."""
    ends, names = ints(t, d.REVISION_END), ints(t, d.REVISION_KEY)
    revisions, mask = ints(t, d.REVISION), len(ints(t, d.REVISION)) - 1
    slot = slot_of(end * 1_000_003 + name, 40) & mask
    while revisions[slot] and (ends[slot] != end or names[slot] != name):
        slot = (slot + 1) & mask
    return slot


@outlined
def next_revision(t: Directory, end: int, query: int, key: int) -> int:
    """One more than the last revision of a window; there is room."""
    scalars, revisions, name = ints(t, d.SCALARS), ints(t, d.REVISION), query << 32 | key
    slot = revision_slot(t, end, name)
    if revisions[slot] == 0:
        ints(t, d.REVISION_END)[slot], ints(t, d.REVISION_KEY)[slot] = end, name
        scalars[d.REVISIONS] += 1
    revisions[slot] += 1
    return revisions[slot]


@Phase
def enter_revisions(t: Directory, origin: int) -> int:
    """Enter ends, names and revisions, which lie at three places, into the empty table."""
    scalars, ends = ints(t, d.SCALARS), ints(t, origin)
    names, revisions = ints(t, origin + 1), ints(t, origin + 2)
    entered = 0
    for i in range(len(revisions)):
        if revisions[i]:
            slot = revision_slot(t, ends[i], names[i])
            ints(t, d.REVISION_END)[slot], ints(t, d.REVISION_KEY)[slot] = ends[i], names[i]
            ints(t, d.REVISION)[slot] = revisions[i]
            entered += 1
    scalars[d.REVISIONS] = entered
    return entered


@inlined
def lacks_revisions(t: Directory, n: int) -> bool:
    """Whether there may be no room for the revisions of n windows more."""
    scalars = ints(t, d.SCALARS)
    scalars[d.NEED] = n
    return n > 0 and 2 * (scalars[d.REVISIONS] + n) > len(ints(t, d.REVISION))


@inlined
def fresh_between(t: Directory, low: int, high: int) -> tuple[int, int]:
    """The events of this step, behind the reported time, in a range of slices: where they lie."""
    scalars, dirty, before = ints(t, d.SCALARS), ints(t, d.DIRTY_SLICE), ints(t, d.DIRTY_BEFORE)
    n = scalars[d.DIRTY_SLICES]
    first, last = 0, n
    while first < last:
        middle = (first + last) >> 1
        if dirty[middle] < low:
            first = middle + 1
        else:
            last = middle
    begin, last = first, n
    while first < last:
        middle = (first + last) >> 1
        if dirty[middle] < high:
            first = middle + 1
        else:
            last = middle
    return before[begin], before[first]


@linked(d.EMIT_LANES)
def emit_lanes(t: Directory) -> int:
    """A row for each window of one key."""
    scalars, windows = ints(t, d.SCALARS), ints(t, d.SCALARS)[d.WINDOWS]
    lows, highs, kinds = ints(t, d.DUE_LOW), ints(t, d.DUE_HIGH), ints(t, d.DUE_KIND)
    ends, queries, first = ints(t, d.DUE_END), ints(t, d.DUE_QUERY), ints(t, d.DUE_ROW)
    keys, counts, revisions = ints(t, d.OUT_KEY), ints(t, d.OUT_COUNT), ints(t, d.OUT_REVISION)
    before = ints(t, d.COUNT_BEFORE)
    if windows > len(keys):
        scalars[d.NEED] = windows
        return d.MORE_OUTPUT
    if lacks_revisions(t, scalars[d.CHANGED]):
        return d.MORE_REVISIONS
    for w in range(windows):
        first[w], keys[w], revisions[w] = w, 0, 0
        counts[w] = before[highs[w]] - before[lows[w]]
        if kinds[w] == d.UPDATED:
            begin, end = fresh_between(t, lows[w], highs[w])
            if end - begin < counts[w]:
                revisions[w] = next_revision(t, ends[w], queries[w], 0)
    fold_lanes(t, windows)
    scalars[d.OUT] = windows
    return d.DONE


@inlined
def cells_between(t: Directory, low: int, high: int) -> int:
    """How many cells some slices have at most."""
    scalars, cells = ints(t, d.SCALARS), ints(t, d.CELLS)
    if scalars[d.LAYOUT] == d.DENSE:
        return scalars[d.KEY_COUNT]
    total = 0
    for s in range(low, high):
        total += cells[s]
    return min(total, scalars[d.KEY_COUNT])


@outlined
def merge_range(t: Directory, row: int, to: int, n: int, first: bool) -> int:
    """Copy or merge rows that lie together."""
    scalars = ints(t, d.SCALARS)
    froms = ints(t, d.COPY_FROM) if first else ints(t, d.MERGE_FROM)
    tos = ints(t, d.COPY_TO) if first else ints(t, d.MERGE_TO)
    for begin in range(0, n, CHUNK):
        size = min(CHUNK, n - begin)
        for i in range(size):
            froms[i], tos[i] = row + begin + i, to + begin + i
        scalars[d.COPIES], scalars[d.MERGES] = size if first else 0, 0 if first else size
        scalars[d.ADJACENT] = 1
        flush(t, d.P_OUT, d.P_CELLS, False)
        scalars[d.ADJACENT] = 0
    return 0


@outlined
def keep_live(t: Directory, n: int) -> int:
    """Of n rows of results, one for each key, keep those that hold events; how many they are."""
    scalars, begin = ints(t, d.SCALARS), ints(t, d.SCALARS)[d.OUT]
    keys, counts = ints(t, d.OUT_KEY)[begin : begin + n], ints(t, d.OUT_COUNT)[begin : begin + n]
    froms, tos = ints(t, d.COPY_FROM), ints(t, d.COPY_TO)
    live = 0
    for first in range(0, n, CHUNK):
        copies = 0
        for i in range(first, min(first + CHUNK, n)):  # what holds none is overwritten
            froms[U(copies)], tos[U(copies)] = begin + i, begin + live
            count = counts[U(i)]
            keys[U(live)], counts[U(live)] = i, count
            held = int(count > 0)
            copies, live = copies + held, live + held
        if live < min(first + CHUNK, n):
            scalars[d.COPIES] = copies
            flush(t, d.P_OUT, d.P_OUT, False)
    return live


@outlined
def emit_dense(t: Directory, low: int, high: int) -> int:
    """A row for each key that has an event in these slices, which have a row for every key."""
    scalars, units = ints(t, d.SCALARS), ints(t, d.UNIT)
    n, width, begin = scalars[d.KEY_COUNT], scalars[d.UNIT_ROWS], scalars[d.OUT]
    out_counts, first = ints(t, d.OUT_COUNT)[begin : begin + n], True
    flush(t, d.P_OUT, d.P_CELLS, False)
    for s in range(low, high):
        if units[s] == 0:
            continue
        base = units[s] * width
        counts = ints(t, d.ROW_COUNT)[base : base + n]
        if first:
            for i in range(n):
                out_counts[i] = counts[i]
        else:
            for i in range(n):
                out_counts[i] += counts[i]
        merge_range(t, base, begin, n, first)
        first = False
    if first:
        return 0
    live, revisions = keep_live(t, n), ints(t, d.OUT_REVISION)
    for o in range(begin, begin + live):
        revisions[o] = 0
    scalars[d.OUT] = begin + live
    return 0


@outlined
def emit_new(t: Directory, low: int, high: int) -> int:
    """A row for each key that has an event in these slices."""
    scalars, units, cells = ints(t, d.SCALARS), ints(t, d.UNIT), ints(t, d.CELLS)
    next_unit, row_key, counts = ints(t, d.NEXT_UNIT), ints(t, d.ROW_KEY), ints(t, d.ROW_COUNT)
    keys, out_counts, revisions = ints(t, d.OUT_KEY), ints(t, d.OUT_COUNT), ints(t, d.OUT_REVISION)
    out_row = ints(t, d.OUT_ROW)
    copy_from, copy_to = ints(t, d.COPY_FROM), ints(t, d.COPY_TO)
    merge_from, merge_to = ints(t, d.MERGE_FROM), ints(t, d.MERGE_TO)
    width = scalars[d.UNIT_ROWS]
    begin = o = scalars[d.OUT]
    for s in range(low, high):
        unit, left = units[s], cells[s]
        while left > 0:
            for first in range(0, min(width, left), 64):
                if not has_room(t, scalars, 64):
                    flush(t, d.P_OUT, d.P_CELLS, False)
                copies, merges = scalars[d.COPIES], scalars[d.MERGES]
                for i in range(first, min(first + 64, width, left)):
                    row = unit * width + i  # both pairs are written, one counts: nothing branches
                    key = row_key[U(row)]
                    to = out_row[U(key)] - 1
                    is_new = int(to < 0)
                    to = o if is_new else to
                    out_row[U(key)] = to + 1
                    out_counts[U(to)] = counts[U(row)] + (0 if is_new else out_counts[U(to)])
                    keys[U(to)] = key
                    copy_from[U(copies)], copy_to[U(copies)] = row, to
                    merge_from[U(merges)], merge_to[U(merges)] = row, to
                    o, copies, merges = o + is_new, copies + is_new, merges + 1 - is_new
                scalars[d.COPIES], scalars[d.MERGES] = copies, merges
            left -= width
            unit = next_unit[unit]
    for i in range(begin, o):
        out_row[U(keys[i])] = 0
        revisions[i] = 0
    scalars[d.OUT] = o
    return 0


@linked(d.EMIT_CHANGED)
def emit_changed(t: Directory, w: int) -> int:
    """A row for each key that has an event of this step in a window that was reported."""
    scalars, out_row = ints(t, d.SCALARS), ints(t, d.OUT_ROW)
    keys, counts, revisions = ints(t, d.OUT_KEY), ints(t, d.OUT_COUNT), ints(t, d.OUT_REVISION)
    order, row_count = ints(t, d.DIRTY_ORDER), ints(t, d.ROW_COUNT)
    low, high = ints(t, d.DUE_LOW)[w], ints(t, d.DUE_HIGH)[w]
    end, query = ints(t, d.DUE_END)[w], ints(t, d.DUE_QUERY)[w]
    first, last = fresh_between(t, low, high)
    begin = o = scalars[d.OUT]
    for i in range(first, last):
        key = order[i]
        if out_row[key] == 0:
            keys[o], counts[o], revisions[o] = key, 0, 0
            o += 1
            out_row[key] = o
        revisions[out_row[key] - 1] += 1
    for i in range(begin, o):
        out_row[keys[i]] = 0
        for s in range(low, high):
            row = row_of(t, s, keys[i])
            if row == 0 or row_count[row] == 0:
                continue
            if not has_room(t, scalars, 1):
                flush(t, d.P_OUT, d.P_CELLS, False)
            if counts[i] == 0:
                note_copy(t, scalars, row, i)
            else:
                note_merge(t, scalars, row, i)
            counts[i] += row_count[row]
        fresh = revisions[i]
        revisions[i] = next_revision(t, end, query, keys[i]) if fresh < counts[i] else 0
    scalars[d.OUT] = o
    return 0


@inlined
def most_rows(t: Directory, w: int) -> int:
    """How many rows of results a window has at most."""
    low, high = ints(t, d.DUE_LOW)[w], ints(t, d.DUE_HIGH)[w]
    rows = cells_between(t, low, high)
    if ints(t, d.DUE_KIND)[w] == d.UPDATED:
        begin, end = fresh_between(t, low, high)
        rows = min(rows, end - begin)
    return rows


@outlined
def rows_from(t: Directory, first: int) -> int:
    """How many rows of results the windows from one on have at most."""
    rows = 0
    for w in range(first, ints(t, d.SCALARS)[d.WINDOWS]):
        rows += most_rows(t, w)
    return rows


@linked(d.EMIT_CELLS)
def emit_cells(t: Directory) -> int:
    """The rows of each window, from the one on that had no room before."""
    scalars, first = ints(t, d.SCALARS), ints(t, d.DUE_ROW)
    lows, highs, kinds = ints(t, d.DUE_LOW), ints(t, d.DUE_HIGH), ints(t, d.DUE_KIND)
    for w in range(scalars[d.WINDOW_AT], scalars[d.WINDOWS]):
        changed, room = kinds[w] == d.UPDATED, most_rows(t, w)
        if scalars[d.OUT] + room > len(ints(t, d.OUT_KEY)):
            flush(t, d.P_OUT, d.P_CELLS, False)
            scalars[d.WINDOW_AT], scalars[d.NEED] = w, rows_from(t, w)
            return d.MORE_OUTPUT
        if changed and lacks_revisions(t, room):
            flush(t, d.P_OUT, d.P_CELLS, False)
            scalars[d.WINDOW_AT] = w
            return d.MORE_REVISIONS
        first[w] = scalars[d.OUT]
        if changed:
            emit_changed(t, w)
        elif scalars[d.LAYOUT] == d.DENSE:
            emit_dense(t, lows[w], highs[w])
        else:
            emit_new(t, lows[w], highs[w])
    flush(t, d.P_OUT, d.P_CELLS, False)
    scalars[d.WINDOW_AT] = scalars[d.WINDOWS]
    return d.DONE
