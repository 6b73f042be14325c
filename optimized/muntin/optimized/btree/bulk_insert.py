"""Insert a sorted batch into a B-tree at the cost of the part of the tree that it falls into.

After [Tangwongsan23]: the batch is distributed from where the search for it starts, so that each
node on the way is visited once; then every level is split and repaired once, from the leaves up.
Cost: proofs/fiba.md, T5.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from muntin.optimized.btree.balanced_tree import BalancedTree, TouchedSpines
from muntin.optimized.btree.node import Node
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.structure import Pair, in_time_order

A = TypeVar("A")

Run = tuple[int, int]
"""The part of a batch from one position up to another."""

Levels = list[dict[Node[A], None]]
"""For each height, the nodes that have changed, in order of discovery."""


class SortedPairs(Generic[A]):
    """Distinct, increasing times, with a value at each."""

    def __init__(self, pairs: Iterable[Pair[A]], monoid: Monoid[A]) -> None:
        """Combine what is at the same time, in the order of arrival."""
        self.times: list[int] = []
        self.values: list[A] = []
        for time, value in in_time_order(pairs):
            if self.times[-1:] == [time]:
                self.values[-1] = monoid.combine(self.values[-1], value)
            else:
                self.times.append(time)
                self.values.append(value)

    def distribute(self, node: Node[A], run: Run) -> Iterator[tuple[int, Run]]:
        """Yield places among the node's times, each with what belongs before or at its time."""
        low, high = run
        while low < high:
            place, end = bisect_left(node.times, self.times[low]), high
            if place < len(node.times):
                end = bisect_right(self.times, node.times[place], low, high)
            yield place, (low, end)
            low = end


class BulkInsert(BalancedTree[A]):
    """Batches in one pass down and one pass up."""

    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> None:
        """Insert pairs that are sorted by time."""
        batch = SortedPairs(pairs, self._monoid)
        if batch.times:
            self._split_and_repair(self._distribute(batch))

    def _search_starts(self, batch: SortedPairs[A]) -> Iterator[tuple[Node[A], Run]]:
        """Cut the batch at the ends of the root, and yield where the search for each part starts.

        Beside the root the time that is furthest from its end of the window decides: a start on a
        spine serves every time from there to that end.
        """
        root, size = self._root, len(batch.times)
        low = bisect_left(batch.times, root.times[0]) if root.height else 0
        high = bisect_right(batch.times, root.times[-1]) if root.height else size
        if low > 0:
            yield self._start(batch.times[low - 1]), (0, low)
        if low < high:
            yield root, (low, high)
        if high < size:
            yield self._start(batch.times[high]), (high, size)

    def _distribute(self, batch: SortedPairs[A]) -> Levels[A]:
        """Put every pair in its place; the nodes that have changed are returned."""
        changed: Levels[A] = [{} for _ in range(self._root.height + 1)]
        waiting = list(self._search_starts(batch))
        while waiting:
            node, run = waiting.pop()
            self._meter.visits += 1
            for place, (low, high) in reversed(list(batch.distribute(node, run))):
                rest = (low, high)
                if node.times[place : place + 1] == [batch.times[high - 1]]:
                    rest = (low, high - 1)
                    value = self._monoid.combine(node.values[place], batch.values[high - 1])
                    node.values[place] = value
                    changed[node.height][node] = None
                if rest[0] == rest[1]:
                    continue
                if node.height:
                    waiting.append((node.children[place], rest))
                else:
                    self._put_in_leaf(node, place, batch, rest)
                    changed[0][node] = None
        return changed

    def _put_in_leaf(self, leaf: Node[A], place: int, batch: SortedPairs[A], run: Run) -> None:
        """Put new items into a leaf, which may overflow."""
        low, high = run
        leaf.times[place:place] = batch.times[low:high]
        leaf.values[place:place] = batch.values[low:high]
        self._len += high - low

    def _split_and_repair(self, changed: Levels[A]) -> None:
        """Split and repair level by level, from the leaves to where nothing changes any more."""
        tops: dict[str, Node[A]] = {}
        for height, level in enumerate(changed):
            for node in level:
                for piece in self._split_if_full(node, changed):
                    if above := self._above(piece):
                        self._recompute(piece)
                        changed[height + 1][above] = None
                    else:
                        tops.update(_ends(piece))
        for top in dict.fromkeys(tops.values()):
            self._repair(top, TouchedSpines(top))

    def _split_if_full(self, node: Node[A], changed: Levels[A]) -> list[Node[A]]:
        """The node, or if it is too large, what it is split into."""
        if node.arity <= 2 * self._min_arity:
            return [node]
        parent = node.parent or self._grow()
        changed += [{}] * (parent.height == len(changed))
        changed[parent.height][parent] = None
        return self._split(parent, node)


def _ends(node: Node[A]) -> Iterator[tuple[str, Node[A]]]:
    """Yield the ends of the tree that a node belongs to: of each only the highest node matters."""
    if not node.parent:
        yield "root", node
    if node.on_left:
        yield "left", node
    if node.on_right:
        yield "right", node
