"""The tree of each key: rows are placed, and nodes that changed are folded anew."""

# An item of an array at an item of another is an array to pyright, so:
# pyright: reportArgumentType=false

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.emission import has_room, note_copy, note_merge
from muntin.columnar.engine.kernel_language import Ints, call, inlined, ints, outlined
from muntin.columnar.engine.records import layout as r
from muntin.columnar.engine.timeline import U


@inlined
def word(node: int, field: int) -> int:
    """Where a field or the time of a slot of a node lies."""
    return (node << r.NODE_BITS) + field


@inlined
def level_of(nodes: Ints, node: int) -> int:
    """The level of a node; leaves are at 0."""
    return int(nodes[word(node, r.LEVEL)] >> r.LEVEL_SHIFT)


@inlined
def take_row(store: Ints, free: Ints) -> int:
    """A free row; there is one."""
    if store[r.FREE_ROWS]:
        store[r.FREE_ROWS] -= 1
        return int(free[store[r.FREE_ROWS]])
    row = int(store[r.TOP_ROW])
    store[r.TOP_ROW] = row + 1
    return row


@inlined
def release_row(store: Ints, free: Ints, steps: Ints, row: int) -> None:
    """Give a row back."""
    steps[row] = 0
    free[store[r.FREE_ROWS]] = row
    store[r.FREE_ROWS] += 1


@inlined
def mark_dirty(store: Ints, nodes: Ints, dirty: Ints, node: int) -> None:
    """Note that a node is to be folded anew."""
    at = word(node, r.LEVEL)
    if nodes[at] & r.DIRTY_FLAG == 0:
        nodes[at] |= r.DIRTY_FLAG
        dirty[store[r.DIRTY]] = node << 4 | nodes[at] >> r.LEVEL_SHIFT
        store[r.DIRTY] += 1


@outlined
def take_node(t: Directory, base: int, level: int) -> int:
    """An empty node, that is to be folded; there is one."""
    store, nodes = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_NODES)
    if store[r.FREE_NODES]:
        store[r.FREE_NODES] -= 1
        node = int(ints(t, base + r.AT_FREE_NODES)[store[r.FREE_NODES]])
    else:
        node = int(store[r.TOP_NODE])
        store[r.TOP_NODE] += 1
    at = word(node, r.FILL)
    for i in range(r.NODE_WORDS - r.FILL):
        nodes[at + i] = 0
    row = take_row(store, ints(t, base + r.AT_FREE_ROWS))
    ints(t, base + r.AT_STEPS)[row] = -node
    nodes[word(node, r.FOLD)] = row
    nodes[word(node, r.LEVEL)] = level << r.LEVEL_SHIFT
    store[r.TALLEST] = max(store[r.TALLEST], level)
    mark_dirty(store, nodes, ints(t, base + r.AT_DIRTY), node)
    return node


@inlined
def slot_of_child(nodes: Ints, parent: int, node: int) -> int:
    """The slot of a node in its parent."""
    at, slot = word(parent, 1), 0
    while nodes[at + 2 * slot] != node:
        slot += 1
    return slot


@inlined
def put_slot(nodes: Ints, node: int, slot: int, time: int, child: int) -> None:
    """Insert a slot; there is room."""
    at, n = word(node, 0), nodes[U(word(node, r.FILL))]
    for i in range(at + 2 * n - 1, at + 2 * slot - 1, -1):
        nodes[U(i + 2)] = nodes[U(i)]
    nodes[U(at + 2 * slot)], nodes[U(at + 2 * slot + 1)] = time, child
    nodes[U(at + r.FILL)] = n + 1


@outlined
def split(t: Directory, base: int, node: int, slot: int) -> int:
    """A right sibling that takes the slots from one on."""
    nodes, level = ints(t, base + r.AT_NODES), level_of(ints(t, base + r.AT_NODES), node)
    other, n = take_node(t, base, level), nodes[word(node, r.FILL)]
    origin, to = word(node, 2 * slot), word(other, 0)
    for i in range(2 * (n - slot)):
        nodes[to + i] = nodes[origin + i]
    if level:
        for i in range(n - slot):
            nodes[word(nodes[to + 2 * i + 1], r.PARENT)] = other
    nodes[word(node, r.FILL)], nodes[word(other, r.FILL)] = slot, n - slot
    mark_dirty(ints(t, base + r.AT_SCALARS), nodes, ints(t, base + r.AT_DIRTY), node)
    return other


@outlined
def join_sibling(t: Directory, base: int, key: int, node: int, other: int) -> int:
    """Enter a right sibling of a node into its parent, which may be split in turn."""
    store, nodes = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_NODES)
    keys, dirty = ints(t, base + r.AT_KEYS), ints(t, base + r.AT_DIRTY)
    while True:
        time, parent = nodes[word(other, 0)], nodes[word(node, r.PARENT)]
        if parent == 0:
            parent = take_node(t, base, level_of(nodes, node) + 1)
            put_slot(nodes, parent, 0, nodes[word(node, 0)], node)
            nodes[word(node, r.PARENT)] = parent
            keys[(key << r.KEY_BITS) + r.ROOT] = parent
            mark_dirty(store, nodes, dirty, node)
        slot, n = slot_of_child(nodes, parent, node) + 1, nodes[word(parent, r.FILL)]
        if n < r.FAN:
            put_slot(nodes, parent, slot, time, other)
            nodes[word(other, r.PARENT)] = parent
            mark_dirty(store, nodes, dirty, parent)
            return 0
        at = n if slot == n else n >> 1
        sibling = split(t, base, parent, at)
        target = parent if slot < at or (slot == at and at < n) else sibling
        put_slot(nodes, target, slot if target == parent else slot - at, time, other)
        nodes[word(other, r.PARENT)] = target
        node, other = parent, sibling


@outlined
def leaf_for(nodes: Ints, root: int, time: int) -> int:
    """The leaf that a row of a time belongs to, after all rows of that time."""
    node = root
    while nodes[U(word(node, r.LEVEL))] >> r.LEVEL_SHIFT:
        begin = word(node, 0)
        at = begin + 2 * nodes[U(begin + r.FILL)] - 2
        while at > begin and nodes[U(at)] > time:
            at -= 2
        nodes[U(at)] = min(nodes[U(at)], time)
        node = nodes[U(at + 1)]
    return node


@outlined
def begin_key(t: Directory, base: int, key: int) -> int:
    """The first leaf of a key."""
    leaf, at = take_node(t, base, 0), key << r.KEY_BITS
    keys, store = ints(t, base + r.AT_KEYS), ints(t, base + r.AT_SCALARS)
    keys[at + r.ROOT] = keys[at + r.FIRST] = keys[at + r.LAST] = leaf
    store[r.LIVE_KEYS] += 1
    return leaf


@outlined
def put_row(t: Directory, base: int, key: int, time: int, row: int) -> int:
    """Place a row behind all of its key that are not later."""
    store, nodes = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_NODES)
    keys, at = ints(t, base + r.AT_KEYS), key << r.KEY_BITS
    leaf = keys[at + r.LAST]
    if leaf == 0:
        leaf = begin_key(t, base, key)
    n = nodes[U(word(leaf, r.FILL))]
    if n and time < nodes[U(word(leaf, 2 * n - 2))]:
        leaf = leaf_for(nodes, keys[at + r.ROOT], time)
        n = nodes[U(word(leaf, r.FILL))]
    begin, slot = word(leaf, 0), n
    while slot > 0 and nodes[U(begin + 2 * slot - 2)] > time:
        slot -= 1
    if n < r.FAN:
        put_slot(nodes, leaf, slot, time, row)
        mark_dirty(store, nodes, ints(t, base + r.AT_DIRTY), leaf)
        return 0
    cut = n if slot == n and leaf == keys[at + r.LAST] else n >> 1
    other = split(t, base, leaf, cut)
    nodes[word(other, r.NEXT)] = nodes[word(leaf, r.NEXT)]
    nodes[word(leaf, r.NEXT)] = other
    if leaf == keys[at + r.LAST]:
        keys[at + r.LAST] = other
    if slot > cut or cut == n:
        put_slot(nodes, other, slot - cut, time, row)
    else:
        put_slot(nodes, leaf, slot, time, row)
    return join_sibling(t, base, key, leaf, other)


@outlined
def fold_columns(t: Directory, base: int) -> int:
    """Copy and merge the pairs of rows of the store that were noted, in each part."""
    scalars, parts = ints(t, d.SCALARS), ints(t, d.PARTS)
    columns = ints(t, base + r.AT_COLUMNS)
    for part in range(scalars[d.PART_COUNT]):
        at, place = part * d.P_FIELDS, columns[part]
        if place:
            call(parts[at + d.P_COPY], t, part, place, place)
            call(parts[at + d.P_MERGE], t, part, place, place)
    scalars[d.COPIES] = scalars[d.MERGES] = 0
    return 0


@inlined
def row_below(nodes: Ints, level: int, child: int) -> int:
    """The row that has what is below a slot."""
    return int(nodes[word(child, r.FOLD)]) if level else child >> 1


@outlined
def refresh(t: Directory, base: int, node: int) -> int:
    """Count the rows of a node, and note what its fold is made of; a root needs none."""
    scalars, store = ints(t, d.SCALARS), ints(t, base + r.AT_SCALARS)
    nodes, at = ints(t, base + r.AT_NODES), word(node, 0)
    n, level = nodes[at + r.FILL], nodes[at + r.LEVEL] >> r.LEVEL_SHIFT
    rows = marks = 0
    for i in range(n):
        child = nodes[U(at + 2 * i + 1)]
        rows += nodes[U(word(child, r.ROWS))] if level else 1
        marks += nodes[U(word(child, r.MARKS))] if level else child & 1
    nodes[at + r.ROWS], nodes[at + r.MARKS] = rows, marks
    nodes[at + r.CHANGED] = store[r.STEP]
    nodes[at + r.LEVEL] = level << r.LEVEL_SHIFT
    if nodes[at + r.PARENT] == 0 or n == 0:
        return 0
    fold = nodes[at + r.FOLD]
    if not has_room(t, scalars, r.FAN):
        fold_columns(t, base)
    note_copy(t, scalars, row_below(nodes, level, nodes[at + 2 * n - 1]), fold)
    for i in range(n - 2, -1, -1):
        note_merge(t, scalars, row_below(nodes, level, nodes[at + 2 * i + 1]), fold)
    mark_dirty(store, nodes, ints(t, base + r.AT_DIRTY), nodes[at + r.PARENT])
    return 0


@outlined
def fold_nodes(t: Directory, base: int) -> int:
    """Fold the nodes that changed, from the leaves up."""
    store, dirty = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_DIRTY)
    left, level = store[r.DIRTY] > 0, 0
    while left:
        left, i = False, 0
        while i < store[r.DIRTY]:  # which grows by parents
            if dirty[i] & r.LAST_SLOT == level:
                refresh(t, base, dirty[i] >> 4)
            else:
                left |= dirty[i] & r.LAST_SLOT > level
            i += 1
        fold_columns(t, base)
        level += 1
    store[r.DIRTY] = 0
    return 0
