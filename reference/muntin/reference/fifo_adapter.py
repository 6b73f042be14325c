"""A FIFO structure behind the out-of-order interface; it refuses what a FIFO cannot do."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from muntin.atomicity import AllOrNothing
from muntin.spec.cost import Cost, Operation
from muntin.spec.errors import UnsupportedError, integer
from muntin.spec.structure import Fifo, Pair, in_time_order

A = TypeVar("A")


class FifoAdapter(AllOrNothing, Generic[A]):
    """The times of the items beside the structure that aggregates them."""

    def __init__(self, fifo: Fifo[A]) -> None:
        """Wrap an empty FIFO structure."""
        self.fifo = fifo
        self._pairs: deque[Pair[A]] = deque()

    def undoes_failures(self) -> bool:
        """Whether the structure does."""
        return isinstance(self.fifo, AllOrNothing) and self.fifo.undoes_failures()

    def insert(self, time: int, value: A) -> None:
        """Append a value that is younger than all others."""
        if self._pairs and integer(time, "the time") <= self._pairs[-1][0]:
            raise UnsupportedError(
                f"a FIFO structure takes times in rising order: {time} comes after "
                f"{self._pairs[-1][0]}"
            )
        self.fifo.insert(value)
        self._pairs.append((time, value))

    def evict(self, time: int) -> None:
        """Remove the oldest value; a time that is not there changes nothing."""
        if self._pairs and time == self._pairs[0][0]:
            self.fifo.evict()
            self._pairs.popleft()
        elif any(at == time for at, _ in self._pairs):
            raise UnsupportedError(
                f"a FIFO structure evicts its oldest time, {self._pairs[0][0]}, not {time}"
            )

    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> None:
        """Insert pairs that are sorted by time and younger than all others."""
        batch = in_time_order(pairs)
        times = [at for at, _ in (*list(self._pairs)[-1:], *batch)]
        if len(set(times)) < len(times) or times != sorted(times):
            raise UnsupportedError(f"a FIFO structure takes times in rising order, not {times}")
        for time, value in batch:
            self.insert(time, value)
            self.begin_commit()  # what is in stays in

    def bulk_evict(self, up_to: int) -> None:
        """Remove everything at or before this time."""
        while self._pairs and self._pairs[0][0] <= up_to:
            self.evict(self._pairs[0][0])
            self.begin_commit()  # what is out stays out

    def query(self) -> A:
        """Fold all values in the order of time."""
        return self.fifo.query()

    def query_range(self, first: int, last: int) -> A:
        """A FIFO structure aggregates all of its window only."""
        raise UnsupportedError(f"a FIFO structure has no range query ({first} to {last})")

    def oldest(self) -> int | None:
        """The smallest time, if any."""
        return self._pairs[0][0] if self._pairs else None

    def youngest(self) -> int | None:
        """The largest time, if any."""
        return self._pairs[-1][0] if self._pairs else None

    def items(self) -> Iterator[Pair[A]]:
        """Yield each time with its value, oldest first."""
        yield from self._pairs

    def __len__(self) -> int:
        """The number of items, as the structure counts them."""
        return len(self.fifo)

    def invariants(self, window: Sequence[Pair[A]]) -> Iterator[tuple[str, bool]]:
        """The simulation relation of the structure, with the values alone."""
        yield "S0 the times are those of the window", list(self._pairs) == list(window)
        yield from self.fifo.invariants([value for _, value in window])

    def bound(self, operation: Operation, /) -> Cost:
        """A bulk operation costs what its parts cost."""
        part = self.fifo.bound(Operation(operation.name.removeprefix("bulk_"), operation.size))
        parts = [part] * (operation.items if operation.name.startswith("bulk_") else 1)
        return Cost(sum(cost.combines for cost in parts), sum(cost.visits for cost in parts))
