"""Columns of partials in other types: for results, and where values of another type come."""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite, isnan

import numpy as np

from muntin.columnar.engine.kernel_language import Ints
from muntin.columnar.engine.partials.kernels import PartKernels
from muntin.columnar.engine.partials.sums import LIMB, LOW_BITS
from muntin.kernels.slicing.arrays import Column, Fields, Flags, column_of, packed
from muntin.kernels.slicing.custom_part import Custom
from muntin.kernels.slicing.parts import Part, Squares, Sum
from muntin.spec.algebra.values import as_float

Columns = Sequence[Column]
HALF = 1 << LIMB - 1


def int_of_limbs(limbs: Columns) -> Column:
    """The integers that are kept in limbs: of 64 bits if all fit, else of any size."""
    carried, carry = list[Ints](), np.zeros_like(limbs[0], np.int64)
    for limb in limbs[:-1]:
        total = words(limb) + carry
        carried.append(total & LOW_BITS)
        carry = total >> LIMB
    top = words(limbs[-1]) + carry
    if len(carried) == 1 and bool(((top >= -HALF) & (top < HALF)).all()):
        return column_of((top << LIMB) + carried[0])
    value = top.astype(np.object_)
    for low in reversed(carried):
        value = (value << LIMB) + low.astype(np.object_)
    return narrowed(column_of(value))


def words(column: Column) -> Ints:
    """A column of integers of 64 bits as such."""
    return np.asarray(column, np.int64)


def limbs_of(column: Column) -> list[Column]:
    """Integers of 64 bits in two limbs."""
    integers = words(column)
    return [column_of(integers & LOW_BITS), column_of(integers >> LIMB)]


def narrowed(values: Column) -> Column:
    """Integers of 64 bits, if all fit."""
    try:
        return column_of(np.array(values.tolist(), np.int64))
    except OverflowError:
        return values


def fields_of(kernels: PartKernels, part: Part, columns: Columns) -> Fields:
    """The columns of a part as `Form.finish` takes them."""
    if kernels.value_type == "wide" and isinstance(part, Sum):
        return (int_of_limbs(columns),)
    if kernels.value_type == "wide" and isinstance(part, Squares):
        return column_of(columns[0]), int_of_limbs(columns[1:3]), int_of_limbs(columns[3:])
    if kernels.value_type == "object" and isinstance(part, Squares):
        return _exact_or_spread(columns)
    if isinstance(part, Custom):
        return column_of(columns[0]), packed(tuple(map(column_of, columns[1:])))
    return tuple(column_of(column) for column in columns)


def _exact_or_spread(columns: Columns) -> Fields:
    """Exact sums of any type; or means and deviations, if some values were not finite."""
    n, odd, total, squares = map(column_of, columns)
    held = column_of(n.astype(np.int64))
    some = np.asarray(odd > 0, np.bool_)
    if not some.any():
        return held, total, squares
    means, spreads = deviations(n - odd, total, squares)
    means[some] = spreads[some] = np.nan
    return held, means, spreads


def converted(
    part: Part, old: PartKernels, new: PartKernels, columns: Columns, empty: Flags
) -> list[Column]:
    """The columns of a part for kernels of another type; rows that are empty stay so."""
    if isinstance(part, Sum):
        return _sums(old, new, columns)
    if isinstance(part, Squares):
        return _squares(old, new, columns)
    cast = [
        column_of(column.astype(identity.dtype))
        for column, identity in zip(columns, new.identity, strict=True)
    ]
    if len(cast) == 1:  # an extreme: only that has no time that says that it is empty
        cast[0][empty] = new.identity[0][0]
    return cast


def _sums(old: PartKernels, new: PartKernels, columns: Columns) -> list[Column]:
    if new.value_type == "wide":
        return limbs_of(columns[0])
    total = int_of_limbs(columns) if old.value_type == "wide" else columns[0]
    return [column_of(total.astype(new.identity[0].dtype))]


def _squares(old: PartKernels, new: PartKernels, columns: Columns) -> list[Column]:
    if new.value_type == "wide":
        n, total, squares = columns
        none = np.zeros_like(n)
        return [n, *limbs_of(total), *limbs_of(squares), none, none.copy()]
    n, total, squares = _powers(old, columns)
    if new.value_type == "float":
        return [column_of(words(n)), *deviations(n, total, squares)]
    odd = np.zeros_like(n)
    if old.value_type == "float":
        odd[:] = [int(not isfinite(x) or isnan(y)) for x, y in zip(*columns[1:], strict=True)]
    return [n, odd, total, squares]


def _powers(old: PartKernels, columns: Columns) -> tuple[Column, Column, Column]:
    """How many, the sum and the sum of squares, exactly; of floats that are finite."""
    if old.value_type == "float":
        n = column_of(columns[0].astype(np.object_))
        pairs = [
            (Fraction(0), Fraction(0)) if not (isfinite(mean) and isfinite(spread))
            else (Fraction(mean), Fraction(spread))
            for mean, spread in zip(columns[1].tolist(), columns[2].tolist(), strict=True)
        ]  # fmt: skip
        mean, spread = (np.array([pair[k] for pair in pairs], np.object_) for k in range(2))
        return n, column_of(n * mean), column_of(spread + n * mean * mean)
    if old.value_type == "wide":
        columns = columns[0], int_of_limbs(columns[1:3]), int_of_limbs(columns[3:])
    n, total, squares = (column_of(column.astype(np.object_)) for column in columns)
    return n, total, squares


def deviations(n: Column, total: Column, squares: Column) -> tuple[Column, Column]:
    """The means and the squares of deviations from them, rounded once."""
    means, spreads = np.zeros(n.size), np.zeros(n.size)
    for i in np.flatnonzero(n).tolist():
        k, a, b = n.item(i), total.item(i), squares.item(i)
        means[i], spreads[i] = as_float(Fraction(a) / k), as_float(b - Fraction(a) * a / k)
    return column_of(means), column_of(spreads)
