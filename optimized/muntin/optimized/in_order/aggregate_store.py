"""The aggregate store: append, merge, removeUpTo [Carbone16, sections 5.2 and 5.4], and join.

A slice is named by the ordinal of its first event, so names rise. Doubling when full and halving
at a third keep the array in proportion; see proofs/cutty.md, T3. The leaves of the eager store are
a ring of slices; one that is joined leaves a hole, the identity, until the tree is rebuilt.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Generic, TypeVar

from muntin.optimized.common.user_code import combine_checked
from muntin.optimized.flatfat.flatfat import FlatFat
from muntin.spec.algebra.monoid import Monoid

A = TypeVar("A")
Slice = tuple[int, A]


def fitting_capacity(capacity: int, size: int) -> int:
    """Double a capacity while it is too small; halve it while a third would do.

    >>> [fitting_capacity(capacity, size) for capacity, size in ((4, 5), (16, 5), (16, 6))]
    [8, 8, 16]
    """
    while capacity < size:
        capacity *= 2
    while capacity > 1 and 3 * size <= capacity:
        capacity //= 2
    return capacity


class InOrderStore(ABC, Generic[A]):
    """Partial aggregates of consecutive slices, oldest first."""

    def __init__(self, monoid: Monoid[A]) -> None:
        """Start with no slice."""
        self.monoid = monoid
        self.ids: list[int] = []

    @property
    @abstractmethod
    def partial_capacity(self) -> int:
        """The number of partials that fit, those of higher order included."""

    @abstractmethod
    def append(self, name: int, partial: A) -> None:
        """Add a partial at the end, under a name greater than all others."""

    @abstractmethod
    def merge(self, first: int, stop: int) -> A:
        """Fold the slices with first <= name < stop; the identity if there are none."""

    @abstractmethod
    def remove_up_to(self, name: int) -> None:
        """Remove all slices with a smaller name."""

    @abstractmethod
    def join(self, name: int) -> None:
        """Make a slice, which is not the oldest, part of its predecessor."""

    @abstractmethod
    def pop(self) -> Slice[A]:
        """Remove the youngest slice."""

    @abstractmethod
    def partials(self) -> Iterator[A]:
        """Yield the partial of each slice, oldest first."""

    @abstractmethod
    def copy(self) -> "InOrderStore[A]":
        """An independent copy."""

    def rank(self, name: int) -> int:
        """The number of slices with a smaller name."""
        return bisect_left(self.ids, name)

    def invariants(self, slices: Sequence[Slice[A]]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain sequence that this object stands for."""
        yield "S1 the names are those of the slices", self.ids == [name for name, _ in slices]
        yield "S2 so are the partials", list(self.partials()) == [partial for _, partial in slices]
        yield "S3 names rise", self.ids == sorted(set(self.ids))


class InOrderLazyStore(InOrderStore[A]):
    """A circular array. To merge is to fold."""

    def __init__(self, monoid: Monoid[A]) -> None:
        """Start with no slice."""
        super().__init__(monoid)
        self._ring: list[A] = [monoid.identity]
        self._front = 0

    @property
    def partial_capacity(self) -> int:
        """The capacity of the array."""
        return len(self._ring)

    def append(self, name: int, partial: A) -> None:
        """Add a partial at the end: no combine."""
        self._fit(len(self.ids) + 1)
        self.ids.append(name)
        self._ring[self._slot(len(self.ids) - 1)] = partial

    def merge(self, first: int, stop: int) -> A:
        """Fold the slices with one combine fewer than there are slices."""
        parts = [self._ring[self._slot(k)] for k in range(self.rank(first), self.rank(stop))]
        return reduce(self.monoid.combine, parts) if parts else self.monoid.identity

    def remove_up_to(self, name: int) -> None:
        """Remove all slices with a smaller name: no combine."""
        removed = self.rank(name)
        for k in range(removed):
            self._ring[self._slot(k)] = self.monoid.identity
        self._front = self._slot(removed)
        del self.ids[:removed]
        self._fit(len(self.ids))

    def join(self, name: int) -> None:
        """Combine the slice with its predecessor, and move the younger ones up: one combine."""
        rank = self.rank(name)
        before, joined = self._slot(rank - 1), self._slot(rank)
        self._ring[before] = combine_checked(self.monoid, self._ring[before], self._ring[joined])
        for k in range(rank, len(self.ids) - 1):
            self._ring[self._slot(k)] = self._ring[self._slot(k + 1)]
        self._ring[self._slot(len(self.ids) - 1)] = self.monoid.identity
        del self.ids[rank]
        self._fit(len(self.ids))

    def pop(self) -> Slice[A]:
        """Remove the youngest slice: no combine."""
        slot, name = self._slot(len(self.ids) - 1), self.ids.pop()
        partial, self._ring[slot] = self._ring[slot], self.monoid.identity
        self._fit(len(self.ids))
        return name, partial

    def partials(self) -> Iterator[A]:
        """Yield the partial of each slice, oldest first."""
        return (self._ring[self._slot(k)] for k in range(len(self.ids)))

    def copy(self) -> "InOrderLazyStore[A]":
        """An independent copy."""
        twin = InOrderLazyStore(self.monoid)
        twin.ids, twin._ring, twin._front = self.ids.copy(), self._ring.copy(), self._front
        return twin

    def _slot(self, rank: int) -> int:
        return (self._front + rank) % len(self._ring)

    def _fit(self, size: int) -> None:
        capacity = fitting_capacity(len(self._ring), size)
        if capacity != len(self._ring):
            kept = list(self.partials())
            self._ring = kept + [self.monoid.identity] * (capacity - len(kept))
            self._front = 0


class InOrderEagerStore(InOrderStore[A]):
    """Merges any range in O(log n) combines, for O(log n) combines a call that changes it."""

    def __init__(self, monoid: Monoid[A]) -> None:
        """Start with no slice."""
        super().__init__(monoid)
        self._fat = FlatFat(monoid, [monoid.identity])
        self._leaves: list[int] = []

    @property
    def partial_capacity(self) -> int:
        """The nodes of the tree."""
        return 2 * self._fat.capacity - 1

    def append(self, name: int, partial: A) -> None:
        """Add a partial at the end; in a full ring, rebuild the tree without holes."""
        leaf = (self._leaves[-1] + 1) % self._fat.capacity if self._leaves else 0
        self.ids.append(name)
        if self._leaves and leaf == self._leaves[0]:
            kept = [*self.partials(), partial]
            crowded = 4 * len(kept) > 3 * self._fat.capacity
            self._rebuild(kept, self._fat.capacity * (2 if crowded else 1))
        else:
            self._leaves.append(leaf)
            self._fat.update([(leaf, partial)])

    def merge(self, first: int, stop: int) -> A:
        """Fold the slices by the nodes that cover their leaves."""
        low, high = self.rank(first), self.rank(stop)
        if low >= high:
            return self.monoid.identity
        left, right = self._leaves[low], self._leaves[high - 1]
        if left <= right:
            return self._fat.range(left, right)
        return self.monoid.combine(self._fat.suffix(left), self._fat.prefix(right))

    def remove_up_to(self, name: int) -> None:
        """Remove all slices with a smaller name, in one batch of writes."""
        removed = self.rank(name)
        leaves = self._leaves[:removed]
        del self.ids[:removed]
        del self._leaves[:removed]
        self._clear(leaves)

    def join(self, name: int) -> None:
        """Combine the slice with its predecessor, and leave a hole."""
        rank = self.rank(name)
        before, joined = self._leaves[rank - 1], self._leaves[rank]
        both = combine_checked(self.monoid, self._fat[before], self._fat[joined])
        del self.ids[rank]
        del self._leaves[rank]
        if not self._try_shrink({before: both}):
            self._fat.update([(before, both), (joined, self.monoid.identity)])

    def pop(self) -> Slice[A]:
        """Remove the youngest slice."""
        name, leaf = self.ids.pop(), self._leaves.pop()
        partial = self._fat[leaf]
        self._clear([leaf])
        return name, partial

    def partials(self) -> Iterator[A]:
        """Yield the partial of each slice, oldest first."""
        return (self._fat[leaf] for leaf in self._leaves)

    def copy(self) -> "InOrderEagerStore[A]":
        """An independent copy."""
        twin = InOrderEagerStore(self.monoid)
        twin.ids, twin._leaves, twin._fat = self.ids.copy(), self._leaves.copy(), self._fat.copy()
        return twin

    def invariants(self, slices: Sequence[Slice[A]]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain sequence that this object stands for."""
        yield from super().invariants(slices)
        values = [self.monoid.identity] * self._fat.capacity
        for leaf, (_, partial) in zip(self._leaves, slices, strict=True):
            values[leaf] = partial
        yield from self._fat.invariants(values)

    def _clear(self, leaves: list[int]) -> None:
        if leaves and not self._try_shrink({}):
            self._fat.clear_leaves(leaves)

    def _try_shrink(self, writes: dict[int, A]) -> bool:
        """Rebuild the tree with these writes, if at most a third of it is in use."""
        capacity = fitting_capacity(self._fat.capacity, len(self._leaves))
        if capacity == self._fat.capacity:
            return False
        self._rebuild([writes.get(leaf, self._fat[leaf]) for leaf in self._leaves], capacity)
        return True

    def _rebuild(self, kept: list[A], capacity: int) -> None:
        spare = [self.monoid.identity] * (capacity - len(kept))
        self._fat = FlatFat(self.monoid, kept + spare)
        self._leaves = list(range(len(kept)))
