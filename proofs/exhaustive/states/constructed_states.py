"""Trees of a given shape and any height, planted without a history of calls.

A shape is the number of keys of a leaf, or the shapes of the children of an inner node. Every shape
that the size invariant allows can be planted. Aggregates are computed bottom-up, and on the spines
top-down; a test that plants a tree checks its invariants first.
"""

from itertools import count
from typing import TypeAlias

from exhaustive.states.calls import LETTERS
from muntin.optimized.btree.btree import BTree
from muntin.optimized.btree.fiba import Fiba
from muntin.optimized.btree.node import Node
from muntin.spec.structure import TimedWindow

Shape: TypeAlias = "int | tuple[Shape, ...]"

DISTANCE = 1 << 20
"""The distance between neighbouring times."""


class PlantedTree(BTree[str]):
    """A tree that can be planted in any shape."""

    def plant(self, shape: Shape) -> TimedWindow[str]:
        """Become a tree of this shape; the window that it represents."""
        self._root = self._build(shape, count())
        self._left, self._right = self._root.first_leaf(), self._root.last_leaf()
        window = TimedWindow(LETTERS, tuple(self._root.pairs()))
        self._len = len(window.pairs)
        nodes = list(self._root.subtree())
        spines = [self._spine(0), self._spine(-1)]
        for node in spines[0]:
            node.on_left = True
        for node in spines[1]:
            node.on_right = True
        marked = [node for spine in spines for node in spine]
        for node in reversed(nodes):
            if node not in marked or not self._fingers:
                node.agg = self._aggregate(node)
        for node in marked if self._fingers else []:
            node.agg = self._aggregate(node)
        return window

    def search_visits(self, time: int) -> int:
        """The number of nodes that a search for a time visits."""
        before = self._meter.visits
        self._search(time)
        return self._meter.visits - before

    def _build(self, shape: Shape, numbers: "count[int]") -> Node[str]:
        if isinstance(shape, int):
            leaf: Node[str] = Node(0, "")
            self._fill_in(leaf, shape, numbers)
            return leaf
        children: list[Node[str]] = []
        node: Node[str] = Node(0, "")
        for place, below in enumerate(shape):
            if place:
                self._fill_in(node, 1, numbers)
            children.append(self._build(below, numbers))
        node.adopt(children)
        node.height = children[0].height + 1
        return node

    def _fill_in(self, node: Node[str], keys: int, numbers: "count[int]") -> None:
        for _ in range(keys):
            number = next(numbers)
            node.times.append(DISTANCE * number)
            node.values.append(chr(0x4E00 + number))

    def _spine(self, end: int) -> list[Node[str]]:
        """The nodes of a spine, from the top down; the root is on none."""
        nodes, node = list[Node[str]](), self._root
        while node.height:
            node = node.children[end]
            nodes.append(node)
        return nodes


class PlantedBTree(PlantedTree, BTree[str]):
    """A classic tree that can be planted."""


class PlantedFiba(PlantedTree, Fiba[str]):
    """A finger tree that can be planted."""
