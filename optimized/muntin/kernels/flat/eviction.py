"""Evict: from the left finger at once; elsewhere by a search, merges and moves, and a repair."""

from muntin.kernels.binding import A, inlined, outlined
from muntin.kernels.flat.folding import recompute, refresh, repair
from muntin.kernels.flat.layout import (
    COUNT,
    HEIGHT,
    LEAST,
    LEFT,
    LEVEL,
    ON_RIGHT,
    PARENT,
    RIGHT,
    ROOT,
    SIDES,
    SIZE,
)
from muntin.kernels.flat.nodes import (
    adopt,
    clear,
    close_places,
    copy_entry,
    free_row,
    open_place,
    place_of,
)
from muntin.kernels.flat.search import has, seek
from muntin.kernels.tree.records import Tree


@inlined
def merge(tree: Tree[A], parent: int, at: int) -> int:
    """Move a child, and the entry before it, to its older sibling, and return that."""
    s, inner, times = tree.s, tree.inner, tree.times
    older, younger = inner[parent, at], inner[parent, at + 1]
    had, more = times[older, COUNT], times[younger, COUNT]
    copy_entry(tree, parent, at, (older, had))
    for k in range(more):
        copy_entry(tree, younger, k, (older, had + 1 + k))
    times[older, COUNT] = had + 1 + more
    if inner[older, LEVEL] > 0:
        for k in range(more + 1):
            adopt(tree, older, had + 1 + k, inner[younger, k])
    close_places(tree, parent, at, 1)
    for k in range(at + 1, times[parent, COUNT] + 1):
        inner[parent, k] = inner[parent, k + 1]
    inner[older, SIDES] |= inner[younger, SIDES] & ON_RIGHT
    if s[RIGHT] == younger:
        s[RIGHT] = older
    free_row(tree, younger)
    refresh(tree, older)
    return older


@inlined
def take_younger(tree: Tree[A], parent: int, at: int) -> None:
    """Move the first entry of a child to its parent, and from there one to its older sibling."""
    inner, times = tree.inner, tree.times
    node, sibling = inner[parent, at], inner[parent, at + 1]
    last = times[node, COUNT]
    copy_entry(tree, parent, at, (node, last))
    times[node, COUNT] = last + 1
    copy_entry(tree, sibling, 0, (parent, at))
    close_places(tree, sibling, 0, 1)
    if inner[node, LEVEL] > 0:
        adopt(tree, node, last + 1, inner[sibling, 0])
        for k in range(times[sibling, COUNT] + 1):
            inner[sibling, k] = inner[sibling, k + 1]


@inlined
def take_older(tree: Tree[A], parent: int, at: int) -> None:
    """Move the last entry of a child to its parent, and from there one to its younger sibling."""
    inner, times = tree.inner, tree.times
    sibling, node = inner[parent, at], inner[parent, at + 1]
    spared = times[sibling, COUNT] - 1
    open_place(tree, node, 0)
    copy_entry(tree, parent, at, (node, 0))
    copy_entry(tree, sibling, spared, (parent, at))
    times[sibling, COUNT] = spared
    if inner[node, LEVEL] > 0:
        for k in range(times[node, COUNT], 0, -1):
            inner[node, k] = inner[node, k - 1]
        adopt(tree, node, 0, inner[sibling, spared + 1])


@inlined
def shrink(tree: Tree[A], child: int) -> None:
    """Make the root's only child the root."""
    s = tree.s
    free_row(tree, s[ROOT])
    s[ROOT] = child
    s[HEIGHT] -= 1
    tree.inner[child, PARENT] = -1
    tree.inner[child, SIDES] = 0


@inlined
def mend(tree: Tree[A], node: int, level: int) -> None:
    """Merge or move upwards from a node that has shrunk, and repair from this level or above."""
    s, inner, times = tree.s, tree.inner, tree.times
    hit = inner[node, SIDES]
    while inner[node, PARENT] >= 0 and times[node, COUNT] < LEAST - 1:
        parent = inner[node, PARENT]
        place = place_of(tree, parent, node)
        from_older = place == times[parent, COUNT]
        at = place - 1 if from_older else place
        sibling = inner[parent, at if from_older else at + 1]
        hit |= inner[sibling, SIDES]
        if times[sibling, COUNT] < LEAST:
            kept = merge(tree, parent, at)
            if parent == s[ROOT] and times[parent, COUNT] == 0:
                shrink(tree, kept)
                parent = kept
        else:
            if from_older:
                take_older(tree, parent, at)
            else:
                take_younger(tree, parent, at)
            refresh(tree, node)
            refresh(tree, sibling)
        node = parent
        hit |= inner[node, SIDES]
    while inner[node, LEVEL] < level and inner[node, PARENT] >= 0:
        refresh(tree, node)
        node = inner[node, PARENT]
        hit |= inner[node, SIDES]
    repair(tree, node, hit)


@inlined
def last_leaf(tree: Tree[A], node: int) -> int:
    """Return the youngest leaf below a node."""
    while tree.inner[node, LEVEL] > 0:
        node = tree.inner[node, tree.times[node, COUNT]]
    return node


@inlined
def first_leaf(tree: Tree[A], node: int) -> int:
    """Return the oldest leaf below a node."""
    while tree.inner[node, LEVEL] > 0:
        node = tree.inner[node, 0]
    return node


@outlined
def evict(tree: Tree[A], time: int) -> None:
    """Evict the entry at a time, if there is one; from an inner node by a neighbour in a leaf."""
    inner, times = tree.inner, tree.times
    node, at = seek(tree, time)
    if not has(tree, node, at, time):
        return
    tree.s[SIZE] -= 1
    leaf, level = node, inner[node, LEVEL]
    if level > 0:
        place = at
        leaf, at = first_leaf(tree, inner[node, place + 1]), 0
        if times[inner[node, place + 1], COUNT] < LEAST:
            leaf = last_leaf(tree, inner[node, place])
            at = times[leaf, COUNT] - 1
        copy_entry(tree, leaf, at, (node, place))
    close_places(tree, leaf, at, 1)
    mend(tree, leaf, level)


@inlined
def evict_through(tree: Tree[A], time: int) -> None:
    """Evict every entry up to a time, that time included: a part of the left finger at once."""
    s, inner, times = tree.s, tree.inner, tree.times
    while s[SIZE] > 0:
        leaf = s[LEFT]
        if times[leaf, 0] > time:
            return
        last = times[leaf, COUNT]
        most = last
        if inner[leaf, PARENT] >= 0:
            if times[s[RIGHT], times[s[RIGHT], COUNT] - 1] <= time:
                clear(tree)
                return
            most = last - LEAST + 2
        gone = 1
        while gone < most and times[leaf, gone] <= time:
            gone += 1
        close_places(tree, leaf, 0, gone)
        s[SIZE] -= gone
        if inner[leaf, PARENT] < 0 or last - gone >= LEAST - 1:
            recompute(tree, leaf)
        else:
            mend(tree, leaf, 0)
