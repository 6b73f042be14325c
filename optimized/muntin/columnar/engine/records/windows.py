"""Windows that are due: those whose last row, or whose closing mark, the watermark has passed."""

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import Ints, inlined, ints, outlined
from muntin.columnar.engine.records import layout as r
from muntin.columnar.engine.records.emission import put_window, share_core
from muntin.columnar.engine.records.search import (
    first_from,
    last_before,
    mark_after,
    mark_upto,
    next_place,
    place_of_rank,
    rank_from,
    time_at,
)
from muntin.columnar.engine.records.tree import word

NEAR = 4 * r.FAN
"""Rows that are passed leaf by leaf; what is farther away is searched for."""


@inlined
def emitted_rows(scalars: Ints, kind: int) -> int:
    """Which rows of a window are emitted, if none of them was in a window that is gone."""
    if kind == d.RETRACTED:
        return r.OLD
    return r.NEW if kind == d.UPDATED and scalars[d.MODE] == d.DISCARDS else r.ALL


@inlined
def next_end(end: int, every: int, phase: int) -> int:
    """The first rank not below a rank at which a window ends."""
    return end + (phase - end) % every


@inlined
def place_ahead(nodes: Ints, keys: Ints, key: int, place: int, rows: int, rank: int) -> int:
    """The place that lies a number of rows after another, and has a rank."""
    if rows > NEAR:
        return place_of_rank(nodes, keys, key, rank)
    leaf, slot = place >> r.SLOT_BITS, (place & r.LAST_SLOT) + rows
    while leaf and slot >= nodes[word(leaf, r.FILL)]:
        slot -= nodes[word(leaf, r.FILL)]
        leaf = nodes[word(leaf, r.NEXT)]
    return leaf << r.SLOT_BITS | slot if leaf else 0


@inlined
def late_upto(late: Ints, i: int, last: int, time: int) -> int:
    """The first of the late rows of a key that is after a time."""
    while i < last and late[2 * i + 1] <= time:
        i += 1
    return i


@outlined
def shown_before(
    nodes: Ints, keys: Ints, key: int, late: Ints, first: int, at: int, last: int, rank: int
) -> int:
    """Of the late rows of a key, the first that lies behind the row that had a rank before."""
    while at < last:
        time = late[2 * at + 1]
        following = late_upto(late, at, last, time)
        if rank_from(nodes, keys, key, time + 1) - (following - first) > rank:
            break
        at = following
    return at


@outlined
def put_counted(
    t: Directory, base: int, query: int, key: int, begin: int, end: int, first: int, last: int
) -> int:
    """The windows that end with a row of a range of ranks; some late rows of the key moved them."""
    nodes, keys, q = ints(t, base + r.AT_NODES), ints(t, base + r.AT_KEYS), query * r.Q_FIELDS
    queries, late, at = ints(t, base + r.AT_QUERIES), ints(t, base + r.AT_SORTED), first
    size, every = queries[q + r.Q_SIZE], queries[q + r.Q_EVERY]
    known = end - (last - first) if last > first else 0
    upto = next_end(max(begin + 1, queries[q + r.Q_LEAST]), every, queries[q + r.Q_PHASE])
    place = place_of_rank(nodes, keys, key, upto - 1) if upto <= end else 0
    while upto <= end:
        kind, low = d.UPDATED if upto <= known else d.NEW, -d.FAR
        which = emitted_rows(ints(t, d.SCALARS), kind)
        if which == r.NEW:
            rank = max(upto - size, 0)
            at = shown_before(nodes, keys, key, late, first, at, last, rank)
            low = rank + at - first
        number = queries[q + r.Q_ID]
        put_window(t, base, number, key, kind, upto - size, upto, place, low, size, which)
        upto += every
        if upto <= end:
            place = place_ahead(nodes, keys, key, place, every, upto - 1)
    return 0


@inlined
def put_rolling(
    t: Directory, base: int, query: int, key: int, kind: int, time: int, place: int
) -> None:
    """The window up to the rows of a time, the last of which lies at a place."""
    q, queries = query * r.Q_FIELDS, ints(t, base + r.AT_QUERIES)
    start = time - queries[q + r.Q_SIZE] + 1
    if start > ints(t, base + r.AT_SCALARS)[r.SINCE]:
        number = queries[q + r.Q_ID]
        which = emitted_rows(ints(t, d.SCALARS), kind)
        put_window(t, base, number, key, kind, start, time + 1, place, start, d.FAR, which)


@inlined
def last_of_time(nodes: Ints, root: int, place: int) -> int:
    """The last place of the rows that have the time of a place."""
    time, following = time_at(nodes, place), next_place(nodes, place)
    if following and time_at(nodes, following) == time:
        return last_before(nodes, root, time + 1)
    return place


@outlined
def put_rolling_due(t: Directory, base: int, query: int, key: int, low: int, high: int) -> int:
    """A window for each time in a range at which there is a row."""
    nodes, keys = ints(t, base + r.AT_NODES), ints(t, base + r.AT_KEYS)
    place, root = first_from(nodes, keys, key, low), keys[(key << r.KEY_BITS) + r.ROOT]
    store, leaf = ints(t, base + r.AT_SCALARS), 0
    size = ints(t, base + r.AT_QUERIES)[query * r.Q_FIELDS + r.Q_SIZE]
    while place and time_at(nodes, place) < high:
        place = last_of_time(nodes, root, place)
        if place >> r.SLOT_BITS != leaf:
            leaf = place >> r.SLOT_BITS
            share_core(t, base, root, place, size, high)
        put_rolling(t, base, query, key, d.NEW, time_at(nodes, place), place)
        place = next_place(nodes, place)
    store[r.CORE_LEAF] = 0
    return 0


@outlined
def put_every_due(
    t: Directory, base: int, query: int, key: int, low: int, high: int, every: int
) -> int:
    """A window for each time in a range at which there is an nth row."""
    nodes, keys = ints(t, base + r.AT_NODES), ints(t, base + r.AT_KEYS)
    root = keys[(key << r.KEY_BITS) + r.ROOT]
    end = rank_from(nodes, keys, key, high)
    upto = next_end(rank_from(nodes, keys, key, low) + 1, every, 0)
    while upto <= end:
        time = time_at(nodes, place_of_rank(nodes, keys, key, upto - 1))
        place = last_before(nodes, root, time + 1)
        put_rolling(t, base, query, key, d.NEW, time, place)
        upto = next_end(rank_from(nodes, keys, key, time + 1) + 1, every, 0)
    return 0


@inlined
def put_marked(
    t: Directory, base: int, query: int, key: int, kind: int, start: int, end: int, which: int
) -> None:
    """The window from a mark to another, or some rows of it."""
    nodes, keys = ints(t, base + r.AT_NODES), ints(t, base + r.AT_KEYS)
    number = ints(t, base + r.AT_QUERIES)[query * r.Q_FIELDS + r.Q_ID]
    place = last_before(nodes, keys[(key << r.KEY_BITS) + r.ROOT], end)
    put_window(t, base, number, key, kind, start, end, place, start, d.FAR, which)


@outlined
def put_marked_due(t: Directory, base: int, query: int, key: int, low: int, high: int) -> int:
    """The windows that a mark after a time closes, and not after another."""
    nodes, keys = ints(t, base + r.AT_NODES), ints(t, base + r.AT_KEYS)
    mark = mark_upto(nodes, keys, key, low)
    first = keys[(key << r.KEY_BITS) + r.FIRST] << r.SLOT_BITS
    start = time_at(nodes, mark or first)
    mark = mark_after(nodes, keys, key, low)
    while mark and time_at(nodes, mark) <= high:
        end = time_at(nodes, mark)
        if start < end:
            put_marked(t, base, query, key, d.NEW, start, end, r.ALL)
        start, mark = end, mark_after(nodes, keys, key, end)
    return 0


@outlined
def put_due(t: Directory, base: int, key: int, low: int, high: int) -> int:
    """The windows of a key that were not reported at one time, and are at another."""
    store, queries = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_QUERIES)
    nodes, keys = ints(t, base + r.AT_NODES), ints(t, base + r.AT_KEYS)
    if keys[(key << r.KEY_BITS) + r.ROOT] == 0:
        return 0
    for query in range(store[r.QUERY_COUNT]):
        q = query * r.Q_FIELDS
        kind, every = queries[q + r.Q_KIND], queries[q + r.Q_EVERY]
        if kind == r.COUNTED:
            begin = rank_from(nodes, keys, key, low)
            end = rank_from(nodes, keys, key, high)
            put_counted(t, base, query, key, begin, end, 0, 0)
        elif kind == r.MARKED_OUT:
            put_marked_due(t, base, query, key, low, high)
        elif every == 1:
            put_rolling_due(t, base, query, key, low, high)
        else:
            put_every_due(t, base, query, key, low, high, every)
    return 0
