"""Periodic windows that compute the windows of a coordinate once.

The denotation evaluates a window type for every window and every event. The windows of an event
depend on its coordinate alone, so memoizing them changes no answer, and makes it affordable to run
the denotation itself over millions of rows.
"""

from dataclasses import dataclass, field, replace

from muntin.spec.dialect import Dialect
from muntin.spec.query import Query
from muntin.spec.windows.measure import PositionedEvent
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.window import Interval


@dataclass(frozen=True)
class MemoizedSliding(Sliding):
    """Sliding windows for one run: the dialect is not part of the cache's key."""

    cache: dict[int, set[int]] = field(default_factory=dict[int, set[int]], compare=False)

    def starts(self, coordinate: int, dialect: Dialect) -> set[int]:
        """The starts of the windows that contain this coordinate.

        >>> window = MemoizedSliding(4, 2)
        >>> window.starts(7, Dialect()) is window.starts(7, Dialect()), window.cache
        (True, {7: {4, 6}})
        """
        starts = self.cache.get(coordinate)
        if starts is None:
            starts = self.cache[coordinate] = super().starts(coordinate, dialect)
        return starts

    def holds(self, interval: Interval, at: PositionedEvent, dialect: Dialect, /) -> bool:
        """Whether the window contains the event."""
        starts = self.cache.get(at.coordinate)  # no further call: this runs per window and event
        return interval.start in (starts or self.starts(at.coordinate, dialect))


def memoize(query: Query) -> Query:
    """The same query, over memoized windows if its windows are sliding ones."""
    window = query.window
    if type(window) is not Sliding:
        return query
    memoized = MemoizedSliding(window.size, window.slide, window.offset, window.measure)
    return replace(query, window=memoized)
