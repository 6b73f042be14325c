"""The edges of count windows: the ranks at which they start and end, and who ends where.

Algorithm 2 of [Traub20] in the count measure: a heap of the next start and the next end of each
query. An event that passes no edge costs nothing here, however many queries there are.
"""

from collections.abc import Iterable
from heapq import heapify, heapreplace
from typing import NamedTuple

from muntin.spec.windows.periodic import Sliding


class RankInterval(NamedTuple):
    """The ranks from one edge to the next, and the queries of which a window ends there."""

    low: int
    high: int
    ending: tuple[str, ...]


class CountEdges:
    """The cells of ranks, one after the other."""

    def __init__(self, kinds: Iterable[tuple[str, Sliding]], after: int) -> None:
        """Go on behind a rank; windows begin at rank 0 or later."""
        heap = set[tuple[int, int, str]]()
        for name, kind in kinds:
            first = kind.offset % kind.slide
            for edge, who in ((first, ""), (first + kind.size, name)):
                further = max(edge, after + 1 + (edge - after - 1) % kind.slide)
                heap.add((further, kind.slide, who))
        self._heap = list(heap)
        heapify(self._heap)
        self._given_back = list[RankInterval]()

    def cell(self, low: int) -> RankInterval:
        """Return the next cell, which begins at a rank.

        >>> edges = CountEdges([("a", Sliding(3, 2))], after=0)
        >>> edges.cell(0), edges.cell(2)
        (RankInterval(low=0, high=2, ending=()), RankInterval(low=2, high=3, ending=('a',)))
        """
        if self._given_back:
            return self._given_back.pop()
        high, ending = self._heap[0][0], list[str]()
        while self._heap[0][0] == high:
            _, slide, name = self._heap[0]
            heapreplace(self._heap, (high + slide, slide, name))
            ending += [name] if name else []
        return RankInterval(low, high, tuple(ending))

    def unread(self, cell: RankInterval) -> None:
        """Return the cell again: the step that asked for it has failed."""
        self._given_back.append(cell)
