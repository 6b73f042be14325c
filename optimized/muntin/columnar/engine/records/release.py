"""Rows that no window can need any more, and the next time at which a key has something due."""

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import Ints, inlined, ints, outlined
from muntin.columnar.engine.records import layout as r
from muntin.columnar.engine.records.placement import wait_for
from muntin.columnar.engine.records.search import first_from, mark_upto, rank_from, time_at
from muntin.columnar.engine.records.tree import mark_dirty, release_row, word
from muntin.columnar.engine.sessions.timers import final_at


@outlined
def release_node(t: Directory, base: int, node: int) -> int:
    """Give a node back, and the row that it is folded into."""
    store, nodes = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_NODES)
    steps, free = ints(t, base + r.AT_STEPS), ints(t, base + r.AT_FREE_ROWS)
    release_row(store, free, steps, nodes[word(node, r.FOLD)])
    nodes[word(node, r.FILL)] = 0
    ints(t, base + r.AT_FREE_NODES)[store[r.FREE_NODES]] = node
    store[r.FREE_NODES] += 1
    return 0


@outlined
def drop_leaf(t: Directory, base: int, key: int) -> int:
    """Forget the first leaf of a key."""
    store, nodes = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_NODES)
    keys, at = ints(t, base + r.AT_KEYS), key << r.KEY_BITS
    steps, free = ints(t, base + r.AT_STEPS), ints(t, base + r.AT_FREE_ROWS)
    leaf = keys[at + r.FIRST]
    n, node = nodes[word(leaf, r.FILL)], leaf
    for slot in range(n):
        release_row(store, free, steps, nodes[word(leaf, 2 * slot + 1)] >> 1)
    store[r.LIVE] -= n
    keys[at + r.DROPPED] += n
    keys[at + r.FIRST] = nodes[word(leaf, r.NEXT)]
    while True:
        parent = nodes[word(node, r.PARENT)]
        release_node(t, base, node)
        if parent == 0:
            keys[at + r.ROOT] = keys[at + r.LAST] = 0
            store[r.LIVE_KEYS] -= 1
            return 0
        begin, left = word(parent, 0), nodes[word(parent, r.FILL)] - 1
        for i in range(2 * left):
            nodes[begin + i] = nodes[begin + i + 2]
        nodes[begin + r.FILL] = left
        if left:
            break
        node = parent
    mark_dirty(store, nodes, ints(t, base + r.AT_DIRTY), parent)
    root = keys[at + r.ROOT]
    while nodes[word(root, r.LEVEL)] >> r.LEVEL_SHIFT and nodes[word(root, r.FILL)] == 1:
        child = nodes[word(root, 1)]
        nodes[word(child, r.PARENT)] = 0
        keys[at + r.ROOT] = child
        release_node(t, base, root)
        root = child
    return 0


@outlined
def first_needed(t: Directory, base: int, key: int, limit: int) -> int:
    """The time before which no window that is not final has a row of a key."""
    store, queries = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_QUERIES)
    nodes, keys = ints(t, base + r.AT_NODES), ints(t, base + r.AT_KEYS)
    time = limit
    for query in range(store[r.QUERY_COUNT]):
        q = query * r.Q_FIELDS
        if queries[q + r.Q_KIND] == r.ROLLING:
            time = min(time, limit - queries[q + r.Q_SIZE] + 1)
        elif queries[q + r.Q_KIND] == r.MARKED_OUT:
            mark = mark_upto(nodes, keys, key, limit - 1)
            time = min(time, time_at(nodes, mark) if mark else -d.FAR)
    return time


@outlined
def drop_rows(t: Directory, base: int, key: int, limit: int) -> int:
    """Forget the leaves of a key that no window can need any more."""
    store, nodes = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_NODES)
    keys, at = ints(t, base + r.AT_KEYS), key << r.KEY_BITS
    if keys[at + r.FIRST] == 0 or limit == -d.FAR:
        return 0
    leaf = keys[at + r.FIRST]
    if nodes[word(leaf, 2 * nodes[word(leaf, r.FILL)] - 2)] >= limit:
        return 0
    time, rank = first_needed(t, base, key, limit), d.FAR
    if store[r.REACH]:
        rank = rank_from(nodes, keys, key, limit) - store[r.REACH] + 1
    while leaf:
        n = nodes[word(leaf, r.FILL)]
        is_needed = nodes[word(leaf, 2 * n - 2)] >= time
        if is_needed or keys[at + r.DROPPED] + n > rank:
            break
        drop_leaf(t, base, key)
        leaf = keys[at + r.FIRST]
    return 0


@inlined
def rests(store: Ints) -> bool:
    """Whether a key is kept though no row is due: its ranks, or its last mark."""
    return bool(store[r.RANKED] > 0 or store[r.MARKED] > 0)


@outlined
def wait_again(t: Directory, base: int, key: int, upto: int, met: int) -> int:
    """Set the timer of a key, if it was met, to its next row or to when its last row may go."""
    scalars, store = ints(t, d.SCALARS), ints(t, base + r.AT_SCALARS)
    nodes, keys, at = ints(t, base + r.AT_NODES), ints(t, base + r.AT_KEYS), key << r.KEY_BITS
    queries = ints(t, base + r.AT_QUERIES)
    if met == 0 and keys[at + r.WAIT]:
        return 0
    keys[at + r.WAIT] = 0
    if keys[at + r.ROOT] == 0 or upto == d.FAR:
        return 0
    place = first_from(nodes, keys, key, upto)
    if place:
        due = max(time_at(nodes, place) + 1 - store[r.MARKED], upto + 1)
        wait_for(t, base, store, keys, key, due)
    elif not rests(store):
        leaf, size = keys[at + r.LAST], 0
        for query in range(store[r.QUERY_COUNT]):
            size = max(size, queries[query * r.Q_FIELDS + r.Q_SIZE])
        last = nodes[word(leaf, 2 * nodes[word(leaf, r.FILL)] - 2)]
        final = scalars[d.MODE] == d.FINAL
        due = max(last + size if final else final_at(scalars, last + size), upto + 1)
        wait_for(t, base, store, keys, key, due)
    return 0
