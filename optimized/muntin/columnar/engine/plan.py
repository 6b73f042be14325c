"""What an engine keeps for its queries: periods of edges, rows of queries, and partials."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.kernel_language import Ints
from muntin.columnar.engine.records import layout as r
from muntin.optimized.common.window_traits import traits_of
from muntin.spec.windows.data_driven import Punctuation, Rolling, Session
from muntin.spec.windows.measure import COUNT, TIME
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


def record_row(kind: WindowType, number: int = 0) -> list[int] | None:
    """The fields of a query whose windows look at single rows."""
    if isinstance(kind, Sliding) and kind.measure is COUNT:
        phase = (kind.offset + kind.size) % kind.slide
        return [r.COUNTED, kind.size, kind.slide, phase, kind.size, number]
    if isinstance(kind, Rolling) and kind.measure is COUNT:
        return [r.COUNTED, kind.size, kind.every, 0, 1, number]
    if isinstance(kind, Rolling) and kind.measure is TIME:
        return [r.ROLLING, kind.size, kind.every, 0, 1, number]
    if isinstance(kind, Punctuation) and kind.measure is TIME:
        return [r.MARKED_OUT, 0, 1, 0, 1, number]
    return None


def reads_records(kind: WindowType, output: str) -> bool:
    """Whether the engine serves a window type by records.

    Windows up to each nth row may go and come again, so rows are in several that are gone: which
    of them were emitted before is not known, as results that are discarded need.
    """
    row = record_row(kind)
    if row is None:
        return False
    return output != "discard" or row[r.Q_KIND] != r.ROLLING or row[r.Q_EVERY] == 1


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


class Reach(NamedTuple):
    """How far back windows that are not final reach."""

    rows: Ints

    def horizon(self, limit: int) -> int:
        """The time before which no window that is not final begins."""
        kind, size, step, phase, origin = (self.rows[:, field] for field in range(5))
        end = limit + 1 + (phase - limit - 1) % step
        pane = end - 1 - (end - 1 - origin) % size
        return int(np.where(kind == d.CUMULATE, pane, end - size).min(initial=d.FAR))
