"""The span of a window: the half-open range of the coordinates that it holds, in every dialect.

A window is complete when its end, as the dialect closes it, is past; its span may end earlier,
where panes below the offset are truncated towards it. Proof: proofs/scotty.md, E3.
"""

from typing import NamedTuple

from muntin.spec.dialect import Dialect
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
