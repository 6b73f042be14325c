"""The steps that keep the nodes of a B-tree neither too large nor too small.

They are those of [Tangwongsan19], section 3.3, made to take any number of entries at a time for
bulk operations. They keep order, depth, parents and spine marks (S1 to S4 and S7 in
proofs/btree.md) and leave every aggregate of the nodes they change to be computed anew.
"""

from itertools import accumulate, pairwise
from typing import TypeVar

from muntin.optimized.btree.node import Node

A = TypeVar("A")


def split(parent: Node[A], node: Node[A], min_arity: int) -> list[Node[A]]:
    """Cut an overfull node into pieces of nearly equal arity, with a time of the parent between.

    An arity of 2 * min_arity + 1 makes two pieces, of min_arity + 1 and min_arity.
    """
    count = max(2, node.arity // (min_arity + 1))
    cuts = list(accumulate((node.arity + count - 1 - i) // count for i in range(count)))
    pieces = [node] + [Node(node.height, node.agg) for _ in cuts[1:]]
    for piece, (start, end) in zip(pieces[1:], pairwise(cuts), strict=True):
        piece.times = node.times[start : end - 1]
        piece.values = node.values[start : end - 1]
        piece.adopt(node.children[start:end])
        piece.parent = parent
    place = parent.children.index(node)
    parent.times[place:place] = [node.times[cut - 1] for cut in cuts[:-1]]
    parent.values[place:place] = [node.values[cut - 1] for cut in cuts[:-1]]
    parent.children[place + 1 : place + 1] = pieces[1:]
    del node.times[cuts[0] - 1 :], node.values[cuts[0] - 1 :], node.children[cuts[0] :]
    pieces[-1].on_right, node.on_right = node.on_right, False
    return pieces


def merge(parent: Node[A], place: int) -> Node[A]:
    """Make one node of two neighbours and the parent's entry between them; keep the older one."""
    older, younger = parent.children[place : place + 2]
    older.times += [parent.times.pop(place), *younger.times]
    older.values += [parent.values.pop(place), *younger.values]
    older.adopt(younger.children)
    older.on_right = younger.on_right
    del parent.children[place + 1]
    return older


def take_younger(parent: Node[A], place: int, count: int) -> None:
    """Move entries by way of the parent from the child after this place to the one at it."""
    older, younger = parent.children[place : place + 2]
    older.times += [parent.times[place], *younger.times[: count - 1]]
    older.values += [parent.values[place], *younger.values[: count - 1]]
    older.adopt(younger.children[:count])
    parent.times[place] = younger.times[count - 1]
    parent.values[place] = younger.values[count - 1]
    del younger.times[:count], younger.values[:count], younger.children[:count]


def take_older(parent: Node[A], place: int) -> None:
    """Move an entry by way of the parent from the child at this place to the one after it."""
    older, younger = parent.children[place : place + 2]
    younger.times.insert(0, parent.times[place])
    younger.values.insert(0, parent.values[place])
    parent.times[place], parent.values[place] = older.times.pop(), older.values.pop()
    if older.height:
        child = older.children.pop()
        child.parent = younger
        younger.children.insert(0, child)
