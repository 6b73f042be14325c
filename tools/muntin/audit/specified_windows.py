"""The windows that a rule specifies over rows, through `muntin.columnar.aggregate`.

A dialect is reduced to ours, for which the columnar engine is compiled; times are integers:

- sessions that merge at the gap are those with a gap one longer; their ends follow from the last;
- (a, b] holds t where [a, b) holds t - 1; [a, b] is [a, b + 1);
- what a clock makes late is left out: rows, or rows of single windows if lateness is by window.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np

from muntin.audit.job import Arrivals, Job, SpecifiedWindows, WindowTable
from muntin.audit.late_sessions import numbered_sessions
from muntin.audit.rule import Rule
from muntin.columnar import aggregate
from muntin.kernels.slicing.arrays import FIRST, NONE, Column, Flags, Ints, column_of
from muntin.spec.dialect import Dialect
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.window import WindowType

ROUNDING = 2.0**-53
"""The greatest relative error of one addition of floats."""
OF_SUMS, OF_SQUARES = ("sum", "mean"), ("var_pop", "var_sample", "std_pop", "std_sample")
"""The aggregates that round: by a sum of magnitudes, or of squares."""
REQUESTS: Mapping[str, str | tuple[str, str]] = MappingProxyType({"rows": "count"})
"""What is asked of the columnar engine besides the value of a window."""


def specified_windows(job: Job, rows: Arrivals, rule: Rule) -> SpecifiedWindows:
    """The windows of a rule over some rows of a job."""
    if isinstance(job.window, Session):
        return _sessions(job, job.window, rows, rule)
    parts = [*_periodic(job, job.window, rows, rule)]
    tables = [part.windows for part in parts]
    joined = WindowTable(
        np.concatenate([table.key for table in tables]),
        np.concatenate([table.start for table in tables]),
        np.concatenate([table.end for table in tables]),
        np.concatenate([table.value for table in tables]),
    )
    windows = SpecifiedWindows(joined, np.concatenate([part.tolerance for part in parts]))
    return windows.picked(_begins_late_enough(job.window, rows, rule.dialect, joined))


def greatest_time(rows: Arrivals, rule: Rule) -> Ints:
    """For each row, the time of the clock of a rule when it came."""
    return rows.by_key if rule.scope == "key" else rows.by_stream


def needed_slacks(job: Job, rows: Arrivals, rule: Rule) -> Iterator[Ints]:
    """For each row the least slack with which it is not late, 0 or less if it never is.

    By window that is the slack with which its window is not final, for each of its windows; of a
    session, that which it would have alone.
    """
    before, edges = greatest_time(rows, rule), rule.dialect.edges
    if rule.dialect.lateness == "event":
        yield before - rows.time
    elif isinstance(job.window, Session):
        yield before - rows.time - job.window.gap + 1
    else:
        start = last_start(rows.time - int(edges == "right"), job.window)
        end = start + job.window.size + int(edges != "left")
        for number in range(-(-job.window.size // job.window.slide)):
            yield before - end + number * job.window.slide + 1


def last_start(time: Ints, window: Sliding) -> Ints:
    """The start of the last window that may hold each time."""
    return time - (time - window.offset) % window.slide


def _periodic(job: Job, window: Sliding, rows: Arrivals, rule: Rule) -> Iterator[SpecifiedWindows]:
    edges = rule.dialect.edges
    shift, wide, wait = int(edges == "right"), int(edges == "both"), int(edges != "left")
    size, moved = window.size + wide, rows.shifted(shift)
    if not rule.is_session_by_window:
        if rule.scope != "none":
            moved = moved.picked(greatest_time(rows, rule) - rows.time <= rule.slack)
        sliding = Sliding(size, window.slide, window.offset)
        yield _with_ends(_aggregated(job, moved, moved.key, sliding), -wide)
        return
    before, phases = greatest_time(moved, rule), -(-size // window.slide)
    for number in range(phases):  # windows that do not overlap: each row lies in one at most
        part = Sliding(size, phases * window.slide, window.offset + number * window.slide)
        final_at = last_start(moved.time, part) + window.size + wait
        live = moved.picked(before - final_at < rule.slack)
        yield _with_ends(_aggregated(job, live, live.key, part), -wide)


def _begins_late_enough(
    window: Sliding, rows: Arrivals, dialect: Dialect, windows: WindowTable
) -> Flags:
    """Which windows begin where the dialect lets the first one begin."""
    if dialect.first_window == "all" or not rows.time.size:
        return np.ones(windows.start.size, np.bool_)
    if dialect.first_window == "nonnegative":
        return windows.start >= 0
    first = np.full(int(rows.key.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, rows.key, rows.time)
    pane = last_start(first, window)
    if dialect.first_window == "offset_first":
        pane = np.minimum(pane, first - first % window.slide + window.offset)
    return windows.start >= pane[windows.key]


def _sessions(job: Job, window: Session, rows: Arrivals, rule: Rule) -> SpecifiedWindows:
    reach = int(rule.dialect.session_merge == "le")
    merging = Session(window.gap + reach)
    if rule.scope == "none":
        windows = _aggregated(job, rows, rows.key, merging)
    elif not rule.is_session_by_window:
        on_time = rows.picked(greatest_time(rows, rule) - rows.time <= rule.slack)
        windows = _aggregated(job, on_time, on_time.key, merging)
    else:
        limits = np.maximum(greatest_time(rows, rule), FIRST + rule.slack) - rule.slack
        sessions = numbered_sessions(rows.key, rows.time, limits, window.gap, reach)
        accepted = rows.picked(sessions >= 0)
        numbers = sessions[sessions >= 0]
        span = int(np.ptp(rows.time)) + 1 if rows.time.size else 1
        merging = Session(span)  # a session has a number: all its rows are one window
        windows = _aggregated(job, accepted, numbers, merging)
        keys = np.zeros(int(numbers.max(initial=0)) + 1, np.int64)
        keys[numbers] = accepted.key
        windows = windows._replace(windows=windows.windows._replace(key=keys[windows.windows.key]))
    is_last = rule.dialect.session_end == "last"
    return _with_ends(windows, 1 - merging.gap if is_last else window.gap - merging.gap)


def _with_ends(windows: SpecifiedWindows, later: int) -> SpecifiedWindows:
    table = windows.windows
    return windows._replace(windows=table._replace(end=table.end + later))


def _aggregated(job: Job, rows: Arrivals, key: Ints, window: WindowType) -> SpecifiedWindows:
    """The windows of rows in our dialect, one call of the columnar engine."""
    if not rows.time.size:
        nothing = np.zeros(0, np.float64)
        return SpecifiedWindows(WindowTable(NONE, NONE, NONE, nothing), nothing)
    columns: dict[str, Column | Ints] = {"time": rows.time, "group": key, "row": rows.value}
    requests = {**REQUESTS, "value": (job.aggregate, "row")}
    is_rounded = job.aggregate in (*OF_SUMS, *OF_SQUARES)
    if is_rounded:
        values = np.abs(np.asarray(rows.value, np.float64))
        columns["size"] = values if job.aggregate in OF_SUMS else values * values
        requests |= {"size": ("sum", "size")}
    table = aggregate(
        columns,
        time="time",
        keys="group",
        windows={"": window},
        aggregates=requests,
        progress=False,
        to="dict",
    )
    group, start, end = (np.asarray(table[name], np.int64) for name in ("group", "start", "end"))
    value = column_of(table["value"])
    tolerance = np.zeros(group.size, np.float64)
    if is_rounded and value.dtype.kind == "f":
        counts, sizes = (np.asarray(table[name], np.float64) for name in ("rows", "size"))
        tolerance = 4 * counts * ROUNDING * sizes
        tolerance = np.sqrt(tolerance) if job.aggregate.startswith("std") else tolerance
    return SpecifiedWindows(WindowTable(group, start, end, value), tolerance)
