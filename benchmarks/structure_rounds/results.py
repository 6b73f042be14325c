"""The results of a run, as claims, plots and pages read them."""

from dataclasses import dataclass, field
from math import inf
from statistics import correlation, linear_regression
from typing import NamedTuple

from structure_rounds.break_even import BreakEven
from structure_rounds.counts import Count
from structure_rounds.implementations import ARITIES
from structure_rounds.measure import Stop, StructureRow

OPERATORS = ("sum", "geomean", "bloom")
FINGERS = tuple(f"fiba{arity}" for arity in ARITIES)
CLASSIC = tuple(f"btree{arity}" for arity in ARITIES)
SMALL_DISTANCES = (0, 1, 4, 16)


@dataclass
class StructureResults:
    """All measurements and counts of a run."""

    rows: list[StructureRow] = field(default_factory=list[StructureRow])
    stops: list[Stop] = field(default_factory=list[Stop])
    counts: list[Count] = field(default_factory=list[Count])
    break_evens: list[BreakEven] = field(default_factory=list[BreakEven])

    def ns(self, operator: str, implementation: str, size: int, distance: int) -> float:
        """The nanoseconds a round; infinity for a cell that was not measured."""
        cells = [
            row.ns
            for row in self.rows
            if (row.operator, row.implementation, row.size, row.distance)
            == (operator, implementation, size, distance)
        ]
        return cells[0] if cells else inf

    def sizes(self, operator: str) -> list[int]:
        """The measured windows."""
        return sorted({row.size for row in self.rows if row.operator == operator})

    def widest(self, operator: str) -> int:
        """The largest measured window."""
        return max(self.sizes(operator))

    def by_size(self, operator: str, implementation: str) -> dict[int, float]:
        """The nanoseconds a round in order, by window."""
        return {
            row.size: row.ns
            for row in self.rows
            if (row.operator, row.implementation, row.distance) == (operator, implementation, 0)
        }

    def by_distance(self, operator: str, implementation: str) -> dict[int, float]:
        """The nanoseconds a round in the largest window, by rising distance."""
        size = self.widest(operator)
        cells = {
            row.distance: row.ns
            for row in self.rows
            if (row.operator, row.implementation, row.size) == (operator, implementation, size)
        }
        return dict(sorted(cells.items()))

    def best(self, operator: str, among: tuple[str, ...], size: int, distance: int) -> str:
        """The fastest of these in a cell."""
        return min(among, key=lambda name: self.ns(operator, name, size, distance))

    def combines_by_distance(self, implementation: str) -> dict[int, float]:
        """The combines a round, by distance, in the window with several distances."""
        wide = max((count.size for count in self.counts if count.distance), default=0)
        cells = {
            count.distance: count.combines
            for count in self.counts
            if (count.implementation, count.size) == (implementation, wide)
        }
        return dict(sorted(cells.items()))

    def combines_by_size(self, implementation: str) -> dict[int, float]:
        """The combines a round in order, by window."""
        cells = [count for count in self.counts if count.implementation == implementation]
        return {count.size: count.combines for count in cells if not count.distance}

    def even(self, aggregate: str, challenger: str = "reactive") -> BreakEven:
        """The break-even point of the challenger; infinite if there is none."""
        nowhere = BreakEven(aggregate, challenger, inf, inf, inf)
        key = (aggregate, challenger)
        return next((b for b in self.break_evens if (b.aggregate, b.challenger) == key), nowhere)


class Line(NamedTuple):
    """A line of least squares."""

    offset: float
    slope: float
    farthest: float  # the greatest distance of a point from the line
    correlation: float


def fit(points: dict[float, float]) -> Line:
    """The line of least squares.

    >>> fit({0.0: 1.0, 1.0: 3.0, 2.0: 5.0})
    Line(offset=1.0, slope=2.0, farthest=0.0, correlation=1.0)
    """
    slope, offset = linear_regression(list(points), list(points.values()))
    farthest = max(abs(y - offset - slope * x) for x, y in points.items())
    return Line(offset, slope, farthest, correlation(list(points), list(points.values())))
