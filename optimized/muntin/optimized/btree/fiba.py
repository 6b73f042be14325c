"""FiBA, the finger B-tree aggregator: out-of-order aggregation by the distance to the window's end.

It is the classic tree and one decision: a search starts at the nearest end of the window, so the
nodes there hold aggregates that do not depend on what is far from them. Follows sections 3.2 to 4
of [Tangwongsan19]. S9 to S12 and T1 to T6 are proved in proofs/fiba.md.
"""

from collections.abc import Iterator
from typing import TypeVar

from muntin.optimized.btree import invariants as tree_invariants
from muntin.optimized.btree.balanced_tree import TouchedSpines
from muntin.optimized.btree.btree import BTree
from muntin.optimized.btree.cost_bound import levels
from muntin.optimized.btree.node import Node
from muntin.optimized.btree.node_aggregates import inner, left, right, up
from muntin.optimized.introspection import AggregateKind
from muntin.spec.cost import Operation

A = TypeVar("A")


class Fiba(BTree[A]):
    """Out-of-order aggregation for any monoid, with fingers at both ends of the window."""

    _fingers = 1

    def _start(self, time: int) -> Node[A]:
        """Climb from the nearest finger to a node whose part of the window has this time in it."""
        root, node, tested = self._root, self._root, 1
        if root.height and time < root.times[0]:
            node = self._left
            while (parent := node.parent) and parent.times[0] <= time:
                node = parent
            tested += 1 + node.height
        elif root.height and root.times[-1] < time:
            node = self._right
            while (parent := node.parent) and time <= parent.times[-1]:
                node = parent
            tested += 1 + node.height
        self._meter.visits += tested
        return node

    def _above(self, node: Node[A]) -> Node[A] | None:
        """The parent of a node that holds an up-aggregate: one that is on no spine."""
        return None if node.on_left or node.on_right else node.parent

    def _aggregate(self, node: Node[A]) -> A:
        """Up-, inner, left or right aggregate, as is the node's place."""
        if node.on_left:
            return left(node, self._monoid)
        if node.on_right:
            return right(node, self._monoid)
        return up(node, self._monoid) if node.parent else inner(node, self._monoid)

    def _kind(self, node: Node[A]) -> AggregateKind:
        """Which aggregate the node holds, to be drawn."""
        if node.on_left:
            return "left"
        if node.on_right:
            return "right"
        return "up" if node.parent else "inner"

    def _repair_spines(self, top: Node[A], hit: TouchedSpines[A]) -> None:
        """Walk from the top down the spines that depend on it or have been hit."""
        node = top
        if top.on_left or (not top.parent and hit.left):
            while node.height:
                node = node.children[0]
                self._recompute(node)
        node = top
        if top.on_right or (not top.parent and hit.right):
            while node.height:
                node = node.children[-1]
                self._recompute(node)

    def query(self) -> A:
        """Fold all values in the order of time: what is left, inside and right of the root."""
        root, combine = self._root, self._monoid.combine
        self._meter.visits += 3 if root.height else 1
        if not root.height:
            return root.agg
        return combine(combine(self._left.agg, root.agg), self._right.agg)

    def _aggregate_invariants(self) -> Iterator[tuple[str, bool]]:
        return tree_invariants.aggregates_by_place(self._root, self._monoid.fold)

    def _reach(self, operation: Operation) -> int:
        """How far up the spines an operation goes, by its out-of-order distances.

        A node that is reached at height j has passed a whole subtree of mu ** j - 1 items.
        """
        passed = sum(operation.distances)
        if operation.name in ("bulk_insert", "bulk_evict"):
            passed = max(operation.distances, default=0)
        if operation.name == "query_range":
            passed += operation.items
        return levels(self._min_arity, passed + 1)
