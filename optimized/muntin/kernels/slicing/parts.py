"""Parts: the partial aggregates of numbers that cells keep. Aggregates share them.

Each is commutative: the first and the last value know their times. A sum of integers that might
pass 64 bits is widened to integers of any size, for good; so are squares. Ranges of cells are
folded all at once, level by level of a flat tree [Tangwongsan15]. Float sums are folded too, never
subtracted: a prefix that holds a huge value or an infinity would spoil every later window. Only
integers are summed by prefixes: there a wrap undoes itself.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from muntin.kernels.slicing.arrays import FIRST, LAST, Column, Fields, Flags, Ints, column_of
from muntin.kernels.slicing.batch import Batch, Source, Values

Combine: TypeAlias = Callable[[Fields, Fields], Fields]


def by_prefix(column: Column, lo: Ints, hi: Ints) -> Column:
    """Return the sums of ranges as differences of prefix sums: for integers only."""
    sums = np.zeros(column.size + 1, column.dtype)
    np.cumsum(column, out=sums[1:])
    return np.asarray(sums[hi] - sums[lo])


def by_tree(combine: Combine, identity: Fields, fields: Fields, lo: Ints, hi: Ints) -> Fields:
    """Return the folds of ranges; each takes at most two nodes of a level.

    >>> concat = lambda a, b: (a[0] + b[0],)
    >>> letters = np.array(list("abcdefg"), np.object_)
    >>> ranges = np.array([0, 2, 3]), np.array([7, 5, 3])
    >>> by_tree(concat, (np.array([""], np.object_),), (letters,), *ranges)[0].tolist()
    ['abcdefg', 'cde', '']
    """
    left = tuple(np.repeat(one, lo.size) for one in identity)
    right = tuple(np.repeat(one, lo.size) for one in identity)
    if not lo.size:
        return left
    base = int(lo.min())
    level = tuple(column[base : int(hi.max())] for column in fields)
    low, high = lo - base, hi - base
    for nodes in _levels(combine, level):
        odd = np.flatnonzero((low & 1) & (low < high))
        _put(left, odd, combine(_of(left, odd), _of(nodes, low[odd])))
        low = low + (low & 1)
        odd = np.flatnonzero((high & 1) & (low < high))
        _put(right, odd, combine(_of(nodes, high[odd] - 1), _of(right, odd)))
        low, high = low >> 1, high >> 1
        if not (low < high).any():
            break
    return combine(left, right)


def _levels(combine: Combine, level: Fields) -> Iterator[Fields]:
    """Yield the levels of the tree from the leaves up, without what is no whole pair."""
    while True:
        yield level
        pairs = level[0].size // 2
        even = tuple(column[0 : 2 * pairs : 2] for column in level)
        level = combine(even, tuple(column[1 : 2 * pairs : 2] for column in level))


def _of(fields: Fields, at: Ints) -> Fields:
    return tuple(column[at] for column in fields)


def _put(fields: Fields, at: Ints, values: Fields) -> None:
    for column, new in zip(fields, values, strict=True):
        column[at] = new


WIDE = 2.0**62
"""Sums whose terms may reach this in all are widened."""
SUMS = "prefix sums of integers, a flat tree of floats"


@dataclass(frozen=True)
class Part(ABC):
    """A monoid on columns, over a column of values."""

    source: Source
    folds: ClassVar[str] = "a flat tree"  # how ranges of cells are folded
    each: ClassVar[np.ufunc | None] = None  # what combines plain numbers, if NumPy has it

    @property
    def sources(self) -> tuple[Source, ...]:
        """The columns that it reads."""
        return (self.source,)

    @property
    def stored(self) -> "Part":
        """What the engine keeps for it."""
        return self

    @abstractmethod
    def lift(self, batch: Batch, /) -> Fields:
        """Return the partials of single events."""

    @abstractmethod
    def combine(self, a: Fields, b: Fields, /) -> Fields:
        """Combine partials of earlier cells with those of later ones."""

    @abstractmethod
    def identity(self, fields: Fields, /) -> Fields:
        """Return the identity, in the types of some fields."""

    def fold(self, fields: Fields, lo: Ints, hi: Ints) -> Fields:
        """Return the folds of ranges."""
        return by_tree(self.combine, self.identity(fields), fields, lo, hi)

    def runs(self, fields: Fields, lo: Ints) -> Fields:
        """Return the folds of runs that begin at these places and leave nothing out."""
        if self.each is None or fields[0].dtype == np.object_:
            return self.fold(fields, lo, np.append(lo[1:], fields[0].size))
        with np.errstate(invalid="ignore", over="ignore"):
            return (self.each.reduceat(fields[0], lo),)

    def alike(self, a: Fields, b: Fields) -> tuple[Fields, Fields]:
        """Return both in one form, if there are several, such that they can be combined."""
        return a, b


def there(values: Values, data: object, otherwise: object) -> Column:
    """Return data, with something else where there is no value."""
    column = column_of(data)
    return column if values.valid is None else np.where(values.valid, column, otherwise)  # type: ignore[call-overload]  # any scalar


def holds_floats(column: Column) -> bool:
    """Whether a column holds a float: then sums of it may not be subtracted."""
    if column.dtype == np.object_:
        return any(isinstance(one, float) for one in column.tolist())
    return column.dtype == np.float64


def widened(column: Column, terms: Column) -> Column:
    """Return integers, of any size if the sum of some terms might pass 64 bits."""
    if column.dtype != np.int64 or np.abs(terms.astype(np.float64)).sum() < WIDE:
        return column
    return column_of(column.astype(np.object_))


@dataclass(frozen=True)
class Count(Part):
    """How many values are there."""

    folds = "prefix sums"

    def lift(self, batch: Batch, /) -> Fields:
        """Return ones."""
        return (there(batch.columns[self.source], np.ones_like(batch.time), 0),)

    def combine(self, a: Fields, b: Fields, /) -> Fields:
        """Add."""
        return (a[0] + b[0],)

    def identity(self, _: Fields, /) -> Fields:
        """Return 0."""
        return (column_of(np.zeros(1, np.int64)),)

    def fold(self, fields: Fields, lo: Ints, hi: Ints) -> Fields:
        """Subtract prefixes."""
        return (by_prefix(fields[0], lo, hi),)


@dataclass(frozen=True)
class Sum(Part):
    """The sum of the values."""

    folds, each = SUMS, np.add

    def lift(self, batch: Batch, /) -> Fields:
        """Return the values."""
        values = batch.columns[self.source]
        return (there(values, values.data, 0),)

    def combine(self, a: Fields, b: Fields, /) -> Fields:
        """Add; infinities of both signs make NaN."""
        with np.errstate(invalid="ignore", over="ignore"):
            return (a[0] + b[0],)

    def identity(self, fields: Fields, /) -> Fields:
        """Return 0."""
        return (np.zeros(1, fields[0].dtype),)

    def fold(self, fields: Fields, lo: Ints, hi: Ints) -> Fields:
        """Subtract prefixes of integers; fold floats, also those among integers of any size."""
        if holds_floats(fields[0]):
            return super().fold(fields, lo, hi)
        return (by_prefix(fields[0], lo, hi),)

    def alike(self, a: Fields, b: Fields) -> tuple[Fields, Fields]:
        """Widen integers, or make floats of them if the others are."""
        both = np.concatenate([a[0], b[0]])
        wide = widened(both, both)
        return (wide[: a[0].size],), (wide[a[0].size :],)


@dataclass(frozen=True)
class Squares(Part):
    """How many, the sum, and the sum of squares of integers; of floats, the mean and deviations.

    For floats the squares of deviations from the mean are kept, which never cancel [Chan83].
    """

    folds = SUMS

    def lift(self, batch: Batch, /) -> Fields:
        """Return one, the value, and its square or no deviation."""
        values = batch.columns[self.source]
        n, data = there(values, np.ones_like(batch.time), 0), there(values, values.data, 0)
        if data.dtype == np.float64:
            with np.errstate(invalid="ignore"):
                return n, data, data - data  # of one that is not finite the spread is no number
        wide = data
        if data.dtype == np.int64 and (data.astype(np.float64) ** 2).sum() >= WIDE:
            wide = column_of(data.astype(np.object_))
        return n, data, wide * wide

    def combine(self, a: Fields, b: Fields, /) -> Fields:
        """Add; of floats, move the means."""
        if a[1].dtype != np.float64:
            return a[0] + b[0], a[1] + b[1], a[2] + b[2]
        n = a[0] + b[0]
        with np.errstate(invalid="ignore", over="ignore"):
            share = b[0] / np.maximum(n, 1)
            delta = b[1] - a[1]
            mean = np.where(a[0] == 0, b[1], np.where(b[0] == 0, a[1], a[1] + delta * share))
            apart = np.where((a[0] == 0) | (b[0] == 0), 0.0, delta * delta * share * a[0])
        return n, mean, a[2] + b[2] + apart

    def identity(self, fields: Fields, /) -> Fields:
        """Return zeros."""
        return tuple(np.zeros(1, field.dtype) for field in fields)

    def fold(self, fields: Fields, lo: Ints, hi: Ints) -> Fields:
        """Subtract prefixes of integers; fold floats."""
        if fields[1].dtype == np.float64:
            return super().fold(fields, lo, hi)
        return tuple(by_prefix(field, lo, hi) for field in fields)

    def alike(self, a: Fields, b: Fields) -> tuple[Fields, Fields]:
        """Widen integers, or take deviations of them if the others are floats."""
        if np.float64 in (a[1].dtype, b[1].dtype):
            return _deviations(a), _deviations(b)
        wide = [widened(both, both) for both in map(np.concatenate, zip(a, b, strict=True))]
        cut = a[0].size
        return tuple(one[:cut] for one in wide), tuple(one[cut:] for one in wide)


def _deviations(fields: Fields) -> Fields:
    """Return what is kept of floats, from what is kept of integers."""
    n, total, squares = fields
    if total.dtype == np.float64:
        return fields
    some = np.maximum(n, 1)
    exact = (squares.astype(np.object_) * some - total.astype(np.object_) ** 2) / some
    return n, (total / some).astype(np.float64), exact.astype(np.float64)


def least(column: Column) -> object:
    """Return what is below all numbers of a type."""
    return np.iinfo(np.int64).min if column.dtype == np.int64 else -np.inf


def greatest(column: Column) -> object:
    """Return what is above all numbers of a type; of floats NaN, which yields to any."""
    return np.iinfo(np.int64).max if column.dtype == np.int64 else np.nan


def above(a: Column, b: Column) -> Flags:
    """Tell where one is greater; NaN is the greatest, also among integers of any size."""
    if a.dtype == b.dtype == np.int64:
        return np.asarray(a > b, np.bool_)
    with np.errstate(invalid="ignore"):
        return np.asarray((a > b) | (np.not_equal(a, a) & np.equal(b, b)), np.bool_)


@dataclass(frozen=True)
class _Extreme(Part):
    """The value that no other exceeds, on one side; NaN is the greatest."""

    outside: ClassVar[Callable[[Column], object]]  # what any number of a type replaces

    def lift(self, batch: Batch, /) -> Fields:
        """Return the values."""
        values = batch.columns[self.source]
        return (there(values, values.data, type(self).outside(values.data)),)

    def combine(self, a: Fields, b: Fields, /) -> Fields:
        """Take the one farther out."""
        if self.each and np.object_ not in (a[0].dtype, b[0].dtype):
            return (self.each(a[0], b[0]),)
        worse = above(a[0], b[0]) if isinstance(self, Min) else above(b[0], a[0])
        return (np.where(worse, b[0], a[0]),)

    def identity(self, fields: Fields, /) -> Fields:
        """Return what any number replaces."""
        return (np.array([type(self).outside(fields[0])], fields[0].dtype),)


@dataclass(frozen=True)
class Min(_Extreme):
    """The least value; NaN is the greatest."""

    each, outside = np.fmin, greatest


@dataclass(frozen=True)
class Max(_Extreme):
    """The greatest value; NaN is the greatest."""

    each, outside = np.maximum, least


@dataclass(frozen=True)
class _Edge(Part):
    """A time and the value at it, which no other is beyond."""

    never: ClassVar[int]  # the time where there is no value

    def lift(self, batch: Batch, /) -> Fields:
        """Return times and values."""
        values = batch.columns[self.source]
        return there(values, batch.time, self.never), values.data

    def combine(self, a: Fields, b: Fields, /) -> Fields:
        """Take what is farther out; of one time, the first that arrived, or the last."""
        later = b[0] < a[0] if self.never == LAST else b[0] >= a[0]
        return tuple(np.where(later, y, x) for x, y in zip(a, b, strict=True))

    def identity(self, fields: Fields, /) -> Fields:
        """Return no time."""
        return column_of([self.never]), np.zeros(1, fields[1].dtype)


@dataclass(frozen=True)
class First(_Edge):
    """The earliest value and its time, LAST if there is none."""

    never = LAST


@dataclass(frozen=True)
class Last(_Edge):
    """The latest value and its time, FIRST if there is none."""

    never = FIRST
