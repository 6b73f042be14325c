"""The specification as objects that are called: of operators, and of structures."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from muntin.atomicity import AllOrNothing
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.denotation import History, add, remove, step
from muntin.spec.errors import integer
from muntin.spec.operator import Operator
from muntin.spec.query import DEFAULTS, Output, Query, Settings
from muntin.spec.stream import Step
from muntin.spec.structure import Pair, TimedWindow, in_time_order

A = TypeVar("A")


class SpecificationOperator(AllOrNothing, Operator):
    """Every output is that of the definition. Nothing is ever evicted."""

    commits_last = True

    def __init__(self, settings: Settings = DEFAULTS) -> None:
        """Start with no query and no event."""
        self.history = History(settings)

    def add(self, query: Query) -> None:
        """Register a query: it sees events younger than all that came."""
        history = add(self.history, query)
        self.begin_commit()
        self.history = history

    def remove(self, name: str) -> None:
        """Unregister a query."""
        history = remove(self.history, name)
        self.begin_commit()
        self.history = history

    def take(self, events: Step, /) -> Output:
        """Process a step: the results that it changes, and its late events."""
        history, output = step(self.history, events)
        self.begin_commit()
        self.history = history
        return output


class SpecificationStructure(AllOrNothing, Generic[A]):
    """Every value is that of the definition, computed anew."""

    failures_change_nothing = True

    def __init__(self, monoid: Monoid[A], _: Meter | None = None) -> None:
        """Start with an empty window."""
        self._window = TimedWindow(monoid)

    def insert(self, time: int, value: A) -> None:
        """Add a value; one that is already at this time is combined with it, on its left."""
        self._window = self._window.insert(integer(time, "the time"), value)

    def evict(self, time: int) -> None:
        """Remove what is at this time, if anything is."""
        self._window = self._window.evict(time)

    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> None:
        """Insert pairs that are sorted by time."""
        self._window = self._window.bulk_insert(in_time_order(pairs))

    def bulk_evict(self, up_to: int) -> None:
        """Remove everything at or before this time."""
        self._window = self._window.bulk_evict(up_to)

    def query(self) -> A:
        """Fold all values in the order of time."""
        return self._window.query()

    def query_range(self, first: int, last: int) -> A:
        """Fold the values with first <= time <= last."""
        return self._window.query_range(first, last)

    def oldest(self) -> int | None:
        """The smallest time, if any."""
        return self._window.oldest()

    def youngest(self) -> int | None:
        """The largest time, if any."""
        return self._window.youngest()

    def items(self) -> Iterator[Pair[A]]:
        """Yield each time with its value, oldest first."""
        yield from self._window.pairs

    def __len__(self) -> int:
        """The number of distinct times held."""
        return len(self._window.pairs)

    def invariants(self, window: Sequence[Pair[A]]) -> Iterator[tuple[str, bool]]:
        """The simulation relation is equality."""
        yield "D1 the pairs are the window", list(self._window.pairs) == list(window)

    def bound(self, _: Operation, /) -> Cost:
        """No bound is claimed."""
        return Cost()
