"""The Reactive Aggregator with blots over the cells that must never be read again.

A slot that holds neither an item nor a hole keeps an old time, and in a FIFO window an old value
too, and nodes of the tree keep old aggregates. States that differ only in such leftovers are the
same, so they are overwritten, with a blot that shows when it is read.
"""

from typing import TypeGuard

from exhaustive.object_state import BLOT, UNREAD
from exhaustive.states.exploration import Structure
from muntin.optimized.flatfat.flatfat import height
from muntin.optimized.flatfat.reactive import ReactiveAggregator
from muntin.optimized.flatfat.reactive_fifo import BoundedFlatFat, FifoReactiveAggregator
from muntin.spec.cost import Cost, Operation


class BlottedRing(ReactiveAggregator[str]):
    """A ring without old times."""

    def blot(self) -> None:
        """Overwrite the cells that must not be read."""
        used = {self._location(offset) for offset in range(self._span)}
        for location in {*range(len(self._times))} - used:
            self._times[location] = UNREAD

    def hole_times(self) -> list[int]:
        """The times of the holes."""
        return [self._times[location] for location in self._holes]


class BlottedFlatFat(BoundedFlatFat[str]):
    """A tree without old values."""

    def blot(self) -> None:
        """Overwrite the cells that must not be read."""
        for node in range(1, 2 * self._capacity):
            if not self._holds(self._leaves_below(node)):
                self._tree[node] = BLOT


class BlottedFifoRing(FifoReactiveAggregator[str]):
    """A FIFO ring without old times and values."""

    def _tree(self, leaves: list[str]) -> BlottedFlatFat:
        return BlottedFlatFat(self._monoid, leaves, self._meter, self._occupied)

    def blot(self) -> None:
        """Overwrite the cells that must not be read."""
        used = {self._location(offset) for offset in range(self._span)}
        for location in {*range(len(self._times))} - used:
            self._times[location] = UNREAD
        if isinstance(self._fat, BlottedFlatFat):
            self._fat.blot()


def is_ring(structure: Structure) -> TypeGuard[BlottedRing | BlottedFifoRing]:
    """Whether a structure is a blotted ring."""
    return isinstance(structure, BlottedRing | BlottedFifoRing)


def blot(structure: Structure) -> Structure:
    """Overwrite the cells of a ring that must not be read."""
    if is_ring(structure):
        structure.blot()
    return structure


def capacity(structure: Structure) -> int:
    """The number of slots of a ring."""
    return len(structure.picture().times) if is_ring(structure) else 0


def hole_times(structure: Structure) -> list[int]:
    """The times that a ring stores besides those of its items."""
    return structure.hole_times() if isinstance(structure, BlottedRing) else []


def query_bound(structure: Structure, operation: Operation) -> Cost:
    """The bound of a query by the slots of the ring (T3); other calls have none here."""
    if not is_ring(structure) or operation.name not in {"query", "query_range"}:
        return Cost()
    picture = structure.picture()
    front, back = picture.front, picture.back
    inverted = front is not None and back is not None and back < front
    climbs = inverted or operation.name == "query_range"
    return Cost(max(0, 2 * height(len(picture.times)) - 1) if climbs else 0)
