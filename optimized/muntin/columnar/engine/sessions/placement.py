"""Place the rows of a batch in sessions, which begin, grow and merge; then add their columns."""

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.cells import BLOCK, note_all, note_entry
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import (
    Ints,
    PartPhase,
    call,
    inlined,
    ints,
    outlined,
    reordered,
)
from muntin.columnar.engine.sessions import layout as s
from muntin.columnar.engine.sessions.search import (
    field,
    insert_in_tree,
    join_links,
    older_of,
    search,
    take_row,
    unlink,
)
from muntin.columnar.engine.sessions.timers import arm, report_at
from muntin.columnar.engine.timeline import U


@PartPhase
def admit_sessions(t: Directory, part: int, to: int, origin: int) -> int:
    """Whether each store has room for a batch; nothing changes."""
    scalars, stores = ints(t, d.SCALARS), ints(t, d.STORES)
    n, keys = scalars[d.N], max(scalars[d.KEY_COUNT], 1)
    for number in range(scalars[d.STORE_COUNT]):
        base = stores[number]
        store, rows = ints(t, base + s.AT_SCALARS), ints(t, base + s.AT_ROWS)
        free = store[s.FREE] + (len(rows) >> s.ROW_BITS) - store[s.TOP]
        mixed = scalars[d.OWN_GAPS] | store[s.MIXED]
        many = store[s.LIVE] + n if mixed else 2 * n  # a session reaches two, if none is shorter
        full = free < n + min(n, store[s.LIVE] // 16) + 1
        full |= len(ints(t, base + s.AT_HEADS)) < keys or len(ints(t, base + s.AT_NEW)) < n
        full |= len(ints(t, base + s.AT_MERGED)) < 2 * many
        full |= len(ints(t, base + s.AT_CHANGED)) < s.C_FIELDS * min(many, store[s.REPORTS])
        if full:
            scalars[d.STORE_AT] = number
            return d.SESSION_ROOM
    scalars[d.STORE_AT] = 0
    return d.DONE


@inlined
def note_change(store: Ints, rows: Ints, changed: Ints, row: int) -> None:
    """Keep what was reported of a session, before it changes."""
    state = rows[field(row, s.STATE)]
    if state & (s.REPORTED | s.CHANGED) == s.REPORTED:
        rows[field(row, s.STATE)] = state | s.CHANGED
        at = store[s.CHANGES] * s.C_FIELDS
        changed[at + s.C_ROW], changed[at + s.C_FIRST] = row, rows[field(row, s.FIRST)]
        changed[at + s.C_REACH] = rows[field(row, s.REACH)]
        changed[at + s.C_COUNT] = rows[field(row, s.COUNT)]
        changed[at + s.C_REVISION] = state >> s.REVISION_SHIFT
        store[s.CHANGES] += 1


@inlined
def begin_session(
    t: Directory, base: int, time: int, end: int, key: int, newer: int, older: int
) -> int:
    """A new session of one event, between its neighbours."""
    store, rows = ints(t, base + s.AT_SCALARS), ints(t, base + s.AT_ROWS)
    heads, scalars = ints(t, base + s.AT_HEADS), ints(t, d.SCALARS)
    row = take_row(store, ints(t, base + s.AT_FREE))
    at = field(row, s.FIRST)
    rows[at + s.FIRST], rows[at + s.REACH], rows[at + s.COUNT] = time, end, 1
    rows[at + s.STATE], rows[at + s.KEY] = s.NEAR, key
    rows[at + s.LINK] = newer << s.HALF | older
    join_links(rows, heads, key, newer, row)
    join_links(rows, heads, key, row, older)
    root = heads[U(key)] >> s.HALF
    if root:
        insert_in_tree(rows, root, row)
    ints(t, base + s.AT_NEW)[U(store[s.NEW_ROWS])] = row
    store[s.NEW_ROWS] += 1
    store[s.LIVE] += 1
    due = report_at(scalars, store, end)
    arm(store, ints(t, base + s.AT_BUCKETS), ints(t, base + s.AT_CHUNKS), row << 1, due)
    return row


@outlined
def merge_older(t: Directory, base: int, row: int, first: int) -> int:
    """Merge all older sessions into a session that they reach if it begins at a time."""
    store, rows = ints(t, base + s.AT_SCALARS), ints(t, base + s.AT_ROWS)
    changed, merged = ints(t, base + s.AT_CHANGED), ints(t, base + s.AT_MERGED)
    heads, at, older = ints(t, base + s.AT_HEADS), field(row, s.FIRST), older_of(rows, row)
    while older and rows[field(older, s.REACH)] + store[s.ADJOIN] > first:
        note_change(store, rows, changed, older)
        unlink(t, base, rows, heads, older)
        first = min(first, rows[field(older, s.FIRST)])
        rows[at + s.COUNT] += rows[field(older, s.COUNT)]
        rows[field(older, s.STATE)] |= s.GONE
        rows[field(older, s.LEFT)] = row  # where its events are now
        pair = 2 * store[s.MERGES]
        merged[pair], merged[pair + 1] = older, row
        store[s.MERGES] += 1
        store[s.LIVE] -= 1
        older = older_of(rows, row)
    rows[at + s.FIRST] = first
    return first


@inlined
def place_event(
    t: Directory, base: int, store: Ints, rows: Ints, head: int, time: int, key: int, gap: int
) -> int:
    """The row of an event, in the newest session of its key that it overlaps, or in a new one."""
    if time <= store[s.SINCE]:
        return s.IGNORED
    end, adjoin = time + gap, store[s.ADJOIN]
    row, newer = head, 0
    if row and rows[field(row, s.FIRST)] >= end + adjoin:
        row, newer = search(t, base, key, end + adjoin)
    if row == 0 or rows[field(row, s.REACH)] + adjoin <= time:
        scalars = ints(t, d.SCALARS)
        if scalars[d.BY_WINDOW] and end + store[s.LINGER] <= scalars[d.LIMIT]:
            return s.IGNORED  # its session would be final
        return begin_session(t, base, time, end, key, newer, row)
    note_change(store, rows, ints(t, base + s.AT_CHANGED), row)
    at = field(row, s.FIRST)
    rows[at + s.REACH] = max(rows[at + s.REACH], end)
    rows[at + s.COUNT] += 1
    if time < rows[at + s.FIRST]:
        merge_older(t, base, row, time)
    return row


@inlined
def gap_of(gaps: Ints, own: int, gap: int, i: int) -> int:
    """The gap of an event: its own, or that of the store."""
    return gaps[U(i)] if own and gaps[U(i)] > 0 else gap


@reordered
def greatest_reach(times: Ints, gaps: Ints, gap: int) -> int:
    """The greatest time plus gap, of events with their own gaps."""
    reach = -d.FAR
    for i in range(len(times)):
        reach = max(reach, times[i] + (gaps[i] if gaps[i] > 0 else gap))
    return reach


@outlined
def place_rows(t: Directory, base: int, begin: int, end: int) -> int:
    """Place rows one by one: most belong to the newest session of their key."""
    scalars, store, rows = (
        ints(t, d.SCALARS),
        ints(t, base + s.AT_SCALARS),
        ints(t, base + s.AT_ROWS),
    )
    times, keys, gaps = ints(t, d.TIMES), ints(t, d.KEY_ID), ints(t, d.GAPS)
    placed, heads, own = ints(t, d.PLACED), ints(t, base + s.AT_HEADS), scalars[d.OWN_GAPS]
    keyed, gap = scalars[d.KEY_COUNT] > 1, store[s.GAP]
    for i in range(begin, end):
        time, key = times[U(i)], keys[U(i)] if keyed else 0
        row, length = heads[U(key)] & s.LOW_HALF, gap_of(gaps, own, gap, i)
        at = field(row, s.FIRST)
        within = time >= rows[at] and time < rows[at + s.REACH]
        if within and rows[at + s.STATE] & s.REPORTED == 0:
            rows[at + s.REACH] = max(rows[at + s.REACH], time + length)
            rows[at + s.COUNT] += 1
            placed[U(i)] = row
        else:
            placed[U(i)] = place_event(t, base, store, rows, row, time, key, length)
    return 0


@outlined
def place_keys(t: Directory, base: int) -> int:
    """Place rows of many keys."""
    scalars, store, keys = ints(t, d.SCALARS), ints(t, base + s.AT_SCALARS), ints(t, d.KEY_ID)
    rows, heads = ints(t, base + s.AT_ROWS), ints(t, base + s.AT_HEADS)
    n, near, free = scalars[d.N], 0, ints(t, base + s.AT_FREE)
    for begin in range(0, n, BLOCK):
        end = min(begin + BLOCK, n)
        for i in range(begin, end):  # read all sessions first, so that misses of the cache overlap
            near += rows[field(heads[U(keys[U(i)])] & s.LOW_HALF, s.FIRST)]
        top = store[s.FREE]
        for i in range(max(0, top - BLOCK), top):
            near += rows[field(free[U(i)], s.FIRST)]
        place_rows(t, base, begin, end)
    store[s.PREFETCHED] = near
    note_all(t)
    return 0


@outlined
def place_blocks(t: Directory, base: int) -> int:
    """Place rows of one key, block by block: most blocks lie in the newest session."""
    scalars, store, rows = (
        ints(t, d.SCALARS),
        ints(t, base + s.AT_SCALARS),
        ints(t, base + s.AT_ROWS),
    )
    times, gaps, changed = ints(t, d.TIMES), ints(t, d.GAPS), ints(t, base + s.AT_CHANGED)
    lows, highs, heads = ints(t, d.BLOCK_LOW), ints(t, d.BLOCK_HIGH), ints(t, base + s.AT_HEADS)
    n, scalars[d.ENTRIES] = scalars[d.N], 0
    for block in range((n + BLOCK - 1) >> 8):
        begin, end = block * BLOCK, min(block * BLOCK + BLOCK, n)
        row = heads[U(0)] & s.LOW_HALF
        at = field(row, s.FIRST)
        if lows[block] >= rows[at + s.FIRST] and highs[block] < rows[at + s.REACH]:
            note_change(store, rows, changed, row)
            reach = highs[block] + store[s.GAP]
            if scalars[d.OWN_GAPS]:
                reach = greatest_reach(times[begin:end], gaps[begin:end], store[s.GAP])
            rows[at + s.REACH] = max(rows[at + s.REACH], reach)
            rows[at + s.COUNT] += end - begin
        else:
            place_rows(t, base, begin, end)
            row = -1
        note_entry(t, begin, end, row, -d.FAR, d.FAR)
    return 0


@outlined
def call_parts(t: Directory, base: int, kernel: int, to: int, origin: int) -> int:
    """Call a kernel of each part from one to one of its columns, the live or the kept ones."""
    parts, columns = ints(t, d.PARTS), ints(t, base + s.AT_COLUMNS)
    for part in range(ints(t, d.SCALARS)[d.PART_COUNT]):
        function = parts[part * d.P_FIELDS + kernel]
        call(function, t, part, columns[2 * part + to], columns[2 * part + origin])
    return 0


@outlined
def renew_columns(t: Directory, base: int) -> int:
    """Before columns are added: keep the values that were reported, and empty new rows."""
    scalars, store = ints(t, d.SCALARS), ints(t, base + s.AT_SCALARS)
    new = ints(t, base + s.AT_NEW)
    changed, froms, tos = ints(t, base + s.AT_CHANGED), ints(t, d.COPY_FROM), ints(t, d.COPY_TO)
    room, retracts = len(froms), scalars[d.MODE] == d.RETRACTS
    discards = scalars[d.MODE] == d.DISCARDS
    kept = store[s.CHANGES] if retracts or discards else 0
    for begin in range(0, kept, room):
        n = min(room, kept - begin)
        for i in range(n):
            row = changed[(begin + i) * s.C_FIELDS + s.C_ROW]
            froms[i], tos[i] = row, begin + i
            if discards:  # all that it holds was emitted
                froms[i], tos[i] = s.IDENTITY, row
        scalars[d.COPIES] = n
        call_parts(t, base, d.P_COPY, s.KEPT_COLUMN, s.LIVE_COLUMN)
    for begin in range(0, store[s.NEW_ROWS], room):
        n = min(room, store[s.NEW_ROWS] - begin)
        for i in range(n):
            froms[i], tos[i] = s.IDENTITY, new[begin + i]
        scalars[d.COPIES] = n
        call_parts(t, base, d.P_COPY, s.LIVE_COLUMN, s.LIVE_COLUMN)
        if discards:
            call_parts(t, base, d.P_COPY, s.KEPT_COLUMN, s.LIVE_COLUMN)
    scalars[d.COPIES] = store[s.NEW_ROWS] = 0
    return 0


@outlined
def merge_columns(t: Directory, base: int) -> int:
    """After columns are added: merge the rows of sessions that merged, in that order."""
    scalars, store = ints(t, d.SCALARS), ints(t, base + s.AT_SCALARS)
    merged = ints(t, base + s.AT_MERGED)
    froms, tos = ints(t, d.MERGE_FROM), ints(t, d.MERGE_TO)
    for begin in range(0, store[s.MERGES], len(froms)):
        n = min(len(froms), store[s.MERGES] - begin)
        for i in range(n):
            froms[i], tos[i] = merged[2 * (begin + i)], merged[2 * (begin + i) + 1]
        scalars[d.MERGES] = n
        call_parts(t, base, d.P_MERGE, s.LIVE_COLUMN, s.LIVE_COLUMN)
        if scalars[d.MODE] == d.DISCARDS:
            call_parts(t, base, d.P_MERGE, s.KEPT_COLUMN, s.KEPT_COLUMN)
    scalars[d.MERGES] = store[s.MERGES] = 0
    return 0


@PartPhase
def place_sessions(t: Directory, part: int, to: int, origin: int) -> int:
    """Place the rows of a batch in the sessions of each store, and add their columns."""
    scalars, stores = ints(t, d.SCALARS), ints(t, d.STORES)
    for number in range(scalars[d.STORE_COUNT]):
        base = stores[number]
        store = ints(t, base + s.AT_SCALARS)
        store[s.MIXED] |= scalars[d.OWN_GAPS]
        if scalars[d.KEY_COUNT] > 1 or scalars[d.BY_WINDOW]:  # each row is accepted, or not
            place_keys(t, base)
        else:
            place_blocks(t, base)
        if store[s.NEW_ROWS] or store[s.CHANGES]:
            renew_columns(t, base)
        call_parts(t, base, d.P_ADD, s.LIVE_COLUMN, s.LIVE_COLUMN)
        if scalars[d.MODE] == d.DISCARDS:
            call_parts(t, base, d.P_ADD, s.KEPT_COLUMN, s.KEPT_COLUMN)
        if store[s.MERGES]:
            merge_columns(t, base)
    return 0
