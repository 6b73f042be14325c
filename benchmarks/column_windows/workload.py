"""A stream of two events a millisecond, a part of which comes late, and windows over it."""

from dataclasses import dataclass
from time import process_time

import numpy as np
from numpy.typing import NDArray

from muntin.kernels.slicing.operator import ColumnarOperator
from muntin.spec.catalogue import named
from muntin.spec.periodic import tumbling
from muntin.spec.query import Query, Settings

DELAY = 2000
"""How late an event may be, in milliseconds; also the allowed lateness."""


@dataclass(frozen=True)
class Load:
    """So many events in batches, a share of them late, over so many windows and keys."""

    events: int = 2_000_000
    batch: int = 100_000
    windows: int = 20
    late: float = 0.2
    keys: int = 0


def times(load: Load) -> NDArray[np.int64]:
    """Return event times in the order of arrival."""
    rng = np.random.default_rng(1)
    at = np.arange(load.events) // 2
    delays = np.where(rng.random(load.events) < load.late, rng.integers(0, DELAY, load.events), 0)
    return at[np.argsort(at + delays, kind="stable")]


def lengths(windows: int) -> list[int]:
    """Return the lengths of tumbling windows, from one second to twenty."""
    return [1000 + 19_000 * i // max(1, windows - 1) for i in range(windows)]


def operator(load: Load) -> ColumnarOperator:
    """Return an operator that is asked for the sum over each window."""
    found = ColumnarOperator(Settings(DELAY))
    for length in lengths(load.windows):
        found.add(Query(f"w{length}", tumbling(length), named("sum")))
    return found


def seconds(load: Load) -> float:
    """Return the CPU time that an operator takes for the whole stream, after its first batch."""
    at, rng = times(load), np.random.default_rng(0)
    values, seen = rng.random(load.events), np.maximum.accumulate(at)
    keys = rng.integers(0, load.keys, load.events) if load.keys else None
    target, start = operator(load), 0.0
    for begin in range(0, load.events, load.batch):
        if begin == load.batch:
            start = process_time()
        part = slice(begin, begin + load.batch)
        watermark = int(seen[part][-1]) - DELAY
        target.take_columns(at[part], values[part], None if keys is None else keys[part], watermark)
    return process_time() - start


def rate(load: Load, times_over: int = 3) -> float:
    """Return millions of events a second: the best of several runs."""
    best = min(seconds(load) for _ in range(times_over))
    return (load.events - load.batch) / best / 1e6
