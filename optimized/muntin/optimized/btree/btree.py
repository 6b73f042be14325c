"""The classic B-tree with up-aggregates: out-of-order aggregation in logarithmic time.

Follows section 3.1 and Figures 7 and 8 of [Tangwongsan19]. S1 to S8 and T1 to T3 are proved in
proofs/btree.md.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TypeVar

from muntin.optimized.btree import invariants as tree_invariants
from muntin.optimized.btree.balanced_tree import TouchedSpines
from muntin.optimized.btree.bulk_evict import BulkEvict
from muntin.optimized.btree.bulk_insert import BulkInsert
from muntin.optimized.btree.cost_bound import TreeCost, levels
from muntin.optimized.btree.node import Node
from muntin.optimized.btree.range_query import RangeQueries
from muntin.optimized.introspection import AggregateKind, NodePicture, TreePicture
from muntin.spec.cost import Cost, Operation
from muntin.spec.errors import integer
from muntin.spec.structure import Pair

A = TypeVar("A")


class BTree(BulkInsert[A], BulkEvict[A], RangeQueries[A]):
    """Out-of-order aggregation for any monoid, where every node folds all that is below it."""

    _fingers = 0

    def insert(self, time: int, value: A) -> None:
        """Add a value; one that is already at this time is combined with it, on its left."""
        node = self._search(integer(time, "the time"))
        place = bisect_left(node.times, time)
        if node.times[place : place + 1] == [time]:
            node.values[place] = self._monoid.combine(node.values[place], value)
        else:
            node.times.insert(place, time)
            node.values.insert(place, value)
            self._len += 1
        self._repair(*self._rebalance_for_insert(node))

    def evict(self, time: int) -> None:
        """Remove what is at this time, if anything is."""
        node = self._search(integer(time, "the time"))
        place = bisect_left(node.times, time)
        if node.times[place : place + 1] != [time]:
            return
        self._len -= 1
        if node.height:
            self._repair(*self._evict_inner(node, place))
        else:
            del node.times[place], node.values[place]
            self._repair(*self._rebalance_for_evict(node))

    def _evict_inner(self, node: Node[A], place: int) -> tuple[Node[A], TouchedSpines[A]]:
        """Evict a neighbour in time from a leaf instead, and write it over the evicted entry."""
        leaf, end = node.children[place + 1].first_leaf(), 0
        if node.children[place + 1].arity <= self._min_arity:
            leaf, end = node.children[place].last_leaf(), -1
        self._meter.visits += node.height
        node.times[place], node.values[place] = leaf.times.pop(end), leaf.values.pop(end)
        top, hit = self._rebalance_for_evict(leaf)
        return self._repair_up_to(node, top, hit)

    def _repair_up_to(
        self, node: Node[A], top: Node[A], hit: TouchedSpines[A]
    ) -> tuple[Node[A], TouchedSpines[A]]:
        """Begin the repair no lower than at this node."""
        while top.height < node.height and (parent := top.parent):
            self._refresh(top)
            top = parent
            hit.add(top)
        return top, hit

    def query(self) -> A:
        """Fold all values in the order of time."""
        self._meter.visits += 1
        return self._root.agg

    def oldest(self) -> int | None:
        """The smallest time, if any."""
        return self._left.times[0] if self._len else None

    def youngest(self) -> int | None:
        """The largest time, if any."""
        return self._right.times[-1] if self._len else None

    def items(self) -> Iterator[Pair[A]]:
        """Yield each time with its value, oldest first."""
        return self._root.pairs()

    def __len__(self) -> int:
        """The number of distinct times held."""
        return self._len

    def picture(self) -> TreePicture[A]:
        """The tree, to be drawn."""
        return TreePicture(self._node_picture(self._root), fingers=self._fingers > 0)

    def _node_picture(self, node: Node[A]) -> NodePicture[A]:
        entries = tuple(zip(node.times, node.values, strict=True))
        children = tuple(map(self._node_picture, node.children))
        return NodePicture(self._kind(node), node.agg, entries, children, self._coins(node))

    def _kind(self, node: Node[A]) -> AggregateKind:  # noqa: ARG002 a finger tree needs the node
        return "up"

    def _coins(self, node: Node[A]) -> int | None:  # noqa: ARG002 an account needs the node
        return None

    def invariants(self, window: Sequence[Pair[A]]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain pairs that this object stands for."""
        yield from tree_invariants.shape(self._root, window, self._min_arity)
        yield from tree_invariants.fingers_and_spines(self._root, self._left, self._right)
        yield "S6 the count is the number of pairs", self._len == len(window)
        yield from self._aggregate_invariants()

    def _aggregate_invariants(self) -> Iterator[tuple[str, bool]]:
        return tree_invariants.up_aggregates(self._root, self._monoid.fold)

    def bound(self, operation: Operation, /) -> Cost:
        """Visits and combines, amortised over a run (T1 to T3), by the height of the tree."""
        return TreeCost(self._min_arity, self._fingers).of(operation, self._reach(operation))

    def _reach(self, operation: Operation) -> int:
        """How high the changes and searches of an operation go: here, to the root.

        The root has 2 children and each other inner node min_arity: 2 * min_arity ** h <= n + 1.
        """
        return levels(self._min_arity, (operation.size + 1) // 2)
