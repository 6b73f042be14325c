"""FiBA in flat arrays as the nodes of the readable one, to state facts about it: not for speed."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

from muntin.kernels.binding import A
from muntin.kernels.flat.layout import FREE, FRESH, HEIGHT, ON_LEFT, ON_RIGHT, ROOT, ROWS, SPARE
from muntin.kernels.tree.records import Tree
from muntin.optimized.btree_node import Node


@dataclass(frozen=True)
class FlatView(Generic[A]):
    """What stands in the arrays, for a smallest arity."""

    tree: Tree[A]
    min_arity: int

    @cached_property
    def nodes(self) -> dict[int, Node[A]]:
        """Every node below the root, by its row; each knows the parent that its row names."""
        found: dict[int, Node[A]] = {}
        waiting = [self.tree.s[ROOT]]
        while waiting:
            row = waiting.pop()
            found[row] = self._node(row)
            waiting += self.children(row)
        for row, node in found.items():
            node.children = [found[child] for child in self.children(row)]
            node.parent = found.get(self.parent(row))
        return found

    def _node(self, row: int) -> Node[A]:
        level, sides = self._behind(row, 1), self._behind(row, 2)
        node = Node(level, self.tree.folds[row, 0])
        node.times = [int(self.tree.times[row, at]) for at in range(self.count(row))]
        node.values = [self.tree.leaves[row, at] for at in range(self.count(row))]
        node.on_left, node.on_right = bool(sides & ON_LEFT), bool(sides & ON_RIGHT)
        return node

    def _behind(self, row: int, what: int) -> int:
        """Return what stands behind the children of a node: parent, level or sides."""
        return self.tree.inner[row, 2 * self.min_arity + 1 + what]

    def parent(self, row: int) -> int:
        """Return the row that a node names as its parent, or the next one that is free."""
        return self._behind(row, 0)

    def count(self, row: int) -> int:
        """Return how many entries a node has."""
        return self.tree.times[row, 2 * self.min_arity]

    def children(self, row: int) -> list[int]:
        """Return the children of a node."""
        if not self._behind(row, 1):
            return []
        return [self.tree.inner[row, at] for at in range(self.count(row) + 1)]

    def free(self) -> Iterator[int]:
        """Yield the rows that nodes have left."""
        row = self.tree.s[FREE]
        while row >= 0:
            yield row
            row = self.parent(row)

    def rows(self) -> Iterator[tuple[str, bool]]:
        """S13: the rows of nodes."""
        s, free = self.tree.s, list(self.free())
        yield (
            "S13 each row that was ever used is a node or free, and only one of them",
            sorted([*self.nodes, *free]) == list(range(s[FRESH]))
            and s[SPARE] == s[ROWS] - len(self.nodes)
            and s[HEIGHT] == self.nodes[s[ROOT]].height
            and self.parent(s[ROOT]) < 0,
        )
