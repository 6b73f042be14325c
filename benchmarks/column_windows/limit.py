"""The limit of memory: a compiled loop that reads the columns and adds into one slice."""

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec

import numpy as np

from column_windows.workload import Column, Ints, Keys, Load

Loop = Callable[..., None]


def add_all(times: Ints, values: Column, total: Column) -> None:
    """Read the times and add up the values, in one row."""
    latest = times[0]
    partial = values[0] - values[0]
    for i in range(len(times)):
        latest = max(latest, times[i])
        partial += values[i]
    total[0] += partial
    total[1] = latest


def add_by_key(times: Ints, values: Column, keys: Ints, total: Column) -> None:
    """Read the times and add each value into the row of its key."""
    latest = times[0]
    for i in range(len(times)):
        latest = max(latest, times[i])
        total[keys[i] + 1] += values[i]
    total[0] = latest


@lru_cache(1)
def loops() -> tuple[Loop, Loop]:
    """The loops without and with keys, compiled, or as they are if there is no compiler."""
    if not find_spec("numba"):
        return add_all, add_by_key
    compiled = import_module("numba").njit
    return compiled(add_all), compiled(add_by_key)


class OneSlice:
    """The loop behind the interface of an engine: it knows no window, and has no result."""

    def __init__(self, load: Load) -> None:
        """Start with an empty slice."""
        rows = load.keys + 1
        total: Column = np.zeros(rows, np.float64) if load.floats else np.zeros(rows, np.int64)
        self._total = total
        self._single, self._keyed = loops()

    def take_columns(self, times: Ints, values: Column, keys: Keys, _: float) -> tuple[()]:
        """Add the rows of a batch into the slice."""
        if keys is None:
            self._single(times, values, self._total)
        else:
            self._keyed(times, values, keys, self._total)
        return ()
