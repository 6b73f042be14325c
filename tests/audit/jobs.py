"""Jobs for the audit: rows out of order, the windows of a rule over them, and planted faults."""

from collections.abc import Sequence

import numpy as np

from muntin.audit.job import Arrivals, Job, WindowTable
from muntin.audit.rule import Rule
from muntin.audit.specified_windows import specified_windows
from muntin.kernels.slicing.arrays import NONE, Ints, column_of
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding

NOTHING = WindowTable(NONE, NONE, NONE, column_of(NONE))


def job_of(
    times: Sequence[int] | Ints,
    keys: Sequence[int] | Ints,
    values: Sequence[int] | Ints,
    window: Sliding | Session,
    aggregate: str = "sum",
) -> Job:
    """A job that has emitted nothing yet."""
    rows = Arrivals.of(np.asarray(times, np.int64), np.asarray(keys, np.int64), column_of(values))
    names: list[str | None] = [chr(97 + key) for key in range(int(rows.key.max(initial=0)) + 1)]
    return Job(rows, NOTHING, NONE, window, aggregate, names, None)


def random_job(rows: int, keys: int, window: Sliding | Session, seed: int = 5) -> Job:
    """Rows of which half come late, as far as some slack and beyond."""
    rng = np.random.default_rng(seed)
    late = np.where(rng.random(rows) < 0.5, rng.choice([0, 0, 0, 2, 4, 7, 12], rows), 0)
    times = np.cumsum(rng.choice([0, 1, 1, 2, 9], rows)) - late
    values = 1 + np.arange(rows) * 7 % 1009
    return job_of(times, rng.integers(0, keys, rows), values, window)


def emitted_by(job: Job, rule: Rule) -> WindowTable:
    """The windows that a job emits which follows a rule."""
    return specified_windows(job, job.rows, rule).windows


def placed(table: WindowTable, rows: Arrivals, place: int) -> Ints:
    """The numbers of the rows of a key well within the bounds of a window."""
    inside = (rows.key == table.key[place]) & (rows.time > table.start[place])
    numbers: Ints
    (numbers,) = (inside & (rows.time < table.end[place])).nonzero()
    return numbers
