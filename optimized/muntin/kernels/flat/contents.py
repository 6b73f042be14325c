"""What the window holds, oldest first."""

from muntin.kernels.binding import A, Column, Ints, kernel, load, store_one
from muntin.kernels.flat.eviction import first_leaf
from muntin.kernels.flat.layout import COUNT, LEFT, LEVEL, PARENT
from muntin.kernels.flat.nodes import place_of
from muntin.kernels.tree.records import Tree


@kernel
def held(tree: Tree[A], times: Ints, values: Column[A]) -> None:
    """Copy what the window holds, oldest first."""
    node, at = tree.s[LEFT], 0
    for place in range(len(times)):
        while at == tree.times[node, COUNT]:
            parent = tree.inner[node, PARENT]
            at = place_of(tree, parent, node)
            node = parent
        times[place] = tree.times[node, at]
        store_one(values, place, load(tree.leaves, node, at))
        at += 1
        if tree.inner[node, LEVEL] > 0:
            node, at = first_leaf(tree, tree.inner[node, at]), 0
