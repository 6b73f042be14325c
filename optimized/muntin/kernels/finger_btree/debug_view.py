"""The finger B+-tree as plain values, for invariants and tests."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic

from muntin.kernels.compiler.engine import NodeShape
from muntin.kernels.compiler.kernel_api import A
from muntin.kernels.finger_btree.layout import (
    CUT,
    EVICTED,
    HEAD,
    HEIGHT,
    INSERTED,
    LEFT,
    RIGHT,
    VALID,
)
from muntin.kernels.finger_btree.records import TreeArrays
from muntin.spec.structure import Pair


@dataclass(frozen=True)
class TreeDebugView(Generic[A]):
    """The arrays by node and level."""

    tree: TreeArrays[A]
    shape: NodeShape
    commutative: bool

    @property
    def size(self) -> int:
        """The number of entries."""
        return self.tree.s[INSERTED] - self.tree.s[EVICTED]

    @property
    def height(self) -> int:
        """The level of the root."""
        return self.tree.s[HEIGHT]

    @property
    def root(self) -> int:
        """The root."""
        return self.tree.s[LEFT + self.height]

    def left_spine_node(self, level: int) -> int:
        """The node of the left spine at a level."""
        return self.tree.s[LEFT + level]

    def right_spine_node(self, level: int) -> int:
        """The node of the right spine at a level."""
        return self.tree.s[RIGHT + level]

    def arity(self, node: int) -> int:
        """The number of children of an inner node."""
        return self.tree.inner[node, 2 * self.shape.fan]

    def children(self, node: int) -> list[int]:
        """The children of an inner node."""
        return [self.tree.inner[node, child] for child in range(self.arity(node))]

    def key(self, node: int, child: int) -> int:
        """A lower bound of the times below a child, for all children but the first."""
        return self.tree.inner[node, self.shape.fan + child]

    def is_stale(self, node: int, child: int) -> bool:
        """Whether the fold of a child is stale."""
        return bool((self.tree.inner[node, 2 * self.shape.fan + 1] >> child) & 1)

    def entry_range(self, leaf: int) -> tuple[int, int]:
        """The range of positions of the entries of a leaf."""
        first = self.tree.s[HEAD] if leaf == self.left_spine_node(0) else 0
        return first, self.tree.times[leaf, self.shape.cap]

    def entries(self, leaf: int) -> list[Pair[A]]:
        """The entries of a leaf."""
        positions = range(*self.entry_range(leaf))
        return [(int(self.tree.times[leaf, k]), self.tree.leaves[leaf, k]) for k in positions]

    def valid_prefixes(self) -> range:
        """The positions of the right leaf up to which a prefix fold is valid.

        Of a commutative monoid only the last one is kept valid.
        """
        valid = self.tree.s[VALID]
        base = 0 if self.height else self.tree.s[CUT]
        return range(max(base, valid - 1) if self.commutative else base, valid)

    def pairs(self, node: int, level: int) -> list[Pair[A]]:
        """The entries below a node."""
        if level == 0:
            return self.entries(node)
        return [pair for child in self.children(node) for pair in self.pairs(child, level - 1)]

    def values(self, node: int, level: int) -> list[A]:
        """The values below a node."""
        return [value for _, value in self.pairs(node, level)]

    def nodes_at_level(self, level: int) -> list[int]:
        """The nodes of a level, oldest first."""
        nodes = [self.root]
        for _ in range(self.height - level):
            nodes = [child for node in nodes for child in self.children(node)]
        return nodes

    def inner_nodes(self) -> Iterator[tuple[int, int]]:
        """Each inner node with its level."""
        return ((node, k) for k in range(1, self.height + 1) for node in self.nodes_at_level(k))

    def is_on_spine(self, node: int, level: int) -> bool:
        """Whether a node is on a spine, the root, or a leaf at an end."""
        return node in (self.left_spine_node(level), self.right_spine_node(level))

    def children_off_spine(self, node: int, level: int) -> Iterator[tuple[int, int]]:
        """The children whose folds a node keeps, those on no spine: position and child."""
        return (
            (position, child)
            for position, child in enumerate(self.children(node))
            if not self.is_on_spine(child, level - 1)
        )
