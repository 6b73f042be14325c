"""Updates that emit only what was not emitted: the events that came behind the reported time.

Each has a row of its own beside its cell, by which the updates of all windows that hold it are
made. Row 0 takes the other events of a batch.
"""

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.cells import row_of
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.emission import (
    flush,
    fresh_between,
    has_room,
    next_revision,
    note_copy,
    note_merge,
)
from muntin.columnar.engine.kernel_language import call, ints, linked, outlined
from muntin.columnar.engine.timeline import slice_of


@outlined
def number_pending(t: Directory, first: int) -> int:
    """Give the events of a batch that came behind the reported time the rows from one on."""
    scalars, times, placed = ints(t, d.SCALARS), ints(t, d.TIMES), ints(t, d.PLACED)
    slices, keys = ints(t, d.DIRTY_CELL_SLICE), ints(t, d.DIRTY_CELL_KEY)
    reported, lanes = ints(t, d.EDGES)[scalars[d.SEALED]], scalars[d.LAYOUT] == d.LANES
    edges, lookup, origin = ints(t, d.EDGES), ints(t, d.LOOKUP), scalars[d.LOOKUP_ORIGIN]
    shift, count, n = scalars[d.LOOKUP_SHIFT], scalars[d.SLICES], first
    note_copy(t, scalars, 0, 0)
    for i in range(scalars[d.N]):
        placed[i] = 0
        if times[i] < reported:
            if lanes:
                slices[n] = slice_of(times[i], edges, lookup, origin, shift, count)
                keys[n] = 0
            n += 1
            placed[i] = n
            if not has_room(t, scalars, 1):
                flush(t, d.P_PENDING, d.P_CELLS, False)
            note_copy(t, scalars, 0, n)
    flush(t, d.P_PENDING, d.P_CELLS, False)
    scalars[d.DIRTY_CELLS] = n
    return n


@linked(d.PLACE_PENDING)
def place_pending(t: Directory, first: int) -> int:
    """Add the columns of a batch to rows for what came behind the reported time."""
    scalars, parts = ints(t, d.SCALARS), ints(t, d.PARTS)
    number_pending(t, first)
    scalars[d.ENTRIES] = 1
    ints(t, d.ENTRY_BEGIN)[0], ints(t, d.ENTRY_END)[0] = 0, scalars[d.N]
    ints(t, d.ENTRY_ROW)[0] = -1
    ints(t, d.ENTRY_LOW)[0], ints(t, d.ENTRY_HIGH)[0] = -d.FAR, d.FAR
    for part in range(scalars[d.PART_COUNT]):
        at = part * d.P_FIELDS
        call(parts[at + d.P_ADD], t, part, parts[at + d.P_PENDING], 0)
    return 0


@outlined
def emit_window(t: Directory, w: int) -> int:
    """A row for each key that has an event of this step in a window that was reported."""
    scalars, out_row = ints(t, d.SCALARS), ints(t, d.OUT_ROW)
    keys, counts, revisions = ints(t, d.OUT_KEY), ints(t, d.OUT_COUNT), ints(t, d.OUT_REVISION)
    order, pending = ints(t, d.DIRTY_ORDER), ints(t, d.PENDING_ORDER)
    low, high, row_count = ints(t, d.DUE_LOW)[w], ints(t, d.DUE_HIGH)[w], ints(t, d.ROW_COUNT)
    end, query = ints(t, d.DUE_END)[w], ints(t, d.DUE_QUERY)[w]
    first, last = fresh_between(t, low, high)
    begin: int = scalars[d.OUT]
    o = begin
    for i in range(last - 1, first - 1, -1):  # of equal times, what is merged came first
        key = order[i]
        if not has_room(t, scalars, 1):
            flush(t, d.P_OUT, d.P_PENDING, False)
        if out_row[key] == 0:
            keys[o], counts[o] = key, 0
            note_copy(t, scalars, pending[i], o)
            o += 1
            out_row[key] = o
        else:
            note_merge(t, scalars, pending[i], int(out_row[key]) - 1)
        counts[out_row[key] - 1] += 1
    for i in range(begin, o):
        total = 0
        out_row[keys[i]] = 0
        for s in range(low, high):
            row = row_of(t, s, keys[i])
            total += row_count[row] if row else 0
        revisions[i] = next_revision(t, end, query, keys[i]) if counts[i] < total else 0
    scalars[d.OUT] = o
    return 0


@linked(d.EMIT_PENDING)
def emit_pending(t: Directory) -> int:
    """The rows of the windows that were reported, from the one on that had no room before."""
    scalars, kinds = ints(t, d.SCALARS), ints(t, d.DUE_KIND)
    w: int = scalars[d.WINDOW_AT]
    while w < scalars[d.WINDOWS] and kinds[w] == d.UPDATED:
        begin, end = fresh_between(t, ints(t, d.DUE_LOW)[w], ints(t, d.DUE_HIGH)[w])
        room = min(end - begin, scalars[d.KEY_COUNT])
        full = 2 * (scalars[d.REVISIONS] + room) > len(ints(t, d.REVISION))
        if full or scalars[d.OUT] + room > len(ints(t, d.OUT_KEY)):
            scalars[d.NEED] = room
            break
        ints(t, d.DUE_ROW)[w] = scalars[d.OUT]
        emit_window(t, w)
        w += 1
    flush(t, d.P_OUT, d.P_PENDING, False)
    scalars[d.WINDOW_AT] = w
    waiting = w < scalars[d.WINDOWS] and kinds[w] == d.UPDATED
    return d.MORE_OUTPUT if waiting else d.DONE


@linked(d.REPLACE_PENDING)
def replace_pending(t: Directory) -> int:
    """Of one key: put what was not emitted in the place of what windows hold."""
    scalars, counts = ints(t, d.SCALARS), ints(t, d.OUT_COUNT)
    kinds, pending = ints(t, d.DUE_KIND), ints(t, d.PENDING_ORDER)
    for w in range(scalars[d.WINDOWS]):
        if kinds[w] != d.UPDATED:
            break
        first, last = fresh_between(t, ints(t, d.DUE_LOW)[w], ints(t, d.DUE_HIGH)[w])
        counts[w] = last - first
        for i in range(last - 1, first - 1, -1):  # as above
            if not has_room(t, scalars, 1):
                flush(t, d.P_OUT, d.P_PENDING, False)
            if i == last - 1:
                note_copy(t, scalars, pending[i], w)
            else:
                note_merge(t, scalars, pending[i], w)
    flush(t, d.P_OUT, d.P_PENDING, False)
    return 0
