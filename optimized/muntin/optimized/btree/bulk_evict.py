"""Evict all old items from a B-tree at the cost of the path that the cut takes through it.

After [Tangwongsan23]: the nodes on the path lose all that is older, and become the left spine.
Then they are filled again from their younger neighbours, from the top down, each to one more than
the smallest arity, so that it can spare a child for the merge of the next. Cost: proofs/fiba.md,
T6.
"""

from bisect import bisect_right
from typing import TypeVar

from muntin.optimized.btree.balanced_tree import BalancedTree, TouchedSpines
from muntin.optimized.btree.node import Node
from muntin.spec.errors import integer

A = TypeVar("A")


class BulkEvict(BalancedTree[A]):
    """Evict up to a time."""

    def bulk_evict(self, up_to: int) -> None:
        """Remove everything at or before this time."""
        integer(up_to, "the time")
        if not self._len or up_to < self._left.times[0]:
            return
        if self._right.times[-1] <= up_to:
            self._clear()
            return
        top = self._start(up_to)
        hit = TouchedSpines(top)
        if top.parent and top.on_right:
            self._drop_all_before(top)
        path = self._cut(top, up_to)
        while self._is_spent(self._root):
            self._shrink(self._root.children[0])
            hit.right = True
        self._left = path[-1]
        for node in path:
            node.on_left = node.height < self._root.height
        self._fill_and_repair(top, [node for node in path if node.on_left], hit)

    def _drop_all_before(self, top: Node[A]) -> None:
        """Make a node of the right spine the root."""
        node = top
        while parent := node.parent:
            self._len -= len(parent.times)
            self._meter.visits += 1
            for child in parent.children[:-1]:
                self._len -= self._drop(child)
            node = parent
        self._root, top.parent, top.on_right = top, None, False

    def _cut(self, top: Node[A], up_to: int) -> list[Node[A]]:
        """Drop what is older from each node on the way down to a leaf; these nodes are returned."""
        path, node = [top], top
        while True:
            self._meter.visits += 1
            place = bisect_right(node.times, up_to)
            self._len -= place + sum(map(self._drop, node.children[:place]))
            del node.times[:place], node.values[:place], node.children[:place]
            if not node.height:
                return path
            node = node.children[0]
            path.append(node)

    def _drop(self, node: Node[A]) -> int:
        """Unlink a subtree, so that it is freed at once; the number of its items is returned."""
        dropped = 0
        for below in node.subtree():
            below.parent = None
            dropped += len(below.times)
            self._meter.visits += 1
        return dropped

    def _fill_and_repair(self, top: Node[A], path: list[Node[A]], hit: TouchedSpines[A]) -> None:
        """Fill each node of the path that has lost too much, and repair all aggregates."""
        for node in path:
            if self._fill(node, hit) and node is top and node.parent:
                top, more = self._rebalance_for_evict(node.parent)
                hit.right |= more.right
        self._refresh(*reversed(path))
        hit.left = True
        self._repair(top if top.parent else self._root, hit)

    def _fill(self, node: Node[A], hit: TouchedSpines[A]) -> bool:
        """Fill a node at the left end of the tree from its neighbour, if it needs that."""
        parent, least = node.parent, self._min_arity + (node.height > 0)
        if not parent or node.arity >= least:
            return False
        sibling = parent.children[1]
        hit.add(sibling)
        both = node.arity + sibling.arity
        if both > 2 * self._min_arity:
            self._move(parent, 0, count=(both + 1) // 2 - node.arity)
            self._refresh(sibling)
        else:
            self._merge(parent, 0)
            if self._is_spent(parent):
                self._shrink(node)
        return True
