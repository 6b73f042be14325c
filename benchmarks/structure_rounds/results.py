"""What a run has found, and the questions that claims, plots and pages ask of it."""

from dataclasses import dataclass, field
from math import inf
from statistics import correlation, linear_regression
from typing import NamedTuple

from structure_rounds.break_even import BreakEven
from structure_rounds.contenders import ARITIES
from structure_rounds.counts import Count
from structure_rounds.measure import Row, Stop

OPERATORS = ("sum", "geomean", "bloom")
FINGERS = tuple(f"fiba{arity}" for arity in ARITIES)
CLASSIC = tuple(f"btree{arity}" for arity in ARITIES)
SMALL_DISTANCES = (0, 1, 4, 16)


@dataclass
class Results:
    """Everything that a run has measured and counted."""

    rows: list[Row] = field(default_factory=list[Row])
    stops: list[Stop] = field(default_factory=list[Stop])
    counts: list[Count] = field(default_factory=list[Count])
    break_evens: list[BreakEven] = field(default_factory=list[BreakEven])

    def ns(self, operator: str, contender: str, size: int, distance: int) -> float:
        """Return the nanoseconds a round, infinity if there was no such cell."""
        found = [
            row.ns
            for row in self.rows
            if (row.operator, row.contender, row.size, row.distance)
            == (operator, contender, size, distance)
        ]
        return found[0] if found else inf

    def sizes(self, operator: str) -> list[int]:
        """Return the windows that were tried."""
        return sorted({row.size for row in self.rows if row.operator == operator})

    def widest(self, operator: str) -> int:
        """Return the largest window."""
        return max(self.sizes(operator))

    def by_size(self, operator: str, contender: str) -> dict[int, float]:
        """Return the nanoseconds a round in order, for each window."""
        return {
            row.size: row.ns
            for row in self.rows
            if (row.operator, row.contender, row.distance) == (operator, contender, 0)
        }

    def by_distance(self, operator: str, contender: str) -> dict[int, float]:
        """Return the nanoseconds a round in the largest window, for each distance, rising."""
        size = self.widest(operator)
        found = {
            row.distance: row.ns
            for row in self.rows
            if (row.operator, row.contender, row.size) == (operator, contender, size)
        }
        return dict(sorted(found.items()))

    def best(self, operator: str, among: tuple[str, ...], size: int, distance: int) -> str:
        """Return the fastest of these in a cell."""
        return min(among, key=lambda name: self.ns(operator, name, size, distance))

    def combines_by_distance(self, contender: str) -> dict[int, float]:
        """Return the combines a round in the window where distances were varied."""
        wide = max((count.size for count in self.counts if count.distance), default=0)
        found = {
            count.distance: count.combines
            for count in self.counts
            if (count.contender, count.size) == (contender, wide)
        }
        return dict(sorted(found.items()))

    def combines_by_size(self, contender: str) -> dict[int, float]:
        """Return the combines a round in order, for each window."""
        found = [count for count in self.counts if count.contender == contender]
        return {count.size: count.combines for count in found if not count.distance}

    def even(self, aggregate: str, challenger: str = "reactive") -> BreakEven:
        """Return where the challenger breaks even."""
        nowhere = BreakEven(aggregate, challenger, inf, inf, inf)
        asked = (aggregate, challenger)
        return next((b for b in self.break_evens if (b.aggregate, b.challenger) == asked), nowhere)


class Line(NamedTuple):
    """A line of least squares."""

    offset: float
    slope: float
    farthest: float  # how far from the line a point is, at most
    correlation: float


def fit(points: dict[float, float]) -> Line:
    """Return the line of least squares.

    >>> fit({0.0: 1.0, 1.0: 3.0, 2.0: 5.0})
    Line(offset=1.0, slope=2.0, farthest=0.0, correlation=1.0)
    """
    slope, offset = linear_regression(list(points), list(points.values()))
    farthest = max(abs(y - offset - slope * x) for x, y in points.items())
    return Line(offset, slope, farthest, correlation(list(points), list(points.values())))
