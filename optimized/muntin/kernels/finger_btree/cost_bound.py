"""Cost bounds of the finger B+-tree in combines, amortised over a run.

A change pays for the folds that it makes stale, though a later query recomputes them; T1 to T4 in
proofs/finger_btree.md.
"""

from dataclasses import dataclass

from muntin.kernels.compiler.engine import NodeShape
from muntin.spec.cost import Cost, Operation

STEPS_PER_ENTRY = 3
"""Splits, merges and shares per inserted or evicted entry: at most, amortised, in any shape."""

RARE_STEP_ENTRIES = 16
"""Leaves of more entries have fewer steps: after a step a leaf is an eighth of its entries away
from the next, and two steps may wait for the same changes."""


@dataclass(frozen=True)
class TreeBound:
    """Cost bounds for a node shape."""

    shape: NodeShape

    def search_level(self, distance: int) -> int:
        """The highest level of a search at this distance from an end (T1).

        >>> [TreeBound(NodeShape(64, 16)).search_level(d) for d in (0, 1, 16, 17, 64, 65, 257)]
        [0, 1, 1, 2, 2, 3, 4]
        """
        level = 0
        while self._min_items_passed(level) <= distance:
            level += 1
        return level

    def _min_items_passed(self, level: int) -> int:
        """The fewest items that a search passes before it climbs beyond a level."""
        if level == 0:
            return 1
        poorest: int = max(2, self.shape.fan // 4) ** (level - 1)
        return 1 + max(1, self.shape.cap // 4) * poorest

    def _rebalance_cost(self) -> float:
        """The cost of all steps that an entry pays for."""
        cap, fan = self.shape
        return STEPS_PER_ENTRY * min(1, RARE_STEP_ENTRIES / cap) * (2 * cap + 6 * fan)

    def change_cost(self, distance: int) -> float:
        """The cost of one insert or eviction at this distance (T2)."""
        cap, fan = self.shape
        stale = 3 * cap + (2 * fan + 3) * (self.search_level(distance) + 1)
        return stale + self._rebalance_cost()

    def _touched_nodes(self, items: int, distance: int) -> int:
        """The most nodes with items of a batch below them, up to the level of its search."""
        reach = distance + items
        passed = map(self._min_items_passed, range(1, self.search_level(reach) + 2))
        return sum(min(items, 2 + reach // least) for least in passed)

    def cost(self, operation: Operation) -> Cost:
        """The bound for an operation."""
        cap, fan = self.shape
        name, items, distance = operation.name, operation.items, max(operation.distances, default=0)
        rebalance = self._rebalance_cost()
        if name == "query":
            return Cost(combines=2)
        if name == "query_range":
            level = self.search_level(sum(operation.distances) + items)
            return Cost(combines=2 * (cap + fan * level) + 1)
        if name == "bulk_evict":
            return Cost(combines=items * rebalance + self.change_cost(distance))
        if name == "bulk_insert":
            stale = 3 * cap + (2 * fan + 3) * self._touched_nodes(items, distance)
            return Cost(combines=stale + items * (rebalance + cap))
        return Cost(combines=self.change_cost(distance))
