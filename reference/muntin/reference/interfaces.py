"""The calls that every window-aggregation structure answers, as `TimedWindow` defines them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from muntin.spec.cost import Cost, Operation
from muntin.spec.structure import Pair

A = TypeVar("A")


class Fifo(Protocol[A]):
    """First-in-first-out aggregation."""

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
    """Out-of-order aggregation [Tangwongsan19, Definition 1]: each method as TimedWindow has it."""

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
