"""What the calls of the finger B+-tree cost in combines, amortised over a run.

A change pays for the folds that it makes stale, though they are taken anew by a later query; T1 to
T4 in proofs/finger_btree.md.
"""

from dataclasses import dataclass

from muntin.kernels.compiler.engine import NodeShape
from muntin.spec.cost import Cost, Operation

STEPS = 3
"""Splits, merges and shares for each entry that comes or goes, at most, amortised: in any shape."""

SLACK = 16
"""From leaves of so many entries on, steps are rarer: a step leaves leaves an eighth of them away
from the next, and two of them may wait for the same changes."""


@dataclass(frozen=True)
class TreeBound:
    """Costs for a shape."""

    shape: NodeShape

    def reach(self, distance: int) -> int:
        """Return the level up to which a search goes at this distance from an end (T1).

        >>> [TreeBound(NodeShape(64, 16)).reach(d) for d in (0, 1, 16, 17, 64, 65, 257)]
        [0, 1, 1, 2, 2, 3, 4]
        """
        level = 0
        while self._passed(level) <= distance:
            level += 1
        return level

    def _passed(self, level: int) -> int:
        """Return the fewest items that a search passes before it climbs beyond a level."""
        if level == 0:
            return 1
        poorest: int = max(2, self.shape.fan // 4) ** (level - 1)
        return 1 + max(1, self.shape.cap // 4) * poorest

    def _mended(self) -> float:
        """Return the price of all steps that an entry pays for."""
        cap, fan = self.shape
        return STEPS * min(1, SLACK / cap) * (2 * cap + 6 * fan)

    def change(self, distance: int) -> float:
        """Return the price of one entry that comes or goes at this distance (T2)."""
        cap, fan = self.shape
        stale = 3 * cap + (2 * fan + 3) * (self.reach(distance) + 1)
        return stale + self._mended()

    def _touched(self, items: int, distance: int) -> int:
        """Return how many nodes a batch has items below, up to its reach: at most."""
        return sum(
            min(items, 2 + (distance + items) // passed)
            for passed in map(self._passed, range(1, self.reach(distance + items) + 2))
        )

    def of(self, operation: Operation) -> Cost:
        """Return what a call may cost."""
        cap, fan = self.shape
        name, items, far = operation.name, operation.items, max(operation.distances, default=0)
        mended = self._mended()
        if name == "query":
            return Cost(combines=2)
        if name == "query_range":
            level = self.reach(sum(operation.distances) + items)
            return Cost(combines=2 * (cap + fan * level) + 1)
        if name == "bulk_evict":
            return Cost(combines=items * mended + self.change(far))
        if name == "bulk_insert":
            stale = 3 * cap + (2 * fan + 3) * self._touched(items, far)
            return Cost(combines=stale + items * (mended + cap))
        return Cost(combines=self.change(far))
