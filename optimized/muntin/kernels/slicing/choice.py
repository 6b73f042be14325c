"""Arg-min and arg-max over two columns, and the values themselves for what is holistic."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from muntin.kernels.slicing.arrays import LAST, Column, Fields, Flags, Ints, column_of, spread
from muntin.kernels.slicing.batch import Batch, Source, Values
from muntin.kernels.slicing.parts import Part, above, there

EMPTY = LAST + 1
"""How much farther from 0 the time of an event is put whose value brings a null.

Numbers have no place for a null, and no time lies as far as LAST: so it is told apart.
"""


def put_away(time: Ints, brought: Values) -> Ints:
    """Return times, those of nulls farther from 0."""
    if brought.valid is None:
        return time
    return np.where(brought.valid, time, time + np.where(time < 0, -EMPTY, EMPTY))


def when(time: Column) -> Column:
    """Return the times of what is brought, nulls too.

    >>> brought = Values(column_of([7, 0, 0]), np.array([True, False, False]))
    >>> away = column_of(put_away(np.array([3, -5, 0]), brought))
    >>> when(away).tolist(), some(away).tolist()
    ([3, -5, 0], [True, False, False])
    """
    away = np.abs(time) > LAST
    near = time - np.where(away, np.where(time < 0, -EMPTY, EMPTY), 0) if away.any() else time
    return column_of(near)


def some(time: Column) -> Flags:
    """Tell where something is brought, and no null."""
    return np.asarray(np.abs(time) < LAST, np.bool_)


@dataclass(frozen=True)
class Choice(Part):
    """The best value, what it brings, and its time, LAST if there is none; ties go to the first.

    The time of one that brings a null is put away.
    """

    brings: Source
    greatest: bool

    @property
    def sources(self) -> tuple[Source, ...]:
        """The columns that it reads."""
        return (self.source, self.brings)

    def lift(self, batch: Batch, /) -> Fields:
        """Return values, what they bring, times."""
        values, brought = batch.columns[self.source], batch.columns[self.brings]
        time = there(values, put_away(batch.time, brought), LAST)
        return values.data, there(brought, brought.data, 0), time

    def combine(self, a: Fields, b: Fields, /) -> Fields:
        """Take what is better; if both are as good, what is earlier."""
        better = above(b[0], a[0]) if self.greatest else above(a[0], b[0])
        worse = above(a[0], b[0]) if self.greatest else above(b[0], a[0])
        second = np.where((a[2] == LAST) | (b[2] == LAST), b[2] != LAST, better)
        tie = ~better & ~worse & (a[2] != LAST) & (b[2] != LAST)
        later = np.where(tie, when(b[2]) < when(a[2]), second)
        return tuple(np.where(later, y, x) for x, y in zip(a, b, strict=True))

    def identity(self, fields: Fields, /) -> Fields:
        """Return no time."""
        return np.zeros(1, fields[0].dtype), np.zeros(1, fields[1].dtype), column_of([LAST])


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
        group, nth = spread(hi - lo)
        at = lo[group] + nth
        present = fields[1][at] > 0
        group, values = group[present], fields[0][at[present]]
        counts = np.bincount(group, minlength=lo.size)
        ordered = values[_order(values, group)]
        return ordered, column_of(np.cumsum(counts) - counts), column_of(counts)


@dataclass(frozen=True)
class EnginePart(Part):
    """What only the engine keeps, or reads from what it keeps."""

    def lift(self, batch: Batch, /) -> Fields:
        """Refuse."""
        raise NotImplementedError(batch)

    def combine(self, a: Fields, b: Fields, /) -> Fields:
        """Refuse."""
        raise NotImplementedError(a, b)

    def identity(self, fields: Fields, /) -> Fields:
        """Refuse."""
        raise NotImplementedError(fields)


@dataclass(frozen=True)
class InOrder(EnginePart):
    """The values in the order of time and arrival, as tuples; if so said, all are texts."""

    are_texts: bool = False
    folds = "lists of values"


@dataclass(frozen=True)
class Ties(EnginePart):
    """The best value, and how many are as good."""

    greatest: bool


@dataclass(frozen=True)
class Product(EnginePart):
    """How many values, how many not finite, how many zeros, and the product of the others."""


@dataclass(frozen=True)
class Distinct(EnginePart):
    """The values in their order, each once, as tuples."""

    folds = "lists of values"

    @property
    def stored(self) -> Part:
        """The values."""
        return Everything(self.source)


@dataclass(frozen=True)
class Rank(EnginePart):
    """The values at a share of all, rounded down and up to a rank, and how many there are."""

    share: Fraction
    folds = "lists of values"

    @property
    def stored(self) -> Part:
        """The values."""
        return Everything(self.source)


def rank_at(n: Column, share: Fraction) -> tuple[int, Ints, Column]:
    """Return the rank at a share of so many values: whole steps, and how many of parts are left."""
    last = np.maximum(n - 1, 0)
    if int(last.max(initial=0)) * share.numerator >= LAST or share.denominator >= LAST:
        last = last.astype(np.object_)
    scaled = last * share.numerator
    steps: Ints = np.asarray(scaled // share.denominator, np.int64)
    return share.denominator, steps, scaled % share.denominator


def _order(values: Column, group: Ints) -> Ints:
    """Return the places of values in the order of their groups and sizes; NaN is the greatest."""
    if values.dtype != np.object_:
        return np.lexsort((values, group))
    none = np.asarray(np.not_equal(values, values), np.bool_)
    return np.lexsort((np.where(none, 0, values), none, group))
