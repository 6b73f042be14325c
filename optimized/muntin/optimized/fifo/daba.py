"""DABA: a FIFO window that flips a little with every operation, never all at once.

Follows the de-amortised banker's aggregator of [Tangwongsan17] and [Tangwongsan21]. Its pointers
F, L, R, A, B, E into one chunked queue are the ends of five queues here, so that each list is
touched at its ends only. S1-S7, P1 and T1-T3 are proved in proofs/daba.md.
"""

from collections import deque
from collections.abc import Iterator, Sequence, Sized
from itertools import accumulate
from math import inf
from typing import Generic, TypeVar

from muntin.atomicity import AllOrNothing
from muntin.optimized.fifo.running_totals import Entry, prefix_totals, suffix_totals
from muntin.optimized.introspection import QueuePicture, SlotPicture, daba_picture
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.errors import EmptyWindowError

A = TypeVar("A")

COMBINES = {"insert": 4, "evict": 3, "query": 1}
"""T2, for each single operation: a step costs three, and an item one when it arrives."""


class Daba(AllOrNothing, Generic[A]):
    """First-in-first-out aggregation in constant time in the worst case, for any monoid.

    The front is ready + left + right + turned, and behind it is the back. Ready and turned hold
    totals that reach the end of the front, left totals that reach the end of left only. Each step
    makes one more total ready; when nothing is left to make ready, what was the back is as long
    as what is ready, and the two become the left and the right of the next front.
    """

    failures_change_nothing = True

    def __init__(self, monoid: Monoid[A], _: Meter | None = None) -> None:
        """Start with an empty window."""
        self._monoid = monoid
        self._ready: deque[A] = deque()  # F to L
        self._left: deque[A] = deque()  # L to R
        self._right: deque[Entry[A]] = deque()  # R to A
        self._turned: deque[A] = deque()  # A to B
        self._back: deque[Entry[A]] = deque()  # B to E

    def insert(self, item: A) -> None:
        """Append the youngest item."""
        if not self._ready:
            self._ready.append(item)
            return
        self._back.append(Entry(item, self._monoid.combine(self._back_total(), item)))
        try:
            self._step()
        except BaseException:
            self._back.pop()
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
        return self._monoid.combine(front_total, self._back_total())

    def __len__(self) -> int:
        """The number of items held."""
        front = len(self._ready) + len(self._left) + len(self._right) + len(self._turned)
        return front + len(self._back)

    def _back_total(self) -> A:
        return self._back[-1].total if self._back else self._monoid.identity

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

    def _advance(self) -> None:
        """Shrink left and right by one, or shift one total from turned."""
        combine = self._monoid.combine
        if self._left:
            item, right_total = self._right[-1]
            turned_total = self._turned[0] if self._turned else self._monoid.identity
            ready = combine(combine(self._left[0], right_total), turned_total)
            turned = combine(item, turned_total)
            self._left.popleft()
            self._ready.append(ready)
            self._right.pop()
            self._turned.appendleft(turned)
        elif self._turned:
            self._ready.append(self._turned.popleft())

    def picture(self) -> QueuePicture[A]:
        """The lists, to be drawn."""
        ready, left, turned = (
            tuple(SlotPicture(partial=(total,)) for total in totals)
            for totals in (self._ready, self._left, self._turned)
        )
        right, back = (
            tuple(SlotPicture((item,), (total,)) for item, total in entries)
            for entries in (self._right, self._back)
        )
        return daba_picture(ready, left, right, turned, back)

    def invariants(self, window: Sequence[A]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain sequence that this object stands for."""
        lists: tuple[Sized, ...] = self._ready, self._left, self._right, self._turned
        l_at, r_at, a_at, b_at = accumulate(map(len, lists))
        front, left, right = window[:b_at], window[l_at:r_at], window[r_at:a_at]
        turned, back = window[a_at:b_at], window[b_at:]
        yield (
            "S1 the five lists partition the window, and right and back hold their own items",
            len(front) == b_at
            and [entry.item for entry in self._right] == list(right)
            and [entry.item for entry in self._back] == list(back),
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
            "S5 each total of right folds right up to its item",
            [entry.total for entry in self._right] == prefix_totals(self._monoid, right),
        )
        yield (
            "S6 each total of turned folds the front from its item on",
            list(self._turned) == suffix_totals(self._monoid, turned),
        )
        yield (
            "S7 each total of back folds the back up to its item",
            [entry.total for entry in self._back] == prefix_totals(self._monoid, back),
        )

    @staticmethod
    def bound(operation: Operation, /) -> Cost:
        """Combines, for each single operation (T2)."""
        return Cost(combines=COMBINES.get(operation.name, inf))
