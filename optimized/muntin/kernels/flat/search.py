"""Where a time belongs: a search from the nearest finger [Tangwongsan19, section 4.1]."""

from muntin.kernels.binding import A, inlined, signed, unsigned
from muntin.kernels.flat.layout import COUNT, LEFT, LEVEL, PARENT, RIGHT, ROOT
from muntin.kernels.tree.records import Tree


@inlined
def first_from(tree: Tree[A], node: int, time: int) -> int:
    """Return the first place in a node with a time that is not smaller, or behind its entries."""
    row, at, one = unsigned(node), unsigned(0), unsigned(1)
    last = unsigned(tree.times[node, COUNT])
    while at < last and tree.times[row, at] < time:
        at += one
    return signed(at)


@inlined
def first_after(tree: Tree[A], node: int, time: int) -> int:
    """Return the first place in a node with a larger time, or behind its entries."""
    row, at, one = unsigned(node), unsigned(0), unsigned(1)
    last = unsigned(tree.times[node, COUNT])
    while at < last and tree.times[row, at] <= time:
        at += one
    return signed(at)


@inlined
def climb(tree: Tree[A], time: int) -> int:
    """Climb from the nearest finger to a node whose part of the window has this time in it."""
    s, inner, times = tree.s, tree.inner, tree.times
    root = s[ROOT]
    if s[LEFT] == root:
        return root
    if time < times[root, 0]:
        node = s[LEFT]
        parent = inner[node, PARENT]
        while parent >= 0 and times[parent, 0] <= time:
            node = parent
            parent = inner[node, PARENT]
        return node
    if times[root, times[root, COUNT] - 1] < time:
        node = s[RIGHT]
        parent = inner[node, PARENT]
        while parent >= 0 and time <= times[parent, times[parent, COUNT] - 1]:
            node = parent
            parent = inner[node, PARENT]
        return node
    return root


@inlined
def seek(tree: Tree[A], time: int) -> tuple[int, int]:
    """Return the node that has this time, or else the leaf where it belongs, and the place."""
    inner, times = tree.inner, tree.times
    node = climb(tree, time)
    at = first_from(tree, node, time)
    while inner[node, LEVEL] > 0:
        if at < times[node, COUNT] and times[node, at] == time:
            break
        node = inner[node, at]
        at = first_from(tree, node, time)
    return node, at


@inlined
def has(tree: Tree[A], node: int, at: int, time: int) -> bool:
    """Whether a search has found its time."""
    return at < tree.times[node, COUNT] and tree.times[node, at] == time
