"""A stream of two events a millisecond, some of them late, and windows over it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from muntin.columnar.operator import ColumnarOperator
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Query, Settings
from muntin.spec.windows.periodic import tumbling

DELAY = 2000
"""The greatest delay of an event, in milliseconds; also the allowed lateness."""


@dataclass(frozen=True)
class Load:
    """The sizes of a stream and its batches, its windows and keys, and the share of late events."""

    name: str = ""
    events: int = 4_000_000
    batch: int = 100_000
    windows: int = 1
    late: float = 0.2
    keys: int = 0
    aggregate: str = "sum"


class Stream(NamedTuple):
    """The columns of a stream; values are integers, so that their sums are exact."""

    times: NDArray[np.int64]
    values: NDArray[np.float64]
    keys: NDArray[np.int64] | None


@lru_cache(3)
def stream(events: int, late: float, keys: int) -> Stream:
    """The events in the order of arrival."""
    rng = np.random.default_rng(1)
    at = np.arange(events) // 2
    delays = np.where(rng.random(events) < late, rng.integers(0, DELAY, events), 0)
    order = np.argsort(at + delays, kind="stable")
    values = rng.integers(0, 100, events).astype(np.float64)
    return Stream(at[order], values, rng.integers(0, keys, events) if keys else None)


def lengths(windows: int) -> list[int]:
    """The lengths of tumbling windows, from one second to twenty.

    >>> lengths(3)
    [1000, 10500, 20000]
    """
    return [1000 + 19_000 * i // max(1, windows - 1) for i in range(windows)]


def operator(load: Load) -> ColumnarOperator:
    """An operator with one query for each window, all of the same aggregate."""
    target = ColumnarOperator(Settings(DELAY))
    for length in lengths(load.windows):
        target.add(Query(f"w{length}", tumbling(length), named(load.aggregate)))
    return target
