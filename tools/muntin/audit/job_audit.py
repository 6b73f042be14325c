"""An audit from files to blames: read, choose a rule, compare all windows, blame."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from muntin.audit.blame import BlameList, Blamer, suspects_of
from muntin.audit.job import (
    Arrivals,
    Comparison,
    Job,
    SpecifiedWindows,
    WindowTable,
    compare,
    last_of_each,
)
from muntin.audit.job_files import (
    JobFile,
    common_unit,
    integers,
    key_codes,
    read_file,
)
from muntin.audit.rule_search import UNDECIDED, RuleChoice, choose_rule, out_of_order_rows
from muntin.audit.specified_windows import specified_windows
from muntin.columnar.durations import TimeUnit
from muntin.columnar.windows import TableWindow, session, sliding, tumbling, window_in_units
from muntin.conformance.transcript.model import OperatorTranscript
from muntin.kernels.slicing.arrays import Ints, column_of
from muntin.spec.errors import InvalidInputError
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding

AGGREGATES = (
    "count", "sum", "min", "max", "mean", "first", "last",
    "var_pop", "var_sample", "std_pop", "std_sample",
)  # fmt: skip
"""The aggregates whose values are numbers, and can be compared."""
GRAMMAR = "tumbling:SIZE[:OFFSET], sliding:SIZE:SLIDE[:OFFSET] or session:GAP"


@dataclass(frozen=True)
class JobPaths:
    """The files of a job and the names of their columns; without a key there is one stream."""

    rows: Path
    windows: Path
    time: str = "time"
    key: str | None = None
    value: str = "value"
    start: str = "start"
    end: str = "end"
    window_key: str | None = None
    window_value: str = "value"


@dataclass(frozen=True)
class JobAudit:
    """What an audit says: the rule, how much of the job it explains, and the rest."""

    job: Job
    choice: RuleChoice
    explained: int
    missing: int
    blames: BlameList
    trace: OperatorTranscript | None = field(default=None)
    """The rows around the first blamed window that the denotation was run on."""


def read_job(paths: JobPaths, window: str, aggregate: str) -> Job:
    """Read the files of a job; an error names the file, and the line and column if it is there."""
    if aggregate not in AGGREGATES:
        raise InvalidInputError(
            f"the aggregate must be one of {', '.join(AGGREGATES)}, not {aggregate!r}"
        )
    kind = parse_window(window)
    key, window_key = paths.key, paths.window_key or paths.key
    columns = [
        paths.time,
        *([key] if key else []),
        *([] if aggregate == "count" else [paths.value]),
    ]
    rows = read_file(paths.rows, columns)
    keyed = [window_key] if window_key and key else []
    windows = read_file(paths.windows, [paths.start, paths.end, paths.window_value, *keyed])
    times = [rows.times(paths.time), windows.times(paths.start), windows.times(paths.end)]
    unit = common_unit(times, paths.windows)
    time = integers(rows, paths.time, times[0], unit)
    start = integers(windows, paths.start, times[1], unit)
    end = integers(windows, paths.end, times[2], unit)
    codes, window_codes, keys = key_numbers(
        rows, windows, key, window_key, sizes=(time.size, start.size)
    )
    value = column_of(time) if aggregate == "count" else rows.numbers(paths.value)
    emitted = WindowTable(window_codes, start, end, windows.numbers(paths.window_value))
    last, repeated = last_of_each(emitted)
    in_units = window_in_units(kind, TimeUnit(paths.time, unit), "--window")
    if not isinstance(in_units, Sliding | Session):
        raise InvalidInputError(f"--window must be {GRAMMAR}")
    arrivals = Arrivals.of(time, codes, value)
    return Job(arrivals, last, repeated, in_units, aggregate, keys, unit)


def key_numbers(
    rows: JobFile, windows: JobFile, key: str | None, window_key: str | None, sizes: tuple[int, int]
) -> tuple[Ints, Ints, list[str | None]]:
    """The keys of rows and windows as numbers; without a key column all have the key null."""
    if key is None or window_key is None:
        return np.zeros(sizes[0], np.int64), np.zeros(sizes[1], np.int64), [None]
    return key_codes(rows.column(key), windows.column(window_key))


def parse_window(text: str) -> TableWindow:
    """A window type with lengths in words, or in integers where times are integers.

    >>> parse_window("session:6s"), parse_window("sliding:10:5")
    (session(gap='6s'), Sliding(size=10, slide=5, offset=0, measure=...))
    """
    name, *parts = text.split(":")
    lengths = [int(part) if part.lstrip("-").isdigit() else part for part in parts]
    match name, lengths:
        case "tumbling", (size,):
            return tumbling(size)
        case "tumbling", (size, offset):
            return tumbling(size, offset)
        case "sliding", (size, slide):
            return sliding(size, slide)
        case "sliding", (size, slide, offset):
            return sliding(size, slide, offset)
        case "session", (gap,):
            return session(gap)
        case _:
            raise InvalidInputError(f"--window must be {GRAMMAR}, not {text!r}")


def audit(job: Job, tick: Callable[[], None] = lambda: None) -> JobAudit:
    """Choose a rule, compare every window, and blame those that it does not explain."""
    choice = choose_rule(job, out_of_order_rows(job.rows), tick)
    specified = specified_windows(job, job.rows, choice.rule)
    comparison = compare(specified, job.emitted)
    if comparison.agrees.sum() < job.emitted.key.size or comparison.missing.size:
        rows = disputed_rows(job, specified, comparison)  # the sample may have missed what is rare
        second = choose_rule(job, rows, tick)
        other = specified_windows(job, job.rows, second.rule)
        if compare(other, job.emitted).score > comparison.score:
            choice, specified, comparison = second, other, compare(other, job.emitted)
    suspects = [*suspects_of(job, specified, comparison)]
    blamer = Blamer(job, choice.rule, suspects)
    blames = blamer.blames(tick)
    explained = int(comparison.agrees.sum()) + blames.corrected
    denoted = next((blame for blame in blames.blames if blame.is_denoted), None)
    trace = None if denoted is None else blamer.smallest_trace(denoted.window)
    return JobAudit(job, choice, explained, comparison.missing.size, blames, trace)


def disputed_rows(job: Job, specified: SpecifiedWindows, comparison: Comparison) -> Ints:
    """Some rows of keys whose windows a rule does not explain, at the times of these windows."""
    right = np.concatenate((comparison.emitted[~comparison.agrees], comparison.unspecified))
    tables = [job.emitted.picked(right), specified.windows.picked(comparison.missing)]
    rng, rows = np.random.default_rng(3), list[int]()
    for table in tables:
        for place in rng.permutation(table.key.size)[: UNDECIDED // 2]:
            in_key = job.rows.key == table.key[place]
            near = in_key & (job.rows.time >= table.start[place])
            rows += (near & (job.rows.time < table.end[place])).nonzero()[0][:1].tolist()
    return np.asarray(rows, np.int64)
