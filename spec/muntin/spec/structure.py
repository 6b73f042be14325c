"""What a window-aggregation structure must answer: two abstract data types and their meaning.

`Fifo` is the in-order one, `OutOfOrder` is Definition 1 of [Tangwongsan19] with range queries,
bulk insert and bulk evict. `TimedWindow` is the plain value that both stand for.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Generic, Protocol, TypeVar

from muntin.spec.cost import Cost, Operation
from muntin.spec.errors import InvalidInputError, integer
from muntin.spec.monoid import Monoid

A = TypeVar("A")

Pair = tuple[int, A]
"""A time and the value at it."""


def in_time_order(pairs: Iterable[Pair[A]]) -> list[Pair[A]]:
    """Return the pairs if their times never fall, or say which one does.

    >>> in_time_order([(3, "a"), (1, "b")])
    Traceback (most recent call last):
        ...
    muntin.spec.errors.InvalidInputError: a batch must be sorted by time: 1 comes after 3
    """
    batch = [(integer(time, "the time"), value) for time, value in pairs]
    falls = [(a, b) for (a, _), (b, _) in pairwise(batch) if b < a]
    for earlier, later in falls[:1]:
        message = f"a batch must be sorted by time: {later} comes after {earlier}"
        raise InvalidInputError(message)
    return batch


@dataclass(frozen=True)
class TimedWindow(Generic[A]):
    """Values at distinct, increasing times (definition D1).

    >>> from muntin.spec.monoid import FREE
    >>> window = TimedWindow(FREE).insert(20, (4,)).insert(10, (7,)).insert(20, (5,))
    >>> window.pairs
    ((10, (7,)), (20, (4, 5)))
    >>> window.evict(10).query()
    (4, 5)
    """

    monoid: Monoid[A]
    pairs: tuple[Pair[A], ...] = ()

    def insert(self, time: int, value: A) -> "TimedWindow[A]":
        """Add a value; one that is already at this time is combined with it, on its left."""
        older = tuple(pair for pair in self.pairs if pair[0] < time)
        younger = tuple(pair for pair in self.pairs if pair[0] > time)
        here = [there for at, there in self.pairs if at == time]
        return self._with((*older, (time, self.monoid.fold([*here, value])), *younger))

    def evict(self, time: int) -> "TimedWindow[A]":
        """Remove what is at this time, if anything is."""
        return self._with(tuple(pair for pair in self.pairs if pair[0] != time))

    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> "TimedWindow[A]":
        """Insert each pair in turn."""
        return reduce(lambda window, pair: window.insert(*pair), pairs, self)

    def bulk_evict(self, up_to: int) -> "TimedWindow[A]":
        """Remove everything at or before this time."""
        return self._with(tuple(pair for pair in self.pairs if pair[0] > up_to))

    def query(self) -> A:
        """Fold all values in the order of time; the identity, if there are none."""
        return self.monoid.fold(value for _, value in self.pairs)

    def query_range(self, first: int, last: int) -> A:
        """Fold the values with first <= time <= last, both ends included [Tangwongsan19]."""
        return self.monoid.fold(value for time, value in self.pairs if first <= time <= last)

    def oldest(self) -> int | None:
        """Return the smallest time, if any."""
        return min((time for time, _ in self.pairs), default=None)

    def youngest(self) -> int | None:
        """Return the largest time, if any."""
        return max((time for time, _ in self.pairs), default=None)

    def _with(self, pairs: tuple[Pair[A], ...]) -> "TimedWindow[A]":
        return TimedWindow(self.monoid, pairs)


class Fifo(Protocol[A]):
    """First-in-first-out aggregation (definition D2)."""

    def insert(self, item: A) -> None:
        """Append the youngest item."""

    def evict(self) -> None:
        """Remove the oldest item, or raise EmptyWindowError."""

    def query(self) -> A:
        """Fold the window, oldest item first."""
        ...

    def __len__(self) -> int:
        """Return the number of items held."""
        ...

    def relates(self, window: Sequence[A]) -> Iterator[tuple[str, bool]]:
        """Yield each labelled fact of the simulation relation with the plain sequence."""
        ...

    @staticmethod
    def bound(operation: Operation, /) -> Cost:
        """Return what the operation may cost: in the worst case, or amortised over a run."""
        ...


class OutOfOrder(Protocol[A]):
    """Out-of-order aggregation (definition D3): each method as that of TimedWindow."""

    def insert(self, time: int, value: A) -> None:
        """Add a value; one that is already at this time is combined with it, on its left."""

    def evict(self, time: int) -> None:
        """Remove what is at this time, if anything is."""

    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> None:
        """Insert pairs that are sorted by time, or raise InvalidInputError."""

    def bulk_evict(self, up_to: int) -> None:
        """Remove everything at or before this time."""

    def query(self) -> A:
        """Fold all values in the order of time; the identity, if there are none."""
        ...

    def query_range(self, first: int, last: int) -> A:
        """Fold the values with first <= time <= last."""
        ...

    def oldest(self) -> int | None:
        """Return the smallest time, if any."""
        ...

    def youngest(self) -> int | None:
        """Return the largest time, if any."""
        ...

    def items(self) -> Iterator[Pair[A]]:
        """Yield each time with its value, oldest first."""
        ...

    def __len__(self) -> int:
        """Return the number of distinct times held."""
        ...

    def relates(self, window: Sequence[Pair[A]]) -> Iterator[tuple[str, bool]]:
        """Yield each labelled fact of the simulation relation with the plain pairs."""
        ...

    def bound(self, operation: Operation, /) -> Cost:
        """Return what the operation may cost: in the worst case, or amortised over a run."""
        ...
