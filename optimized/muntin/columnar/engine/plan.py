"""What an engine keeps for its queries: periods of edges, rows of queries, and partials."""

from collections.abc import Sequence

from muntin.columnar.engine import directory as d
from muntin.optimized.common.window_traits import traits_of
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Cumulate, Sliding
from muntin.spec.windows.window import WindowType

Period = tuple[int, int]
ENGINE_TYPES = (Sliding, Cumulate, Session)
"""The window types that the engine serves."""


def query_row(kind: WindowType, number: int = 0) -> list[int] | None:
    """The fields of a query, if its windows follow from the edges of slices."""
    if isinstance(kind, Sliding):
        phase = (kind.offset + kind.size) % kind.slide
        return [d.SLIDING, kind.size, kind.slide, phase, 0, 0, 0, number]
    if isinstance(kind, Cumulate):
        origin = kind.offset % kind.size
        return [d.CUMULATE, kind.size, kind.step, origin % kind.step, origin, 0, 0, number]
    return None


def periods_of(kinds: Sequence[WindowType]) -> list[Period]:
    """The periods and phases of all edges, without those that lie among others."""
    found = {
        period
        for kind in kinds
        for edges in [traits_of(kind).slice_edges]
        if edges
        for period in edges.periods
    }
    kept: list[Period] = []
    for period, phase in sorted(found):
        if not any(period % p == 0 and (phase - f) % p == 0 for p, f in kept):
            kept.append((period, phase))
    return kept
