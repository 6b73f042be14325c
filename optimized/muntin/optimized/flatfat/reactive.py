"""Reactive Aggregator: a ring with holes over the leaves of a FlatFAT, compacted and resized.

Follows [Tangwongsan15], section 5. S1-S6, T1-T4 are proved in proofs/reactive.md; where the
printed rules cannot stand for the smallest capacities, see proofs/ERRATA.md.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from muntin.atomicity import AllOrNothing
from muntin.optimized.flatfat.flatfat import (
    FlatFat,
    height,
    largest_capacity,
    power_of_two,
    touched_nodes,
)
from muntin.optimized.introspection import FatPicture
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.errors import UnsupportedError, integer
from muntin.spec.structure import Pair, in_time_order

A = TypeVar("A")


class ReactiveAggregator(AllOrNothing, Generic[A]):
    """Items in the order of time, from the front of the ring on; evicted ones leave holes.

    An *offset* counts slots from the front, a *location* is a slot of the ring and the leaf of the
    tree that holds its value. A hole is known by its location and its leaf holds the identity.
    """

    _front: int  # location of the oldest item
    _span: int  # offsets in use, the youngest item being at the last of them
    _times: list[int]  # by location
    _fat: FlatFat[A]

    def __init__(self, monoid: Monoid[A], meter: Meter | None = None, *, capacity: int = 4) -> None:
        """Start with an empty window; the ring is never smaller than this capacity."""
        self._least = power_of_two(capacity, "the capacity")
        self._monoid, self._meter = monoid, Meter() if meter is None else meter
        self._holes: set[int] = set()  # locations
        self._resize(self._least, [])

    def insert(self, time: int, value: A) -> None:
        """Add a value after the youngest time, or at it, on the right of the value there."""
        youngest, full = self.youngest(), self._span == self._fat.capacity
        if full or (youngest is not None and integer(time, "the time") <= youngest):
            self.bulk_insert([(time, value)])
        else:
            self._overwrite(self._span, [(integer(time, "the time"), value)])

    def evict(self, time: int) -> None:
        """Remove what is at this time, if anything is."""
        is_oldest = integer(time, "the time") == self.oldest()
        offset = 0 if is_oldest else self._offset_after(time - 1)
        if offset < self._span and self._times[self._location(offset)] == time:
            self._remove(range(offset, offset + 1))

    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> None:
        """Insert pairs that are sorted by time, none older than the youngest, in one update."""
        batch = in_time_order(pairs)
        youngest = self.youngest()
        if batch and youngest is not None and batch[0][0] < youngest:
            raise UnsupportedError(
                f"inserts must be in order: {batch[0][0]} is older than the youngest, {youngest}"
            )
        last = self._pairs_between(self._span - 1, self._span)
        joined = [pair for pair in last if batch and batch[0][0] == pair[0]]
        self._append(self._span - len(joined), self._combine_ties([*joined, *batch]))

    def bulk_evict(self, up_to: int) -> None:
        """Remove everything at or before this time, in one update."""
        self._remove(range(self._offset_after(integer(up_to, "the time"))))

    def query(self) -> A:
        """Fold all values in the order of time (section 5.1.2)."""
        if not self._span:
            return self._monoid.identity
        inverted = self._front + self._span > self._fat.capacity
        return self._fold(0, self._span) if inverted else self._fat.aggregate()

    def query_range(self, first: int, last: int) -> A:
        """Fold the values with first <= time <= last."""
        low = self._offset_after(integer(first, "the time") - 1)
        high = self._offset_after(integer(last, "the time"))
        return self._fold(low, high) if low < high else self._monoid.identity

    def oldest(self) -> int | None:
        """The smallest time, if any."""
        return self._times[self._front] if self._span else None

    def youngest(self) -> int | None:
        """The largest time, if any."""
        return self._times[self._location(self._span - 1)] if self._span else None

    def items(self) -> Iterator[Pair[A]]:
        """Yield each time with its value, oldest first."""
        return self._pairs_between(0, self._span)

    def __len__(self) -> int:
        """The number of distinct times held."""
        return self._span - len(self._holes)

    def _location(self, offset: int) -> int:
        return (self._front + offset) % self._fat.capacity

    def _offset_after(self, time: int) -> int:
        """The first offset whose time is younger: times rise along the ring."""
        return bisect_right(range(self._span), time, key=lambda k: self._times[self._location(k)])

    def _pairs_between(self, low: int, high: int) -> Iterator[Pair[A]]:
        """Yield what is held at offsets low..high-1."""
        for location in map(self._location, range(max(low, 0), high)):
            if location not in self._holes:
                yield self._times[location], self._fat[location]

    def _fold(self, low: int, high: int) -> A:
        """Fold what is held at offsets low..high-1; holes are the identity."""
        first, last = self._location(low), self._location(high - 1)
        if first <= last:
            return self._fat.range(first, last)
        return self._monoid.combine(self._fat.suffix(first), self._fat.prefix(last))

    def _combine_ties(self, pairs: Iterable[Pair[A]]) -> list[Pair[A]]:
        """Combine the values of equal times."""
        merged: list[Pair[A]] = []
        for time, value in pairs:
            if merged and merged[-1][0] == time:
                merged[-1] = time, self._monoid.combine(merged[-1][1], value)
            else:
                merged.append((time, value))
        return merged

    def _append(self, start: int, pairs: list[Pair[A]]) -> None:
        """Write the pairs after the items at offsets below start; make room if there is none."""
        if start + len(pairs) <= self._fat.capacity:
            self._overwrite(start, pairs)
            return
        kept = list(self._pairs_between(0, start))
        capacity = self._room_for(len(kept) + len(pairs))
        if capacity > self._fat.capacity:
            self._resize(capacity, kept + pairs)
        else:
            self._compact(kept + pairs)

    def _room_for(self, size: int) -> int:
        """The capacity for a full ring: the same if a quarter are holes, else doubled."""
        full_of_items = 4 * len(self._holes) < self._fat.capacity
        capacity = self._fat.capacity * 2 if full_of_items else self._fat.capacity
        while capacity < size:
            capacity *= 2
        return capacity

    def _compact(self, pairs: list[Pair[A]]) -> None:
        """Write these pairs without holes; what is before the first hole stays."""
        locations = map(self._location, range(self._span))
        unmoved = next(k for k, location in enumerate(locations) if location in self._holes)
        self._overwrite(unmoved, pairs[unmoved:])

    def _overwrite(self, start: int, pairs: list[Pair[A]]) -> None:
        """Write the pairs at the offsets from start on, in one update of the tree."""
        end = start + len(pairs)
        writes: list[tuple[int, A]] = []
        if start < self._span:
            emptied = {self._location(k) for k in range(end, self._span)} - self._holes
            writes += [(location, self._monoid.identity) for location in emptied]
            self._holes.difference_update(self._location(k) for k in range(start, self._span))
        self._span = end
        for offset, (time, value) in enumerate(pairs, start):
            location = self._location(offset)
            self._times[location] = time
            writes.append((location, value))
        self._fat.update(writes)

    def _remove(self, offsets: range) -> None:
        """Make holes of the items at these offsets, or move the others to a smaller ring."""
        removed = {self._location(k) for k in offsets} - self._holes
        capacity = self._fat.capacity
        while capacity > self._least and 4 * (len(self) - len(removed)) < capacity:
            capacity //= 2
        if removed and capacity < self._fat.capacity:
            older, younger = (0, offsets.start), (offsets.stop, self._span)
            self._resize(capacity, [*self._pairs_between(*older), *self._pairs_between(*younger)])
        elif removed:
            self._vacate(removed)

    def _vacate(self, locations: set[int]) -> None:
        """Make holes of the items at these locations, in one update of the tree."""
        self._holes |= locations
        self._trim()
        self._fat.clear_leaves(locations)

    def _trim(self) -> None:
        """Shrink the ring until it begins and ends with an item."""
        while self._span and self._front in self._holes:
            self._holes.remove(self._front)
            self._front, self._span = self._location(1), self._span - 1
        while self._span and self._location(self._span - 1) in self._holes:
            self._holes.remove(self._location(self._span - 1))
            self._span -= 1

    def _resize(self, capacity: int, pairs: list[Pair[A]]) -> None:
        """Move to a new ring and tree (Algorithm 1), without holes."""
        spare = capacity - len(pairs)
        self._front, self._span = 0, len(pairs)
        self._holes.clear()
        self._times = [*(time for time, _ in pairs), *[0] * spare]
        self._fat = self._tree([*(v for _, v in pairs), *[self._monoid.identity] * spare])

    def _tree(self, leaves: list[A]) -> FlatFat[A]:
        if self._span:
            return FlatFat(self._monoid, leaves, self._meter)
        return FlatFat[A].of_identities(self._monoid, len(leaves), self._meter)

    def picture(self) -> FatPicture[A]:
        """The ring and the tree, to be drawn."""
        held = {self._location(k) for k in range(self._span)} - self._holes
        times = [time if k in held else None for k, time in enumerate(self._times)]
        back = self._location(self._span - 1) if self._span else None
        front = self._front if self._span else None
        return FatPicture(
            self._fat.nodes_by_number(), tuple(times), front, back, frozenset(self._holes)
        )

    def invariants(self, window: Sequence[Pair[A]]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain pairs that this object stands for."""
        capacity, offsets = self._fat.capacity, range(self._span)
        times = [self._times[self._location(k)] for k in offsets]
        inside = {self._location(k) for k in offsets[1:-1]}
        yield "S1 from the front on, items are the window", list(self.items()) == list(window)
        yield (
            "S2 the ring has a slot for each leaf",
            0 <= self._front < capacity == len(self._times) and self._span <= capacity,
        )
        yield "S3 holes are between the oldest and the youngest item", self._holes <= inside
        yield "S4 times rise along the ring, those of holes too", times == sorted(set(times))
        yield (
            "S5 the ring is the least one, or at least a quarter of it holds items",
            self._least <= capacity <= largest_capacity(len(window), self._least),
        )
        yield from self._tree_invariants()

    def _tree_invariants(self) -> Iterator[tuple[str, bool]]:
        held = {self._location(k) for k in range(self._span)} - self._holes
        leaves = [self._fat[k] for k in range(self._fat.capacity)]
        vacant = [leaf for location, leaf in enumerate(leaves) if location not in held]
        yield (
            "S6 the leaf of a slot that holds no item is the identity",
            all(leaf == self._monoid.identity for leaf in vacant),
        )
        yield from self._fat.invariants(leaves)

    def bound(self, operation: Operation, /) -> Cost:
        """Theorem 4.2 (T2), plus 4 an arrival and 2 an eviction that pay for moving (T4)."""
        largest = largest_capacity(operation.size, self._least)
        if operation.name in {"query", "query_range"}:  # suffix, prefix, and one to join them: T3
            return Cost(max(0, 2 * height(largest) - 1), 2 * height(largest))
        share = 4 if operation.name in {"insert", "bulk_insert"} else 2
        work = touched_nodes(largest, operation.items) + share * operation.items
        return Cost(work, work)
