"""Columns of partials in other types: for results, and where values of another type come."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from muntin.columnar.engine.directory import AnyArray
from muntin.columnar.engine.partials.kernels import PartKernels
from muntin.columnar.engine.partials.sums import LIMB, LOW_BITS
from muntin.kernels.slicing.arrays import Column, Fields, Flags, column_of, packed
from muntin.kernels.slicing.custom_part import Custom
from muntin.kernels.slicing.parts import Part, Squares, Sum
from muntin.spec.algebra.values import as_float

Columns = Sequence[AnyArray]


def int_of_limbs(limbs: Columns) -> Column:
    """The integers that are kept in limbs: of 64 bits if all fit, else of any size."""
    carried: list[AnyArray] = [limbs[0] & LOW_BITS]
    carry = limbs[0] >> LIMB
    for limb in limbs[1:-1]:
        total = limb + carry
        carried.append(total & LOW_BITS)
        carry = total >> LIMB
    top = limbs[-1] + carry
    small = len(carried) == 1 and bool(((top >= -(1 << 31)) & (top < 1 << 31)).all())
    if small:
        return column_of((top << LIMB) + carried[0])
    value = top.astype(np.object_)
    for limb in reversed(carried):
        value = (value << LIMB) + limb.astype(np.object_)
    return narrowed(value)


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
) -> list[AnyArray]:
    """The columns of a part for kernels of another type; rows that are empty stay so."""
    if isinstance(part, Sum):
        return _sums(old, new, columns)
    if isinstance(part, Squares):
        return _squares(old, new, columns)
    cast = [
        column.astype(identity.dtype)
        for column, identity in zip(columns, new.identity, strict=True)
    ]
    if len(cast) == 1:  # an extreme: only that has no time to tell that it is empty
        cast[0][empty] = new.identity[0][0]
    return cast


def _sums(old: PartKernels, new: PartKernels, columns: Columns) -> list[AnyArray]:
    if new.value_type == "wide":
        return [columns[0] & LOW_BITS, columns[0] >> LIMB]
    total = int_of_limbs(columns) if old.value_type == "wide" else columns[0]
    return [total.astype(new.identity[0].dtype)]


def _squares(old: PartKernels, new: PartKernels, columns: Columns) -> list[AnyArray]:
    if new.value_type == "wide":
        n, total, squares = columns
        none = np.zeros_like(n)
        limbs = [total & LOW_BITS, total >> LIMB, squares & LOW_BITS, squares >> LIMB]
        return [n, *limbs, none, none.copy()]
    n, total, squares = _powers(old, columns)
    if new.value_type == "float":
        return [np.asarray(n, np.int64), *deviations(n, total, squares)]
    odd = np.zeros_like(n)
    if old.value_type == "float":
        odd[:] = [int(mean - mean != 0 or spread != spread) for mean, spread in zip(*columns[1:])]
    return [n, odd, total, squares]


def _powers(old: PartKernels, columns: Columns) -> tuple[Column, Column, Column]:
    """How many, the sum and the sum of squares, exactly; of floats that are finite."""
    if old.value_type == "float":
        n = columns[0].astype(np.object_)
        pairs = [
            (Fraction(0), Fraction(0)) if mean - mean or spread - spread
            else (Fraction(mean), Fraction(spread))
            for mean, spread in zip(columns[1].tolist(), columns[2].tolist(), strict=True)
        ]  # fmt: skip
        mean, spread = (np.array([pair[k] for pair in pairs], np.object_) for k in range(2))
        return n, n * mean, spread + n * mean * mean
    if old.value_type == "wide":
        columns = columns[0], int_of_limbs(columns[1:3]), int_of_limbs(columns[3:])
    n, total, squares = (column.astype(np.object_) for column in columns)
    return n, total, squares


def deviations(n: Column, total: Column, squares: Column) -> tuple[Column, Column]:
    """The means and the squares of deviations from them, rounded once."""
    means, spreads = np.zeros(n.size), np.zeros(n.size)
    for i in np.flatnonzero(n).tolist():
        k, a, b = n.item(i), total.item(i), squares.item(i)
        means[i], spreads[i] = as_float(Fraction(a) / k), as_float(b - Fraction(a) * a / k)
    return column_of(means), column_of(spreads)
