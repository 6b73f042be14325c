"""Window edges that are known beforehand, their minimal cover, and the interval between two.

Algorithm 2 of [Traub20]: a sliding window is two progressions of edges, its starts and its ends; a
progression that another covers is dropped. Algorithm 1 cuts a slice when time passes the next edge:
here, `Edges.interval_at`. Proofs: proofs/scotty.md, E1 and E2.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from heapq import heapify, heapreplace
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from muntin.snapshot.state_classes import RecomputableState
from muntin.spec.stream import END


class Progression(NamedTuple):
    """The edges residue + period * Z from `low` to `high`."""

    residue: int
    period: int
    low: float = -END
    high: float = END

    def at_or_before(self, time: int) -> float:
        """The last edge that is not after a time, or minus infinity."""
        bound = time if self.high >= time else int(self.high)
        edge = bound - (bound - self.residue) % self.period
        return edge if edge >= self.low else -END

    def after(self, time: int) -> float:
        """The first edge after a time, or infinity.

        >>> Progression(1, 5).after(6), Progression(1, 5, high=6).after(6)
        (11, inf)
        """
        bound = time + 1 if self.low <= time else int(self.low)
        edge = bound + (self.residue - bound) % self.period
        return edge if edge <= self.high else END

    def covers(self, other: "Progression") -> bool:
        """Whether every edge of the other is one of these."""
        is_single = other.low == other.high
        edge = int(other.low) if is_single else other.residue
        aligned = (edge - self.residue) % self.period == 0
        within = self.low <= other.low and other.high <= self.high
        return within and aligned and (is_single or other.period % self.period == 0)


INTERVAL_LOW = attrgetter("low")


def single_edge(edge: int) -> Progression:
    """A progression of one edge."""
    return Progression(edge, 1, edge, edge)


class EdgeInterval(NamedTuple):
    """The times from one edge to the next: low <= time < high."""

    low: float
    high: float


def minimal_cover(
    progressions: Iterable[Progression], kept: Sequence[Progression] = ()
) -> list[Progression]:
    """The fewest progressions that have all the edges (Algorithm 2 of [Traub20], ADD_WINDOW).

    >>> minimal_cover([Progression(0, 6), Progression(0, 3), Progression(1, 3), single_edge(9)])
    [Progression(residue=0, period=3, low=-inf, high=inf), Progression(residue=1, period=3, ...
    """
    cover = list(kept)
    for new in progressions:
        if not any(old.covers(new) for old in cover):
            cover = [*(old for old in cover if not new.covers(old)), new]
    return cover


class Edges(RecomputableState):
    """All edges, the interval of the youngest tuple, and some intervals before that."""

    cache_fields = ("_intervals",)
    interval_limit = 1024
    stride_limit = 64  # edges passed one by one before time leaps

    def __init__(
        self, progressions: Iterable[Progression] = (), kept: Sequence[Progression] = ()
    ) -> None:
        """Start with no interval known; `kept` progressions cover each other no more."""
        self.progressions = minimal_cover(progressions, kept)
        self.computed_count = 0
        self._active = EdgeInterval(0, 0)
        self._next: list[tuple[float, int]] = []  # a heap: the next edge of each progression
        self._intervals: list[EdgeInterval] = []  # sorted, before the active one

    def with_edges(self, progressions: Iterable[Progression]) -> "Edges":
        """These edges and further ones."""
        return Edges(progressions, self.progressions)

    def without_edges(
        self, removed: Iterable[Progression], remaining: Iterable[Progression]
    ) -> "Edges":
        """These edges without the removed ones, except those that remaining queries have too."""
        removed_set = set(removed)
        kept = [progression for progression in self.progressions if progression not in removed_set]
        freed = [p for p in remaining if any(old.covers(p) for old in removed_set)]
        return Edges(freed, kept)

    def interval_at(self, time: int) -> EdgeInterval:
        """The interval of a time; only a tuple beyond the next edge costs a computation.

        This is the comparison with the next edge of Algorithm 1 of [Traub20], for late tuples too.
        """
        active = self._active
        if active.low <= time < active.high:
            return active
        if time >= active.high and self._next:
            return self._advance(time)
        return self._interval_before(time)

    def _advance(self, time: int) -> EdgeInterval:
        """Pass the edges up to a time: the last of them, and the next (Algorithm 2, NEXT)."""
        edges, next_edges = list[float](), self._next
        while next_edges[0][0] <= time:
            edge, index = next_edges[0]
            progression = self.progressions[index]
            until = int(edge) if len(edges) < self.stride_limit else time
            edges.append(progression.at_or_before(until))
            heapreplace(next_edges, (progression.after(until), index))
        self.computed_count += 1
        self._store_interval(len(self._intervals), self._active)
        for low, high in pairwise(dict.fromkeys(edges) if len(edges) <= self.stride_limit else ()):
            self._store_interval(len(self._intervals), EdgeInterval(low, high))
        self._active = EdgeInterval(max(edges), next_edges[0][0])
        return self._active

    def _interval_before(self, time: int) -> EdgeInterval:
        """An interval before the active one, or the first to be active."""
        index = bisect_right(self._intervals, time, key=INTERVAL_LOW)
        if index and time < self._intervals[index - 1].high:
            return self._intervals[index - 1]
        self.computed_count += 1
        low = max((p.at_or_before(time) for p in self.progressions), default=-END)
        next_edges = [(p.after(time), index) for index, p in enumerate(self.progressions)]
        interval = EdgeInterval(low, min(next_edges, default=(END, 0))[0])
        if self._active == EdgeInterval(0, 0):
            heapify(next_edges)
            self._active, self._next = interval, next_edges
        else:
            self._store_interval(index, interval)
        return interval

    def _store_interval(self, index: int, interval: EdgeInterval) -> None:
        self._intervals.insert(index, interval)
        if len(self._intervals) > self.interval_limit:
            del self._intervals[: self.interval_limit // 2]
