"""Two-Stacks: a FIFO window as a stack of suffix totals behind a stack of items.

Follows [Tangwongsan17]. S1-S3 and T1-T3 are proved in proofs/two_stacks.md.
"""

from collections.abc import Iterator, Sequence
from math import inf
from typing import Generic, TypeVar

from muntin.atomicity import AllOrNothing
from muntin.optimized.fifo.running_totals import Entry, prefix_totals, suffix_totals
from muntin.optimized.introspection import ListPicture, QueuePicture, SlotPicture
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.errors import EmptyWindowError

A = TypeVar("A")

COMBINES = {"insert": 2, "evict": 0, "query": 1}
"""T2, amortised: an item is combined on arrival and when it is flipped."""


class TwoStacks(AllOrNothing, Generic[A]):
    """First-in-first-out aggregation in constant amortised time, for any monoid."""

    failures_change_nothing = True

    def __init__(self, monoid: Monoid[A], _: Meter | None = None) -> None:
        """Start with an empty window."""
        self._monoid = monoid
        self._front: list[A] = []  # suffix totals; the last, on top, covers the whole front
        self._back: list[Entry[A]] = []  # oldest first

    def insert(self, item: A) -> None:
        """Append the youngest item."""
        self._back.append(Entry(item, self._monoid.combine(self._back_total(), item)))

    def evict(self) -> None:
        """Remove the oldest item, or raise EmptyWindowError."""
        if not len(self):
            raise EmptyWindowError("evict: the window is empty")
        if not self._front:
            self._flip()
        self._front.pop()

    def query(self) -> A:
        """Fold the window, oldest item first."""
        front_total = self._front[-1] if self._front else self._monoid.identity
        return self._monoid.combine(front_total, self._back_total())

    def __len__(self) -> int:
        """The number of items held."""
        return len(self._front) + len(self._back)

    def _back_total(self) -> A:
        return self._back[-1].total if self._back else self._monoid.identity

    def _flip(self) -> None:
        """Turn the back into a front, with the oldest on top."""
        total, front = self._monoid.identity, list[A]()
        for entry in reversed(self._back):
            total = self._monoid.combine(entry.item, total)
            front.append(total)
        self._front, self._back = front, []

    def picture(self) -> QueuePicture[A]:
        """The lists, to be drawn."""
        front = [SlotPicture(partial=(total,)) for total in reversed(self._front)]
        back = [SlotPicture((item,), (total,)) for item, total in self._back]
        return QueuePicture((ListPicture("front", tuple(front)), ListPicture("back", tuple(back))))

    def invariants(self, window: Sequence[A]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain sequence that this object stands for."""
        cut = len(self._front)
        front, back = window[:cut], window[cut:]
        yield (
            "S1 front and back partition the window, and the back holds its own items",
            len(front) == cut and [entry.item for entry in self._back] == list(back),
        )
        yield (
            "S2 front[i] folds the i + 1 youngest items of the front",
            self._front[::-1] == suffix_totals(self._monoid, front),
        )
        yield (
            "S3 each total of the back folds the back up to its item",
            [entry.total for entry in self._back] == prefix_totals(self._monoid, back),
        )

    @staticmethod
    def bound(operation: Operation, /) -> Cost:
        """Combines, amortised over a run (T2)."""
        return Cost(combines=COMBINES.get(operation.name, inf))
