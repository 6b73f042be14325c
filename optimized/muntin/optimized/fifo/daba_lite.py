"""DABA Lite: DABA with one partial an item and two more, and one combine less an operation.

Follows [Tangwongsan21]. Its pointers F, L, R, A, B, E into one chunked queue are the ends of five
queues here, so that each list is touched at its ends only. S1-S7, P1 and T1-T3 are proved in
proofs/daba_lite.md.
"""

from collections import deque
from collections.abc import Iterator, Sequence, Sized
from itertools import accumulate
from math import inf
from typing import Generic, TypeVar

from muntin.atomicity import AllOrNothing
from muntin.optimized.fifo.running_totals import suffix_totals
from muntin.optimized.introspection import QueuePicture, SlotPicture, daba_picture
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.errors import EmptyWindowError

A = TypeVar("A")

COMBINES = {"insert": 3, "evict": 2, "query": 1}
"""T2, for each single operation: a step costs two, and an item one when it arrives."""


class DabaLite(AllOrNothing, Generic[A]):
    """DABA where each item makes way for its own total.

    What right and turned fold to together does not change while items move from one to the other.
    So one total of both serves all steps between two flips.
    """

    failures_change_nothing = True

    def __init__(self, monoid: Monoid[A], _: Meter | None = None) -> None:
        """Start with an empty window."""
        self._monoid = monoid
        self._ready: deque[A] = deque()  # F to L, totals
        self._left: deque[A] = deque()  # L to R, totals
        self._right: deque[A] = deque()  # R to A, items
        self._turned: deque[A] = deque()  # A to B, totals
        self._back: deque[A] = deque()  # B to E, items
        self._rest_total = monoid.identity  # of right and turned
        self._back_total = monoid.identity

    def insert(self, item: A) -> None:
        """Append the youngest item."""
        if not self._ready:
            self._ready.append(item)
            return
        before, total = self._back_total, self._monoid.combine(self._back_total, item)
        self._back.append(item)
        self._back_total = total
        try:
            self._step()
        except BaseException:
            self._back.pop()
            self._back_total = before
            raise

    def evict(self) -> None:
        """Remove the oldest item, or raise EmptyWindowError."""
        if not self._ready:
            raise EmptyWindowError("evict: the window is empty")
        total = self._ready.popleft()
        try:
            self._step()
        except BaseException:
            self._ready.appendleft(total)
            raise

    def query(self) -> A:
        """Fold the window, oldest item first."""
        front_total = self._ready[0] if self._ready else self._monoid.identity
        return self._monoid.combine(front_total, self._back_total)

    def __len__(self) -> int:
        """The number of items held."""
        front = len(self._ready) + len(self._left) + len(self._right) + len(self._turned)
        return front + len(self._back)

    def _step(self) -> None:
        """Make one more total ready; flip first, if none is left to make."""
        flips = not (self._left or self._turned)
        if flips:
            self._flip()
        try:
            self._advance()
        except BaseException:
            if flips:
                self._flip()
            raise

    def _flip(self) -> None:
        """Make ready the left and the back the right of a new front; done twice, it is undone."""
        self._ready, self._left = self._left, self._ready
        self._back, self._right = self._right, self._back
        self._back_total, self._rest_total = self._rest_total, self._back_total

    def _advance(self) -> None:
        """Shrink left and right by one, or shift one total from turned."""
        identity, combine = self._monoid.identity, self._monoid.combine
        if self._left:
            ready = combine(self._left[0], self._rest_total)
            turned = combine(self._right[-1], self._turned[0] if self._turned else identity)
            self._left.popleft()
            self._ready.append(ready)
            self._right.pop()
            self._turned.appendleft(turned)
            self._rest_total = self._rest_total if self._left else identity
        elif self._turned:
            self._ready.append(self._turned.popleft())

    def picture(self) -> QueuePicture[A]:
        """The lists, to be drawn."""
        ready, left, turned = (
            tuple(SlotPicture(partial=(total,)) for total in totals)
            for totals in (self._ready, self._left, self._turned)
        )
        right, back = (
            tuple(SlotPicture((item,)) for item in items) for items in (self._right, self._back)
        )
        totals = ("rest total", self._rest_total), ("back total", self._back_total)
        return daba_picture(ready, left, right, turned, back, totals=totals)

    def invariants(self, window: Sequence[A]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain sequence that this object stands for."""
        lists: tuple[Sized, ...] = self._ready, self._left, self._right, self._turned
        l_at, r_at, a_at, b_at = accumulate(map(len, lists))
        front, left, right = window[:b_at], window[l_at:r_at], window[r_at:a_at]
        turned, back = window[a_at:b_at], window[b_at:]
        yield (
            "S1 the five lists partition the window, and right and back hold their own items",
            len(front) == b_at
            and list(self._right) == list(right)
            and list(self._back) == list(back),
        )
        yield (
            "S2 left is as long as right, and ready is one longer than back, or all is empty",
            len(left) == len(right) and l_at == len(back) + bool(window),
        )
        yield (
            "S3 each total of ready folds the front from its item on",
            list(self._ready) == suffix_totals(self._monoid, front)[:l_at],
        )
        yield (
            "S4 each total of left folds left from its item on",
            list(self._left) == suffix_totals(self._monoid, left),
        )
        yield (
            "S5 the rest total folds right and turned while left remains, else it is the identity",
            self._rest_total == self._monoid.fold(window[r_at:b_at] if left else []),
        )
        yield (
            "S6 each total of turned folds the front from its item on",
            list(self._turned) == suffix_totals(self._monoid, turned),
        )
        yield "S7 the back total folds the back", self._back_total == self._monoid.fold(back)

    @staticmethod
    def bound(operation: Operation, /) -> Cost:
        """Combines, for each single operation (T2)."""
        return Cost(combines=COMBINES.get(operation.name, inf))
