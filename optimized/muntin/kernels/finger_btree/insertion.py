"""Insertion of one entry: in order at the right finger, else by a search from the nearest finger.

Appended entries fill leaves, and nodes up to one child less: a new node on the right spine takes
the last child of its neighbour, so that no node there has one child only.
"""

from muntin.kernels.compiler.kernel_api import CAP, FAN, A, combine, inlined, load, outlined, store
from muntin.kernels.finger_btree.immediate_folds import add_to_end, add_to_path
from muntin.kernels.finger_btree.layout import (
    ARITY,
    CHILD,
    HEAD,
    HEIGHT,
    INSERTED,
    KEY,
    LEFT,
    LEFT_STALE,
    MASK,
    MIDDLE,
    MIDDLE_STALE,
    MISC,
    PATH,
    PREFIX,
    REST,
    RIGHT,
    RIGHT_CHAIN,
    RIGHT_INNER,
    RIGHT_STALE,
    SUFFIX_STALE,
    VALID,
)
from muntin.kernels.finger_btree.lazy_folds import extend_prefix
from muntin.kernels.finger_btree.nodes import (
    compact,
    give_right,
    mark_stale,
    move_entries,
    new_inner,
    new_leaf,
    open_gap,
    put_child,
)
from muntin.kernels.finger_btree.records import TreeArrays
from muntin.kernels.finger_btree.search import (
    RIGHT_SIDE,
    complete_path,
    first_entry,
    first_from,
    mark_above,
    mark_spine,
    renew_spines,
    seek,
)


@inlined
def raise_root(tree: TreeArrays[A], key: int, right: int) -> None:
    """Put a new root above the old one and its new neighbour."""
    s = tree.s
    height = s[HEIGHT]
    root = new_inner(tree)
    put_child(tree, root, 0, 0, s[LEFT + height])
    put_child(tree, root, 1, key, right)
    s[RIGHT + height] = right
    s[HEIGHT] = height + 1
    s[LEFT + height + 1] = root
    s[RIGHT + height + 1] = root
    s[MIDDLE_STALE] = 1
    s[LEFT_STALE] |= 1 << height
    s[RIGHT_STALE] |= 1 << height


@inlined
def split_inner(tree: TreeArrays[A], level: int, key: int, child: int) -> int:
    """Insert a child after that of the path into a full node; returns its new right neighbour."""
    s = tree.s
    node, at = s[PATH + level], s[CHILD + level] + 1
    right = new_inner(tree)
    appended = at == FAN and node == s[RIGHT + level]
    kept = FAN - 1 if appended else FAN // 2
    give_right(tree, node, right, kept)
    if at <= kept:
        put_child(tree, node, at, key, child)
    else:
        put_child(tree, right, at - kept, key, child)
    return right


@outlined
def add_right(tree: TreeArrays[A], key: int, child: int) -> None:
    """Insert a node as the right neighbour of the one that the complete path ends at."""
    s, inner = tree.s, tree.inner
    level = 1
    while True:
        if level > s[HEIGHT]:
            raise_root(tree, key, child)
            break
        node, at = s[PATH + level], s[CHILD + level]
        inner[node, MASK] |= 1 << at
        if inner[node, ARITY] < FAN:
            put_child(tree, node, at + 1, key, child)
            mark_above(tree, level)
            break
        if level < s[HEIGHT]:
            mark_spine(tree, level, node)
        child = split_inner(tree, level, key, child)
        key = inner[child, KEY]
        level += 1
    renew_spines(tree, level)


@inlined
def append_leaf(tree: TreeArrays[A], node: int, time: int, leaf: int) -> None:
    """Append a leaf to the lowest node of the right spine, at the cost of three combines.

    The last prefix fold of the right finger becomes the fold of a child.
    """
    s, inner, ends = tree.s, tree.inner, tree.ends
    arity = inner[node, ARITY]
    total = load(ends, PREFIX, CAP - 1)
    store(tree.folds, node, arity - 1, total)
    put_child(tree, node, arity, time, leaf)
    inner[node, MASK] &= (1 << (arity - 1)) - 1
    s[RIGHT] = leaf
    if s[LEFT_STALE] | s[RIGHT_STALE] | s[MIDDLE_STALE]:
        mark_spine(tree, 1, node)
    elif s[HEIGHT] == 1:
        store(ends, MISC, MIDDLE, combine(load(ends, MISC, MIDDLE), total))
        store(ends, MISC, REST, load(ends, MISC, MIDDLE))
    else:
        store(ends, RIGHT_INNER, 1, combine(load(ends, RIGHT_INNER, 1), total))
        store(ends, RIGHT_CHAIN, 1, combine(load(ends, RIGHT_CHAIN, 1), total))
        store(ends, MISC, REST, combine(load(ends, MISC, REST), total))


@outlined
def open_right(tree: TreeArrays[A], time: int) -> None:
    """Make room for an entry after the full right leaf."""
    s = tree.s
    full = s[RIGHT]
    if s[HEIGHT] == 0 and s[HEAD] >= CAP // 2:
        compact(tree, full)
        return
    if s[HEIGHT] > 0:
        extend_prefix(tree, full, 0, CAP)
    leaf = new_leaf(tree)
    if s[HEIGHT] == 0:
        s[SUFFIX_STALE] = 1
        add_right(tree, time, leaf)
    elif tree.inner[s[RIGHT + 1], ARITY] < FAN:
        append_leaf(tree, s[RIGHT + 1], time, leaf)
    else:
        complete_path(tree, 0, RIGHT_SIDE)
        add_right(tree, time, leaf)
    s[VALID] = 0


@outlined
def split_leaf(tree: TreeArrays[A], leaf: int, top: int, side: int) -> None:
    """Halve the full leaf of the last search, or make room at its beginning."""
    s, times = tree.s, tree.times
    mark_stale(tree, leaf, 0)
    if first_entry(tree, leaf) > 0:
        compact(tree, leaf)
        return
    complete_path(tree, top, side)
    right = new_leaf(tree)
    kept = CAP // 2
    if leaf == s[LEFT]:
        s[SUFFIX_STALE] = 1
    if leaf == s[RIGHT]:
        s[VALID] = 0
    move_entries(tree, leaf, kept, CAP, (right, 0))
    times[right, CAP] = CAP - kept
    times[leaf, CAP] = kept
    add_right(tree, times[right, 0], right)


@inlined
def insert_inside(tree: TreeArrays[A], time: int, value: A) -> None:
    """Insert an entry that is not the youngest, or combine it with the one at its time."""
    s, times, leaves = tree.s, tree.times, tree.leaves
    leaf, top, side = seek(tree, time)
    last = times[leaf, CAP]
    while last == CAP:
        at = first_from(times, leaf, first_entry(tree, leaf), last, time)
        if at < last and times[leaf, at] == time:
            break
        split_leaf(tree, leaf, top, side)
        leaf, top, side = seek(tree, time)
        last = times[leaf, CAP]
    at = first_from(times, leaf, first_entry(tree, leaf), last, time)
    if at < last and times[leaf, at] == time:
        add_to_end(tree, leaf, at, 0, value)
        store(leaves, leaf, at, combine(load(leaves, leaf, at), value))
    else:
        add_to_end(tree, leaf, at, 1, value)
        open_gap(tree, leaf, at, last)
        times[leaf, at] = time
        store(leaves, leaf, at, value)
        times[leaf, CAP] = last + 1
        s[INSERTED] += 1
    add_to_path(tree, top, side, value)


@inlined
def insert(tree: TreeArrays[A], time: int, value: A) -> None:
    """Insert an entry, or combine it with the one at its time."""
    s, times = tree.s, tree.times
    last = times[s[RIGHT], CAP]
    if last > 0 and time <= times[s[RIGHT], last - 1]:
        insert_inside(tree, time, value)
        return
    if last == CAP:
        open_right(tree, time)
        last = times[s[RIGHT], CAP]
    leaf = s[RIGHT]
    times[leaf, last] = time
    store(tree.leaves, leaf, last, value)
    times[leaf, CAP] = last + 1
    s[INSERTED] += 1
