"""Arg-min and arg-max over two columns, and the values themselves for what is holistic."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from muntin.kernels.slicing.arrays import LAST, Column, Fields, Flags, Ints, column_of
from muntin.kernels.slicing.batch import Batch, Source
from muntin.kernels.slicing.parts import Part, there
from muntin.spec.errors import UnsupportedError


@dataclass(frozen=True)
class Choice(Part):
    """The best value, what it brings, and its time, LAST if there is none; ties go to the first."""

    brings: Source
    greatest: bool

    @property
    def sources(self) -> tuple[Source, ...]:
        """The columns that it reads."""
        return (self.source, self.brings)

    def lift(self, batch: Batch, /) -> Fields:
        """Return values, what they bring, times."""
        values = batch.columns[self.source]
        return values.data, batch.columns[self.brings].data, there(values, batch.time, LAST)

    def combine(self, a: Fields, b: Fields, /) -> Fields:
        """Take what is better; if both are as good, what is earlier."""
        better = _above(b[0], a[0]) if self.greatest else _above(a[0], b[0])
        worse = _above(a[0], b[0]) if self.greatest else _above(b[0], a[0])
        second = np.where((a[2] == LAST) | (b[2] == LAST), b[2] != LAST, better)
        tie = ~better & ~worse & (a[2] != LAST) & (b[2] != LAST)
        later = np.where(tie, b[2] < a[2], second)
        return tuple(np.where(later, y, x) for x, y in zip(a, b, strict=True))

    def identity(self, fields: Fields, /) -> Fields:
        """Return no time."""
        return np.zeros(1, fields[0].dtype), np.zeros(1, fields[1].dtype), column_of([LAST])


def check_brought(batch: Batch, parts: Iterable[Part]) -> None:
    """Refuse a null that arg-min or arg-max would have to bring: numbers have no place for it."""
    for part in parts:
        if isinstance(part, Choice):
            best, brought = batch.columns[part.source], batch.columns[part.brings]
            missing = np.zeros(len(batch), np.bool_) if brought.valid is None else ~brought.valid
            if (missing if best.valid is None else missing & best.valid).any():
                raise UnsupportedError(
                    f"{part.brings!r} holds a null beside a value of {part.source!r}, and arg-min "
                    "and arg-max over columns bring numbers only; fill it, or leave out such rows"
                )


def _above(a: Column, b: Column) -> Flags:
    """Tell where one is greater; NaN is the greatest."""
    if np.float64 not in (a.dtype, b.dtype):
        return np.asarray(a > b, np.bool_)
    return np.asarray((a > b) | (np.isnan(a) & ~np.isnan(b)))


@dataclass(frozen=True)
class Everything(Part):
    """Each value, and 1 if it is there: nothing is combined."""

    folds = "sorted runs"

    def lift(self, batch: Batch, /) -> Fields:
        """Return the values."""
        values = batch.columns[self.source]
        return values.data, there(values, np.ones_like(batch.time), 0)

    def combine(self, a: Fields, b: Fields, /) -> Fields:
        """Refuse: what is holistic has no partial of one size."""
        raise NotImplementedError(a, b)

    def identity(self, fields: Fields, /) -> Fields:
        """Refuse."""
        raise NotImplementedError(fields)

    def fold(self, fields: Fields, lo: Ints, hi: Ints) -> Fields:
        """Return the values that are there, sorted within each range, and where each begins."""
        group = np.repeat(np.arange(lo.size), hi - lo)
        at = np.arange(group.size) - np.repeat(np.cumsum(hi - lo) - hi, hi - lo)
        present = fields[1][at] > 0
        group, values = group[present], fields[0][at[present]]
        counts = np.bincount(group, minlength=lo.size)
        ordered = values[np.lexsort((values, group))]
        return ordered, column_of(np.cumsum(counts) - counts), column_of(counts)
