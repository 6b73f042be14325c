"""What an engine keeps for its queries: edges of slices, rows of queries, and how far back they go.

A window of a dialect is one of ours, somewhere else: (a, b] holds the times of [a + 1, b + 1), and
[a, b] those of [a, b + 1). So a row says where its windows begin and end by name, what they hold,
when they are due, and when they are final.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.kernel_language import Ints
from muntin.columnar.engine.records import layout as r
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.query import DEFAULTS, Settings
from muntin.spec.windows.data_driven import Punctuation, Rolling, Session
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.window import WindowType

Period = tuple[int, int]
ENGINE_TYPES = (Sliding, Cumulate, Landmark, Band, Session)
"""The window types that the engine serves."""
ALL_FIRST = ("all", "nonnegative")
"""The first windows that follow from the time alone, and not from the first event of a key."""

SINGLE_ROWS = Rolling(1)
"""Stands for all windows that the engine serves by records."""

BEFORE_ALL = -d.FAR - 8
"""A time before all limits, whatever a dialect adds to it."""


def unserved_decision(kind: WindowType, dialect: Dialect) -> str | None:
    """Why the engine does not serve a window type in a dialect, if so."""
    if isinstance(kind, Sliding) and dialect.first_window not in ALL_FIRST:
        return f"the first window depends on the first event (first_window: {dialect.first_window})"
    if isinstance(kind, Landmark) and dialect.lateness == "never":
        return "the last window depends on events that come after the end of the stream"
    if isinstance(kind, Session) and dialect.session_end != "gap":
        return f"the engine ends sessions a gap after their last event, not {dialect.session_end!r}"
    if isinstance(kind, Session) and dialect.late_update != "immediate":
        return f"the engine updates sessions at once (late_update: {dialect.late_update})"
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


def _shifts(dialect: Dialect) -> tuple[int, int]:
    """How much later than ours windows open and close."""
    return int(dialect.edges == "right"), int(dialect.edges != "left")


def query_row(
    kind: WindowType, number: int = 0, settings: Settings = DEFAULTS, since: int = -d.FAR
) -> list[int] | None:
    """The fields of a query, if its windows follow from the edges of slices."""
    dialect, row = settings.dialect, [0] * d.Q_FIELDS
    opens, closes = _shifts(dialect)
    closing = dialect.closing_of(kind.name)
    row[d.Q_FINAL_WAIT] = 0 if settings.output == "final" else max(0, -closing)
    wait = closes + closing + (max(0, -closing) if settings.output == "final" else 0)
    row[d.Q_ID], row[d.Q_OPENS], row[d.Q_CLOSES], row[d.Q_WAIT] = number, opens, closes, wait
    row[d.Q_FIRST], row[d.Q_LAST], row[d.Q_SINCE] = -d.FAR, d.NO_LAST, since
    row[d.Q_TURN], phase = -2 * d.FAR, 0
    if isinstance(kind, Sliding | Cumulate) and dialect.alignment == "truncate":
        row[d.Q_TURN] = kind.offset
    if isinstance(kind, Sliding):
        row[d.Q_KIND], row[d.Q_SIZE], row[d.Q_STEP] = d.SLIDING, kind.size, kind.slide
        row[d.Q_ORIGIN], phase = kind.offset % kind.slide, kind.offset + kind.size
        if dialect.first_window == "nonnegative":
            row[d.Q_FIRST] = row[d.Q_ORIGIN] + kind.size + wait
    elif isinstance(kind, Cumulate):
        row[d.Q_KIND], row[d.Q_SIZE], row[d.Q_STEP] = d.CUMULATE, kind.size, kind.step
        row[d.Q_ORIGIN], phase = kind.offset % kind.size, kind.offset
    elif isinstance(kind, Landmark):
        row[d.Q_KIND], row[d.Q_STEP], row[d.Q_ORIGIN] = d.FIXED_START, kind.every, kind.at
        row[d.Q_FIRST], phase = kind.at + kind.every + wait, kind.at
    elif isinstance(kind, Band):
        row[d.Q_KIND], row[d.Q_STEP], row[d.Q_ORIGIN] = d.FIXED_START, 1, kind.start
        row[d.Q_FIRST] = row[d.Q_LAST] = kind.end + wait
    else:
        return None
    row[d.Q_PHASE] = (phase + wait) % row[d.Q_STEP]
    return row


class EngineEdges(NamedTuple):
    """The edges of slices: periods and phases, and edges that come once."""

    periods: list[Period]
    single: list[int]


def _edges_of(kind: WindowType, dialect: Dialect) -> tuple[list[Period], list[int]]:
    opens, closes = _shifts(dialect)
    if isinstance(kind, Sliding):
        starts, ends, step = [kind.offset], [kind.offset + kind.size], kind.slide
    elif isinstance(kind, Cumulate):
        starts, ends, step = [kind.offset], [kind.offset], kind.step
    elif isinstance(kind, Landmark):
        return [(kind.every, at % kind.every) for at in (kind.at, kind.at + closes)], [
            kind.at + opens
        ]
    elif isinstance(kind, Band):
        return [], [kind.start + opens, kind.end + closes]
    else:
        return [], []
    if dialect.alignment == "truncate":
        starts, ends = [*starts, kind.offset + 1], [*ends, kind.offset + 1]
    edges = {*(start + opens for start in starts), *(end + closes for end in ends)}
    return [(step, edge % step) for edge in edges], []


def edges_of(kinds: Sequence[WindowType], dialect: Dialect = OURS) -> EngineEdges:
    """All edges that windows need, without those that lie among others.

    >>> from muntin.spec.windows.periodic import sliding
    >>> edges_of([sliding(10, 5), Landmark(3, 15), Sliding(20, 10)])
    EngineEdges(periods=[(5, 0), (15, 3)], single=[3])
    """
    each = [_edges_of(kind, dialect) for kind in kinds]
    single = sorted({edge for _, edges in each for edge in edges})
    kept: list[Period] = []
    for period, phase in sorted({period for periods, _ in each for period in periods}):
        if not any(period % p == 0 and (phase - f) % p == 0 for p, f in kept):
            kept.append((period, phase))
    return EngineEdges(kept, single)


class Reach(NamedTuple):
    """How far back windows that are not final reach."""

    rows: Ints

    @property
    def landmarks(self) -> list[int]:
        """The first times of windows that are never all final."""
        chosen = self.rows[_is_landmark(self.rows)]
        return [int(at) for at in chosen[:, d.Q_ORIGIN] + chosen[:, d.Q_OPENS]]

    def accepts(self, times: Ints, limit: int) -> NDArray[np.bool_]:
        """Which times some window holds that is not final."""
        accepted = np.zeros(times.size, np.bool_)
        for row in self.rows:
            for shift in {int(row[d.Q_OPENS]), int(row[d.Q_CLOSES])}:
                final = _last_end(row, times - shift) + row[d.Q_WAIT] + row[d.Q_FINAL_WAIT]
                accepted |= (final > limit) & (final >= row[d.Q_FIRST] + row[d.Q_FINAL_WAIT])
        return accepted


def _is_landmark(rows: Ints) -> NDArray[np.bool_]:
    """Which queries have windows from one time on that are never all final."""
    return np.asarray(
        (rows[:, d.Q_KIND] == d.FIXED_START) & (rows[:, d.Q_LAST] == d.NO_LAST), np.bool_
    )


def ended_too_late(
    rows: Ints, query: Ints, end: Ints, last: Ints, reached: int
) -> NDArray[np.bool_]:
    """Which windows of landmarks end after the first end that is after all events of their key."""
    period = np.zeros(int(max(query.max(initial=0), rows[:, d.Q_ID].max())) + 1, np.int64)
    landmarks = rows[_is_landmark(rows)]
    period[landmarks[:, d.Q_ID]] = landmarks[:, d.Q_STEP]
    before = end - period[query]
    return np.asarray((period[query] > 0) & (before > reached) & (before > last), np.bool_)


def _last_end(row: Ints, time: Ints) -> Ints:
    """The end of the last window that holds each time in our dialect; before -FAR if none does."""
    origin, size, step = (int(row[field]) for field in (d.Q_ORIGIN, d.Q_SIZE, d.Q_STEP))
    if row[d.Q_KIND] == d.FIXED_START:
        end = int(row[d.Q_LAST] - row[d.Q_WAIT])
        return np.where((time >= origin) & (time < end), end, BEFORE_ALL)
    pane = size if row[d.Q_KIND] == d.CUMULATE else step
    past = (time - origin) % pane
    start = time - past + np.where((past > 0) & (time < row[d.Q_TURN]), pane, 0)
    return np.where(start > time - size, start + size, BEFORE_ALL)
