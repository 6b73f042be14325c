"""Range queries, from the lowest spine node that has the whole range below it, and all entries."""

from muntin.kernels.compiler.kernel_api import (
    CAP,
    A,
    Column,
    Ints,
    combine,
    inlined,
    kernel,
    load,
    outlined,
    store_one,
)
from muntin.kernels.finger_btree.layout import (
    ARITY,
    HEAD,
    HEIGHT,
    IDENTITY,
    KEY,
    LEFT,
    MISC,
    RIGHT,
    STACK,
    STEP,
)
from muntin.kernels.finger_btree.lazy_folds import flush, fold
from muntin.kernels.finger_btree.nodes import is_empty, tables_of
from muntin.kernels.finger_btree.records import TreeArrays
from muntin.kernels.finger_btree.search import (
    LEFT_SIDE,
    RIGHT_SIDE,
    child_for,
    first_after,
    first_entry,
    first_from,
    search_from_finger,
)


@inlined
def lowest_common_node(tree: TreeArrays[A], first: int, last: int) -> tuple[int, int]:
    """The lowest spine node that has these times below it, and its level."""
    s = tree.s
    level, side = search_from_finger(tree, first)
    if side != RIGHT_SIDE:
        level, side = search_from_finger(tree, last)
        if side == RIGHT_SIDE:
            level = s[HEIGHT]
    return (s[LEFT + level] if side == LEFT_SIDE else s[RIGHT + level]), level


@inlined
def is_spine_child(tree: TreeArrays[A], level: int, node: int, at: int) -> bool:
    """Whether a child is on a spine, so that its node keeps no fold of it."""
    s = tree.s
    if node == s[LEFT + level] and at == 0:
        return True
    return node == s[RIGHT + level] and at == tree.inner[node, ARITY] - 1


@inlined
def fold_leaf_range(
    tree: TreeArrays[A], leaf: int, times: tuple[int, int], total: A
) -> tuple[bool, A]:
    """Combine with the entries of a leaf in a range of times; whether it has any."""
    first = first_from(tree.times, leaf, first_entry(tree, leaf), tree.times[leaf, CAP], times[0])
    last = first_after(tree.times, leaf, first, tree.times[leaf, CAP], times[1])
    if first == last:
        return False, total
    return True, combine(total, fold(tree.leaves, leaf, first, last))


@inlined
def fold_subtree(
    tree: TreeArrays[A], node: int, top: int, times: tuple[int, int]
) -> tuple[bool, A]:
    """Fold the entries in range below an inner node: depth first, whole children at once.

    On the way down to the first time, children begin before it (`edge`). A bit of `closed` says
    that all entries below the node of a level are no younger than the last time.
    """
    s, inner, last = tree.s, tree.inner, times[1]
    nonempty, total, level, edge = False, load(tree.ends, MISC, IDENTITY), top, True
    closed = int(tree.times[s[RIGHT], tree.times[s[RIGHT], CAP] - 1] <= last) << top
    s[STACK + top], s[STEP + top] = node, child_for(inner, node, times[0])
    while level <= top:
        node, at = s[STACK + level], s[STEP + level]
        if at == inner[node, ARITY] or (at > 0 and inner[node, KEY + at] > last):
            level += 1
            continue
        s[STEP + level] = at + 1
        child, ends_inside = inner[node, at], (closed >> level) & 1
        if at + 1 < inner[node, ARITY]:
            ends_inside = int(inner[node, KEY + at + 1] - 1 <= last)
        if ends_inside and not edge and not is_spine_child(tree, level, node, at):
            nonempty, total = True, combine(total, load(tree.folds, node, at))
        elif level == 1:
            in_leaf, total = fold_leaf_range(tree, child, times, total)
            nonempty, edge = nonempty or in_leaf, False
        else:
            level -= 1
            closed = (closed & ~(1 << level)) | (ends_inside << level)
            s[STACK + level] = child
            s[STEP + level] = child_for(inner, child, times[0]) if edge else 0
    return nonempty, total


@outlined
def fold_range(tree: TreeArrays[A], first: int, last: int) -> tuple[bool, A]:
    """Fold the entries with first <= time <= last; whether there are any."""
    s = tree.s
    identity = load(tree.ends, MISC, IDENTITY)
    if is_empty(tree) or first > last or last < tree.times[s[LEFT], s[HEAD]]:
        return False, identity
    node, level = lowest_common_node(tree, first, last)
    if level == 0:
        return fold_leaf_range(tree, node, (first, last), identity)
    flush(tree)
    return fold_subtree(tree, node, level, (first, last))


@kernel
def copy_entries(arrays: TreeArrays[A], times: Ints, values: Column[A]) -> None:
    """Copy all entries, oldest first."""
    tree = tables_of(arrays)
    s, inner = tree.s, tree.inner
    top = s[HEIGHT]
    level, place, node = top, 0, s[LEFT + top]
    s[STACK + top], s[STEP + top] = node, 0
    while level <= top:
        node, at = s[STACK + level], s[STEP + level]
        if level > 0 and at < inner[node, ARITY]:
            s[STEP + level] = at + 1
            level -= 1
            s[STACK + level], s[STEP + level] = inner[node, at], 0
            continue
        if level == 0:
            for entry in range(first_entry(tree, node), tree.times[node, CAP]):
                times[place] = tree.times[node, entry]
                store_one(values, place, load(tree.leaves, node, entry))
                place += 1
        level += 1
