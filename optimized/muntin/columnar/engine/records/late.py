"""Windows that late rows change: found from the times of these rows, key by key.

A late row moves the ranks of all rows after it, so the windows that count rows change from there
on. A rolling window in time changes if the row lies in it, a window between marks if it holds the
row or is cut by it.
"""

# An item of an array at an item of another is an array to pyright, so:
# pyright: reportArgumentType=false

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import ints, outlined
from muntin.columnar.engine.records import layout as r
from muntin.columnar.engine.records.search import (
    first_from,
    is_fresh,
    last_before,
    mark_after,
    next_place,
    old_mark_after,
    old_mark_upto,
    oldest_before_step,
    place_of_rank,
    rank_from,
    time_at,
)
from muntin.columnar.engine.records.windows import (
    last_of_time,
    late_upto,
    next_end,
    put_counted,
    put_marked,
    put_rolling,
)


@outlined
def sort_late(t: Directory, base: int) -> int:
    """Order the late rows by key and time, by merging."""
    store, n = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_SCALARS)[r.LATE]
    origin, to, width = ints(t, base + r.AT_LATE), ints(t, base + r.AT_SORTED), 1
    sorted_rows = origin
    while width < n:
        for begin in range(0, n, 2 * width):
            i, j = begin, min(begin + width, n)
            middle, end = j, min(begin + 2 * width, n)
            for o in range(begin, end):
                left = i < middle
                if left and j < end:
                    a, b = origin[2 * i], origin[2 * j]
                    left = a < b or (a == b and origin[2 * i + 1] <= origin[2 * j + 1])
                at = i if left else j
                to[2 * o], to[2 * o + 1] = origin[2 * at], origin[2 * at + 1]
                i, j = i + int(left), j + int(not left)
        origin, to, width = to, origin, 2 * width
        sorted_rows = origin
    kept = ints(t, base + r.AT_SORTED)
    for i in range(2 * store[r.LATE]):
        kept[i] = sorted_rows[i]
    return 0


@outlined
def put_rolling_late(
    t: Directory, base: int, query: int, key: int, first: int, last: int, before: int
) -> int:
    """The rolling windows that hold one of the late rows in a range."""
    store, late = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_SORTED)
    nodes, keys, steps = (
        ints(t, base + r.AT_NODES),
        ints(t, base + r.AT_KEYS),
        ints(t, base + r.AT_STEPS),
    )
    size, done = ints(t, base + r.AT_QUERIES)[query * r.Q_FIELDS + r.Q_SIZE], -d.FAR
    root = keys[(key << r.KEY_BITS) + r.ROOT]
    for i in range(first, last):
        time = late[2 * i + 1]
        if i > first and late[2 * i - 1] == time:
            continue
        reach = min(before, time + size)
        place = first_from(nodes, keys, key, max(time, done + 1))
        while place and time_at(nodes, place) < reach:
            kind = d.NEW if is_fresh(nodes, steps, store[r.STEP], place) else d.UPDATED
            place, done = last_of_time(nodes, root, place), time_at(nodes, place)
            put_rolling(t, base, query, key, kind, done, place)
            place = next_place(nodes, place)
    return 0


@outlined
def put_every_late(
    t: Directory, base: int, query: int, key: int, first: int, last: int, before: int
) -> int:
    """The windows up to an nth row that came, changed or went, from the first late row on."""
    nodes, keys = ints(t, base + r.AT_NODES), ints(t, base + r.AT_KEYS)
    late, q = ints(t, base + r.AT_SORTED), query * r.Q_FIELDS
    queries, root = ints(t, base + r.AT_QUERIES), keys[(key << r.KEY_BITS) + r.ROOT]
    size, every = queries[q + r.Q_SIZE], queries[q + r.Q_EVERY]
    time, i = late[2 * first + 1], first
    while time < before:
        rank, k = rank_from(nodes, keys, key, time), i - first
        i = late_upto(late, i, last, time)
        end = rank_from(nodes, keys, key, time + 1)
        is_there = end // every > rank // every
        was_there = (end - (i - first)) // every > (rank - k) // every
        if is_there or was_there:
            changed = i > first and late[2 * i - 1] > time - size
            place = last_before(nodes, root, time + 1)
            if not was_there:
                put_rolling(t, base, query, key, d.NEW, time, place)
            elif not is_there:
                put_rolling(t, base, query, key, d.RETRACTED, time, place)
            elif changed:
                put_rolling(t, base, query, key, d.UPDATED, time, place)
        if (i - first) % every == 0 and late[2 * i - 1] <= time - size:
            if i == last:
                break
            time = late[2 * i + 1]  # up to there ranks and windows are as they were
            continue
        time = late[2 * i + 1] if i < last else d.FAR
        for k in (0, i - first):  # the next nth row, and what was it but for the late rows
            place = place_of_rank(nodes, keys, key, next_end(end - k + 1, every, 0) - 1 + k)
            time = min(time, time_at(nodes, place) if place else d.FAR)
    return 0


@outlined
def put_marked_late(
    t: Directory, base: int, query: int, key: int, first: int, last: int, before: int
) -> int:
    """The windows between marks that came, changed or went, those of a stretch at a time."""
    store, late = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_SORTED)
    nodes, keys = ints(t, base + r.AT_NODES), ints(t, base + r.AT_KEYS)
    steps = ints(t, base + r.AT_STEPS)
    step, done, discards = store[r.STEP], -d.FAR, ints(t, d.SCALARS)[d.MODE] == d.DISCARDS
    oldest = oldest_before_step(nodes, keys, steps, step, key)
    for i in range(first, last):
        time = late[2 * i + 1]
        if time < done:
            continue
        if time < oldest:
            start = time
            gone = (
                oldest if old_mark_upto(nodes, keys, steps, step, key, oldest) < oldest else d.FAR
            )
            done = (
                oldest if gone == d.FAR else old_mark_after(nodes, keys, steps, step, key, oldest)
            )
        else:
            start = max(oldest, old_mark_upto(nodes, keys, steps, step, key, time))
            gone, done = start, old_mark_after(nodes, keys, steps, step, key, time)
        stays, end = False, -d.FAR
        while end < done:
            mark = mark_after(nodes, keys, key, start)
            end = min(done, time_at(nodes, mark) if mark else d.FAR)
            if end > before:
                break
            same = start == gone and end == done
            kind = d.UPDATED if same else d.NEW
            which = r.NEW if discards and gone < d.FAR and done <= before else r.ALL
            put_marked(t, base, query, key, kind, start, end, which)
            stays, start = stays | same, end
        if gone < d.FAR and done <= before and not stays:
            put_marked(t, base, query, key, d.RETRACTED, gone, done, r.OLD)
    return 0


@outlined
def put_changed(t: Directory, base: int, first: int, last: int, before: int) -> int:
    """The windows of a key that its late rows change."""
    store, queries = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_QUERIES)
    late, nodes = ints(t, base + r.AT_SORTED), ints(t, base + r.AT_NODES)
    key, time, keys = late[2 * first], late[2 * first + 1], ints(t, base + r.AT_KEYS)
    known = last
    while known > first and late[2 * known - 1] >= before:
        known -= 1  # a row at the reported time is late for what closes there, and only for that
    for query in range(store[r.QUERY_COUNT]):
        q = query * r.Q_FIELDS
        kind = queries[q + r.Q_KIND]
        if kind == r.MARKED_OUT:
            put_marked_late(t, base, query, key, first, last, before)
        elif known > first and kind == r.COUNTED:
            same = late_upto(late, first, known, time) - first
            begin = rank_from(nodes, keys, key, time + 1) - same
            end = rank_from(nodes, keys, key, before)
            put_counted(t, base, query, key, begin, end, first, known)
        elif known > first and queries[q + r.Q_EVERY] == 1:
            put_rolling_late(t, base, query, key, first, known, before)
        elif known > first:
            put_every_late(t, base, query, key, first, known, before)
    return 0
