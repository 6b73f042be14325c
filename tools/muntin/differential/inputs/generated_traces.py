"""Rows out of order, from a seed: the same seed and key, the same rows, wherever they are made.

The shapes are those of real streams: events come in bursts and pauses, several at one instant;
most are told of at once, some after delays with a heavy tail, and a device that was out of reach
tells of everything when it is back. Times lie below zero too.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from muntin.differential.plan import SHAPES, DiffPlan

Ints: TypeAlias = NDArray[np.int64]
Delays = Callable[[np.random.Generator, Ints], Ints]

PACE, PAUSE, SELDOM = 7.0, 240.0, 0.03
"""How far apart events are as a rule, how long the pauses are, and how seldom."""
STARTS = (0, -400, 1_371_000_000)
"""Where the times of a key begin: at zero, below it, or in the year 2013."""
NULLS = 0.01
FLUSHES = 12
"""How many events there are between two flushes, as a rule."""


def _none(_: np.random.Generator, times: Ints) -> Ints:
    return np.zeros_like(times)


def _uniform(rng: np.random.Generator, times: Ints) -> Ints:
    """Delay every fifth event by up to two minutes."""
    late = rng.random(times.size) < 0.2  # noqa: PLR2004 - it is said above
    return np.where(late, rng.integers(1, 121, times.size), 0)


def _heavy(rng: np.random.Generator, times: Ints) -> Ints:
    """Delay all events a little, and few of them by very much."""
    tail = rng.pareto(1.2, times.size) * 3
    return np.minimum(tail, 2000).astype(np.int64)


def _flush(rng: np.random.Generator, times: Ints) -> Ints:
    """Let all events between two flushes be told of at the second."""
    ends = np.unique(rng.integers(0, times.size, max(1, times.size // FLUSHES)))
    last = times[np.append(ends, times.size - 1)]
    told = last[np.searchsorted(last, times)]
    return np.where(rng.random(times.size) < 0.7, told - times, 0)  # noqa: PLR2004 - most


DELAYS: Mapping[str, Delays] = MappingProxyType(
    dict(zip(SHAPES, (_none, _uniform, _heavy, _flush), strict=True))
)


def rows_of(plan: DiffPlan, key: int) -> tuple[list[int], list[int | None]]:
    """Return the times and values of a key, in the order of arrival.

    >>> in_order, disordered = DiffPlan(rows=10, keys=2, disorder="none"), DiffPlan(rows=10, keys=2)
    >>> rows_of(in_order, 1) == rows_of(disordered, 1)
    False
    """
    rng = np.random.default_rng([plan.seed, key])
    size = plan.rows // plan.keys + (key < plan.rows % plan.keys)
    apart = rng.exponential(np.where(rng.random(size) < SELDOM, PAUSE, PACE))
    times = np.cumsum(apart.astype(np.int64)) + STARTS[rng.integers(len(STARTS))]
    drawn = SHAPES[rng.integers(len(SHAPES))]
    delays = DELAYS.get(plan.disorder, DELAYS[drawn])(rng, times)
    order = np.argsort(times + delays, kind="stable")
    values: list[int | None] = [int(one) for one in rng.integers(-100, 1000, size)]
    for place in np.flatnonzero(rng.random(size) < NULLS).tolist():
        values[place] = None
    return times[order].tolist(), values
