"""What slicing may cost on a trace, by the claims that its proofs make (proofs/scotty.md, M1, M6).

A claim is made for queries whose slices follow from time alone: nothing is said of the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from muntin.spec.query import Query
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import TIME
from muntin.spec.windows.periodic import Sliding

CLAIMED = ("scotty-lazy", "scotty-eager", "scotty-fiba")
"""The operators of which the claims speak."""

LAZY = "scotty-lazy"
"""The one that combines the slices of a window one by one."""


@dataclass(frozen=True)
class Claim:
    """The claims on one operator with some queries."""

    name: str
    queries: tuple[Query, ...]

    def slices(self, limit: int, newest: int, rows: int) -> int:
        """Return how many slices may be held, when so many rows came, up to this time.

        From the lateness limit to the youngest event, and as far back as the longest window, a
        slice lies between two edges of one aggregate's windows, or two gaps; and none is empty.

        >>> from muntin.spec.algebra.catalogue import named
        >>> query = Query("q", Sliding(60, 15), named("sum"))
        >>> Claim("scotty-lazy", (query,)).slices(100, 200, 1000)
        12
        """
        found = 0
        for queries in self._by_aggregate():
            kinds = [query.window for query in queries]
            longest = max((one.size for one in kinds if isinstance(one, Sliding)), default=0)
            gaps = [one.gap for one in kinds if isinstance(one, Session)]
            reach = newest - (limit - max(longest, *gaps, 0))
            edges = sum(_edges(one, reach) for one in kinds if isinstance(one, Sliding))
            sessions = reach // min(gaps) + 2 if gaps else 0
            found += min(rows, edges + sessions + 1)
        return found

    def lifts(self, rows: int) -> int:
        """Return how often values may be lifted: once for each aggregate."""
        return rows * len(self._by_aggregate())

    def combines(self, rows: int, results: int, slices: int) -> int | None:
        """Return how often may be combined: lazily, into a slice and out of those of a window.

        A slice is joined to its neighbour at most once for each tuple: where it fills a gap.
        """
        return 2 * self.lifts(rows) + results * slices if self.name == LAZY else None

    def _by_aggregate(self) -> list[list[Query]]:
        names = dict.fromkeys(query.aggregate.name for query in self.queries)
        return [[one for one in self.queries if one.aggregate.name == name] for name in names]


def _edges(kind: Sliding, reach: int) -> int:
    """Return how many edges lie within so much time: starts and, unless they are starts, ends."""
    return (reach // kind.slide + 1) * (1 + (kind.size % kind.slide > 0))


def claim(name: str, queries: Sequence[Query]) -> Claim | None:
    """Return what is claimed, if anything is."""
    by_time = all(
        isinstance(query.window, Sliding | Session)
        and query.window.measure is TIME
        and query.aggregate.commutative
        for query in queries
    )
    return Claim(name, tuple(queries)) if name in CLAIMED and by_time else None
