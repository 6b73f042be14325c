"""Two-Stacks Lite: Two-Stacks in one queue, which keeps one partial an item and one more.

Follows [Tangwongsan21]. S1-S4 and T1-T3 are proved in proofs/two_stacks_lite.md.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from math import inf
from typing import Generic, TypeVar

from muntin.atomicity import AllOrNothing
from muntin.optimized.fifo.running_totals import suffix_totals
from muntin.optimized.introspection import ListPicture, QueuePicture, SlotPicture
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.errors import EmptyWindowError

A = TypeVar("A")

COMBINES = {"insert": 2, "evict": 0, "query": 1}
"""T2, amortised: an item is combined on arrival and when it is turned."""


class TwoStacksLite(AllOrNothing, Generic[A]):
    """Two-Stacks where each item makes way for its own suffix total."""

    failures_change_nothing = True

    def __init__(self, monoid: Monoid[A], _: Meter | None = None) -> None:
        """Start with an empty window."""
        self._monoid = monoid
        self._slots: deque[A] = deque()  # suffix totals of the front, then items of the back
        self._cut = 0  # the number of slots of the front
        self._unturned = (
            0  # of these, the slots that still hold items: none, unless a combine raised
        )
        self._back_total = monoid.identity

    def insert(self, item: A) -> None:
        """Append the youngest item."""
        self._turn()
        self._back_total = self._monoid.combine(self._back_total, item)
        self._slots.append(item)

    def evict(self) -> None:
        """Remove the oldest item, or raise EmptyWindowError."""
        if not self._slots:
            raise EmptyWindowError("evict: the window is empty")
        if not self._cut:
            self._cut = self._unturned = len(self._slots)
            self._back_total = self._monoid.identity
        self._turn()
        self._slots.popleft()
        self._cut -= 1

    def query(self) -> A:
        """Fold the window, oldest item first."""
        self._turn()
        front_total = self._slots[0] if self._cut else self._monoid.identity
        return self._monoid.combine(front_total, self._back_total)

    def __len__(self) -> int:
        """The number of items held."""
        return len(self._slots)

    def _turn(self) -> None:
        """Replace each item of the front by its suffix total, youngest first.

        The queue goes round once: items leave on the right, their totals enter on the left. If a
        combine raises, nothing is lost, and the next call continues from there.
        """
        while self._unturned:
            first = self._unturned == self._cut
            younger = self._monoid.identity if first else self._slots[0]
            total = self._monoid.combine(self._slots[-1], younger)
            self._slots.pop()
            self._slots.appendleft(total)
            self._unturned -= 1

    def picture(self) -> QueuePicture[A]:
        """The lists, to be drawn."""
        slots = list(self._slots)
        front = [SlotPicture(partial=(total,)) for total in slots[: self._cut]]
        back = [SlotPicture((item,)) for item in slots[self._cut :]]
        return QueuePicture(
            (ListPicture("front", tuple(front)), ListPicture("back", tuple(back))),
            (("back total", self._back_total),),
        )

    def invariants(self, window: Sequence[A]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain sequence that this object stands for."""
        slots, front, back = list(self._slots), window[: self._cut], window[self._cut :]
        yield (
            "S1 front and back partition the window, and the back holds its own items",
            len(front) == self._cut and slots[self._cut :] == list(back),
        )
        yield (
            "S2 each slot of the front folds the front from its item on",
            slots[: self._cut] == suffix_totals(self._monoid, front),
        )
        yield "S3 the back total folds the back", self._back_total == self._monoid.fold(back)
        yield "S4 no turn is under way", self._unturned == 0

    @staticmethod
    def bound(operation: Operation, /) -> Cost:
        """Combines, amortised over a run (T2)."""
        return Cost(combines=COMBINES.get(operation.name, inf))
