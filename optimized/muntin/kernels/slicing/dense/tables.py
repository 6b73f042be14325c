"""One table a part: four copies of the partial of each slice, and what folds ranges of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from muntin.kernels.slicing.arrays import Column, Ints, column_of, packed, unpacked
from muntin.kernels.slicing.choice import Choice
from muntin.kernels.slicing.dense.extremes import (
    lift,
    lift_runs,
    lower,
    lower_runs,
)
from muntin.kernels.slicing.dense.placing import (
    Places,
    add,
    add_runs,
    fold_sums,
    plant_sums,
    prefix,
)
from muntin.kernels.slicing.dense.timeline import Runs
from muntin.kernels.slicing.parts import Count, First, Last, Max, Min, Part, Squares, Sum

if TYPE_CHECKING:
    from muntin.kernels.slicing.dense.joining import Kernels

COPIES = 4
MANY, SOME = 12, 1
"""A block of events in fewer slices is read once for each: sums are fast so, extremes less."""


class Table(ABC):
    """Partials of one column; `size` slices fit."""

    most = MANY
    adds = True
    copied = COPIES  # how many copies there are of each partial
    ordered = False  # whether events are taken in the order in which they came
    kernels: ClassVar[tuple[Callable[..., None], ...]] = (add, add_runs)

    def __init__(self, part: Part, dtype: np.dtype[np.generic]) -> None:
        """Hold no slice yet."""
        self.part = part
        self.identity: Column = packed(part.identity(unpacked(column_of(np.zeros(0, dtype)))))
        self.copies: Column = np.repeat(self.identity, self.copied)
        self.size = 1
        self.folds: Column = np.repeat(self.identity, 2)

    def resize(self, size: int) -> None:
        """Make room for so many slices."""
        copies = np.repeat(self.identity, self.copied * size)
        copies[: self.copies.size] = self.copies[: copies.size]
        self.copies, self.size = copies, size
        self.folds = np.repeat(self.identity, 2 * size)

    def drop(self, slices: int, n: int) -> None:
        """Forget so many slices at the beginning of n."""
        copied = self.copied
        kept = copied * (n - slices)
        self.copies[:kept] = self.copies[copied * slices : copied * n]
        self.copies[kept : copied * n] = self.identity[0]

    def leaves(self, first: int, last: int) -> Column:
        """Return the partials of some slices."""
        rows = self.copies[COPIES * first : COPIES * last].reshape(-1, COPIES)
        a, b, c, d = ((np.ascontiguousarray(rows[:, k]),) for k in range(COPIES))
        combine = self.part.combine
        return combine(combine(a, b), combine(c, d))[0]

    def take(self, found: Places, values: Column) -> None:
        """Add values to their slices."""
        self.kernels[0](found, values, self.copies)

    def take_runs(self, cut: Runs, values: Column) -> None:
        """Add the values of runs."""
        self.kernels[1](*cut, values, self.identity, self.copies)

    @abstractmethod
    def seal(self, first: int, last: int) -> None:
        """Prepare to fold ranges, when some slices have changed."""

    @abstractmethod
    def fold(self, lo: Ints, hi: Ints) -> Column:
        """Return the folds of ranges."""


class Prefixes(Table):
    """Sums of integers, folded by subtraction."""

    def seal(self, first: int, last: int) -> None:
        """Sum up."""
        prefix(self.copies, self.folds, first, last)

    def fold(self, lo: Ints, hi: Ints) -> Column:
        """Subtract."""
        return self.folds[hi] - self.folds[lo]


class Sums(Table):
    """Sums of floats, never subtracted."""

    def seal(self, first: int, last: int) -> None:
        """Repair the tree."""
        plant_sums(self.copies, self.folds, self.size, first, last)

    def fold(self, lo: Ints, hi: Ints) -> Column:
        """Fold."""
        out = np.empty(lo.size, self.folds.dtype)
        fold_sums(self.folds, self.size, lo, hi, out)
        return out


class Treed(Table):
    """Partials of any kind, folded by a flat tree."""

    adds = False

    def _kernels(self) -> "Kernels":
        from muntin.kernels.slicing.dense.joining import combine_of, kernels_of  # noqa: PLC0415 - sums do without

        dtype = self.identity.dtype
        return kernels_of(combine_of(self.part, dtype), dtype)

    def seal(self, first: int, last: int) -> None:
        """Repair the tree."""
        self._kernels().plant(self.copies, self.copied, self.folds, self.size, first, last)

    def fold(self, lo: Ints, hi: Ints) -> Column:
        """Fold."""
        out = np.empty(lo.size, self.folds.dtype)
        self._kernels().fold(self.folds, self.size, lo, hi, out)
        return out


class Joined(Treed):
    """Partials of several numbers, which are joined in the order in which events came."""

    copied, ordered = 1, True

    def leaves(self, first: int, last: int) -> Column:
        """Return the partials of some slices."""
        return self.copies[first:last]

    def take(self, found: Places, values: Column) -> None:
        """Join; what is in runs is not taken in order."""
        self._kernels().take_each(found, values, self.copies)


class Least(Treed):
    """Least values."""

    most = SOME
    kernels = (lower, lower_runs)


class Greatest(Treed):
    """Greatest values."""

    most = SOME
    kernels = (lift, lift_runs)


DENSE_PARTS = (Count, Sum, Min, Max, First, Last, Squares, Choice)
"""The parts that a table serves."""


def table_of(part: Part, dtype: np.dtype[np.generic]) -> Table:
    """Return an empty table for partials of a type: the method is picked here."""
    if dtype.names:
        return Joined(part, dtype)
    if isinstance(part, Min):
        return Least(part, dtype)
    if isinstance(part, Max):
        return Greatest(part, dtype)
    return Prefixes(part, dtype) if dtype == np.int64 else Sums(part, dtype)
