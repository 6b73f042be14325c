"""Leaves and inner nodes: allocation, and moves of entries and children."""

from muntin.kernels.compiler.kernel_api import (
    CAP,
    COMMUTATIVE,
    FAN,
    A,
    inlined,
    int_table,
    load,
    outlined,
    partial_table,
    store,
)
from muntin.kernels.finger_btree.layout import (
    ARITY,
    CUT,
    ENDS_WIDTH,
    EVICTED,
    FREE_INNER,
    FREE_LEAF,
    FRESH_INNER,
    FRESH_LEAF,
    HEAD,
    HEIGHT,
    INNER_WIDTH,
    INSERTED,
    KEY,
    LEFT,
    MASK,
    MISC,
    RIGHT,
    SPARE_INNER,
    SPARE_LEAF,
    SUFFIX_STALE,
    TIMES_WIDTH,
    VALID,
)
from muntin.kernels.finger_btree.records import TreeArrays


@inlined
def tables_of(arrays: TreeArrays[A]) -> TreeArrays[A]:
    """The arrays as tables, which kernels work on."""
    return TreeArrays(
        int_table(arrays.s, 1),
        int_table(arrays.inner, INNER_WIDTH),
        partial_table(arrays.folds, FAN),
        int_table(arrays.times, TIMES_WIDTH),
        partial_table(arrays.leaves, CAP),
        partial_table(arrays.ends, ENDS_WIDTH),
    )


@inlined
def new_leaf(tree: TreeArrays[A]) -> int:
    """Allocate an empty leaf."""
    s, times = tree.s, tree.times
    leaf = s[FREE_LEAF]
    if leaf >= 0:
        s[FREE_LEAF] = times[leaf, 0]
    else:
        leaf = s[FRESH_LEAF]
        s[FRESH_LEAF] = leaf + 1
    s[SPARE_LEAF] -= 1
    times[leaf, CAP] = 0
    return leaf


@inlined
def free_leaf(tree: TreeArrays[A], leaf: int) -> None:
    """Free a leaf."""
    s = tree.s
    tree.times[leaf, 0] = s[FREE_LEAF]
    s[FREE_LEAF] = leaf
    s[SPARE_LEAF] += 1


@inlined
def new_inner(tree: TreeArrays[A]) -> int:
    """Allocate an inner node without children."""
    s, inner = tree.s, tree.inner
    node = s[FREE_INNER]
    if node >= 0:
        s[FREE_INNER] = inner[node, 0]
    else:
        node = s[FRESH_INNER]
        s[FRESH_INNER] = node + 1
    s[SPARE_INNER] -= 1
    inner[node, ARITY] = 0
    inner[node, MASK] = 0
    return node


@inlined
def free_inner(tree: TreeArrays[A], node: int) -> None:
    """Free an inner node."""
    s = tree.s
    tree.inner[node, 0] = s[FREE_INNER]
    s[FREE_INNER] = node
    s[SPARE_INNER] += 1


@inlined
def is_empty(tree: TreeArrays[A]) -> bool:
    """Whether the window is empty."""
    return tree.s[INSERTED] == tree.s[EVICTED]


@inlined
def has_room(tree: TreeArrays[A]) -> bool:
    """Whether there are enough spare nodes for any single insert."""
    s = tree.s
    return s[SPARE_LEAF] > 0 and s[SPARE_INNER] > s[HEIGHT] + 1


@inlined
def open_gap(tree: TreeArrays[A], leaf: int, at: int, last: int) -> None:
    """Move the entries [at, last) of a leaf one position up."""
    times, leaves = tree.times, tree.leaves
    for place in range(last, at, -1):
        times[leaf, place] = times[leaf, place - 1]
    for place in range(last, at, -1):
        store(leaves, leaf, place, load(leaves, leaf, place - 1))


@inlined
def move_entries(
    tree: TreeArrays[A], leaf: int, at: int, last: int, target: tuple[int, int]
) -> None:
    """Copy the entries [at, last) of a leaf to a position in a leaf, the first one first."""
    times, leaves = tree.times, tree.leaves
    to, place = target
    for k in range(last - at):
        times[to, place + k] = times[leaf, at + k]
    for k in range(last - at):
        store(leaves, to, place + k, load(leaves, leaf, at + k))


@inlined
def mark_stale(tree: TreeArrays[A], leaf: int, at: int) -> None:
    """Mark the folds of the leaves at the ends that contain an entry."""
    s = tree.s
    if leaf == s[LEFT] and (s[HEIGHT] > 0 or at < s[CUT]):
        s[SUFFIX_STALE] = 1
    elif leaf == s[RIGHT] and at < s[VALID]:
        s[VALID] = 0 if COMMUTATIVE else at


@inlined
def compact(tree: TreeArrays[A], leaf: int) -> None:
    """Move the entries of the left leaf to its beginning."""
    s = tree.s
    head, last = s[HEAD], tree.times[leaf, CAP]
    move_entries(tree, leaf, head, last, (leaf, 0))
    tree.times[leaf, CAP] = last - head
    s[HEAD] = 0
    s[SUFFIX_STALE] = 1


@inlined
def move_child(tree: TreeArrays[A], node: int, at: int, target: tuple[int, int]) -> None:
    """Copy a child, its key and its fold to a position in a node."""
    inner, (to, place) = tree.inner, target
    inner[to, place] = inner[node, at]
    inner[to, KEY + place] = inner[node, KEY + at]
    store(tree.folds, to, place, load(tree.folds, node, at))


@inlined
def put_child(tree: TreeArrays[A], node: int, at: int, key: int, child: int) -> None:
    """Insert a child, whose fold is stale."""
    inner = tree.inner
    arity, mask = inner[node, ARITY], inner[node, MASK]
    for place in range(arity, at, -1):
        move_child(tree, node, place - 1, (node, place))
    inner[node, at] = child
    inner[node, KEY + at] = key
    inner[node, ARITY] = arity + 1
    low = mask & ((1 << at) - 1)
    inner[node, MASK] = low | ((mask ^ low) << 1) | (1 << at)


@inlined
def drop_child(tree: TreeArrays[A], node: int, at: int) -> None:
    """Remove a child."""
    inner = tree.inner
    arity, mask = inner[node, ARITY], inner[node, MASK]
    for place in range(at, arity - 1):
        move_child(tree, node, place + 1, (node, place))
    inner[node, ARITY] = arity - 1
    low = mask & ((1 << at) - 1)
    inner[node, MASK] = low | ((mask >> (at + 1)) << at)


@outlined
def give_right(tree: TreeArrays[A], left: int, right: int, kept: int) -> None:
    """Move the children of a node from `kept` on to the front of its right neighbour."""
    inner = tree.inner
    moved, right_size = inner[left, ARITY] - kept, inner[right, ARITY]
    for place in range(right_size - 1, -1, -1):
        move_child(tree, right, place, (right, place + moved))
    for place in range(moved):
        move_child(tree, left, kept + place, (right, place))
    mask = inner[left, MASK]
    inner[right, MASK] = (inner[right, MASK] << moved) | (mask >> kept)
    inner[left, MASK] = mask & ((1 << kept) - 1)
    inner[left, ARITY] = kept
    inner[right, ARITY] = right_size + moved


@outlined
def give_left(tree: TreeArrays[A], left: int, right: int, moved: int) -> None:
    """Move the first children of a node to the end of its left neighbour."""
    inner = tree.inner
    left_size, right_size = inner[left, ARITY], inner[right, ARITY]
    for place in range(moved):
        move_child(tree, right, place, (left, left_size + place))
    for place in range(right_size - moved):
        move_child(tree, right, moved + place, (right, place))
    mask = inner[right, MASK]
    inner[left, MASK] |= (mask & ((1 << moved) - 1)) << left_size
    inner[right, MASK] = mask >> moved
    inner[left, ARITY] = left_size + moved
    inner[right, ARITY] = right_size - moved


@outlined
def initialize(tree: TreeArrays[A], identity: A) -> None:
    """Turn arrays of zeros into an empty tree."""
    s = tree.s
    s[FREE_INNER] = -1
    s[FREE_LEAF] = -1
    for place in range(4):
        store(tree.ends, MISC, place, identity)
    new_leaf(tree)
