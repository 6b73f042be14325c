"""Window edges that are known beforehand, their fusion, and the cell between two of them.

Algorithm 2 of [Traub20]: a sliding window is two progressions of edges, its starts and its ends;
a progression that another covers is dropped. Proofs: proofs/scotty.md, E1 and E2.
"""

from collections.abc import Iterable
from typing import NamedTuple

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
        aligned = (other.residue - self.residue) % self.period == 0
        within = self.low <= other.low and other.high <= self.high
        return within and aligned and (single or other.period % self.period == 0)


def single(edge: int) -> Progression:
    """Return one edge."""
    return Progression(edge, 1, edge, edge)


class Cell(NamedTuple):
    """The times from one edge to the next: low <= time < high."""

    low: float
    high: float


def fused(progressions: Iterable[Progression]) -> list[Progression]:
    """Return the fewest of these that have all their edges.

    >>> fused([Progression(0, 6), Progression(0, 3), Progression(1, 3), single(9)])
    [Progression(residue=0, period=3, low=-inf, high=inf), Progression(residue=1, period=3, ...
    """
    kept: list[Progression] = []
    for new in progressions:
        if not any(old.covers(new) for old in kept):
            kept = [*(old for old in kept if not new.covers(old)), new]
    return kept


class Edges:
    """All edges, and the cell of the youngest tuple, which is most often that of the next one."""

    def __init__(self, progressions: Iterable[Progression] = ()) -> None:
        """Start with the cache empty."""
        self.progressions = fused(progressions)
        self.computed = 0
        self._active = Cell(0, 0)

    def cell(self, time: int) -> Cell:
        """Return the cell of a time; only a tuple beyond the next edge costs a computation."""
        active = self._active
        if active.low <= time < active.high:
            return active
        self.computed += 1
        low = max((p.at_or_before(time) for p in self.progressions), default=-END)
        high = min((p.after(time) for p in self.progressions), default=END)
        cell = Cell(low, high)
        if time >= active.high or active.low == active.high:
            self._active = cell
        return cell
