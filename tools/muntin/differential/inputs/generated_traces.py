"""Generated traces with late rows: the same seed and key give the same rows on any executor.

The shapes are those of real streams: events come in bursts and pauses, several at one instant; most
arrive at once, some after delays with a heavy tail, and a device that was offline sends everything
when it is back. Times lie below zero too.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from muntin.differential.plan import DISORDERS, DiffPlan

Ints: TypeAlias = NDArray[np.int64]
Delays = Callable[[np.random.Generator, Ints], Ints]

PACE, PAUSE, PAUSE_SHARE = 7.0, 240.0, 0.03
"""The mean distance of events, the mean length of a pause, and the share of pauses."""
STARTS = (0, -400, 1_371_000_000)
"""The first times of keys: zero, below it, or in the year 2013."""
NULL_SHARE = 0.01
EVENTS_PER_FLUSH = 12
"""The mean number of events between two flushes."""


def _none(_: np.random.Generator, times: Ints) -> Ints:
    return np.zeros_like(times)


def _uniform(rng: np.random.Generator, times: Ints) -> Ints:
    """Delay every fifth event by up to two minutes."""
    late = rng.random(times.size) < 0.2  # noqa: PLR2004 - a fifth, as the docstring says
    return np.where(late, rng.integers(1, 121, times.size), 0)


def _heavy(rng: np.random.Generator, times: Ints) -> Ints:
    """Delay all events a little, and a few by very much."""
    tail = rng.pareto(1.2, times.size) * 3
    return np.minimum(tail, 2000).astype(np.int64)


def _flush(rng: np.random.Generator, times: Ints) -> Ints:
    """Delay most events until the next flush."""
    ends = np.unique(rng.integers(0, times.size, max(1, times.size // EVENTS_PER_FLUSH)))
    last = times[np.append(ends, times.size - 1)]
    flushed = last[np.searchsorted(last, times)]
    return np.where(rng.random(times.size) < 0.7, flushed - times, 0)  # noqa: PLR2004 - most


DELAYS: Mapping[str, Delays] = dict(zip(DISORDERS, (_none, _uniform, _heavy, _flush), strict=True))


def generated_rows(plan: DiffPlan, key: int) -> tuple[list[int], list[int | None]]:
    """The times and values of a key, in the order of arrival.

    >>> in_order, disordered = DiffPlan(rows=10, keys=2, disorder="none"), DiffPlan(rows=10, keys=2)
    >>> generated_rows(in_order, 1) == generated_rows(disordered, 1)
    False
    """
    rng = np.random.default_rng([plan.seed, key])
    size = plan.rows // plan.keys + (key < plan.rows % plan.keys)
    distances = rng.exponential(np.where(rng.random(size) < PAUSE_SHARE, PAUSE, PACE))
    times = np.cumsum(distances.astype(np.int64)) + STARTS[rng.integers(len(STARTS))]
    drawn = DISORDERS[rng.integers(len(DISORDERS))]
    delays = DELAYS.get(plan.disorder, DELAYS[drawn])(rng, times)
    order = np.argsort(times + delays, kind="stable")
    values: list[int | None] = [int(value) for value in rng.integers(-100, 1000, size)]
    for index in np.flatnonzero(rng.random(size) < NULL_SHARE).tolist():
        values[index] = None
    return times[order].tolist(), values
