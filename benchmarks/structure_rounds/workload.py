"""The stream: a window of constant size whose inserts all come at one out-of-order distance.

As in section 5.1.1 of [Tangwongsan19], the window is filled with the youngest times first, and
then takes older ones: `distance` items stay younger than every item that arrives.
"""

from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Generic, TypeVar

from muntin.spec.structure import Pair
from structure_rounds.contenders import Window
from structure_rounds.operators import Bench

A = TypeVar("A")

GAP = 2**30
"""Between two times of the first window: room for all that is inserted between them."""


class Feed(Generic[A]):
    """The times that a window holds, and the calls to come. The distance may only shrink."""

    def __init__(self, bench: Bench[A], size: int, distance: int) -> None:
        """Think of a window of evenly spaced times, the younger ones out of the way."""
        self.bench = bench
        times = range(0, size * GAP, GAP)
        self._older, self._younger = (
            deque(times[: size - distance]),
            deque(times[size - distance :]),
        )
        self._last = self._older[-1]

    def __len__(self) -> int:
        """Return the size of the window."""
        return len(self._older) + len(self._younger)

    def come_nearer(self, distance: int) -> None:
        """Let items arrive at a smaller distance from now on."""
        while len(self._younger) > distance:
            self._last = self._younger.popleft()
            self._older.append(self._last)

    def rounds(self, count: int) -> list[tuple[int, int, A]]:
        """Return what each of the next rounds evicts and inserts."""
        calls: list[tuple[int, int, A]] = []
        for _ in range(count):
            self._last += 1
            self._older.append(self._last)
            calls.append((self._older.popleft(), self._last, self.bench.at(self._last)))
        return calls

    def pairs(self) -> Iterator[Pair[A]]:
        """Yield what the window holds now, oldest first."""
        return ((time, self.bench.at(time)) for time in chain(self._older, self._younger))

    def answer(self) -> A:
        """Return what a query has to return now."""
        return self.bench.monoid.fold(value for _, value in self.pairs())


def play(window: Window[A], calls: list[tuple[int, int, A]]) -> None:
    """Evict, insert and query, once for each round."""
    evict, insert, query = window.evict, window.insert, window.query
    for old, new, value in calls:
        evict(old)
        insert(new, value)
        query()
