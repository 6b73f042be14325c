"""Recompute from scratch: keep the items in order, fold them on every query.

The re-evaluation baseline of [Tangwongsan15], section 7.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from muntin.atomicity import AllOrNothing
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.errors import integer
from muntin.spec.structure import Pair, in_time_order

A = TypeVar("A")


class Recompute(AllOrNothing, Generic[A]):
    """Two parallel lists, sorted by time. A query costs one combine for each item."""

    def __init__(self, monoid: Monoid[A], _: Meter | None = None) -> None:
        """Start with an empty window."""
        self._monoid = monoid
        self._times: list[int] = []
        self._values: list[A] = []

    def insert(self, time: int, value: A) -> None:
        """Add a value; one that is already at this time is combined with it, on its left."""
        place = bisect_left(self._times, integer(time, "the time"))
        if self._times[place : place + 1] == [time]:
            self._values[place] = self._monoid.combine(self._values[place], value)
        else:
            self._times.insert(place, time)
            self._values.insert(place, value)

    def evict(self, time: int) -> None:
        """Remove what is at this time, if anything is."""
        self._remove(bisect_left(self._times, time), bisect_right(self._times, time))

    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> None:
        """Insert pairs that are sorted by time."""
        for time, value in in_time_order(pairs):
            self.insert(time, value)

    def bulk_evict(self, up_to: int) -> None:
        """Remove everything at or before this time."""
        self._remove(0, bisect_right(self._times, up_to))

    def query(self) -> A:
        """Fold all values in the order of time."""
        return self._monoid.fold(self._values)

    def query_range(self, first: int, last: int) -> A:
        """Fold the values with first <= time <= last."""
        low, high = bisect_left(self._times, first), bisect_right(self._times, last)
        return self._monoid.fold(self._values[low:high])

    def oldest(self) -> int | None:
        """The smallest time, if any."""
        return self._times[0] if self._times else None

    def youngest(self) -> int | None:
        """The largest time, if any."""
        return self._times[-1] if self._times else None

    def items(self) -> Iterator[Pair[A]]:
        """Yield each time with its value, oldest first."""
        yield from zip(self._times, self._values, strict=True)

    def __len__(self) -> int:
        """The number of distinct times held."""
        return len(self._times)

    def _remove(self, low: int, high: int) -> None:
        del self._times[low:high]
        del self._values[low:high]

    def invariants(self, window: Sequence[Pair[A]]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain pairs that this object stands for."""
        yield "S1 the lists are the window", list(self.items()) == list(window)

    def bound(self, operation: Operation, /) -> Cost:
        """Combines: one for each item in the range, one for a time that is already there."""
        return Cost(combines=operation.size if operation.name == "query" else operation.items)
