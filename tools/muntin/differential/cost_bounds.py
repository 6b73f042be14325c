"""Bounds on the cost of slicing a trace, as claimed in proofs/scotty.md (M1, M6).

They hold for queries whose slices depend on time alone; other queries have no bound here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from muntin.spec.query import Query
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import TIME
from muntin.spec.windows.periodic import Sliding

BOUNDED = ("scotty-lazy", "scotty-eager", "scotty-fiba")
"""The operators that have bounds."""

LAZY = "scotty-lazy"
"""The operator that combines the slices of a window one by one."""


@dataclass(frozen=True)
class CostBounds:
    """The bounds of one operator with some queries."""

    name: str
    queries: tuple[Query, ...]

    def slices(self, limit: int, newest: int, rows: int) -> int:
        """The most slices the operator may hold after these rows, up to this newest time.

        From the lateness limit to the newest event, and as far back as the longest window, a
        slice lies between two edges of one aggregate's windows, or two gaps; and none is empty.

        >>> from muntin.spec.algebra.catalogue import named
        >>> query = Query("q", Sliding(60, 15), named("sum"))
        >>> CostBounds("scotty-lazy", (query,)).slices(100, 200, 1000)
        12
        """
        total = 0
        for queries in self._by_aggregate():
            windows = [query.window for query in queries]
            sliding = [window for window in windows if isinstance(window, Sliding)]
            gaps = [window.gap for window in windows if isinstance(window, Session)]
            longest = max((window.size for window in sliding), default=0)
            span = newest - (limit - max(longest, *gaps, 0))
            edges = sum(_edges(window, span) for window in sliding)
            sessions = span // min(gaps) + 2 if gaps else 0
            total += min(rows, edges + sessions + 1)
        return total

    def lifts(self, rows: int) -> int:
        """The most lifts: one of each row for each aggregate."""
        return rows * len(self._by_aggregate())

    def combines(self, rows: int, results: int, slices: int) -> int | None:
        """The most combines of the lazy operator: into a slice, and over those of a window.

        A slice is joined to its neighbour at most once for each tuple: where it fills a gap.
        """
        return 2 * self.lifts(rows) + results * slices if self.name == LAZY else None

    def _by_aggregate(self) -> list[list[Query]]:
        names = dict.fromkeys(query.aggregate.name for query in self.queries)
        return [[query for query in self.queries if query.aggregate.name == name] for name in names]


def _edges(window: Sliding, span: int) -> int:
    """The most edges within a span of time: starts and, unless they are starts, ends."""
    return (span // window.slide + 1) * (1 + (window.size % window.slide > 0))


def cost_bounds(name: str, queries: Sequence[Query]) -> CostBounds | None:
    """The bounds of an operator, if it has any for these queries."""
    by_time = all(
        isinstance(query.window, Sliding | Session)
        and query.window.measure is TIME
        and query.aggregate.commutative
        for query in queries
    )
    return CostBounds(name, tuple(queries)) if name in BOUNDED and by_time else None
