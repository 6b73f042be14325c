"""A B-tree that is searched, rebalanced after the fact, and repaired: the core of two structures.

Follows section 3 and Figure 7 of [Tangwongsan19]. What a finger tree decides differently is in
`_start`, `_above`, `_aggregate` and `_repair_spines`; everything else is common to both.
"""

from bisect import bisect_left
from typing import Generic, TypeVar

from muntin.atomicity import AllOrNothing
from muntin.optimized.btree import rebalance
from muntin.optimized.btree.node import Node
from muntin.optimized.btree.node_aggregates import up
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Meter
from muntin.spec.errors import InvalidInputError, integer

A = TypeVar("A")

SMALLEST_MIN_ARITY = 2


class TouchedSpines(Generic[A]):
    """Which spines a change has touched: hitleft and hitright."""

    __slots__ = ("left", "right")

    def __init__(self, node: Node[A]) -> None:
        """Start with the node where the change begins."""
        self.left, self.right = node.on_left, node.on_right

    def add(self, node: Node[A]) -> None:
        """Add one more node that has changed."""
        self.left |= node.on_left
        self.right |= node.on_right


class BalancedTree(AllOrNothing, Generic[A]):
    """A tree whose nodes have from min_arity to 2 * min_arity children, the root from 2."""

    def __init__(
        self, monoid: Monoid[A], meter: Meter | None = None, /, min_arity: int = 4
    ) -> None:
        """Start with an empty window."""
        if integer(min_arity, "min_arity") < SMALLEST_MIN_ARITY:
            raise InvalidInputError(f"min_arity must be at least 2, not {min_arity}")
        self._monoid = monoid
        self._meter = meter or Meter()
        self._min_arity = min_arity
        self._clear()

    def _clear(self) -> None:
        """Drop every item."""
        self._root: Node[A] = Node(0, self._monoid.identity)
        self._left = self._right = self._root
        self._len: int = 0

    def _start(self, time: int) -> Node[A]:  # noqa: ARG002 a finger tree needs the time
        """A node whose part of the window has this time in it: here, the root."""
        return self._root

    def _above(self, node: Node[A]) -> Node[A] | None:
        """The node whose aggregate contains that of this one: here, its parent."""
        return node.parent

    def _aggregate(self, node: Node[A]) -> A:
        """What the node has to hold, from what its neighbours hold: here, all below it."""
        return up(node, self._monoid)

    def _repair_spines(self, top: Node[A], hit: TouchedSpines[A]) -> None:
        """Repair what depends on an aggregate above it: here, nothing does."""

    def _search(self, time: int) -> Node[A]:
        """The node that has this time, or else the leaf where it belongs."""
        node = self._start(time)
        above = node.height
        while node.height:
            place = bisect_left(node.times, time)
            if place < len(node.times) and node.times[place] == time:
                break
            node = node.children[place]
        self._meter.visits += 1 + above - node.height
        return node

    def _recompute(self, node: Node[A]) -> None:
        self._meter.visits += 1
        node.agg = self._aggregate(node)

    def _refresh(self, *nodes: Node[A]) -> None:
        """Recompute those nodes that depend only on what is below them."""
        for node in nodes:
            if self._above(node):
                self._recompute(node)

    def _repair(self, top: Node[A], hit: TouchedSpines[A]) -> None:
        """Repair all aggregates; those below top are right, and hit names wrong spines."""
        while above := self._above(top):
            self._recompute(top)
            top = above
        self._recompute(top)
        self._repair_spines(top, hit)

    def _rebalance_for_insert(self, node: Node[A]) -> tuple[Node[A], TouchedSpines[A]]:
        """Split upwards from a node that has grown; the repair begins at the node returned."""
        hit = TouchedSpines(node)
        while node.arity > 2 * self._min_arity:
            parent = node.parent or self._grow()
            hit.add(node)
            self._refresh(*self._split(parent, node))
            node = parent
            hit.add(node)
        return node, hit

    def _rebalance_for_evict(self, node: Node[A]) -> tuple[Node[A], TouchedSpines[A]]:
        """Merge or move upwards from a node that has shrunk; repair begins at the node returned."""
        hit = TouchedSpines(node)
        while node.arity < self._min_arity and (parent := node.parent):
            place = parent.children.index(node)
            older = place - 1 if place == len(parent.times) else place
            sibling = parent.children[older if older < place else place + 1]
            self._hit_sibling(hit, sibling)
            if sibling.arity > self._min_arity:
                self._move(parent, older, from_older=older < place)
                self._refresh(node, sibling)
                node = parent
            else:
                kept = self._merge(parent, older)
                self._refresh(kept)
                node = self._shrink(kept) if self._is_spent(parent) else parent
            hit.add(node)
        return node, hit

    def _hit_sibling(self, hit: TouchedSpines[A], sibling: Node[A]) -> None:
        hit.add(sibling)

    def _split(self, parent: Node[A], node: Node[A]) -> list[Node[A]]:
        pieces = rebalance.split(parent, node, self._min_arity)
        if self._right is node:
            self._right = pieces[-1]
        return pieces

    def _merge(self, parent: Node[A], older: int) -> Node[A]:
        if self._right is parent.children[older + 1]:
            self._right = parent.children[older]
        return rebalance.merge(parent, older)

    def _move(
        self, parent: Node[A], older: int, *, from_older: bool = False, count: int = 1
    ) -> None:
        if from_older:
            rebalance.take_older(parent, older)
        else:
            rebalance.take_younger(parent, older, count)

    def _grow(self) -> Node[A]:
        """Put a new root above the old one, which is now on both spines."""
        old, self._root = self._root, Node(self._root.height + 1, self._root.agg)
        self._root.adopt([old])
        old.on_left = old.on_right = True
        return self._root

    def _is_spent(self, node: Node[A]) -> bool:
        """Whether this is a root that has only one child left."""
        return node is self._root and node.height > 0 and not node.times

    def _shrink(self, child: Node[A]) -> Node[A]:
        """Make the root's only child the root."""
        self._root, child.parent = child, None
        child.on_left = child.on_right = False
        return child
