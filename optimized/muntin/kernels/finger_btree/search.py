"""Search for a time from the nearest finger [Tangwongsan19, section 4.1]."""

from muntin.kernels.compiler.kernel_api import A, IntRows, inlined
from muntin.kernels.finger_btree.layout import (
    ARITY,
    CHILD,
    HEAD,
    HEIGHT,
    KEY,
    LEFT,
    LEFT_STALE,
    MASK,
    MIDDLE_STALE,
    PATH,
    RIGHT,
    RIGHT_STALE,
)
from muntin.kernels.finger_btree.records import TreeArrays

NO_SIDE, LEFT_SIDE, RIGHT_SIDE = 0, 1, 2


@inlined
def first_from(rows: IntRows, row: int, first: int, last: int, time: int) -> int:
    """The first position in [first, last) with a time that is not smaller, or last."""
    low, width = first, last - first
    while width > 1:
        half = width >> 1
        low = low + half if rows[row, low + half - 1] < time else low
        width -= half
    if width > 0 and rows[row, low] < time:
        low += 1
    return low


@inlined
def first_after(rows: IntRows, row: int, first: int, last: int, time: int) -> int:
    """The first position in [first, last) with a larger time, or last."""
    low, width = first, last - first
    while width > 1:
        half = width >> 1
        low = low + half if rows[row, low + half - 1] <= time else low
        width -= half
    if width > 0 and rows[row, low] <= time:
        low += 1
    return low


@inlined
def child_for(inner: IntRows, node: int, time: int) -> int:
    """The child of a node whose part of the window has this time."""
    return first_after(inner, node, KEY + 1, KEY + inner[node, ARITY], time) - KEY - 1


@inlined
def search_from_finger(tree: TreeArrays[A], time: int) -> tuple[int, int]:
    """The level of the lowest spine node that has this time below it, and its side."""
    s, inner = tree.s, tree.inner
    height = s[HEIGHT]
    root = s[RIGHT + height]
    level = 0
    if height == 0:
        return 0, NO_SIDE
    if time >= inner[root, KEY + inner[root, ARITY] - 1]:
        node = s[RIGHT + 1]
        while time < inner[node, KEY + inner[node, ARITY] - 1]:
            level += 1
            node = s[RIGHT + level + 1]
        return level, RIGHT_SIDE
    if time < inner[root, KEY + 1]:
        while time >= inner[s[LEFT + level + 1], KEY + 1]:
            level += 1
        return level, LEFT_SIDE
    return height, NO_SIDE


@inlined
def seek(tree: TreeArrays[A], time: int) -> tuple[int, int, int]:
    """The leaf for a time, and level and side of the top of the search; stores the path."""
    s, inner = tree.s, tree.inner
    top, side = search_from_finger(tree, time)
    node = s[LEFT + top] if side == LEFT_SIDE else s[RIGHT + top]
    level = top
    while level > 0:
        at = child_for(inner, node, time)
        s[PATH + level] = node
        s[CHILD + level] = at
        node = inner[node, at]
        level -= 1
    return node, top, side


@inlined
def first_entry(tree: TreeArrays[A], leaf: int) -> int:
    """The position of the first entry of a leaf."""
    return tree.s[HEAD] if leaf == tree.s[LEFT] else 0


@inlined
def complete_path(tree: TreeArrays[A], top: int, side: int) -> None:
    """Store the path above the top of the search, up to the root."""
    s, inner = tree.s, tree.inner
    for level in range(top + 1, s[HEIGHT] + 1):
        if side == RIGHT_SIDE:
            s[PATH + level] = s[RIGHT + level]
            s[CHILD + level] = inner[s[RIGHT + level], ARITY] - 1
        else:
            s[PATH + level] = s[LEFT + level]
            s[CHILD + level] = 0


@inlined
def mark(tree: TreeArrays[A], top: int, side: int) -> None:
    """Mark the folds along the path of a change, up to the top of the search."""
    s, inner = tree.s, tree.inner
    for level in range(1, top + 1):
        inner[s[PATH + level], MASK] |= 1 << s[CHILD + level]
    if top > 0:
        if top == s[HEIGHT]:
            s[MIDDLE_STALE] = 1
        elif side == RIGHT_SIDE:
            s[RIGHT_STALE] |= 1 << top
        else:
            s[LEFT_STALE] |= 1 << top


@inlined
def mark_spine(tree: TreeArrays[A], level: int, node: int) -> bool:
    """Mark the level of a node if it is on a spine or the root; whether it is."""
    s = tree.s
    if level == s[HEIGHT]:
        s[MIDDLE_STALE] = 1
    elif node == s[LEFT + level]:
        s[LEFT_STALE] |= 1 << level
    elif node == s[RIGHT + level]:
        s[RIGHT_STALE] |= 1 << level
    else:
        return False
    return True


@inlined
def mark_above(tree: TreeArrays[A], level: int) -> None:
    """Mark the folds from a changed node of the path up to the first node on a spine."""
    s, inner = tree.s, tree.inner
    while not mark_spine(tree, level, s[PATH + level]):
        level += 1
        inner[s[PATH + level], MASK] |= 1 << s[CHILD + level]


@inlined
def renew_spines(tree: TreeArrays[A], level: int) -> None:
    """Recompute the spine nodes below a level."""
    s, inner = tree.s, tree.inner
    while level > 0:
        right = s[RIGHT + level]
        s[LEFT + level - 1] = inner[s[LEFT + level], 0]
        s[RIGHT + level - 1] = inner[right, inner[right, ARITY] - 1]
        level -= 1


@inlined
def key_above_leaf(tree: TreeArrays[A], top: int, side: int, otherwise: int) -> tuple[bool, int]:
    """Whether there is a key just above the leaf of the last search, and that key."""
    s, inner = tree.s, tree.inner
    for level in range(1, top + 1):
        node, after = s[PATH + level], s[CHILD + level] + 1
        if after < inner[node, ARITY]:
            return True, inner[node, KEY + after]
    if side == LEFT_SIDE:
        return True, inner[s[LEFT + top + 1], KEY + 1]
    return False, otherwise
