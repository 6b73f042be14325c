"""Where Panes and Pairs cut: at edges that are known in advance [Li05a, Krishnamurthy06].

Panes cut at every multiple of gcd(size, slide); Pairs where a window begins or ends, which divides
each slide in two, of slide - size mod slide and size mod slide.
"""

from collections.abc import Callable, Iterable
from math import gcd

from muntin.spec.stream import END
from muntin.spec.windows.periodic import Sliding

Edges = tuple[int, int]
"""A period and a phase: phase + period * Z."""


def panes(kind: Sliding) -> list[Edges]:
    """The edges of the panes.

    >>> from muntin.spec.windows.periodic import Sliding
    >>> panes(Sliding(10, 4))
    [(2, 0)]
    """
    return [(gcd(kind.size, kind.slide), kind.offset)]


def pairs(kind: Sliding) -> list[Edges]:
    """The edges of the pairs: the begins, and the ends.

    >>> from muntin.spec.windows.periodic import Sliding
    >>> pairs(Sliding(10, 3))
    [(3, 0), (3, 10)]
    """
    return [(kind.slide, kind.offset), (kind.slide, kind.offset + kind.size)]


EdgesOf = Callable[[Sliding], list[Edges]]


class PaneEdges:
    """The next of all edges, so that an event between edges costs one comparison."""

    def __init__(self, edges: Iterable[Edges] = ()) -> None:
        """Start before every edge."""
        self._edges = list(dict.fromkeys(edges))
        self._next: float = -END

    def crosses_edge(self, time: int) -> bool:
        """Whether an edge lies after the last event and not after this one."""
        if time < self._next:
            return False
        nexts = (time - (time - phase) % period + period for period, phase in self._edges)
        self._next = min(nexts, default=END)
        return True
