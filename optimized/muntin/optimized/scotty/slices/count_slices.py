"""The slices of count windows: their edges, which are ranks, and the tuples between two of them.

The edges are those of Algorithm 2 of [Traub20] in the count measure: a heap of the next start and
the next end of each query. An event that passes no edge costs nothing here, however many queries
there are.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heapify, heapreplace
from operator import attrgetter
from typing import NamedTuple

from muntin.optimized.scotty.slices.slice import LiftedEvent
from muntin.spec.windows.periodic import Sliding

Order = tuple[int, int]
FIRST_ORDER = attrgetter("first_order")
FIRST_RANK = attrgetter("first")
END_RANK = attrgetter("ranks.high")


class RankInterval(NamedTuple):
    """The ranks from one edge to the next, and the queries with a window that ends there."""

    low: int
    high: int
    ending: tuple[str, ...]


class CountEdges:
    """The intervals between rank edges, one after the other."""

    def __init__(self, windows: Iterable[tuple[str, Sliding]], after: int) -> None:
        """Continue behind a rank; windows begin at rank 0 or later."""
        heap = set[tuple[int, int, str]]()
        for name, window in windows:
            first = window.offset % window.slide
            for edge, query in ((first, ""), (first + window.size, name)):
                next_edge = max(edge, after + 1 + (edge - after - 1) % window.slide)
                heap.add((next_edge, window.slide, query))
        self._heap = list(heap)
        heapify(self._heap)
        self._unread = list[RankInterval]()

    def next_interval(self, low: int) -> RankInterval:
        """The next interval, which begins at a rank: Algorithm 2 of [Traub20], NEXT.

        >>> edges = CountEdges([("a", Sliding(3, 2))], after=0)
        >>> edges.next_interval(0), edges.next_interval(2)
        (RankInterval(low=0, high=2, ending=()), RankInterval(low=2, high=3, ending=('a',)))
        """
        if self._unread:
            return self._unread.pop()
        high, ending = self._heap[0][0], list[str]()
        while self._heap[0][0] == high:
            _, slide, name = self._heap[0]
            heapreplace(self._heap, (high + slide, slide, name))
            ending += [name] if name else []
        return RankInterval(low, high, tuple(ending))

    def unread(self, interval: RankInterval) -> None:
        """Put an interval back: the step that read it has failed."""
        self._unread.append(interval)


@dataclass(slots=True)
class CountSlice:
    """A slice that begins at an edge, up to the next edge when it is full.

    `first_order` and `last_order` are the places of its first and last tuple in event order. Where
    `partial_known` is false, the partial aggregate is computed from the tuples when it is needed.
    `revision` counts the updates of the windows that end with it, once they are `emitted`.
    """

    ranks: RankInterval
    first_order: Order
    last_order: Order
    size: int
    partial: object
    tuples: deque[LiftedEvent] | None
    partial_known: bool = True
    revision: int = 0
    emitted: bool = False

    @property
    def first(self) -> int:
        """The rank of its first tuple."""
        return self.ranks.low

    @property
    def is_full(self) -> bool:
        """Whether the next tuple comes behind the edge."""
        return self.size == self.ranks.high - self.ranks.low

    @property
    def is_overfull(self) -> bool:
        """Whether a late tuple has pushed the last one over the edge."""
        return self.size > self.ranks.high - self.ranks.low

    @property
    def completes_at(self) -> int:
        """The time at which the windows that end with it complete, once it is full."""
        return self.last_order[0] + 1

    def restore(self, other: "CountSlice") -> None:
        """Copy all that a tuple changes, except the tuples."""
        self.first_order, self.last_order = other.first_order, other.last_order
        self.partial, self.partial_known, self.size = other.partial, other.partial_known, other.size
