"""Partials of values of any type: integers beyond 64 bits, texts, dates, fractions.

State and step are the same; only the three kernels of a partial are functions of Python, which the
step calls by their addresses. What they are to add was checked before the step: none of it raises.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import AnyArray, Directory
from muntin.columnar.engine.kernel_language import CallbackPhase, Ints
from muntin.columnar.engine.partials.choice import is_chosen
from muntin.kernels.slicing.arrays import Objects, column_of
from muntin.kernels.slicing.choice import Choice
from muntin.kernels.slicing.parts import First, Last, Max, Min, Part, Squares, Sum
from muntin.spec.algebra.catalogue import named
from muntin.spec.algebra.values import as_float, compare, number, sort_key
from muntin.spec.errors import UnsupportedError

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


def order_of(a: object, b: object) -> int:
    """-1, 0 or 1 as a value is less than, equal to or greater than another."""
    if isinstance(a, int) and isinstance(b, int):
        return (a > b) - (a < b)
    return compare(a, b)


def less(a: Items, b: Items) -> Items:
    """The less value; nothing is None."""
    return b if a[0] is None or (b[0] is not None and order_of(b[0], a[0]) < 0) else a


def greater(a: Items, b: Items) -> Items:
    """The greater value; nothing is None."""
    return b if a[0] is None or (b[0] is not None and order_of(b[0], a[0]) > 0) else a


def earlier(a: Items, b: Items) -> Items:
    """The earlier of two times with values, the first if they are equal."""
    return b if number(b[0]) < number(a[0]) else a


def later(a: Items, b: Items) -> Items:
    """The later of two times with values, the second if they are equal."""
    return b if number(b[0]) >= number(a[0]) else a


def chosen(sign: int) -> Combine:
    """The value whose key is the greatest, or the least, and of equal ones the earliest."""

    def combine(a: Items, b: Items) -> Items:
        rank, times = 0, (int(number(a[2])), int(number(b[2])))
        if d.FAR not in times:
            rank = sign * order_of(b[0], a[0])
        return b if is_chosen(rank, times[1], 0, times[0]) else a

    return combine


def value_alone(value: object, _: object, __: int) -> Items:
    """A value."""
    return (value,)


def value_at(value: object, _: object, time: int) -> Items:
    """A value and its time."""
    return time, value


def choice_of(key: object, value: object, time: int) -> Items:
    """A key, what it brings, and its time."""
    return key, value, time


def powers(value: object, _: object, __: int) -> Items:
    """How many, how many not finite, the sum and the sum of squares, exactly."""
    x = number(value)
    if x - x != 0:
        return 1, 1, 0, 0
    exact = x if isinstance(x, int) else Fraction(x)
    return 1, 0, exact, exact * exact


@dataclass(frozen=True)
class ObjectKernels:
    """The kernels of a partial from two functions: what a row brings, and what two make."""

    lift: Callable[[object, object, int], Items]
    combine: Combine

    def add(self, t: Directory, part: int, to: int, origin: int) -> int:
        """Add what the rows of a batch bring."""
        del origin
        fields: list[int] = t.arrays[d.PARTS][part * d.P_FIELDS : (part + 1) * d.P_FIELDS].tolist()
        columns = columns_at(t, to, fields[d.P_COLUMNS])
        values, second = t.arrays[fields[d.P_SOURCE]], t.arrays[fields[d.P_SECOND]]
        times = np.asarray(t.arrays[fields[d.P_TIME]], np.int64)
        for i, row in placed_rows(t, times):
            lifted = self.lift(values.item(i), second.item(i), int(times[i]))
            self._put(columns, row, lifted)
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
    Min: ObjectKernels(value_alone, less),
    Max: ObjectKernels(value_alone, greater),
    First: ObjectKernels(value_at, earlier),
    Last: ObjectKernels(value_at, later),
}


@cache
def object_kernels(part: type[Part], sign: int) -> tuple[CallbackPhase, CallbackPhase]:
    """The kernels that add and that merge values of any type; `sign` is for a choice."""
    form = _FORMS[part] if part in _FORMS else ObjectKernels(choice_of, chosen(sign))
    return CallbackPhase(form.add), CallbackPhase(form.merge)


def check_values(part: Part, values: AnyArray, order: type | None) -> type | None:
    """Refuse values that a part cannot take; the type among whose values there is one order."""
    anything = values.tolist() if values.dtype == np.object_ else values[:1].tolist()
    if isinstance(part, Sum | Squares):
        lift = named("sum" if isinstance(part, Sum) else "var_pop").lift
        for value in anything:
            lift(value)
    if not isinstance(part, Min | Max | Choice):
        return order
    ordered = named("min").lift
    for value in anything:
        ordered(value)
        kind = sort_key(value)[0]
        if order is not None and kind is not order:
            raise UnsupportedError(
                f"{value!r} ({kind.__name__}) has no order with the values of type "
                f"{order.__name__} before it; on columns all values of one have one order"
            )
        order = kind
    return order
