"""Fold part of the window, from the lowest node that has all of it below."""

from muntin.kernels.binding import A, combine, inlined, load, outlined
from muntin.kernels.flat.folding import first_fold, last_fold, part
from muntin.kernels.flat.layout import COUNT, LEVEL, PARENT, SIZE
from muntin.kernels.flat.search import first_after, first_from, has, seek
from muntin.kernels.tree.records import Tree


@inlined
def common(tree: Tree[A], one: int, other: int) -> int:
    """Return the lowest node with both nodes below it."""
    inner = tree.inner
    while one != other:
        if inner[one, LEVEL] > inner[other, LEVEL]:
            one, other = other, one
        one = inner[one, PARENT]
    return one


@inlined
def joined(older: tuple[bool, A], younger: tuple[bool, A]) -> tuple[bool, A]:
    """Combine what there is of two parts."""
    if not older[0]:
        return younger
    if not younger[0]:
        return older
    return True, combine(older[1], younger[1])


@inlined
def entries(tree: Tree[A], node: int, first: int, last: int) -> tuple[bool, A]:
    """Fold the entries [first, last) of a node with what is between them, if there are any."""
    if first >= last:
        return False, load(tree.ends, 0, 0)
    return True, part(tree, node, first, last)


@inlined
def suffix(tree: Tree[A], node: int, first: int) -> tuple[bool, A]:
    """Fold what is below a node with first <= time."""
    found = False, load(tree.ends, 0, 0)
    while True:
        at, last = first_from(tree, node, first), tree.times[node, COUNT]
        if tree.inner[node, LEVEL] > 0 and at < last:
            found = joined((True, last_fold(tree, node)), found)
        found = joined(entries(tree, node, at, last), found)
        if tree.inner[node, LEVEL] == 0 or has(tree, node, at, first):
            return found
        node = tree.inner[node, at]


@inlined
def prefix(tree: Tree[A], node: int, last: int) -> tuple[bool, A]:
    """Fold what is below a node with time <= last."""
    found = False, load(tree.ends, 0, 0)
    while True:
        at = first_after(tree, node, last)
        if tree.inner[node, LEVEL] > 0 and at > 0:
            found = joined(found, (True, first_fold(tree, node)))
        found = joined(found, entries(tree, node, 0, at))
        if tree.inner[node, LEVEL] == 0 or (at > 0 and tree.times[node, at - 1] == last):
            return found
        node = tree.inner[node, at]


@outlined
def between(tree: Tree[A], first: int, last: int) -> tuple[bool, A]:
    """Fold the entries with first <= time <= last, and say whether there are any."""
    if tree.s[SIZE] == 0 or first > last:
        return False, load(tree.ends, 0, 0)
    top = common(tree, seek(tree, first)[0], seek(tree, last)[0])
    low, high = first_from(tree, top, first), first_after(tree, top, last)
    found = entries(tree, top, low, high)
    if tree.inner[top, LEVEL] == 0:
        return found
    found = joined(suffix(tree, tree.inner[top, low], first), found)
    return joined(found, prefix(tree, tree.inner[top, high], last))
