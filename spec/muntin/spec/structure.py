"""What structures stand for [Tangwongsan19, Definition 1], and their interfaces."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Generic, Protocol

from muntin.spec.algebra.monoid import A, Monoid
from muntin.spec.cost import Cost, Operation
from muntin.spec.errors import InvalidInputError, integer

Pair = tuple[int, A]


@dataclass(frozen=True)
class TimedWindow(Generic[A]):
    """Values at distinct, increasing times (definition D1). In order, it is a FIFO queue.

    >>> from muntin.spec.algebra.monoid import FREE
    >>> window = TimedWindow(FREE).insert(20, (4,)).insert(10, (7,)).insert(20, (5,))
    >>> window.pairs, window.evict(10).query()
    (((10, (7,)), (20, (4, 5))), (4, 5))
    """

    monoid: Monoid[A]
    pairs: tuple[Pair[A], ...] = ()

    def insert(self, time: int, value: A) -> "TimedWindow[A]":
        """Add a value; one that is already at this time is combined with it, on its left."""
        present = [value for at, value in self.pairs if at == time]
        others = [pair for pair in self.pairs if pair[0] != time]
        pairs = [*others, (time, self.monoid.fold([*present, value]))]
        return TimedWindow(self.monoid, tuple(sorted(pairs, key=lambda pair: pair[0])))

    def evict(self, time: int) -> "TimedWindow[A]":
        """Remove what is at this time, if anything is."""
        return TimedWindow(self.monoid, tuple(pair for pair in self.pairs if pair[0] != time))

    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> "TimedWindow[A]":
        """Insert each pair in turn."""
        return reduce(lambda window, pair: window.insert(*pair), pairs, self)

    def bulk_evict(self, up_to: int) -> "TimedWindow[A]":
        """Remove everything at or before this time."""
        return TimedWindow(self.monoid, tuple(pair for pair in self.pairs if pair[0] > up_to))

    def query(self) -> A:
        """Fold all values in the order of time."""
        return self.monoid.fold(value for _, value in self.pairs)

    def query_range(self, first: int, last: int) -> A:
        """Fold the values with first <= time <= last, both ends included [Tangwongsan19]."""
        return self.monoid.fold(value for time, value in self.pairs if first <= time <= last)

    def oldest(self) -> int | None:
        """The smallest time, if any."""
        return min((time for time, _ in self.pairs), default=None)

    def youngest(self) -> int | None:
        """The largest time, if any."""
        return max((time for time, _ in self.pairs), default=None)


def in_time_order(pairs: Iterable[Pair[A]]) -> list[Pair[A]]:
    """The pairs of a batch, whose times must never fall; an error names the first that does."""
    batch = [(integer(time, "the time"), value) for time, value in pairs]
    for earlier, later in [(a, b) for (a, _), (b, _) in pairwise(batch) if b < a]:
        message = f"a batch must be sorted by time: {later} comes after {earlier}"
        raise InvalidInputError(message)
    return batch


class Fifo(Protocol[A]):
    """First-in-first-out aggregation: items without times; evict on an empty window raises."""

    def insert(self, item: A) -> None: ...
    def evict(self) -> None: ...
    def query(self) -> A: ...
    def __len__(self) -> int: ...
    def invariants(self, window: Sequence[A]) -> Iterator[tuple[str, bool]]: ...
    @staticmethod
    def bound(operation: Operation, /) -> Cost: ...


class OutOfOrder(Protocol[A]):
    """Out-of-order aggregation: each call does what that of TimedWindow does.

    `invariants` yields the facts of the simulation relation; `bound` is what a call may cost.
    """

    def insert(self, time: int, value: A) -> None: ...
    def evict(self, time: int) -> None: ...
    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> None: ...
    def bulk_evict(self, up_to: int) -> None: ...
    def query(self) -> A: ...
    def query_range(self, first: int, last: int) -> A: ...
    def oldest(self) -> int | None: ...
    def youngest(self) -> int | None: ...
    def items(self) -> Iterator[Pair[A]]: ...
    def __len__(self) -> int: ...
    def invariants(self, window: Sequence[Pair[A]]) -> Iterator[tuple[str, bool]]: ...
    def bound(self, operation: Operation, /) -> Cost: ...
