"""Eviction of the entries up to a time, or of the one at a time.

A leaf or node off the spines with too few entries or children merges with a neighbour, or both
share evenly; a leaf at an end may have one entry, and a node on a spine two children. A merged node
is a quarter empty, so no sequence of calls splits and merges alternately.
"""

from muntin.kernels.compiler.kernel_api import CAP, A, fetch, inlined, outlined
from muntin.kernels.finger_btree.layout import (
    ARITY,
    CHILD,
    CUT,
    EVICTED,
    HEAD,
    HEIGHT,
    KEY,
    LEFT,
    LEFT_STALE,
    MASK,
    MAX_MERGED_FAN,
    MAX_MERGED_LEAF,
    MIDDLE_STALE,
    MIN_FAN,
    MIN_LEAF,
    MIN_SPINE_FAN,
    PATH,
    RIGHT,
    RIGHT_STALE,
    SUFFIX_STALE,
    VALID,
)
from muntin.kernels.finger_btree.nodes import (
    compact,
    drop_child,
    free_inner,
    free_leaf,
    give_left,
    give_right,
    is_empty,
    mark_stale,
    move_entries,
)
from muntin.kernels.finger_btree.records import TreeArrays
from muntin.kernels.finger_btree.search import (
    LEFT_SIDE,
    complete_path,
    first_after,
    first_entry,
    first_from,
    mark,
    mark_above,
    mark_spine,
    renew_spines,
    seek,
)


@inlined
def lower_root(tree: TreeArrays[A]) -> None:
    """Make the only child of the root the new root."""
    s = tree.s
    height = s[HEIGHT] - 1
    root = s[LEFT + height + 1]
    child = tree.inner[root, 0]
    free_inner(tree, root)
    s[HEIGHT] = height
    s[LEFT + height] = child
    s[RIGHT + height] = child
    s[MIDDLE_STALE] = 1
    s[LEFT_STALE] |= 1 << max(0, height - 1)
    s[RIGHT_STALE] |= 1 << max(0, height - 1)


@inlined
def balance_inner(tree: TreeArrays[A], level: int) -> bool:
    """Merge the underfull node of the path with a neighbour, or share children; True if merged."""
    s, inner = tree.s, tree.inner
    above, at = s[PATH + level + 1], s[CHILD + level + 1]
    if at + 1 == inner[above, ARITY]:
        at -= 1
    left, right = inner[above, at], inner[above, at + 1]
    mark_spine(tree, level, left)
    mark_spine(tree, level, right)
    inner[above, MASK] |= 3 << at
    left_size, right_size = inner[left, ARITY], inner[right, ARITY]
    if left_size + right_size <= MAX_MERGED_FAN:
        give_left(tree, left, right, right_size)
        free_inner(tree, right)
        drop_child(tree, above, at + 1)
        return True
    share = (left_size + right_size) // 2
    if left_size > share:
        give_right(tree, left, right, share)
    else:
        give_left(tree, left, right, share - left_size)
    inner[above, KEY + at + 1] = inner[right, KEY]
    return False


@outlined
def rebalance_path(tree: TreeArrays[A], level: int) -> None:
    """Rebalance the complete path upwards from a level whose node has lost a child."""
    s, inner = tree.s, tree.inner
    while level < s[HEIGHT]:
        node = s[PATH + level]
        least = MIN_FAN
        if mark_spine(tree, level, node):
            least = MIN_SPINE_FAN
        if inner[node, ARITY] >= least:
            break
        merged = balance_inner(tree, level)
        level += 1
        if not merged:
            break
    mark_above(tree, level)
    if level == s[HEIGHT] and inner[s[PATH + level], ARITY] == 1:
        lower_root(tree)
        level -= 1
    renew_spines(tree, level)


@inlined
def prefetch_leaf(tree: TreeArrays[A], leaf: int) -> None:
    """Prefetch a leaf that is read soon: in a long window it has left the cache."""
    fetch(tree.times, leaf)
    fetch(tree.leaves, leaf)


@outlined
def drop_left_leaf(tree: TreeArrays[A]) -> None:
    """Remove the left leaf, which is empty now."""
    s = tree.s
    leaf = s[LEFT]
    s[HEAD] = 0
    if s[HEIGHT] == 0:
        tree.times[leaf, CAP] = 0
        s[CUT] = 0
        s[VALID] = 0
        s[SUFFIX_STALE] = 0
        return
    s[SUFFIX_STALE] = 1
    free_leaf(tree, leaf)
    if s[HEIGHT] > 1 and tree.inner[s[LEFT + 1], ARITY] > MIN_SPINE_FAN:
        drop_child(tree, s[LEFT + 1], 0)
        s[LEFT] = tree.inner[s[LEFT + 1], 0]
        s[LEFT_STALE] |= 2
    else:
        complete_path(tree, 0, LEFT_SIDE)
        drop_child(tree, s[PATH + 1], 0)
        rebalance_path(tree, 1)
    if s[HEIGHT] > 0:
        prefetch_leaf(tree, tree.inner[s[LEFT + 1], 1])


@inlined
def share_entries(tree: TreeArrays[A], left: int, right: int, share: int) -> None:
    """Move entries between two leaves until the left one has its share."""
    times = tree.times
    left_size, right_size = times[left, CAP], times[right, CAP]
    if left_size < share:
        move_entries(tree, right, 0, share - left_size, (left, left_size))
        move_entries(tree, right, share - left_size, right_size, (right, 0))
    else:
        for at in range(right_size - 1, -1, -1):
            move_entries(tree, right, at, at + 1, (right, at + left_size - share))
        move_entries(tree, left, share, left_size, (right, 0))
    times[left, CAP] = share
    times[right, CAP] = left_size + right_size - share


@outlined
def rebalance_leaf(tree: TreeArrays[A], top: int, side: int) -> None:
    """Merge the underfull leaf of the path with a neighbour, or share entries."""
    s, inner, times = tree.s, tree.inner, tree.times
    complete_path(tree, top, side)
    above, at = s[PATH + 1], s[CHILD + 1]
    if at + 1 == inner[above, ARITY]:
        at -= 1
    left, right = inner[above, at], inner[above, at + 1]
    if left == s[LEFT]:
        compact(tree, left)
    if right == s[RIGHT]:
        s[VALID] = 0
    inner[above, MASK] |= 3 << at
    total = times[left, CAP] + times[right, CAP]
    if total > MAX_MERGED_LEAF:
        share_entries(tree, left, right, total // 2)
        inner[above, KEY + at + 1] = times[right, 0]
        mark_above(tree, 1)
        return
    share_entries(tree, left, right, total)
    free_leaf(tree, right)
    drop_child(tree, above, at + 1)
    rebalance_path(tree, 1)


@outlined
def evict_inside(tree: TreeArrays[A], time: int) -> None:
    """Evict the entry at a time, if there is one."""
    s, times = tree.s, tree.times
    leaf, top, side = seek(tree, time)
    last = times[leaf, CAP]
    at = first_from(times, leaf, first_entry(tree, leaf), last, time)
    if at == last or times[leaf, at] != time:
        return
    mark_stale(tree, leaf, at)
    move_entries(tree, leaf, at + 1, last, (leaf, at))
    times[leaf, CAP] = last - 1
    s[EVICTED] += 1
    mark(tree, top, side)
    if leaf == s[LEFT]:
        return
    if last - 1 < (1 if leaf == s[RIGHT] else max(1, MIN_LEAF)):
        rebalance_leaf(tree, top, side)


@inlined
def evict(tree: TreeArrays[A], time: int) -> None:
    """Evict the entry at a time, if there is one."""
    s = tree.s
    leaf, head = s[LEFT], s[HEAD]
    if is_empty(tree):
        return
    if tree.times[leaf, head] != time:
        evict_inside(tree, time)
        return
    s[EVICTED] += 1
    s[HEAD] = head + 1
    if head + 1 == tree.times[leaf, CAP]:
        drop_left_leaf(tree)


@inlined
def evict_through(tree: TreeArrays[A], time: int) -> None:
    """Evict all entries up to a time, inclusive."""
    s, times = tree.s, tree.times
    while not is_empty(tree):
        leaf, head = s[LEFT], s[HEAD]
        last = times[leaf, CAP]
        if times[leaf, head] > time:
            return
        if times[leaf, last - 1] <= time:
            s[EVICTED] += last - head
            drop_left_leaf(tree)
            continue
        at = head + 1
        if times[leaf, at] <= time:
            at = first_after(times, leaf, at + 1, last, time)
        s[EVICTED] += at - head
        s[HEAD] = at
        return
