"""Arrays of numbers for compiled kernels: columns of partials are records, or plain numbers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from muntin.kernels.binding import Column, IntRows, Ints, Rows
from muntin.kernels.limits import within_64_bits
from muntin.kernels.summary import Partial, Summary

DTYPES = {"int": "<i8", "float": "<f8"}


class Arrays:
    """Storage for the partials of one aggregate."""

    def __init__(self, summary: Summary) -> None:
        """Choose how a partial is kept."""
        kinds = [DTYPES[kind] for kind in summary.fields]
        named = [(f"f{k}", kind) for k, kind in enumerate(kinds)]
        self._single = len(kinds) == 1
        self.dtype = np.dtype(kinds[0]) if self._single else np.dtype(named)

    def time(self, value: int) -> int:
        """Return an integer if it fits into 64 bits."""
        return within_64_bits(value)

    def ints(self, values: Sequence[int]) -> Ints:
        """Return a row of integers."""
        row: Ints = np.array(values, np.int64)
        return row

    def column(self, values: Sequence[Partial]) -> Column[Partial]:
        """Return a column of partials."""
        plain = [value[0] for value in values] if self._single else list(values)
        column: Column[Partial] = np.array(plain, self.dtype)
        return column

    def int_rows(self, old: IntRows | None, size: int, width: int) -> IntRows:
        """Return so many rows, the first of which are those that there are."""
        grid: IntRows = _grown(old, np.zeros((size, width), np.int64))
        return grid

    def rows(self, old: Rows[Partial] | None, size: int, width: int) -> Rows[Partial]:
        """Return so many rows, the first of which are those that there are."""
        grid: Rows[Partial] = _grown(old, np.zeros((size, width), self.dtype))
        return grid


def _grown(old: object, grid: NDArray[np.generic]) -> NDArray[np.generic]:
    if old is not None:
        there = np.asarray(old)
        grid[: there.shape[0]] = there
    return grid
