"""What the operations of a B-tree cost, amortised over a run that starts with an empty tree.

A visit is a node that is searched, tested on the way up from a finger, recomputed or dropped.
`reach` is the height that an operation climbs to: that of the root in a classic tree, and by the
out-of-order distance in a finger tree. Every constant is derived in proofs/btree.md, T2 and T3,
and proofs/fiba.md, T2 to T6.
"""

from dataclasses import dataclass

from muntin.spec.cost import Cost, Operation

COST_PER_CALL = 2
"""Coins that an item is charged for rebalancing at most: Lemma 9, proofs/amortization.md."""

CREDIT_PER_NODE = 3
"""Coins that a bulk evict leaves at most on each level of its cut: proofs/amortization.md."""


def levels(base: int, size: int) -> int:
    """The largest h >= 0 with base ** h <= size, or 0.

    >>> [levels(2, size) for size in (0, 1, 2, 3, 4, 8)]
    [0, 0, 1, 1, 2, 3]
    """
    height = 0
    while base ** (height + 1) <= size:
        height += 1
    return height


@dataclass(frozen=True)
class TreeCost:
    """Costs for a smallest arity, with fingers (1) or without (0)."""

    min_arity: int
    fingers: int

    def of(self, operation: Operation, reach: int) -> Cost:
        """The bound for an operation that climbs to this height."""
        if operation.name == "query":
            return Cost(2 * self.fingers, 1 + 2 * self.fingers)
        if operation.name == "query_range":
            down_and_up = 2 * (reach + 1 + self._climb(reach)) + 2 * reach
            return Cost((2 * reach + 1) * self._widest, down_and_up + 2 * reach + 1)
        if operation.name == "bulk_insert":
            return self._bulk_insert(operation, reach)
        if operation.name == "bulk_evict":
            dropped = operation.items // (self.min_arity - 1) + 1
            coins = COST_PER_CALL + CREDIT_PER_NODE * (reach + 1)
            repaired = 2 * (reach + 1) + self.fingers * reach
            return self._changed(reach + 1 + self._climb(reach) + dropped, repaired, coins)
        return self._changed(
            reach + 1 + self._climb(reach), reach + 1 + self.fingers * reach, COST_PER_CALL
        )

    @property
    def _widest(self) -> int:
        """Combines for the widest aggregate: of 2 * min_arity - 1 values, and all around them."""
        return 2 * (2 * self.min_arity - 1)

    def _climb(self, reach: int) -> int:
        """Nodes tested on the way up: the root, the spine, and the one that ends the climb."""
        return self.fingers * (reach + 2)

    def _changed(self, searched: int, repaired: int, coins: int, items: int = 1) -> Cost:
        """Cost of a change: a coin pays for 1 more node, or with spines for 3, 2 of them wide."""
        combines = items + self._widest * (repaired + (1 + self.fingers) * coins)
        return Cost(combines, searched + repaired + (1 + 2 * self.fingers) * coins)

    def _bulk_insert(self, operation: Operation, reach: int) -> Cost:
        """Cost of a batch (T5): `met` nodes have a part of it below them."""
        items, far = operation.items, operation.size
        if self.fingers:
            far = max(operation.distances, default=0)
        met = sum(min(items, 2 + 2 * (far // self.min_arity ** (h + 1))) for h in range(reach + 1))
        searched = met + 2 + 2 * self.fingers * (reach + 1)
        return self._changed(searched, met + 2 * self.fingers * reach, COST_PER_CALL * items, items)
