"""FlatFAT: the aggregate of n values, and of each prefix and suffix, while values are overwritten.

Follows [Tangwongsan15], section 4 (Algorithms 1-3). Its locations 1..n are 0..n-1 here; nodes are
numbered as in the paper, the root being 1. H1-H4 and T1-T3 are proved in proofs/flatfat.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Generic, TypeVar

from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.errors import InvalidInputError, integer

A = TypeVar("A")


def height(capacity: int) -> int:
    """Log2, rounded down: of a power of two, the number of levels above the leaves.

    >>> height(8)
    3
    """
    return capacity.bit_length() - 1


def touched_nodes(capacity: int, writes: int) -> int:
    """The most inner nodes that a number of distinct writes can touch (T2).

    On each level at most one for each write, and at most all nodes (Claim 4.3).

    >>> [touched_nodes(8, writes) for writes in (0, 1, 2, 4, 8)]
    [0, 3, 5, 7, 7]
    """
    return sum(min(writes, capacity >> level) for level in range(1, height(capacity) + 1))


def largest_capacity(size: int, least: int = 1) -> int:
    """The largest tree with this number of items: a quarter is in use, or it is the least.

    >>> [largest_capacity(size) for size in (0, 1, 3, 4)]
    [1, 4, 8, 16]
    """
    return max(least, 1 << height(4 * size)) if size else least


def power_of_two(value: object, what: str) -> int:
    """The value if it is 1, 2, 4, 8 and so on; else an error that names it."""
    number = integer(value, what)
    if number > 0 and number.bit_count() == 1:
        return number
    raise InvalidInputError(f"{what} must be a power of two, not {number}")


class FlatFat(Generic[A]):
    """A complete binary tree in one list: node v has the children 2v and 2v + 1.

    >>> from muntin.spec.algebra.monoid import FREE
    >>> fat = FlatFat(FREE, [(4,), (7,), (3,), (2,)])
    >>> fat.update([(0, (9,))])
    >>> fat.aggregate(), fat.suffix(1), fat.prefix(0)
    ((9, 7, 3, 2), (7, 3, 2), (9,))
    """

    def __init__(self, monoid: Monoid[A], values: Iterable[A], meter: Meter | None = None) -> None:
        """Store the values, a power of two of them, and compute each inner node (Algorithm 1)."""
        leaves = list(values)
        self._capacity = power_of_two(len(leaves), "the number of values")
        self._monoid, self._meter = monoid, Meter() if meter is None else meter
        self._tree = [monoid.identity] * self._capacity + leaves  # number 0 is no node
        for node in reversed(range(1, self._capacity)):
            self._recompute(node)

    @classmethod
    def of_identities(
        cls, monoid: Monoid[A], capacity: int, meter: Meter | None = None
    ) -> "FlatFat[A]":
        """A tree of identities, which needs no combine: they combine to the identity."""
        fat = cls(monoid, [monoid.identity], meter)
        fat._capacity = power_of_two(capacity, "the capacity")
        fat._tree = [monoid.identity] * (2 * capacity)
        return fat

    def copy(self) -> "FlatFat[A]":
        """An independent copy, for no combine."""
        twin = FlatFat(self._monoid, [self._monoid.identity], self._meter)
        twin._capacity, twin._tree = self._capacity, self._tree.copy()
        return twin

    @property
    def capacity(self) -> int:
        """The number of values, n."""
        return self._capacity

    def __getitem__(self, location: int) -> A:
        """The value at the location."""
        return self._tree[self._leaf(location)]

    def update(self, writes: Iterable[tuple[int, A]]) -> None:
        """Overwrite the values at distinct locations (Algorithm 2)."""
        batch = [(self._leaf(location), value) for location, value in writes]
        changed = {leaf for leaf, _ in batch}
        if len(changed) < len(batch):
            locations = sorted(leaf - self._capacity for leaf, _ in batch)
            raise InvalidInputError(f"locations must be distinct, not {locations}")
        for leaf, value in batch:
            self._tree[leaf] = value
        self._propagate(changed)

    def clear_leaves(self, locations: Iterable[int]) -> None:
        """Overwrite the values at distinct locations with the identity."""
        self.update((location, self._monoid.identity) for location in locations)

    def aggregate(self) -> A:
        """The fold of all values."""
        return self._tree[1]

    def prefix(self, last: int) -> A:
        """The fold of the values at 0..last (Algorithm 3)."""
        node = self._leaf(last)
        total = self._tree[node]
        while node > 1:
            if node % 2 == 1:
                total = self._monoid.combine(self._tree[node - 1], total)
            node = self._visit(node // 2)
        return total

    def suffix(self, first: int) -> A:
        """The fold of the values at first..n-1 (Algorithm 3, mirrored)."""
        node = self._leaf(first)
        total = self._tree[node]
        while node > 1:
            if node % 2 == 0:
                total = self._monoid.combine(total, self._tree[node + 1])
            node = self._visit(node // 2)
        return total

    def range(self, first: int, last: int) -> A:
        """The fold of the values at first..last; the identity, if first > last."""
        values = [self._tree[self._visit(node)] for node in self._cover(first, last)]
        return reduce(self._monoid.combine, values) if values else self._monoid.identity

    def _cover(self, first: int, last: int) -> list[int]:
        """The fewest nodes, from left to right, whose leaves are those of the range."""
        left, right = self._leaf(first), self._leaf(last) + 1
        low: list[int] = []
        high: list[int] = []
        while left < right:
            if left % 2 == 1:
                low.append(left)
            if right % 2 == 1:
                high.append(right - 1)
            left, right = (left + 1) // 2, right // 2
        return low + high[::-1]

    def _propagate(self, changed: set[int]) -> None:
        """Recompute each inner node above these leaves once, level by level."""
        if len(changed) == 1:  # then there is one on each level
            (node,) = changed
            while node > 1:
                node //= 2
                self._recompute(node)
            return
        level = {leaf // 2 for leaf in changed}
        while any(level):  # the parent of the root would be 0
            for node in level:
                self._recompute(node)
            level = {node // 2 for node in level}

    def _recompute(self, node: int) -> None:
        """Make equation (4.1) hold at an inner node whose children are right."""
        tree = self._tree
        tree[node] = self._monoid.combine(tree[2 * node], tree[2 * node + 1])
        self._meter.visits += 1

    def _visit(self, node: int) -> int:
        self._meter.visits += 1
        return node

    def _leaf(self, location: int) -> int:
        """The node that holds the value at the location."""
        if 0 <= integer(location, "the location") < self._capacity:
            return self._capacity + location
        raise InvalidInputError(
            f"the location must be from 0 to {self._capacity - 1}, not {location}"
        )

    def nodes_by_number(self) -> tuple[A, ...]:
        """The aggregates of the nodes, by their numbers; number 0 is no node."""
        return tuple(self._tree)

    def invariants(self, values: Sequence[A]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain sequence that this object stands for."""
        tree, n = self._tree, self._capacity
        yield "H1 there are two slots a value", n.bit_count() == 1 and len(tree) == 2 * n
        yield "H2 the leaves are the values", tree[n:] == list(values)
        yield (
            "H3 equation (4.1): an inner node combines its children",
            all(
                tree[node] == self._monoid.combine(tree[2 * node], tree[2 * node + 1])
                for node in range(1, n)
            ),
        )
        yield "H4 the slot that is no node keeps the identity", tree[0] == self._monoid.identity

    @staticmethod
    def bound(operation: Operation, /) -> Cost:
        """Theorem 4.2, where `size` is n and `items` the number m of distinct writes.

        A range is made of at most 2(log2 n - 1) nodes, two from each level but the top two.
        """
        n, levels = operation.size, height(operation.size)
        ranged = max(1, 2 * levels - 2)
        return {
            "new": Cost(n - 1, n - 1),
            "update": Cost(touched_nodes(n, operation.items), touched_nodes(n, operation.items)),
            "aggregate": Cost(0, 0),
            "prefix": Cost(levels, levels),
            "suffix": Cost(levels, levels),
            "range": Cost(ranged - 1, ranged),
        }[operation.name]
