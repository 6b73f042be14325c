"""The stream: a window of constant size whose inserts all come at one out-of-order distance.

As in section 5.1.1 of [Tangwongsan19], the window is filled with the newest times first, and
then gets older ones: `distance` items stay newer than every item that arrives.
"""

from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Generic, TypeVar

from muntin.spec.structure import Pair
from structure_rounds.implementations import Window
from structure_rounds.operators import BenchmarkMonoid

A = TypeVar("A")

GAP = 2**30
"""The distance of two times of the first window, with room for all later inserts between them."""


class Feed(Generic[A]):
    """The times in a window, and its next calls. The distance may only shrink."""

    def __init__(self, monoid_case: BenchmarkMonoid[A], size: int, distance: int) -> None:
        """Start with a window of evenly spaced times; the newest ones are beyond the distance."""
        self.monoid_case = monoid_case
        times = range(0, size * GAP, GAP)
        self._older, self._younger = (
            deque(times[: size - distance]),
            deque(times[size - distance :]),
        )
        self._last = self._older[-1]

    def __len__(self) -> int:
        """The size of the window."""
        return len(self._older) + len(self._younger)

    def reduce_distance(self, distance: int) -> None:
        """Reduce the distance of the next items."""
        while len(self._younger) > distance:
            self._last = self._younger.popleft()
            self._older.append(self._last)

    def rounds(self, count: int) -> list[tuple[int, int, A]]:
        """The evicted time, and the inserted time and value, of each of the next rounds."""
        calls: list[tuple[int, int, A]] = []
        for _ in range(count):
            self._last += 1
            self._older.append(self._last)
            calls.append((self._older.popleft(), self._last, self.monoid_case.at(self._last)))
        return calls

    def pairs(self) -> Iterator[Pair[A]]:
        """Yield the items of the window, oldest first."""
        return ((time, self.monoid_case.at(time)) for time in chain(self._older, self._younger))

    def answer(self) -> A:
        """The right answer to a query now."""
        return self.monoid_case.monoid.fold(value for _, value in self.pairs())


def play(window: Window[A], calls: list[tuple[int, int, A]]) -> None:
    """Evict, insert and query, once for each round."""
    evict, insert, query = window.evict, window.insert, window.query
    for old, new, value in calls:
        evict(old)
        insert(new, value)
        query()
