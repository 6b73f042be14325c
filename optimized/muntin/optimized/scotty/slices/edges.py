"""Window edges that are known beforehand, their fusion, and the cell between two of them.

Algorithm 2 of [Traub20]: a sliding window is two progressions of edges, its starts and its ends;
a progression that another covers is dropped. Proofs: proofs/scotty.md, E1 and E2.
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
        """Return the last edge that is not after a time, or minus infinity."""
        from_here = time if self.high >= time else int(self.high)
        edge = from_here - (from_here - self.residue) % self.period
        return edge if edge >= self.low else -END

    def after(self, time: int) -> float:
        """Return the first edge after a time, or infinity.

        >>> Progression(1, 5).after(6), Progression(1, 5, high=6).after(6)
        (11, inf)
        """
        from_here = time + 1 if self.low <= time else int(self.low)
        edge = from_here + (self.residue - from_here) % self.period
        return edge if edge <= self.high else END

    def covers(self, other: "Progression") -> bool:
        """Whether every edge of the other is one of these."""
        single = other.low == other.high
        edge = int(other.low) if single else other.residue
        aligned = (edge - self.residue) % self.period == 0
        within = self.low <= other.low and other.high <= self.high
        return within and aligned and (single or other.period % self.period == 0)


LOW = attrgetter("low")


def single(edge: int) -> Progression:
    """Return one edge."""
    return Progression(edge, 1, edge, edge)


class EdgeInterval(NamedTuple):
    """The times from one edge to the next: low <= time < high."""

    low: float
    high: float


def fused(
    progressions: Iterable[Progression], kept: Sequence[Progression] = ()
) -> list[Progression]:
    """Return the fewest of these that have all their edges (Algorithm 2, ADD_WINDOW).

    >>> fused([Progression(0, 6), Progression(0, 3), Progression(1, 3), single(9)])
    [Progression(residue=0, period=3, low=-inf, high=inf), Progression(residue=1, period=3, ...
    """
    found = list(kept)
    for new in progressions:
        if not any(old.covers(new) for old in found):
            found = [*(old for old in found if not new.covers(old)), new]
    return found


class Edges(RecomputableState):
    """All edges, the cell of the youngest tuple, and some cells before that."""

    cache_fields = ("_cells",)
    remembered = 1024
    strides = 64  # how many edges are passed one by one before time leaps

    def __init__(
        self, progressions: Iterable[Progression] = (), kept: Sequence[Progression] = ()
    ) -> None:
        """Start with no cell known, and with edges of which those kept are fused already."""
        self.progressions = fused(progressions, kept)
        self.computed = 0
        self._active = EdgeInterval(0, 0)
        self._next: list[tuple[float, int]] = []  # a heap: the next edge of each progression
        self._cells: list[EdgeInterval] = []  # sorted, before the active one

    def extended(self, progressions: Iterable[Progression]) -> "Edges":
        """Return these edges and further ones."""
        return Edges(progressions, self.progressions)

    def without(self, gone: Iterable[Progression], left: Iterable[Progression]) -> "Edges":
        """Return these edges but for some, of which those stay that the ones left have too."""
        dropped = set(gone)
        kept = [one for one in self.progressions if one not in dropped]
        freed = [one for one in left if any(old.covers(one) for old in dropped)]
        return Edges(freed, kept)

    def cell(self, time: int) -> EdgeInterval:
        """Return the cell of a time; only a tuple beyond the next edge costs a computation."""
        active = self._active
        if active.low <= time < active.high:
            return active
        if time >= active.high and self._next:
            return self._advanced(time)
        return self._earlier(time)

    def _advanced(self, time: int) -> EdgeInterval:
        """Pass the edges up to a time: the last of them, and the next (Algorithm 2, NEXT)."""
        edges, following = list[float](), self._next
        while following[0][0] <= time:
            edge, nth = following[0]
            one, to = self.progressions[nth], int(edge) if len(edges) < self.strides else time
            edges.append(one.at_or_before(to))
            heapreplace(following, (one.after(to), nth))
        self.computed += 1
        self._remember(len(self._cells), self._active)
        for low, high in pairwise(dict.fromkeys(edges) if len(edges) <= self.strides else ()):
            self._remember(len(self._cells), EdgeInterval(low, high))
        self._active = EdgeInterval(max(edges), following[0][0])
        return self._active

    def _earlier(self, time: int) -> EdgeInterval:
        """Return a cell before the active one, or the first to be active."""
        at = bisect_right(self._cells, time, key=LOW)
        if at and time < self._cells[at - 1].high:
            return self._cells[at - 1]
        self.computed += 1
        low = max((p.at_or_before(time) for p in self.progressions), default=-END)
        following = [(p.after(time), nth) for nth, p in enumerate(self.progressions)]
        cell = EdgeInterval(low, min(following, default=(END, 0))[0])
        if self._active == EdgeInterval(0, 0):
            heapify(following)
            self._active, self._next = cell, following
        else:
            self._remember(at, cell)
        return cell

    def _remember(self, at: int, cell: EdgeInterval) -> None:
        self._cells.insert(at, cell)
        if len(self._cells) > self.remembered:
            del self._cells[: self.remembered // 2]
