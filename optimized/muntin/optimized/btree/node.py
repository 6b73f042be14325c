"""A node of a B-tree that keeps one partial aggregate, as in Figure 1 of [Tangwongsan19]."""

from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from muntin.spec.structure import Pair

A = TypeVar("A")


class Node(Generic[A]):
    """Times and values in order, with a child before, between and after them unless it is a leaf.

    Its height is the number of levels below it, and never changes. The root is on no spine.
    """

    __slots__ = ("agg", "children", "height", "on_left", "on_right", "parent", "times", "values")

    def __init__(self, height: int, agg: A) -> None:
        """Start without entries, and with an aggregate that is still to be computed."""
        self.parent: Node[A] | None = None
        self.height = height
        self.times: list[int] = []
        self.values: list[A] = []
        self.children: list[Node[A]] = []
        self.agg = agg
        self.on_left = False
        self.on_right = False

    @property
    def arity(self) -> int:
        """How many children an inner node has with as many times."""
        return len(self.times) + 1

    def adopt(self, children: "Sequence[Node[A]]") -> None:
        """Append children, and be their parent."""
        for child in children:
            child.parent = self
        self.children.extend(children)

    def first_leaf(self) -> "Node[A]":
        """The leaf with the oldest times below."""
        node = self
        while node.height:
            node = node.children[0]
        return node

    def last_leaf(self) -> "Node[A]":
        """The leaf with the youngest times below."""
        node = self
        while node.height:
            node = node.children[-1]
        return node

    def subtree(self) -> "Iterator[Node[A]]":
        """Yield this node and every node below it, parents first."""
        waiting: list[Node[A]] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(node.children)

    def pairs(self) -> Iterator[Pair[A]]:
        """Yield every time below with its value, oldest first."""
        if not self.height:
            yield from zip(self.times, self.values, strict=True)
            return
        for child, time, value in zip(self.children, self.times, self.values, strict=False):
            yield from child.pairs()
            yield time, value
        yield from self.children[-1].pairs()
