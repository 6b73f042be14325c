"""The four partial aggregates of Figure 2 of [Tangwongsan19], each from those next to the node.

That each is the fold of the items it should cover is proved in proofs/btree.md (S8) and
proofs/fiba.md (S9 to S12).
"""

from functools import reduce
from typing import TypeVar

from muntin.optimized.btree.node import Node
from muntin.spec.algebra.monoid import Monoid

A = TypeVar("A")


def inner(node: Node[A], monoid: Monoid[A]) -> A:
    """Fold from the node's first value to its last: all but the outermost children."""
    values = node.values
    if not node.height:
        return reduce(monoid.combine, values) if values else monoid.identity
    parts = values[:1]
    for child, value in zip(node.children[1:], values[1:], strict=False):
        parts += [child.agg, value]
    return reduce(monoid.combine, parts)


def up(node: Node[A], monoid: Monoid[A]) -> A:
    """Fold everything below the node."""
    total = inner(node, monoid)
    if node.height:
        total = monoid.combine(node.children[0].agg, total)
        total = monoid.combine(total, node.children[-1].agg)
    return total


def left(node: Node[A], monoid: Monoid[A]) -> A:
    """Fold everything below the root's first child, but for the node's first child."""
    total = inner(node, monoid)
    if node.height:
        total = monoid.combine(total, node.children[-1].agg)
    if node.parent and node.parent.parent:
        total = monoid.combine(total, node.parent.agg)
    return total


def right(node: Node[A], monoid: Monoid[A]) -> A:
    """Fold everything below the root's last child, but for the node's last child."""
    total = inner(node, monoid)
    if node.height:
        total = monoid.combine(node.children[0].agg, total)
    if node.parent and node.parent.parent:
        total = monoid.combine(node.parent.agg, total)
    return total
