"""Lazy folds: a query recomputes the folds that changes have made stale.

The fold of a child is stale if its bit in the mask of its node is set. Then the bit of that node in
its own parent is set too, up to the spine, and the level of the spine is marked.
"""

from muntin.kernels.compiler.kernel_api import (
    CAP,
    A,
    Rows,
    combine,
    inlined,
    load,
    outlined,
    store,
    trailing_zeros,
)
from muntin.kernels.finger_btree.layout import (
    ARITY,
    CUT,
    HEAD,
    HEIGHT,
    IDENTITY,
    LEFT,
    LEFT_CHAIN,
    LEFT_INNER,
    LEFT_STALE,
    MASK,
    MIDDLE,
    MIDDLE_STALE,
    MISC,
    PREFIX,
    REST,
    RIGHT,
    RIGHT_CHAIN,
    RIGHT_INNER,
    RIGHT_STALE,
    STACK,
    STEP,
    SUFFIX,
    SUFFIX_STALE,
    VALID,
)
from muntin.kernels.finger_btree.nodes import is_empty
from muntin.kernels.finger_btree.records import TreeArrays

UNROLL_THRESHOLD = 8


@inlined
def fold(rows: Rows[A], row: int, first: int, last: int) -> A:
    """Fold at least one partial; many in four runs, which a processor executes in parallel."""
    width = last - first
    a = load(rows, row, first)
    if width < UNROLL_THRESHOLD:
        for at in range(first + 1, last):
            a = combine(a, load(rows, row, at))
        return a
    q = width >> 2
    b, c = load(rows, row, first + q), load(rows, row, first + 2 * q)
    d = load(rows, row, first + 3 * q)
    for at in range(first + 1, first + q):
        a = combine(a, load(rows, row, at))
        b = combine(b, load(rows, row, at + q))
        c = combine(c, load(rows, row, at + 2 * q))
        d = combine(d, load(rows, row, at + 3 * q))
    for at in range(first + 4 * q, last):
        d = combine(d, load(rows, row, at))
    return combine(combine(a, b), combine(c, d))


@inlined
def refold_stale(tree: TreeArrays[A], top: int, top_level: int, first: int, last: int) -> None:
    """Recompute the stale folds below the children [first, last) of a node."""
    s, inner, folds = tree.s, tree.inner, tree.folds
    inner[top, MASK] &= (1 << last) - (1 << first)
    node, level = top, top_level
    while True:
        mask = inner[node, MASK]
        if mask == 0:
            if level == top_level:
                return
            level += 1
            above = s[STACK + level]
            store(folds, above, s[STEP + level], fold(folds, node, 0, inner[node, ARITY]))
            node = above
            continue
        at = trailing_zeros(mask)
        inner[node, MASK] = mask & (mask - 1)
        child = inner[node, at]
        if level == 1:
            store(folds, node, at, fold(tree.leaves, child, 0, tree.times[child, CAP]))
        else:
            s[STACK + level] = node
            s[STEP + level] = at
            node = child
            level -= 1


@inlined
def refold(tree: TreeArrays[A], node: int, level: int, first: int, last: int) -> A:
    """Fold the children [first, last) of a node on a spine."""
    refold_stale(tree, node, level, first, last)
    return fold(tree.folds, node, first, last)


@inlined
def highest_bit(marks: int) -> int:
    """The position of the highest set bit, or 0."""
    level = 0
    while marks >> (level + 1):
        level += 1
    return level


@inlined
def flush_left(tree: TreeArrays[A], height: int) -> None:
    """Recompute the folds of the left spine, from the highest marked level down."""
    s, ends = tree.s, tree.ends
    marks = s[LEFT_STALE] & ((1 << height) - 1)
    s[LEFT_STALE] = 0
    for level in range(highest_bit(marks), 0, -1):
        if (marks >> level) & 1:
            node = s[LEFT + level]
            inside = refold(tree, node, level, 1, tree.inner[node, ARITY])
            store(ends, LEFT_INNER, level, inside)
        inside = load(ends, LEFT_INNER, level)
        if level < height - 1:
            inside = combine(inside, load(ends, LEFT_CHAIN, level + 1))
        store(ends, LEFT_CHAIN, level, inside)


@inlined
def flush_right(tree: TreeArrays[A], height: int) -> None:
    """Recompute the folds of the right spine."""
    s, ends = tree.s, tree.ends
    marks = s[RIGHT_STALE] & ((1 << height) - 1)
    s[RIGHT_STALE] = 0
    for level in range(highest_bit(marks), 0, -1):
        if (marks >> level) & 1:
            node = s[RIGHT + level]
            inside = refold(tree, node, level, 0, tree.inner[node, ARITY] - 1)
            store(ends, RIGHT_INNER, level, inside)
        inside = load(ends, RIGHT_INNER, level)
        if level < height - 1:
            inside = combine(load(ends, RIGHT_CHAIN, level + 1), inside)
        store(ends, RIGHT_CHAIN, level, inside)


@outlined
def flush_inner(tree: TreeArrays[A], height: int) -> None:
    """Recompute all folds between the leaves at the ends."""
    s, ends = tree.s, tree.ends
    if s[MIDDLE_STALE]:
        s[MIDDLE_STALE] = 0
        root = s[LEFT + height]
        last = tree.inner[root, ARITY] - 1
        middle = load(ends, MISC, IDENTITY)
        if last > 1:
            middle = refold(tree, root, height, 1, last)
        store(ends, MISC, MIDDLE, middle)
    flush_right(tree, height)
    flush_left(tree, height)
    rest = load(ends, MISC, MIDDLE)
    if height > 1:
        left, right = load(ends, LEFT_CHAIN, 1), load(ends, RIGHT_CHAIN, 1)
        rest = combine(combine(left, rest), right)
    store(ends, MISC, REST, rest)


@inlined
def extend_prefix(tree: TreeArrays[A], leaf: int, base: int, last: int) -> None:
    """Recompute the invalid prefix folds of the right leaf."""
    s, ends = tree.s, tree.ends
    at = s[VALID]
    if at < last:
        if at <= base:
            total = load(tree.leaves, leaf, base)
            store(ends, PREFIX, base, total)
            at = base + 1
        else:
            total = load(ends, PREFIX, at - 1)
        while at < last:
            total = combine(total, load(tree.leaves, leaf, at))
            store(ends, PREFIX, at, total)
            at += 1
        s[VALID] = last


@inlined
def renew_suffix(tree: TreeArrays[A], leaf: int, last: int) -> None:
    """Recompute the suffix folds of the left leaf."""
    s, ends = tree.s, tree.ends
    s[SUFFIX_STALE] = 0
    total = load(tree.leaves, leaf, last - 1)
    store(ends, SUFFIX, last - 1, total)
    for at in range(last - 2, s[HEAD] - 1, -1):
        total = combine(load(tree.leaves, leaf, at), total)
        store(ends, SUFFIX, at, total)


@outlined
def flush_small(tree: TreeArrays[A]) -> None:
    """Recompute the folds of a tree of one leaf, which is Two-Stacks."""
    s = tree.s
    leaf = s[RIGHT]
    last = tree.times[leaf, CAP]
    if s[SUFFIX_STALE] or s[HEAD] >= s[CUT]:
        renew_suffix(tree, leaf, last)
        s[CUT] = last
        s[VALID] = last
    else:
        extend_prefix(tree, leaf, s[CUT], last)


@inlined
def flush(tree: TreeArrays[A]) -> None:
    """Recompute all stale folds."""
    s = tree.s
    height = s[HEIGHT]
    if height == 0:
        if not is_empty(tree):
            flush_small(tree)
        return
    extend_prefix(tree, s[RIGHT], 0, tree.times[s[RIGHT], CAP])
    if s[SUFFIX_STALE]:
        renew_suffix(tree, s[LEFT], tree.times[s[LEFT], CAP])
    if s[LEFT_STALE] | s[RIGHT_STALE] | s[MIDDLE_STALE]:
        flush_inner(tree, height)


@inlined
def window_fold(tree: TreeArrays[A]) -> A:
    """Fold the window."""
    flush(tree)
    s, ends = tree.s, tree.ends
    if is_empty(tree):
        return load(ends, MISC, IDENTITY)
    last = tree.times[s[RIGHT], CAP]
    total = load(ends, SUFFIX, s[HEAD])
    if s[HEIGHT] > 0:
        total = combine(total, load(ends, MISC, REST))
    elif s[CUT] == last:
        return total
    return combine(total, load(ends, PREFIX, last - 1))
