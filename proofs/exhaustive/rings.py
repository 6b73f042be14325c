"""The Reactive Aggregator with blots where it keeps what nobody should ever read again.

A slot that holds neither an item nor a hole keeps an old time, and in a FIFO window an old value
too, and nodes of the tree keep what they were combined from. Such leavings would make states
differ that are the same, so they are overwritten, with something that shows when it is read.
"""

from typing import TypeGuard

from exhaustive.exploration import Structure
from exhaustive.object_state import BLOT, UNREAD
from muntin.optimized.flatfat.flatfat import height
from muntin.optimized.flatfat.reactive import ReactiveAggregator
from muntin.optimized.flatfat.reactive_fifo import BoundedFlatFat, FifoReactiveAggregator
from muntin.spec.cost import Cost, Operation


class Ring(ReactiveAggregator[str]):
    """A ring without old times."""

    def blot(self) -> None:
        """Overwrite what means nothing."""
        used = {self._location(offset) for offset in range(self._span)}
        for location in {*range(len(self._times))} - used:
            self._times[location] = UNREAD

    def hole_times(self) -> list[int]:
        """Return the times of the holes."""
        return [self._times[location] for location in self._holes]


class BlottedFat(BoundedFlatFat[str]):
    """A tree without old values."""

    def blot(self) -> None:
        """Overwrite what means nothing."""
        for node in range(1, 2 * self._capacity):
            if not self._holds(self._leaves_below(node)):
                self._tree[node] = BLOT


class FifoRing(FifoReactiveAggregator[str]):
    """A FIFO ring without old times and values."""

    def _tree(self, leaves: list[str]) -> BlottedFat:
        return BlottedFat(self._monoid, leaves, self._meter, self._occupied)

    def blot(self) -> None:
        """Overwrite what means nothing."""
        used = {self._location(offset) for offset in range(self._span)}
        for location in {*range(len(self._times))} - used:
            self._times[location] = UNREAD
        if isinstance(self._fat, BlottedFat):
            self._fat.blot()


def is_ring(structure: Structure) -> TypeGuard[Ring | FifoRing]:
    """Whether a structure is one of these."""
    return isinstance(structure, Ring | FifoRing)


def blotted(structure: Structure) -> Structure:
    """Overwrite what means nothing in a ring, and return it."""
    if is_ring(structure):
        structure.blot()
    return structure


def capacity(structure: Structure) -> int:
    """Return how many slots the ring has."""
    return len(structure.picture().times) if is_ring(structure) else 0


def hole_times(structure: Structure) -> list[int]:
    """Return the times that a ring knows besides those of its items."""
    return structure.hole_times() if isinstance(structure, Ring) else []


def asked(structure: Structure, operation: Operation) -> Cost:
    """Return what a question may cost by the slots of the ring (T3); of other calls nothing."""
    if not is_ring(structure) or operation.name not in {"query", "query_range"}:
        return Cost()
    picture = structure.picture()
    front, back = picture.front, picture.back
    inverted = front is not None and back is not None and back < front
    climbs = inverted or operation.name == "query_range"
    return Cost(max(0, 2 * height(len(picture.times)) - 1) if climbs else 0)
