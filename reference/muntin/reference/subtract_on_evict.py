"""Subtract-on-evict: one running total, from which an evicted item is subtracted.

For groups only: the monoid must have `invert_first`. Follows [Tangwongsan15], section 3.2.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from muntin.atomicity import AllOrNothing
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.errors import EmptyWindowError, UnsupportedError

A = TypeVar("A")


class SubtractOnEvict(AllOrNothing, Generic[A]):
    """A total and the items that it is the fold of.

    Where subtraction is not exact, as with floats, errors would pile up for ever. With `drifts`
    the total is folded anew as soon as as many items have left as remain, so that no error
    outlives the items that caused it by more than one window, for one more combine an eviction.
    """

    def __init__(self, monoid: Monoid[A], _: Meter | None = None, *, drifts: bool = False) -> None:
        """Start with an empty window, or refuse a monoid that cannot subtract."""
        if monoid.invert_first is None:
            raise UnsupportedError("subtract-on-evict needs a monoid with invert_first")
        self._monoid, self._subtract = monoid, monoid.invert_first
        self._items: deque[A] = deque()
        self._total = monoid.identity
        self._drifts, self._left_since_fold = drifts, 0

    def insert(self, item: A) -> None:
        """Append the youngest item."""
        self._items.append(item)
        self._total = self._monoid.combine(self._total, item)

    def evict(self) -> None:
        """Remove the oldest item."""
        if not self._items:
            raise EmptyWindowError("evict: the window is empty")
        self._total = self._subtract(self._total, self._items.popleft())
        self._left_since_fold += 1
        if self._drifts and self._left_since_fold >= len(self._items):
            self._total, self._left_since_fold = self._monoid.fold(self._items), 0

    def query(self) -> A:
        """Fold the window, oldest item first."""
        return self._total

    def __len__(self) -> int:
        """The number of items held."""
        return len(self._items)

    def invariants(self, window: Sequence[A]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain sequence that this object stands for."""
        yield "S1 the items are the window", list(self._items) == list(window)
        yield "S2 the total folds the window", self._total == self._monoid.fold(window)

    @staticmethod
    def bound(operation: Operation, /) -> Cost:
        """Combines: one on insertion and, with `drifts`, one an eviction, amortised."""
        return Cost(combines=0 if operation.name == "query" else 1)
