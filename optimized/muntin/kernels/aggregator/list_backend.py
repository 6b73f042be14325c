"""Columns that are lists: what runs where nothing is compiled."""

from itertools import pairwise
from operator import methodcaller

from muntin.kernels.compiler.input_checks import within_64_bits
from muntin.kernels.compiler.kernel_api import Column, Ints
from muntin.kernels.compiler.numeric_aggregate import Kind, NumericAggregate, Partial
from muntin.kernels.finger_btree.records import SortedBatch
from muntin.spec.errors import InvalidInputError

MAX_EXACT_INT = 2**53
"""Up to here every integer is a float."""


def plain_numbers(given: object, what: str) -> list[int | float]:
    """Return a column as a list of Python's numbers, whatever it is made of."""
    how = methodcaller("tolist" if hasattr(given, "tolist") else "__iter__")
    try:
        return list(how(given))
    except (TypeError, AttributeError) as cause:
        raise InvalidInputError(f"{what} must be a column, not {given!r}") from cause


def _int_list(ints: Ints) -> list[int]:
    return [ints[at] for at in range(len(ints))]


class ListColumns:
    """Columns for one aggregate."""

    def __init__(self, summary: NumericAggregate) -> None:
        """Take the aggregate."""
        self._summary = summary

    def to_times(self, given: object) -> Ints:
        """Return times as a list, if they are integers of 64 bits."""
        return [within_64_bits(time) for time in plain_numbers(given, "the time")]

    def to_numbers(self, given: object, kind: Kind, what: str) -> Column[int | float]:
        """Return numbers as a list, if they are of this kind, or exactly some number of it."""
        if kind == "int":
            return [within_64_bits(x, what) for x in plain_numbers(given, what)]
        return [as_float(x, what) for x in plain_numbers(given, what)]

    def lift(self, columns: list[Column[int | float]]) -> Column[Partial]:
        """Lift each row."""
        size = len(columns[0])
        return [self._summary.lift(*(column[at] for column in columns)) for at in range(size)]

    def lower(
        self, partials: Column[Partial], some: Ints | None = None
    ) -> list[Column[int | float]]:
        """Lower each partial, or those that hold something; others are 0."""
        none: Partial = (0,) * len(self._summary.results)
        rows = [
            self._summary.lower(partials[at]) if some is None or some[at] else none
            for at in range(len(partials))
        ]
        return [[row[k] for row in rows] for k in range(len(none))]

    def partial_at(self, partials: Column[Partial], at: int, /) -> Partial:
        """Return one partial."""
        return partials[at]

    def empty(self, size: int) -> Column[Partial]:
        """Return a column to write to."""
        return [self._summary.identity] * size

    def first_descent(self, times: Ints) -> tuple[int, int] | None:
        """Return the first time that is smaller than the one before, behind that one."""
        return next(((a, b) for a, b in pairwise(_int_list(times)) if b < a), None)

    def nonempty_ranges(self, firsts: Ints, lasts: Ints) -> Ints:
        """Return which bounds hold a row."""
        return [int(a < b) for a, b in zip(_int_list(firsts), _int_list(lasts), strict=True)]

    def first_out_of_range(self, firsts: Ints, lasts: Ints, size: int) -> tuple[int, int] | None:
        """Return the first bounds that are not within so many rows."""
        bounds = zip(_int_list(firsts), _int_list(lasts), strict=True)
        return next(((a, b) for a, b in bounds if not 0 <= a <= b <= size), None)

    def first_nonzero(self, marks: Column[int | float]) -> int | None:
        """Return the first place of a mark."""
        return next((at for at in range(len(marks)) if marks[at]), None)

    def counts_up_to(self, times: Ints, back: int) -> Ints:
        """Return for each time how many are not larger than it, less so much."""
        whens, places, place = _int_list(times), list[int](), 0
        for time in whens:
            while place < len(whens) and whens[place] <= time - back:
                place += 1
            places.append(place)
        return places

    def sorted(self, batch: SortedBatch[Partial]) -> SortedBatch[Partial]:
        """Sort by time, and by arrival among equals."""
        order = sorted(range(len(batch.times)), key=batch.times.__getitem__)
        return SortedBatch([batch.times[k] for k in order], [batch.values[k] for k in order])


def as_float(value: object, what: str) -> float:
    """Return a number as a float, if it is one, or an integer that is."""
    if type(value) is float:
        return value
    if type(value) is int and abs(value) <= MAX_EXACT_INT:
        return float(value)
    raise InvalidInputError(f"{what} must be floats, or integers up to 2**53, not {value!r}")
