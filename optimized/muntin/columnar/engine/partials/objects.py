"""Partials that compute with numbers of any type: integers beyond 64 bits, fractions.

State and step are the same; only the three kernels of a partial are functions of Python, which the
step calls by their addresses. What they are to add was checked before the step: none of it raises.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import CallbackPhase, Ints
from muntin.kernels.slicing.arrays import Objects, column_of
from muntin.kernels.slicing.batch import Values
from muntin.kernels.slicing.choice import InOrder, Product
from muntin.kernels.slicing.parts import Part, Squares, Sum
from muntin.spec.algebra.catalogue import named
from muntin.spec.algebra.values import as_float, number
from muntin.spec.errors import InvalidInputError

Items = tuple[object, ...]
Combine = Callable[[Items, Items], Items]


def total(a: object, b: object) -> object:
    """The sum of two numbers; where one passes all floats beside a float, infinite."""
    x, y = number(a), number(b)
    try:
        return x + y
    except OverflowError:
        return as_float(x) + as_float(y)


def add_up(a: Items, b: Items) -> Items:
    """The sums of items."""
    return tuple(map(total, a, b))


def multiply(a: Items, b: Items) -> Items:
    """The sums of items, and the product of the fourth."""
    factors = Fraction(number(a[3])) * Fraction(number(b[3]))
    return (*add_up(a[:3], b[:3]), factors, 0)


def value_alone(value: object) -> Items:
    """A value."""
    return (value,)


def factor(value: object) -> Items:
    """How many, how many not finite, how many zeros, and the factor, exactly."""
    x = number(value)
    if x - x != 0:
        return 1, 1, 0, 1, 0
    return (1, 0, 0, Fraction(x), 0) if x else (1, 0, 1, 1, 0)


def powers(value: object) -> Items:
    """How many, how many not finite, the sum and the sum of squares, exactly."""
    x = number(value)
    if x - x != 0:
        return 1, 1, 0, 0
    exact = x if isinstance(x, int) else Fraction(x)
    return 1, 0, exact, exact * exact


@dataclass(frozen=True)
class ObjectKernels:
    """The kernels of a partial from two functions: what a row brings, and what two make."""

    lift: Callable[[object], Items]
    combine: Combine

    def add(self, t: Directory, part: int, to: int, origin: int) -> int:
        """Add what the rows of a batch bring."""
        del origin
        fields: list[int] = t.arrays[d.PARTS][part * d.P_FIELDS : (part + 1) * d.P_FIELDS].tolist()
        columns = columns_at(t, to, fields[d.P_COLUMNS])
        values = t.arrays[fields[d.P_SOURCE]]
        times = np.asarray(t.arrays[fields[d.P_TIME]], np.int64)
        for i, row in placed_rows(t, times):
            self._put(columns, row, self.lift(values.item(i)))
        return 0

    def merge(self, t: Directory, part: int, to: int, origin: int) -> int:
        """Merge pairs of rows; what the origin has came first."""
        n = int(t.arrays[d.PARTS][part * d.P_FIELDS + d.P_COLUMNS])
        columns, others = columns_at(t, to, n), columns_at(t, origin, n)
        merges = int(t.arrays[d.SCALARS][d.MERGES])
        froms, tos = (t.arrays[k][:merges].tolist() for k in (d.MERGE_FROM, d.MERGE_TO))
        for row, target in zip(froms, tos, strict=True):
            held = tuple(column.item(target) for column in columns)
            merged = self.combine(tuple(column.item(row) for column in others), held)
            for column, item in zip(columns, merged, strict=True):
                column[target] = item
        return 0

    def _put(self, columns: list[Objects], row: int, items: Items) -> None:
        before = tuple(column.item(row) for column in columns)
        after = self.combine(before, items)
        if after is not before:
            for column, item in zip(columns, after, strict=True):
                column[row] = item


def columns_at(t: Directory, place: int, n: int) -> list[Objects]:
    """The columns of a partial: of objects, or of times."""
    return t.arrays[place : place + n]  # type: ignore[return-value] # what was put there


def placed_rows(t: Directory, times: Ints) -> list[tuple[int, int]]:
    """The rows of a batch that have a value, and the row of the state of each."""
    arrays, moments, pairs = t.arrays, t.arrays[d.TIMES], list[tuple[int, int]]()
    for e in range(int(arrays[d.SCALARS][d.ENTRIES])):
        begin, end, row, low, high = (
            int(arrays[k][e])
            for k in (d.ENTRY_BEGIN, d.ENTRY_END, d.ENTRY_ROW, d.ENTRY_LOW, d.ENTRY_HIGH)
        )
        its = moments[begin:end]
        some = np.flatnonzero((its >= low) & (its < high) & (times[begin:end] != d.FAR)) + begin
        rows = arrays[d.PLACED][some] if row < 0 else np.full(some.size, row)
        pairs += zip(some.tolist(), rows.tolist(), strict=True)
    return pairs


def copy_rows(t: Directory, part: int, to: int, origin: int) -> int:
    """Copy rows to other rows."""
    copies = int(t.arrays[d.SCALARS][d.COPIES])
    froms, tos = (np.asarray(t.arrays[k][:copies], np.int64) for k in (d.COPY_FROM, d.COPY_TO))
    for k in range(int(t.arrays[d.PARTS][part * d.P_FIELDS + d.P_COLUMNS])):
        column_of(t.arrays[to + k])[tos] = column_of(t.arrays[origin + k])[froms]
    return 0


copy_objects = CallbackPhase(copy_rows)
_FORMS: Mapping[type[Part], ObjectKernels] = {
    Sum: ObjectKernels(value_alone, add_up),
    Squares: ObjectKernels(powers, add_up),
    Product: ObjectKernels(factor, multiply),
}


@cache
def object_kernels(part: type[Part]) -> tuple[CallbackPhase, CallbackPhase]:
    """The kernels that add and that merge numbers of any type."""
    return CallbackPhase(_FORMS[part].add), CallbackPhase(_FORMS[part].merge)


CHECKED: Mapping[type[Part], str] = {Sum: "sum", Squares: "var_pop", Product: "geomean"}
"""The aggregates that say which values a part takes."""


def check_values(part: Part, source: object, values: Values) -> None:
    """Refuse values that a part cannot take."""
    name = "concat" if isinstance(part, InOrder) and part.are_texts else CHECKED.get(type(part))
    data = values.data
    if name is None or not data.size:
        return
    places = np.arange(data.size) if values.valid is None else np.flatnonzero(values.valid)
    if data.dtype != np.object_:  # numbers, of which only some are factors
        suspects = data[places] < 0 if name == "geomean" else np.arange(places.size) < 1
        places = places[suspects][:1]
    lift = named(name).lift
    for place in places.tolist():
        try:
            lift(data.item(place))
        except InvalidInputError as error:
            what = "the values" if source is None else f"the column {source!r}"
            raise InvalidInputError(
                f"{error}; it is in row {place} of {what}: convert it, or leave it null"
            ) from error
