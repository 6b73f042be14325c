"""Range queries on a B-tree with partial aggregates: Figure 10 of [Tangwongsan19], set right.

Two searches give the lowest node with all of the range below it. From there two chains of nodes
lead down, one along each end of the range. What lies between them is on no spine, so that its
aggregates cover all that is below them: proofs/fiba.md, T4.
"""

from bisect import bisect_left, bisect_right
from functools import reduce
from typing import TypeVar

from muntin.optimized.btree.balanced_tree import BalancedTree
from muntin.optimized.btree.node import Node
from muntin.spec.errors import integer

A = TypeVar("A")


class RangeQueries(BalancedTree[A]):
    """Windows within the window, from one tree."""

    def query_range(self, first: int, last: int) -> A:
        """Fold the values with first <= time <= last."""
        if integer(first, "the first time") > integer(last, "the last time"):
            return self._monoid.identity
        top = self._least_common_ancestor(self._search(first), self._search(last))
        parts = self._parts(top, first, last)
        return reduce(self._monoid.combine, parts) if parts else self._monoid.identity

    def _least_common_ancestor(self, node: Node[A], other: Node[A]) -> Node[A]:
        while node is not other:
            if node.height > other.height:
                node, other = other, node
            node = node.parent or node
            self._meter.visits += 1
        return node

    def _parts(self, top: Node[A], first: int, last: int) -> list[A]:
        """Aggregates, oldest first, that make up the range."""
        low, high = bisect_left(top.times, first), bisect_right(top.times, last)
        self._meter.visits += 1
        between = _between(top, low, high)
        if not top.height:
            return between
        from_first = self._suffix(top.children[low], first)
        return from_first + between + self._prefix(top.children[high], last)

    def _suffix(self, node: Node[A], first: int) -> list[A]:
        """Aggregates of everything below the node with first <= time."""
        later: list[list[A]] = []
        while True:
            self._meter.visits += 1
            low = bisect_left(node.times, first)
            later.append(_between(node, low, node.arity - 1))
            if node.height and low < len(node.times):
                later[-1].append(node.children[-1].agg)
            if not node.height or node.times[low : low + 1] == [first]:
                return [part for parts in reversed(later) for part in parts]
            node = node.children[low]

    def _prefix(self, node: Node[A], last: int) -> list[A]:
        """Aggregates of everything below the node with time <= last."""
        parts: list[A] = []
        while True:
            self._meter.visits += 1
            high = bisect_right(node.times, last)
            if node.height and high:
                parts.append(node.children[0].agg)
            parts += _between(node, 0, high)
            if not node.height or node.times[high - 1 : high] == [last]:
                return parts
            node = node.children[high]


def _between(node: Node[A], low: int, high: int) -> list[A]:
    """The values from one place to another, and the aggregates of the children between."""
    if not node.height:
        return node.values[low:high]
    parts = node.values[low : min(high, low + 1)]
    for child, value in zip(
        node.children[low + 1 : high], node.values[low + 1 : high], strict=True
    ):
        parts += [child.agg, value]
    return parts
