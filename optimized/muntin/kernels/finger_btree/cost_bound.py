"""What the calls of the finger B+-tree cost in combines, amortised over a run.

A change pays for the folds that it makes stale, though they are taken anew by a later query; T1 to
T4 in proofs/finger_btree.md.
"""

from dataclasses import dataclass

from muntin.kernels.compiler.engine import NodeShape
from muntin.spec.cost import Cost, Operation

STEPS_PER_ENTRY = 3
"""Splits, merges and shares for each entry that comes or goes, at most, amortised: in any shape."""

RARE_STEP_ENTRIES = 16
"""From leaves of so many entries on, steps are rarer: a step leaves leaves an eighth of them away
from the next, and two of them may wait for the same changes."""


@dataclass(frozen=True)
class TreeBound:
    """Costs for a shape."""

    shape: NodeShape

    def search_level(self, distance: int) -> int:
        """Return the level up to which a search goes at this distance from an end (T1).

        >>> [TreeBound(NodeShape(64, 16)).reach(d) for d in (0, 1, 16, 17, 64, 65, 257)]
        [0, 1, 1, 2, 2, 3, 4]
        """
        level = 0
        while self._min_items_passed(level) <= distance:
            level += 1
        return level

    def _min_items_passed(self, level: int) -> int:
        """Return the fewest items that a search passes before it climbs beyond a level."""
        if level == 0:
            return 1
        poorest: int = max(2, self.shape.fan // 4) ** (level - 1)
        return 1 + max(1, self.shape.cap // 4) * poorest

    def _rebalance_cost(self) -> float:
        """Return the price of all steps that an entry pays for."""
        cap, fan = self.shape
        return STEPS_PER_ENTRY * min(1, RARE_STEP_ENTRIES / cap) * (2 * cap + 6 * fan)

    def change_cost(self, distance: int) -> float:
        """Return the price of one entry that comes or goes at this distance (T2)."""
        cap, fan = self.shape
        stale = 3 * cap + (2 * fan + 3) * (self.search_level(distance) + 1)
        return stale + self._rebalance_cost()

    def _touched_nodes(self, items: int, distance: int) -> int:
        """Return how many nodes a batch has items below, up to its reach: at most."""
        return sum(
            min(items, 2 + (distance + items) // passed)
            for passed in map(
                self._min_items_passed, range(1, self.search_level(distance + items) + 2)
            )
        )

    def cost(self, operation: Operation) -> Cost:
        """Return what a call may cost."""
        cap, fan = self.shape
        name, items, far = operation.name, operation.items, max(operation.distances, default=0)
        mended = self._rebalance_cost()
        if name == "query":
            return Cost(combines=2)
        if name == "query_range":
            level = self.search_level(sum(operation.distances) + items)
            return Cost(combines=2 * (cap + fan * level) + 1)
        if name == "bulk_evict":
            return Cost(combines=items * mended + self.change_cost(far))
        if name == "bulk_insert":
            stale = 3 * cap + (2 * fan + 3) * self._touched_nodes(items, far)
            return Cost(combines=stale + items * (mended + cap))
        return Cost(combines=self.change_cost(far))
