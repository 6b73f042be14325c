"""Periodic windows that answer each question once.

The denotation asks a window type for every window and every event where the event belongs. The
answer depends on nothing else, so one that is remembered is the answer; and rows at any scale can
be held against the denotation itself.
"""

from dataclasses import dataclass, field, replace

from muntin.spec.dialect import Dialect
from muntin.spec.query import Query
from muntin.spec.windows.measure import PositionedEvent
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.window import Interval


@dataclass(frozen=True)
class MemoizedSliding(Sliding):
    """Sliding windows, in one dialect only: that of the one run that it is made for."""

    known: dict[int, set[int]] = field(default_factory=dict[int, set[int]], compare=False)

    def starts(self, coordinate: int, dialect: Dialect) -> set[int]:
        """Return the starts of the windows that an event at this coordinate belongs to.

        >>> window = MemoizedSliding(4, 2)
        >>> window.starts(7, Dialect()) is window.starts(7, Dialect()), window.known
        (True, {7: {4, 6}})
        """
        found = self.known.get(coordinate)
        if found is None:
            found = self.known[coordinate] = super().starts(coordinate, dialect)
        return found

    def holds(self, interval: Interval, at: PositionedEvent, dialect: Dialect, /) -> bool:
        """Whether the window is one of those that the event belongs to."""
        known = self.known.get(at.coordinate)  # asked of each window and event: not a call more
        return interval.start in (known or self.starts(at.coordinate, dialect))


def memoize(query: Query) -> Query:
    """Return the same query, asked of windows that remember if there are such windows."""
    kind = query.window
    if type(kind) is not Sliding:
        return query
    return replace(query, window=MemoizedSliding(kind.size, kind.slide, kind.offset, kind.measure))
