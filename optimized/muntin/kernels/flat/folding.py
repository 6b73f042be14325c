"""Aggregates by the place of a node, and their repair: Figures 2 and 7 of [Tangwongsan19]."""

from muntin.kernels.binding import A, combine, inlined, load, store, unsigned
from muntin.kernels.flat.layout import (
    COUNT,
    LEFT,
    LEVEL,
    ON_LEFT,
    ON_RIGHT,
    PARENT,
    RIGHT,
    ROOT,
    SIDES,
)
from muntin.kernels.flat.nodes import is_inside
from muntin.kernels.tree.records import Tree


@inlined
def part(tree: Tree[A], node: int, first: int, last: int) -> A:
    """Fold the entries [first, last) of a node, of which there are some, with what is between."""
    row, at, end, one = unsigned(node), unsigned(first), unsigned(last), unsigned(1)
    total = load(tree.leaves, row, at)
    at += one
    if tree.inner[node, LEVEL] == 0:
        while at < end:
            total = combine(total, load(tree.leaves, row, at))
            at += one
        return total
    while at < end:
        total = combine(total, load(tree.folds, unsigned(tree.inner[row, at]), unsigned(0)))
        total = combine(total, load(tree.leaves, row, at))
        at += one
    return total


@inlined
def first_fold(tree: Tree[A], node: int) -> A:
    """Return the aggregate of the first child."""
    return load(tree.folds, tree.inner[node, 0], 0)


@inlined
def last_fold(tree: Tree[A], node: int) -> A:
    """Return the aggregate of the last child."""
    return load(tree.folds, tree.inner[node, tree.times[node, COUNT]], 0)


@inlined
def recompute(tree: Tree[A], node: int) -> None:
    """Take the aggregate of a node anew, from those next to it: inner, up, left or right."""
    inner, count = tree.inner, tree.times[node, COUNT]
    parent, sides = inner[node, PARENT], inner[node, SIDES]
    if count == 0:
        total = load(tree.ends, 0, 0)
    else:
        total = part(tree, node, 0, count)
        if parent >= 0 and inner[node, LEVEL] > 0:
            if sides & ON_LEFT == 0:
                total = combine(first_fold(tree, node), total)
            if sides & ON_RIGHT == 0:
                total = combine(total, last_fold(tree, node))
    if sides != 0 and inner[parent, PARENT] >= 0:
        if sides & ON_LEFT:
            total = combine(total, load(tree.folds, parent, 0))
        else:
            total = combine(load(tree.folds, parent, 0), total)
    store(tree.folds, node, 0, total)


@inlined
def refresh(tree: Tree[A], node: int) -> None:
    """Recompute a node if it depends only on what is below it."""
    if is_inside(tree, node):
        recompute(tree, node)


@inlined
def repair(tree: Tree[A], top: int, hit: int) -> None:
    """Repair all aggregates, if those below top are right and hit says which spines are not."""
    inner = tree.inner
    while is_inside(tree, top):
        recompute(tree, top)
        top = inner[top, PARENT]
    recompute(tree, top)
    reached = inner[top, SIDES]
    if inner[top, PARENT] < 0:
        reached = hit
    for side in (ON_LEFT, ON_RIGHT):
        node = top
        while reached & side and inner[node, LEVEL] > 0:
            node = inner[node, 0 if side == ON_LEFT else tree.times[node, COUNT]]
            recompute(tree, node)


@inlined
def whole(tree: Tree[A]) -> A:
    """Fold the window: what is left, inside and right of the root."""
    s, folds = tree.s, tree.folds
    total = load(folds, s[ROOT], 0)
    if s[LEFT] == s[ROOT]:
        return total
    return combine(combine(load(folds, s[LEFT], 0), total), load(folds, s[RIGHT], 0))
