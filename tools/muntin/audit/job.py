"""What is audited: rows in the order of arrival, and the windows that a job emitted."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from muntin.kernels.slicing.arrays import FIRST, Column, Flags, Ints, Which
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding


class Arrivals(NamedTuple):
    """Rows in the order of arrival, each with its number and the greatest time before it.

    `by_stream` is that of all rows, `by_key` that of the rows of its key; FIRST if there is none.
    """

    time: Ints
    key: Ints
    value: Column
    number: Ints
    by_stream: Ints
    by_key: Ints

    @classmethod
    def of(cls, time: Ints, key: Ints, value: Column) -> Self:
        """The rows of a job."""
        before = greatest_before(time)
        return cls(time, key, value, np.arange(time.size), before, greatest_by_key(time, key))

    def picked(self, which: Which) -> "Arrivals":
        """Some of the rows; what came before them is not forgotten."""
        time, key, value, number, by_stream, by_key = self
        return Arrivals(
            time[which],
            key[which],
            value[which],
            number[which],
            by_stream[which],
            by_key[which],
        )

    def shifted(self, by: int) -> "Arrivals":
        """The rows as if each had come so much earlier; their numbers and clocks stay."""
        return self._replace(time=self.time - by) if by else self


def greatest_before(time: Ints) -> Ints:
    """For each row the greatest time of those before it.

    >>> greatest_before(np.array([3, 1, 5, 4])).tolist() == [FIRST, 3, 3, 5]
    True
    """
    running = np.maximum.accumulate(time)[:-1]
    return np.concatenate((np.full(min(1, time.size), FIRST), running))


def greatest_by_key(time: Ints, key: Ints) -> Ints:
    """The same among the rows of its key.

    >>> greatest_by_key(np.array([3, 1, 5, 4]), np.array([0, 1, 0, 0])).tolist()[2:]
    [3, 5]
    """
    if not time.size:
        return time
    order = np.argsort(key, kind="stable")
    distinct, rank = np.unique(time[order], return_inverse=True)
    floor = key[order] * distinct.size  # ranks of a later key are above all of an earlier one
    running = np.maximum.accumulate(rank + floor)
    before = np.empty_like(time)
    before[order[1:]] = distinct[running[:-1] - floor[:-1]]
    is_first = np.ones(time.size, np.bool_)
    is_first[1:] = key[order][1:] != key[order][:-1]
    before[order[is_first]] = FIRST
    return before


class KeyedBounds(NamedTuple):
    """A window of a key."""

    key: int
    start: int
    end: int


class WindowTable(NamedTuple):
    """Windows by key, start and end, with the value of each."""

    key: Ints
    start: Ints
    end: Ints
    value: Column

    def picked(self, which: Which) -> "WindowTable":
        """Some of the windows."""
        return WindowTable(self.key[which], self.start[which], self.end[which], self.value[which])

    def bounds(self) -> "list[KeyedBounds]":
        """The windows without their values."""
        columns = (self.key.tolist(), self.start.tolist(), self.end.tolist())
        return [KeyedBounds(*window) for window in zip(*columns, strict=True)]


class SpecifiedWindows(NamedTuple):
    """The windows that a rule specifies, and how far the value of each may be off by rounding."""

    windows: WindowTable
    tolerance: Column

    def picked(self, which: Which) -> "SpecifiedWindows":
        """Some of the windows."""
        return SpecifiedWindows(self.windows.picked(which), self.tolerance[which])


class Comparison(NamedTuple):
    """Two tables of windows, joined: their places in both, and those in one of them only.

    `agrees` says of each joined pair whether the values are equal.
    """

    specified: Ints
    emitted: Ints
    agrees: Flags
    missing: Ints
    unspecified: Ints

    @property
    def score(self) -> float:
        """The windows that agree, less half of those that stand on one side only."""
        same = int(self.agrees.sum())
        return same - (self.missing.size + self.unspecified.size) / 2 - (self.agrees.size - same)


def compare(specified: SpecifiedWindows, emitted: WindowTable) -> Comparison:
    """Join two tables, in which each window stands once."""
    left, right = specified.windows, emitted
    columns = [np.concatenate(pair) for pair in zip(left[:3], right[:3], strict=True)]
    order = np.lexsort(columns)
    same = np.ones(max(0, order.size - 1), np.bool_)
    for column in columns:
        same &= column[order][1:] == column[order][:-1]
    (places,) = same.nonzero()
    pairs = np.sort(np.stack((order[places], order[places + 1])), axis=0)
    in_left, in_right = pairs[0], pairs[1] - left.key.size
    close = is_close(left.value[in_left], right.value[in_right], specified.tolerance[in_left])
    return Comparison(
        in_left,
        in_right,
        close,
        np.setdiff1d(np.arange(left.key.size), in_left, assume_unique=True),
        np.setdiff1d(np.arange(right.key.size), in_right, assume_unique=True),
    )


def is_close(left: Column, right: Column, tolerance: Column) -> Flags:
    """Whether values are equal, both NaN, or within their tolerance."""
    a, b = np.asarray(left, np.float64), np.asarray(right, np.float64)
    near = np.abs(a - b) <= tolerance
    return np.asarray((left == right) | near | (np.isnan(a) & np.isnan(b)), np.bool_)


@dataclass(frozen=True)
class Job:
    """Rows and windows of a job, its window type and aggregate, and what its numbers mean."""

    rows: Arrivals
    emitted: WindowTable
    repeated: Ints
    """The windows that were emitted again with the same value."""
    window: Sliding | Session
    aggregate: str
    keys: list[str | None]
    unit: int | None
    """Nanoseconds of a unit of time; None if times are integers."""

    @property
    def length(self) -> int:
        """The size of a window, or the gap of a session."""
        return self.window.gap if isinstance(self.window, Session) else self.window.size


def last_of_each(windows: WindowTable) -> tuple[WindowTable, Ints]:
    """Each window once, with its last value; and those whose last value is that before it."""
    order = np.lexsort((np.arange(windows.key.size), windows.start, windows.end, windows.key))
    ordered = windows.picked(order)
    same = np.ones(max(0, order.size - 1), np.bool_)
    for column in ordered[:3]:
        same &= column[1:] == column[:-1]
    is_last = np.concatenate((~same, np.ones(min(1, order.size), np.bool_)))
    is_repeated = np.zeros(order.size, np.bool_)
    is_repeated[1:] = same & (ordered.value[1:] == ordered.value[:-1])
    kept = np.sort(order[is_last])
    return windows.picked(kept), np.searchsorted(kept, np.sort(order[is_repeated & is_last]))
