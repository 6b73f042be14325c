"""The eager aggregate store: a FlatFAT whose leaves are a ring of slices [Carbone16, section 5.4].

A slice that is joined to its predecessor leaves a hole, which is the identity; holes go when the
tree is next rebuilt. The mapping from names to leaves is kept as two parallel lists.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from muntin.optimized.common.user_code import combine_checked
from muntin.optimized.flatfat.flatfat import FlatFat
from muntin.optimized.in_order.aggregate_store import InOrderStore, Slice, fitting_capacity
from muntin.spec.algebra.monoid import Monoid

A = TypeVar("A")


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
