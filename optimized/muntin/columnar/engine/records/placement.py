"""Place the rows of a batch in the trees of their keys, and add their columns."""

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.emission import has_room, note_copy
from muntin.columnar.engine.kernel_language import (
    Ints,
    PartPhase,
    call,
    inlined,
    ints,
    outlined,
)
from muntin.columnar.engine.records import layout as r
from muntin.columnar.engine.records.tree import fold_columns, fold_nodes, put_row, take_row
from muntin.columnar.engine.sessions import layout as s
from muntin.columnar.engine.sessions.timers import BUCKETS, CHUNK, CHUNK_WORDS, LEVELS, arm
from muntin.columnar.engine.timeline import U


@outlined
def needed_nodes(t: Directory, base: int) -> int:
    """A bound of the nodes that a batch takes: two for each row out of order, and its ancestors."""
    scalars, store, times = ints(t, d.SCALARS), ints(t, base + r.AT_SCALARS), ints(t, d.TIMES)
    n, keys, height = scalars[d.N], max(scalars[d.KEY_COUNT], 1), store[r.TALLEST] + 2
    if keys > 1:
        return int(2 * n + height * min(n, keys))
    at, high, late = ints(t, base + r.AT_KEYS)[r.LAST], -d.FAR, 0
    if at:
        nodes = ints(t, base + r.AT_NODES)
        last = (at << r.NODE_BITS) + 2 * nodes[(at << r.NODE_BITS) + r.FILL] - 2
        high = nodes[last]
    for i in range(n):
        late += int(times[i] < high)
        high = max(high, times[i])
    return int(2 * late + n // 8 + 2 * height + 4)


@PartPhase
def admit_records(t: Directory, part: int, to: int, origin: int) -> int:
    """Whether the store has room for a batch; nothing changes but what is known of its needs."""
    scalars, base = ints(t, d.SCALARS), ints(t, d.SCALARS)[d.RECORD_STORE]
    store, n = ints(t, base + r.AT_SCALARS), scalars[d.N]
    keys = ints(t, base + r.AT_KEYS)
    if len(keys) < max(scalars[d.KEY_COUNT], 1) << r.KEY_BITS:
        scalars[d.NEED] = 0
        return d.RECORD_ROOM
    need = needed_nodes(t, base)
    scalars[d.NEED] = need
    nodes = store[r.FREE_NODES] + len(ints(t, base + r.AT_FREE_NODES)) - store[r.TOP_NODE]
    rows = store[r.FREE_ROWS] + len(ints(t, base + r.AT_STEPS)) - store[r.TOP_ROW]
    store[r.MOST_ROWS] = max(store[r.MOST_ROWS], len(ints(t, base + r.AT_STEPS)) - rows + need + n)
    timers = n
    for level in range(LEVELS):
        timers += store[s.TIMERS + level]
    words = CHUNK_WORDS * (timers // CHUNK + min(timers, BUCKETS) + 4)
    full = nodes < need or rows < need + n or len(ints(t, base + r.AT_LATE)) < 2 * n
    full |= len(ints(t, base + r.AT_CHUNKS)) < words
    return d.RECORD_ROOM if full else d.DONE


@inlined
def reported(scalars: Ints) -> int:
    """The time before which windows were reported before this step."""
    return int(scalars[d.LIMIT] if scalars[d.MODE] == d.FINAL else scalars[d.WATERMARK])


@inlined
def wait_for(t: Directory, base: int, store: Ints, keys: Ints, key: int, due: int) -> None:
    """Set a timer of a key, unless one is due earlier."""
    at = (key << r.KEY_BITS) + r.WAIT
    if d.FAR - due > keys[at]:
        keys[at] = d.FAR - due
        arm(store, ints(t, base + r.AT_BUCKETS), ints(t, base + r.AT_CHUNKS), key, due)


@outlined
def place_rows(t: Directory, base: int) -> int:
    """Place all rows; those behind the reported time are noted, keys of others wait for it."""
    scalars, store = ints(t, d.SCALARS), ints(t, base + r.AT_SCALARS)
    times, numbers, marks = ints(t, d.TIMES), ints(t, d.KEY_ID), ints(t, d.MARKS)
    placed, keys, steps = ints(t, d.PLACED), ints(t, base + r.AT_KEYS), ints(t, base + r.AT_STEPS)
    free, late = ints(t, base + r.AT_FREE_ROWS), ints(t, base + r.AT_LATE)
    keyed, marked = scalars[d.KEY_COUNT] > 1, scalars[d.OWN_MARKS]
    before, early, top = reported(scalars), store[r.MARKED], store[r.TOP_ROW]
    for i in range(scalars[d.N]):
        key, time = numbers[U(i)] if keyed else 0, times[U(i)]
        row = take_row(store, free)
        placed[U(i)], steps[U(row)] = row, store[r.STEP]
        if row < top:
            if not has_room(t, scalars, 1):
                fold_columns(t, base)
            note_copy(t, scalars, r.IDENTITY, row)
        put_row(t, base, key, time, row << 1 | (marks[U(i)] if marked else 0))
        if time < before + early:
            late[2 * store[r.LATE]], late[2 * store[r.LATE] + 1] = key, time
            store[r.LATE] += 1
        if time >= before:
            wait_for(t, base, store, keys, key, time + 1 - early)
    store[r.LIVE] += scalars[d.N]
    fold_columns(t, base)
    return 0


@PartPhase
def place_records(t: Directory, part: int, to: int, origin: int) -> int:
    """Place the rows of a batch, add their columns, and fold what changed."""
    scalars, parts = ints(t, d.SCALARS), ints(t, d.PARTS)
    base = scalars[d.RECORD_STORE]
    store, columns = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_COLUMNS)
    store[r.STEP] += 1
    store[r.LATE] = 0
    place_rows(t, base)
    scalars[d.ENTRIES] = 1
    ints(t, d.ENTRY_BEGIN)[0], ints(t, d.ENTRY_END)[0] = 0, scalars[d.N]
    ints(t, d.ENTRY_ROW)[0] = -1
    ints(t, d.ENTRY_LOW)[0], ints(t, d.ENTRY_HIGH)[0] = -d.FAR, d.FAR
    for p in range(scalars[d.PART_COUNT]):
        if columns[p]:
            call(parts[p * d.P_FIELDS + d.P_ADD], t, p, columns[p], 0)
    return fold_nodes(t, base)
