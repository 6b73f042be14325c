"""Columns of partials in other types: for results, and where values of another type come."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isfinite, isnan

import numpy as np

from muntin.columnar.engine.directory import FAR
from muntin.columnar.engine.kernel_language import Ints
from muntin.columnar.engine.partials.kernels import VALUE_COLUMNS, PartKernels
from muntin.columnar.engine.partials.sums import LIMB, LOW_BITS
from muntin.columnar.engine.partials.values.value_codes import decoded
from muntin.kernels.slicing.arrays import Column, Fields, Flags, column_of, packed
from muntin.kernels.slicing.choice import Choice, Product, Ties
from muntin.kernels.slicing.custom_part import Custom
from muntin.kernels.slicing.parts import Part, Squares, Sum
from muntin.spec.algebra.values import as_float

Columns = Sequence[Column]
Encode = Callable[[list[object]], Ints]
Tables = Sequence[Mapping[int, object] | None]
"""The values that codes stand for, for each column that a part reads; None if it has no codes."""
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


def fields_of(kernels: PartKernels, part: Part, columns: Columns, tables: Tables = ()) -> Fields:
    """The columns of a part as `Form.finish` takes them."""
    if any(table is not None for table in tables):
        return values_of(part, columns, tables)
    if kernels.value_type == "wide" and isinstance(part, Sum):
        return (int_of_limbs(columns),)
    if kernels.value_type == "wide" and isinstance(part, Squares):
        return column_of(columns[0]), int_of_limbs(columns[1:3]), int_of_limbs(columns[3:])
    if kernels.value_type == "object" and isinstance(part, Squares):
        return _exact_or_spread(columns)
    if isinstance(part, Custom):
        return column_of(columns[0]), packed(tuple(map(column_of, columns[1:])))
    return tuple(column_of(column) for column in columns)


def values_of(part: Part, columns: Columns, tables: Tables) -> Fields:
    """The columns of a part, with values in the place of their codes."""
    values = [*map(column_of, columns)]
    for place, table in zip(VALUE_COLUMNS.get(type(part), ()), tables, strict=False):
        if table is not None:
            values[place] = column_of(decoded(words(columns[place]), table))
    return tuple(values)


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
    part: Part,
    old: PartKernels,
    new: PartKernels,
    columns: Columns,
    empty: Flags,
    encoders: Sequence[Encode | None] = (),
) -> list[Column]:
    """The columns of a part for kernels of another type; rows that are empty stay so.

    Of a column of values that get codes the encoder is given.
    """
    if isinstance(part, Sum):
        return _sums(old, new, columns)
    if isinstance(part, Squares):
        return _squares(old, new, columns)
    if isinstance(part, Product):
        return _product(columns)
    if isinstance(part, Ties):
        empty = np.asarray(columns[1] == 0, np.bool_)
    elif len(columns) > 1:  # a time says that a row is empty
        times = words(columns[2] if isinstance(part, Choice) else columns[0])
        empty = np.asarray(np.abs(times) == FAR, np.bool_)
    coded = dict(zip(VALUE_COLUMNS.get(type(part), ()), encoders, strict=False))
    made = list[Column]()
    for k, (column, identity) in enumerate(zip(columns, new.identity, strict=True)):
        encode = coded.get(k)
        if encode:
            made.append(_encoded(column, identity[0], empty, encode))
        else:
            made.append(column_of(column.astype(identity.dtype)))
    if len(made) == 1:  # an extreme
        made[0][empty] = new.identity[0][0]
    return made


def _encoded(column: Column, nothing: object, empty: Flags, encode: Encode) -> Column:
    codes = np.full(column.size, nothing, np.int64)
    codes[~empty] = encode(column[~empty].tolist())
    return column_of(codes)


def _product(columns: Columns) -> list[Column]:
    n, odd, zeros, fraction, power = columns
    pairs = zip(fraction.tolist(), power.tolist(), strict=True)
    exact = np.array([Fraction(x) * Fraction(2) ** k for x, k in pairs], np.object_)
    counts = [column_of(column.astype(np.object_)) for column in (n, odd, zeros)]
    return [*counts, column_of(exact), column_of(np.zeros(n.size, np.int64).astype(np.object_))]


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
