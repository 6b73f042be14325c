"""FlatFAT as a window: the i-th oldest item is the i-th leaf, and the tree doubles and halves.

Any order of arrival, for the price of moving all younger items by one leaf. What [Tangwongsan15]
gains by a ring is seen beside reactive.py. S1, S2 and T4 are proved in proofs/flatfat.md.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from muntin.atomicity import AllOrNothing
from muntin.optimized.flatfat.flatfat import FlatFat, height, largest_capacity
from muntin.optimized.introspection import FatPicture
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.errors import integer
from muntin.spec.structure import Pair, in_time_order

A = TypeVar("A")


def nodes_above_first(capacity: int, leaves: int) -> int:
    """The number of inner nodes above the first leaves.

    >>> nodes_above_first(8, 3)
    4
    """
    return sum(-(-leaves >> level) for level in range(1, height(capacity) + 1))


class FlatFatWindow(AllOrNothing, Generic[A]):
    """A sorted list of times, and a FlatFAT whose first leaves are their values."""

    def __init__(self, monoid: Monoid[A], meter: Meter | None = None) -> None:
        """Start with an empty window."""
        self._monoid, self._meter = monoid, Meter() if meter is None else meter
        self._times: list[int] = []
        self._fat = FlatFat(monoid, [monoid.identity], self._meter)

    def insert(self, time: int, value: A) -> None:
        """Add a value; one that is already at this time is combined with it, on its left."""
        self.bulk_insert([(time, value)])

    def evict(self, time: int) -> None:
        """Remove what is at this time, if anything is."""
        self._remove(self._rank(integer(time, "the time")), bisect_right(self._times, time))

    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> None:
        """Insert pairs that are sorted by time, as one batch of writes."""
        changed: dict[int, A] = {}
        for time, value in in_time_order(pairs):
            if time in changed:
                changed[time] = self._monoid.combine(changed[time], value)
            elif self._holds(time):
                changed[time] = self._monoid.combine(self._fat[self._rank(time)], value)
            else:
                changed[time] = value
        if all(map(self._holds, changed)):
            self._fat.update((self._rank(time), value) for time, value in changed.items())
        else:
            low = self._rank(min(changed))
            self._replace(low, sorted(({**dict(self._from(low)), **changed}).items()))

    def bulk_evict(self, up_to: int) -> None:
        """Remove everything at or before this time."""
        self._remove(0, bisect_right(self._times, integer(up_to, "the time")))

    def query(self) -> A:
        """Fold all values in the order of time."""
        return self._fat.aggregate()

    def query_range(self, first: int, last: int) -> A:
        """Fold the values with first <= time <= last."""
        low = self._rank(integer(first, "the time"))
        high = bisect_right(self._times, integer(last, "the time"))
        return self._fat.range(low, high - 1) if low < high else self._monoid.identity

    def oldest(self) -> int | None:
        """The smallest time, if any."""
        return self._times[0] if self._times else None

    def youngest(self) -> int | None:
        """The largest time, if any."""
        return self._times[-1] if self._times else None

    def items(self) -> Iterator[Pair[A]]:
        """Yield each time with its value, oldest first."""
        return self._from(0)

    def __len__(self) -> int:
        """The number of distinct times held."""
        return len(self._times)

    def _rank(self, time: int) -> int:
        return bisect_left(self._times, time)

    def _holds(self, time: int) -> bool:
        rank = self._rank(time)
        return self._times[rank : rank + 1] == [time]

    def _from(self, rank: int) -> Iterator[Pair[A]]:
        for place in range(rank, len(self._times)):
            yield self._times[place], self._fat[place]

    def _remove(self, low: int, high: int) -> None:
        if low < high:
            self._replace(low, list(self._from(high)))

    def _replace(self, low: int, pairs: list[Pair[A]]) -> None:
        """Let these pairs follow the items of rank below `low`, in place of what did."""
        size = low + len(pairs)
        capacity = self._fitting_capacity(size)
        if capacity != self._fat.capacity:
            kept = [*list(self._from(0))[:low], *pairs]
            spare = [self._monoid.identity] * (capacity - size)
            self._fat = FlatFat(self._monoid, [*(v for _, v in kept), *spare], self._meter)
        else:
            emptied = [(k, self._monoid.identity) for k in range(size, len(self._times))]
            placed = [(low + k, value) for k, (_, value) in enumerate(pairs)]
            self._fat.update(placed + emptied)
        self._times[low:] = [time for time, _ in pairs]

    def _fitting_capacity(self, size: int) -> int:
        """The capacity after doubling it while too small, halving it while too large."""
        capacity = self._fat.capacity
        while capacity < size:
            capacity *= 2
        while capacity > largest_capacity(size):
            capacity //= 2
        return capacity

    def picture(self) -> FatPicture[A]:
        """What the tree looks like."""
        spare = [None] * (self._fat.capacity - len(self))
        return FatPicture(self._fat.nodes_by_number(), (*self._times, *spare))

    def invariants(self, window: Sequence[Pair[A]]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain pairs that this object stands for."""
        spare = [self._monoid.identity] * (self._fat.capacity - len(window))
        yield "S1 the times are those of the window", self._times == [at for at, _ in window]
        yield from self._fat.invariants([*(value for _, value in window), *spare])
        yield (
            "S2 the tree is as small as a window of this size allows",
            len(window) <= self._fat.capacity <= largest_capacity(len(window)),
        )

    def bound(self, operation: Operation, /) -> Cost:
        """T4: a call makes one batch of writes or one new tree, besides joining equal times.

        A tree grown to hold k items has 2(k - 1) leaves at most, and a shrunk one half of what
        there was; a new tree costs one combine less than it has leaves.
        """
        n, m = operation.size, operation.items
        largest = largest_capacity(n)
        if operation.name in {"insert", "bulk_insert"}:
            work = max(2 * (n + m) - 3, m + nodes_above_first(largest, n + m))
        elif operation.name in {"evict", "bulk_evict"}:
            work = max(largest // 2 - 1, nodes_above_first(largest, n))
        elif operation.name == "query_range":
            return FlatFat.bound(Operation("range", largest))
        else:
            work = 0
        return Cost(work, work)
