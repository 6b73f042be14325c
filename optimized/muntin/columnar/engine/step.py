"""One step in one compiled call: take rows in, advance the watermark, emit.

All checks come before the first change, so a step that asks Python for something is run again.
"""

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.cells import (
    BLOCK,
    note_all,
    number_keys,
    place_dense,
    place_lanes,
    place_sparse,
)
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.discard import emit_pending, place_pending, replace_pending
from muntin.columnar.engine.emission import (
    emit_cells,
    emit_lanes,
    seal_lanes,
)
from muntin.columnar.engine.kernel_language import (
    UNLINKED,
    Phase,
    call,
    floats,
    inlined,
    ints,
    lacks,
    linked,
    outlined,
    set_address,
)
from muntin.columnar.engine.release import STEP_WORK, release_slices
from muntin.columnar.engine.timeline import slice_at
from muntin.columnar.engine.windows import (
    find_changed,
    find_due,
    sort_dirty_cells,
    sort_dirty_slices,
    take_next_ends,
)

HUGE = 2.0**62
REPORTS = 3
"""The phase of a step that reports sessions, after 1 (windows are looked for) and 2 (emitted)."""


@outlined
def survey(t: Directory) -> int:
    """The least and the greatest time of each block, and of all rows."""
    scalars, times = ints(t, d.SCALARS), ints(t, d.TIMES)
    lows, highs, n = ints(t, d.BLOCK_LOW), ints(t, d.BLOCK_HIGH), ints(t, d.SCALARS)[d.N]
    low, high = d.FAR, -d.FAR
    for block in range((n + BLOCK - 1) >> 8):
        block_times = times[block * BLOCK : min(block * BLOCK + BLOCK, n)]
        least = most = block_times[0]
        for i in range(len(block_times)):
            least, most = min(least, block_times[i]), max(most, block_times[i])
        lows[block], highs[block] = least, most
        low, high = min(low, least), max(high, most)
    scalars[d.LOW], scalars[d.HIGH] = low, high
    return 0


@outlined
def may_overflow(t: Directory) -> bool:
    """Whether a sum of integers may pass 64 bits with this batch; else bounds take it in."""
    scalars, places, bounds = ints(t, d.SCALARS), ints(t, d.SUMMED), floats(t, d.SUM_BOUND)
    n, summed = scalars[d.N], scalars[d.SUMMED_COUNT]
    for i in range(summed):
        values = ints(t, places[2 * i])
        low = high = 0
        for j in range(n):
            low, high = min(low, values[j]), max(high, values[j])
        most = max(-float(low), float(high))
        if places[2 * i + 1] > 1:  # squares are summed
            most *= most
        bounds[summed + i] = bounds[i] + most * n
        if bounds[summed + i] >= HUGE:
            scalars[d.OVERFLOWING] = i
            return True
    for i in range(summed):
        bounds[i] = bounds[summed + i]
    return False


@outlined
def lacks_room(t: Directory) -> bool:
    """Whether the rows of a batch may need more units or indexes than there are."""
    scalars, units, cells = ints(t, d.SCALARS), ints(t, d.UNIT), ints(t, d.CELLS)
    edges, lookup, bits = ints(t, d.EDGES), ints(t, d.LOOKUP), ints(t, d.INDEX_BITS)
    origin, shift, slices = scalars[d.LOOKUP_ORIGIN], scalars[d.LOOKUP_SHIFT], scalars[d.SLICES]
    n, sparse, keys = scalars[d.N], scalars[d.LAYOUT] == d.SPARSE, scalars[d.KEY_COUNT]
    first = slice_at(scalars[d.LOW], edges, lookup, origin, shift, slices)
    last = slice_at(scalars[d.HIGH], edges, lookup, origin, shift, slices)
    empty, index = 0, 8 * n  # an index that grows takes at most six words a cell in all
    for s in range(first, last + 1):
        empty += units[s] == 0
        if sparse and (3 * min(cells[s] + n, keys) >= 2 << bits[s] or bits[s] == 0):
            index += 8 * cells[s] + (2 << scalars[d.INDEX_GUESS])
    need = empty if scalars[d.LAYOUT] == d.LANES else min(empty, n)
    if sparse:
        need += n // scalars[d.UNIT_ROWS] + min(last - first + 1, n) + 1
        scalars[d.NEED] = index
        if scalars[d.INDEX_TOP] + index > len(ints(t, d.INDEX)):
            scalars[d.TOUCHED] = need
            return True
    scalars[d.TOUCHED], scalars[d.NEED] = need, index
    return scalars[d.FREE_UNITS] + scalars[d.UNITS] - scalars[d.TOP_UNIT] < need


@outlined
def lacks_late_room(t: Directory) -> bool:
    """Whether more rows lie behind the reported time than there is room to note."""
    scalars, times, lows = ints(t, d.SCALARS), ints(t, d.TIMES), ints(t, d.BLOCK_LOW)
    reported, n, late = ints(t, d.EDGES)[scalars[d.SEALED]], scalars[d.N], 0
    if scalars[d.LOW] >= reported:
        return False
    for block in range((n + BLOCK - 1) >> 8):
        if lows[block] < reported:
            for i in range(block * BLOCK, min(block * BLOCK + BLOCK, n)):
                late += int(times[i] < reported)
    late += scalars[d.DIRTY_CELLS]
    scalars[d.NEED] = late
    return late > len(ints(t, d.DIRTY_CELL_KEY))


@inlined
def lacks_placing(t: Directory, layout: int) -> bool:
    """Whether the kernels that place rows are to be linked first."""
    if layout == d.LANES:
        return lacks(t, d.PLACE_LANES)
    return lacks(t, d.PLACE_DENSE) if layout == d.DENSE else lacks(t, d.PLACE_SPARSE)


@inlined
def lacks_emission(t: Directory, layout: int, changed: bool, trees: int) -> bool:
    """Whether the kernels that find and emit windows are to be linked first."""
    lacking = lacks(t, d.FIND_WINDOWS)
    if layout == d.LANES:
        lacking |= lacks(t, d.SEAL_LANES) | lacks(t, d.EMIT_LANES)
    else:
        lacking |= lacks(t, d.EMIT_CELLS)
    if layout == d.LANES and trees:
        lacking |= lacks(t, d.GROW_TREE) | lacks(t, d.FOLD_TREES)
    discards = ints(t, d.SCALARS)[d.MODE] == d.DISCARDS
    if changed:
        lacking |= lacks(t, d.FIND_CHANGED)
        if layout != d.LANES or discards:
            lacking |= lacks(t, d.SORT_DIRTY_CELLS)
        if discards:
            lacking |= lacks(t, d.EMIT_PENDING) | lacks(t, d.REPLACE_PENDING)
        elif layout != d.LANES:
            lacking |= lacks(t, d.EMIT_CHANGED)
    return lacking


@linked(d.ADMIT)
def admit(t: Directory) -> int:
    """Check all that a batch needs; nothing changes but numbers of keys."""
    scalars = ints(t, d.SCALARS)
    survey(t)
    if scalars[d.LOW] <= -d.FARTHEST or scalars[d.HIGH] >= d.FARTHEST:
        return d.FAR_TIME
    if scalars[d.LOW] < scalars[d.LIMIT] and scalars[d.ACCEPTED] == 0:
        return d.IS_LATE
    if scalars[d.KEYING] == d.NO_KEYS:
        scalars[d.KEY_COUNT] = max(scalars[d.KEY_COUNT], 1)
    if scalars[d.KEYING] == d.HASHED:
        if len(ints(t, d.KEY_ID)) < scalars[d.N]:
            return d.RELAY
        if lacks(t, d.NUMBER_KEYS):
            return UNLINKED
        if number_keys(t) == 0:
            return d.RELAY
    if scalars[d.KEY_COUNT] > len(ints(t, d.OUT_ROW)):
        return d.RELAY
    if scalars[d.QUERY_COUNT]:
        beyond = scalars[d.HIGH] >= ints(t, d.EDGES)[scalars[d.SLICES]]
        if beyond or (scalars[d.LOW] < scalars[d.COVER_LOW] and scalars[d.CUT_CHECKED] == 0):
            return d.EXTEND
        if scalars[d.KEY_COUNT] > 1 and scalars[d.LAYOUT] == d.LANES:
            return d.RELAY
        if scalars[d.LAYOUT] == d.DENSE and scalars[d.KEY_COUNT] > scalars[d.UNIT_ROWS]:
            return d.RELAY
        if lacks_room(t):
            return d.ROOM
        discards = scalars[d.MODE] == d.DISCARDS
        if (scalars[d.LAYOUT] != d.LANES or discards) and lacks_late_room(t):
            return d.LATE_ROOM
        if lacks_placing(t, scalars[d.LAYOUT]) or (discards and lacks(t, d.PLACE_PENDING)):
            return UNLINKED
    if scalars[d.STORE_COUNT] and call(scalars[d.ADMIT_SESSIONS], t, 0, 0, 0):
        return d.SESSION_ROOM
    if scalars[d.RECORD_STORE] and call(scalars[d.ADMIT_RECORDS], t, 0, 0, 0):
        return d.RECORD_ROOM
    return d.WIDEN if may_overflow(t) else d.DONE


@outlined
def ingest(t: Directory) -> int:
    """Place the rows of a batch in slices, and add their columns."""
    scalars, parts = ints(t, d.SCALARS), ints(t, d.PARTS)
    pending = scalars[d.DIRTY_CELLS]
    if scalars[d.LAYOUT] == d.LANES:
        place_lanes(t)
    else:
        if scalars[d.LAYOUT] == d.DENSE:
            place_dense(t)
        else:
            place_sparse(t)
        note_all(t)
    for part in range(scalars[d.PART_COUNT]):
        at = part * d.P_FIELDS
        call(parts[at + d.P_ADD], t, part, parts[at + d.P_CELLS], 0)
    if scalars[d.MODE] == d.DISCARDS and scalars[d.DIRTY_SLICES]:
        place_pending(t, pending)
    return 0


@linked(d.FIND_WINDOWS)
def find_windows(t: Directory, upto: int, changed: int) -> int:
    """Seal slices, and find the windows that changed or are due."""
    scalars, edges, lookup = ints(t, d.SCALARS), ints(t, d.EDGES), ints(t, d.LOOKUP)
    origin, shift, slices = scalars[d.LOOKUP_ORIGIN], scalars[d.LOOKUP_SHIFT], scalars[d.SLICES]
    complete = upto - scalars[d.EARLY]
    sealed = max(scalars[d.SEALED], slice_at(complete, edges, lookup, origin, shift, slices))
    sort_dirty_slices(t)
    if scalars[d.LAYOUT] == d.LANES:
        seal_lanes(t, sealed)
    if changed and scalars[d.DIRTY_CELLS]:
        sort_dirty_cells(t)
    updated = find_changed(t) if changed else 0
    found = find_due(t, updated, upto)
    if found > len(ints(t, d.DUE_QUERY)):
        scalars[d.NEED] = found
        return d.MORE_WINDOWS
    take_next_ends(scalars, ints(t, d.QUERIES))
    scalars[d.SEALED], scalars[d.WINDOWS], scalars[d.CHANGED] = sealed, found, updated
    scalars[d.WINDOW_AT] = scalars[d.OUT] = 0
    return d.DONE


@outlined
def clean(t: Directory) -> int:
    """Forget what came behind the reported time."""
    scalars, dirty, fresh = ints(t, d.SCALARS), ints(t, d.DIRTY_SLICE), ints(t, d.FRESH)
    for i in range(scalars[d.DIRTY_SLICES]):
        fresh[dirty[i]] = 0
    scalars[d.DIRTY_SLICES] = scalars[d.DIRTY_CELLS] = 0
    return 0


@inlined
def emit(t: Directory, discards: bool) -> int:
    """The rows of all windows; `discards` says that some hold events that were emitted."""
    if ints(t, d.SCALARS)[d.LAYOUT] == d.LANES:
        code = emit_lanes(t)
        if code == d.DONE and discards:
            replace_pending(t)
        return code
    code = emit_pending(t) if discards else d.DONE
    return emit_cells(t) if code == d.DONE else code


@outlined
def advance_windows(t: Directory) -> int:
    """Find and emit windows; each phase goes on where it had no room."""
    scalars = ints(t, d.SCALARS)
    if scalars[d.QUERY_COUNT] == 0:
        scalars[d.WINDOWS] = scalars[d.OUT] = 0
        return d.DONE
    upto = scalars[d.LIMIT] if scalars[d.MODE] == d.FINAL else scalars[d.WATERMARK]
    if scalars[d.PHASE] == 1:
        if upto < scalars[d.DUE] and scalars[d.DIRTY_SLICES] == 0:
            scalars[d.WINDOWS] = scalars[d.OUT] = 0
            return d.DONE
        if scalars[d.LATE_UPDATES] == d.AT_WATERMARK and scalars[d.WATERMARK] == scalars[d.BEFORE]:
            scalars[d.WINDOWS] = scalars[d.OUT] = 0
            return d.DONE  # what changed is kept
        changed = scalars[d.DIRTY_SLICES] > 0 and scalars[d.LATE_UPDATES] != d.NEVER
        if lacks_emission(t, scalars[d.LAYOUT], changed, scalars[d.TREE_PARTS]):
            return UNLINKED
        code = find_windows(t, upto, int(changed))
        if code:
            return code
        scalars[d.PHASE] = 2
    updates = scalars[d.DIRTY_CELLS] > 0 and scalars[d.LATE_UPDATES] != d.NEVER
    code = emit(t, scalars[d.MODE] == d.DISCARDS and updates)
    if code == d.DONE:
        clean(t)
    return code


@inlined
def bind_columns(t: Directory) -> None:
    """Write the addresses of the columns of a batch into the directory."""
    scalars, bound = ints(t, d.SCALARS), ints(t, d.BOUND)
    for i in range(scalars[d.BOUND_COUNT]):
        if bound[2 * i + 1]:
            set_address(t, bound[2 * i], bound[2 * i + 1], scalars[d.N])


@outlined
def advance(t: Directory) -> int:
    """Emit windows, then sessions, then windows over records."""
    scalars = ints(t, d.SCALARS)
    if scalars[d.PHASE] < REPORTS:
        code = advance_windows(t)
        if code:
            return code
        scalars[d.PHASE], scalars[d.SESSION_FROM] = REPORTS, scalars[d.OUT]
    if scalars[d.STORE_COUNT] and scalars[d.PHASE] == REPORTS:
        code = call(scalars[d.REPORT_SESSIONS], t, 0, 0, 0)
        if code:
            return code
    if scalars[d.RECORD_STORE]:
        scalars[d.PHASE] = REPORTS + 1
        code = call(scalars[d.REPORT_RECORDS], t, 0, 0, 0)
        if code:
            return code
    scalars[d.PHASE], scalars[d.MOST_OUT] = 0, max(scalars[d.MOST_OUT], scalars[d.OUT])
    return d.DONE


@Phase
def run_step(t: Directory, n: int, given: int) -> int:
    """Run a step of rows and a watermark, or go on with it."""
    scalars = ints(t, d.SCALARS)
    if scalars[d.PHASE] == 0:
        scalars[d.N] = n
        if scalars[d.WORK] > scalars[d.WORK_LIMIT]:
            return d.TIDY
        if scalars[d.QUERY_COUNT] and scalars[d.SEALED] >= scalars[d.RELEASE_AT]:
            if lacks(t, d.RELEASE_SLICES):
                return UNLINKED
            release_slices(t)
        if n:
            bind_columns(t)
            if lacks(t, d.ADMIT):
                return UNLINKED
            code = admit(t)
            if code:
                return code
            scalars[d.SEEN] = max(scalars[d.SEEN], scalars[d.HIGH])
            scalars[d.ARRIVED] += n
            if scalars[d.QUERY_COUNT]:
                ingest(t)
            if scalars[d.STORE_COUNT]:
                call(scalars[d.PLACE_SESSIONS], t, 0, 0, 0)
            if scalars[d.RECORD_STORE]:
                call(scalars[d.PLACE_RECORDS], t, 0, 0, 0)
        final = scalars[d.MODE] == d.FINAL
        scalars[d.BEFORE] = scalars[d.LIMIT] if final else scalars[d.WATERMARK]
        scalars[d.BEFORE_LIMIT] = scalars[d.LIMIT]
        if given > scalars[d.WATERMARK]:
            scalars[d.WATERMARK] = given
            if given < d.FAR:
                scalars[d.REACHED] = given
            if scalars[d.LATENESS] >= 0:
                limit = d.FAR if given == d.FAR else max(-d.FAR, given - scalars[d.LATENESS])
                scalars[d.LIMIT] = limit
        scalars[d.WORK] += n + STEP_WORK
        scalars[d.PHASE] = 1
    return advance(t)
