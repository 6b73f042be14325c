"""The spans of windows whose edges are known beforehand, and the edges of periodic ones.

A span is the half-open range of the coordinates that a window holds, in every dialect. A window is
complete when its end, as the dialect closes it, is past; its span may end earlier, where panes
below the offset are truncated towards it. Proof: proofs/scotty.md, E3. The edges of periodic
windows are progressions, as in Algorithm 2 of [Traub20]: a sliding window has the edges of two
tumbling ones, its starts and its ends.
"""

from typing import NamedTuple

from muntin.optimized.scotty.slices.edges import Progression, single_edge
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


def edge_shift(window: ScheduledWindow, dialect: Dialect) -> EdgeShift:
    """How much later the windows of a type open and close: (a, b] is [a + 1, b + 1).

    >>> [edge_shift(Band(0, 3), Dialect(edges=edges)) for edges in ("right", "both")]
    [EdgeShift(opens=1, closes=1), EdgeShift(opens=0, closes=1)]
    """
    edges = "left" if window.measure is COUNT else dialect.edges
    return EdgeShift(int(edges == "right"), int(edges != "left"))


def period(window: Periodic) -> int:
    """The distance from one start to the next."""
    return window.slide if isinstance(window, Sliding) else window.size


def has_unique_start(window: Periodic) -> bool:
    """Whether a coordinate has only one start, that of its pane."""
    return isinstance(window, Cumulate) or window.size == window.slide


def span(window: ScheduledWindow, interval: Interval, dialect: Dialect) -> tuple[int, int]:
    """The span of a window: truncated, a pane below the offset ends with its start.

    >>> span(Sliding(5, 5), Interval(-5, 0), Dialect(alignment="truncate"))
    (-9, -4)
    """
    opens, closes = edge_shift(window, dialect)
    low, high = interval.start, int(interval.end)
    if isinstance(window, Sliding | Cumulate) and dialect.alignment == "truncate":
        if low < window.offset and has_unique_start(window):
            high = low + 1
        if low <= window.offset:
            low -= period(window) - 1
    return low + opens, high + closes


class PeriodicEdges:
    """The edges of the windows that start at `least` or later, for a query from `since` on."""

    def __init__(self, window: Periodic, dialect: Dialect, min_start: float, since: float) -> None:
        """Take the window type."""
        self._window, self._min_start, self._since = window, min_start, since
        self._opens, self._closes = edge_shift(window, dialect)
        self._truncates = dialect.alignment == "truncate"

    def edges(self) -> list[Progression]:
        """The starts and ends of spans, and a time amid windows from which a query sees events."""
        opens, offset = self._opens, self._window.offset
        if not self._truncates:
            return [*self._starts(opens), *self._ends(-END)]
        distance = period(self._window)
        below_offset = [*self._starts(opens - distance + 1, high=offset)]
        progressions = [*below_offset, *self._starts(opens, low=offset + distance)]
        if has_unique_start(self._window):
            progressions += self._starts(1 + self._closes, high=offset - distance)
            progressions += self._ends(offset)
        else:
            progressions += self._ends(-END)
        return (
            progressions
            if self._since == -END
            else [*progressions, single_edge(int(self._since) + 1)]
        )

    def _starts(self, shift: int, low: float = -END, high: float = END) -> list[Progression]:
        """The starts from `low` to `high`, shifted, except those before what is seen."""
        window = self._window
        first, last = max(max(low, self._min_start) + shift, self._since + 1), high + shift
        progression = Progression(window.offset + shift, period(window), first, last)
        return [progression] if first <= last else []

    def _ends(self, low: float) -> list[Progression]:
        """The ends of the windows that start at `low` or later."""
        window = self._window
        if isinstance(window, Sliding):
            return self._starts(window.size + self._closes, low)
        first = max(low, self._min_start) + window.step + self._closes
        return [Progression(window.offset + self._closes, window.step, first)]
