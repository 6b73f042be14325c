"""The invariants of every B-tree between two calls, each with its label.

The facts are the size, order and aggregation invariants of [Tangwongsan19], section 3, each stated
from the plain pairs and the leaves, never from what the tree computes. Proofs: proofs/btree.md
and, for S9 to S12, proofs/fiba.md.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from muntin.optimized.btree.node import Node
from muntin.spec.structure import Pair

A = TypeVar("A")

Fold = Callable[[Iterable[A]], A]


def shape(root: Node[A], window: Sequence[Pair[A]], min_arity: int) -> Iterator[tuple[str, bool]]:
    """S1 to S4: the tree is a B-tree of the window."""
    nodes = list(root.subtree())
    inner = [node for node in nodes if node.height]
    yield "S1 the pairs in the order of the tree are the window", list(root.pairs()) == list(window)
    yield (
        "S2 every node has between min_arity and 2 * min_arity children, the root from 2",
        all(node.arity <= 2 * min_arity for node in nodes)
        and all(node.arity >= min_arity for node in nodes if node is not root)
        and all(node.arity == len(node.children) >= 2 for node in inner)  # noqa: PLR2004 as printed
        and all(len(node.values) == len(node.times) for node in nodes),
    )
    yield (
        "S3 every child is one level lower, and leaves are at level 0",
        all(child.height == node.height - 1 for node in inner for child in node.children)
        and not any(node.children for node in nodes if not node.height),
    )
    yield (
        "S4 children know their parent, and the root has none",
        all(child.parent is node for node in inner for child in node.children)
        and root.parent is None,
    )


def fingers_and_spines(root: Node[A], left: Node[A], right: Node[A]) -> Iterator[tuple[str, bool]]:
    """S5 and S7: fingers and spines."""
    left_spine = [node for node in root.subtree() if node is not root and is_first(node, root)]
    right_spine = [node for node in root.subtree() if node is not root and is_last(node, root)]
    yield (
        "S5 the fingers are the first and the last leaf",
        left is root.first_leaf() and right is root.last_leaf(),
    )
    yield (
        "S7 spine marks: the nodes below the root that begin or end the window",
        all(node.on_left == (node in left_spine) for node in root.subtree())
        and all(node.on_right == (node in right_spine) for node in root.subtree()),
    )


def is_first(node: Node[A], root: Node[A]) -> bool:
    """Whether nothing in the tree is older than what is below this node."""
    return node.first_leaf() is root.first_leaf()


def is_last(node: Node[A], root: Node[A]) -> bool:
    """Whether nothing in the tree is younger than what is below this node."""
    return node.last_leaf() is root.last_leaf()


def up_aggregates(root: Node[A], fold: Fold[A]) -> Iterator[tuple[str, bool]]:
    """S8: what a classic tree holds."""
    yield (
        "S8 every node folds all that is below it",
        all(node.agg == fold(_values(node)) for node in root.subtree()),
    )


def aggregates_by_place(root: Node[A], fold: Fold[A]) -> Iterator[tuple[str, bool]]:
    """S9 to S12: what a finger tree holds."""
    nodes = [node for node in root.subtree() if node is not root]
    left = [node for node in nodes if is_first(node, root)]
    right = [node for node in nodes if is_last(node, root)]
    first, last = _outer(root, 0), _outer(root, -1)
    everything = _values(root)
    yield (
        "S9 a node on no spine folds all that is below it",
        all(node.agg == fold(_values(node)) for node in nodes if node not in left + right),
    )
    yield (
        "S10 the root folds all but what is below its outer children",
        root.agg == fold(everything[len(first) : len(everything) - len(last)]),
    )
    yield (
        "S11 the left spine: all below the root's first child but what is below the node's own",
        all(node.agg == fold(first[len(_outer(node, 0)) :]) for node in left),
    )
    yield (
        "S12 the right spine: all below the root's last child but what is below the node's own",
        all(node.agg == fold(last[: len(last) - len(_outer(node, -1))]) for node in right),
    )


def _values(node: Node[A]) -> list[A]:
    """What is below a node, in the order of time."""
    return [value for _, value in node.pairs()]


def _outer(node: Node[A], end: int) -> list[A]:
    """What is below the first (0) or the last (-1) child of a node, if it has children."""
    return _values(node.children[end]) if node.height else []
