"""The spans of windows whose edges are known beforehand, and the edges of periodic ones.

A span is the half-open range of the coordinates that a window holds, in every dialect. A window is
complete when its end, as the dialect closes it, is past; its span may end earlier, where panes
below the offset are truncated towards it. Proof: proofs/scotty.md, E3. The edges of periodic
windows are progressions, as in Algorithm 2 of [Traub20]: a sliding window has the edges of two
tumbling ones, its starts and its ends.
"""

from typing import NamedTuple

from muntin.optimized.scotty.slices.edges import Progression, single
from muntin.spec.dialect import Dialect
from muntin.spec.stream import END
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.window import Interval

Periodic = Sliding | Cumulate
ScheduledWindow = Periodic | Landmark | Band
"""Types whose edges are known beforehand."""


class EdgeShift(NamedTuple):
    """How much later than left-closed windows those of a dialect open and close."""

    opens: int
    closes: int


def edge_shift(kind: ScheduledWindow, dialect: Dialect) -> EdgeShift:
    """Return how much later the windows of a type open and close: (a, b] is [a + 1, b + 1).

    >>> [edge_shift(Band(0, 3), Dialect(edges=edges)) for edges in ("right", "both")]
    [EdgeShift(opens=1, closes=1), EdgeShift(opens=0, closes=1)]
    """
    edges = "left" if kind.measure is COUNT else dialect.edges
    return EdgeShift(int(edges == "right"), int(edges != "left"))


def period(kind: Periodic) -> int:
    """Return the distance from one start to the next."""
    return kind.slide if isinstance(kind, Sliding) else kind.size


def has_unique_start(kind: Periodic) -> bool:
    """Whether a coordinate has but one start, that of its pane."""
    return isinstance(kind, Cumulate) or kind.size == kind.slide


def span(kind: ScheduledWindow, one: Interval, dialect: Dialect) -> tuple[int, int]:
    """Return the span of a window: truncated, a pane below the offset ends with its start.

    >>> span(Sliding(5, 5), Interval(-5, 0), Dialect(alignment="truncate"))
    (-9, -4)
    """
    opens, closes = edge_shift(kind, dialect)
    low, high = one.start, int(one.end)
    if isinstance(kind, Sliding | Cumulate) and dialect.alignment == "truncate":
        if low < kind.offset and has_unique_start(kind):
            high = low + 1
        if low <= kind.offset:
            low -= period(kind) - 1
    return low + opens, high + closes


class PeriodicEdges:
    """The spans of the windows that start at `least` or later, of what comes after `since`."""

    def __init__(self, kind: Periodic, dialect: Dialect, least: float, since: float) -> None:
        """Take in the window type."""
        self._kind, self._least, self._since = kind, least, since
        self._opens, self._closes = edge_shift(kind, dialect)
        self._truncates = dialect.alignment == "truncate"

    def edges(self) -> list[Progression]:
        """Return where spans begin and end, and where what a query sees begins amid windows."""
        begins, offset = self._opens, self._kind.offset
        if not self._truncates:
            return [*self._family(begins), *self._ends(-END)]
        every = period(self._kind)
        early = [*self._family(begins - every + 1, high=offset)]
        found = [*early, *self._family(begins, low=offset + every)]
        if has_unique_start(self._kind):
            found += self._family(1 + self._closes, high=offset - every)
            found += self._ends(offset)
        else:
            found += self._ends(-END)
        return found if self._since == -END else [*found, single(int(self._since) + 1)]

    def _family(self, shift: int, low: float = -END, high: float = END) -> list[Progression]:
        """Return the starts from `low` to `high`, shifted, but for those before what is seen."""
        kind = self._kind
        first, last = max(max(low, self._least) + shift, self._since + 1), high + shift
        one = Progression(kind.offset + shift, period(kind), first, last)
        return [one] if first <= last else []

    def _ends(self, low: float) -> list[Progression]:
        """Return the ends of the windows that start at `low` or later."""
        kind = self._kind
        if isinstance(kind, Sliding):
            return self._family(kind.size + self._closes, low)
        first = max(low, self._least) + kind.step + self._closes
        return [Progression(kind.offset + self._closes, kind.step, first)]
