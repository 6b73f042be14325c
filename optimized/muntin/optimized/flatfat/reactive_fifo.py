"""Reactive Aggregator for windows that evict the oldest item only: no holes, no markers.

Follows [Tangwongsan15], section 5.2: slots outside the ring's boundaries are never written when
items leave, and never read. S7, S8 and T5 are proved in proofs/reactive.md, H1 in
proofs/flatfat.md.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from muntin.optimized.flatfat.flatfat import FlatFat, height
from muntin.optimized.flatfat.reactive import ReactiveAggregator
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Meter
from muntin.spec.errors import UnsupportedError

A = TypeVar("A")

OccupancyTest = Callable[[range], bool]
"""Whether any of these locations holds an item."""


class BoundedFlatFat(FlatFat[A]):
    """A FlatFAT that skips leaves outside the boundaries of a ring, whatever is in them."""

    def __init__(
        self, monoid: Monoid[A], values: list[A], meter: Meter, holds: OccupancyTest
    ) -> None:
        """Build the tree above those leaves that hold an item."""
        self._holds = holds
        super().__init__(monoid, values, meter)

    def clear_leaves(self, locations: Iterable[int]) -> None:
        """Recompute what was combined from items that are no longer held at these locations."""
        self._propagate({self._leaf(location) for location in locations})

    def _recompute(self, node: int) -> None:
        children = [c for c in (2 * node, 2 * node + 1) if self._holds(self._leaves_below(c))]
        if len(children) == 1:
            self._tree[self._visit(node)] = self._tree[children[0]]
        elif children:
            super()._recompute(node)

    def _leaves_below(self, node: int) -> range:
        """The locations of the leaves below the node."""
        levels = height(self._capacity) - height(node)
        return range((node << levels) - self._capacity, (node + 1 << levels) - self._capacity)

    def invariants(self, values: Sequence[A]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with a plain sequence that is right where items are held."""
        held = [self._holds(range(k, k + 1)) for k in range(self._capacity)]
        yield "H1 there are two slots a value", len(self._tree) == 2 * self._capacity
        yield (
            "S8 a node above an item folds the items below it",
            all(
                self._tree[node]
                == self._monoid.fold(values[k] for k in self._leaves_below(node) if held[k])
                for node in range(1, 2 * self._capacity)
                if self._holds(self._leaves_below(node))
            ),
        )


class FifoReactiveAggregator(ReactiveAggregator[A]):
    """A ring whose items are exactly those from the front to the back."""

    def _tree(self, leaves: list[A]) -> BoundedFlatFat[A]:
        return BoundedFlatFat(self._monoid, leaves, self._meter, self._occupied)

    def _occupied(self, locations: range) -> bool:
        end, capacity = self._front + self._span, len(self._times)
        if end > capacity:
            return self._front < locations.stop or locations.start < end - capacity
        return max(self._front, locations.start) < min(end, locations.stop)

    def _remove(self, offsets: range) -> None:
        if offsets and offsets.start > 0:
            oldest, time = (self._times[self._location(k)] for k in (0, offsets.start))
            raise UnsupportedError(f"a FIFO window evicts its oldest time, {oldest}, not {time}")
        super()._remove(offsets)

    def _vacate(self, locations: set[int]) -> None:
        self._front = self._location(len(locations))
        self._span -= len(locations)
        self._fat.clear_leaves(locations)

    def _tree_invariants(self) -> Iterator[tuple[str, bool]]:
        yield "S7 there are no holes", not self._holes
        yield from self._fat.invariants([self._fat[k] for k in range(self._fat.capacity)])
