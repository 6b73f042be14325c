"""Columns as lists, for kernels that are not compiled."""

from itertools import pairwise
from operator import methodcaller

from muntin.kernels.compiler.input_checks import within_64_bits
from muntin.kernels.compiler.kernel_api import Column, Ints
from muntin.kernels.compiler.numeric_aggregate import Kind, NumericAggregate, Partial
from muntin.kernels.compiler.storage import ListStorage
from muntin.kernels.finger_btree.records import SortedBatch
from muntin.spec.errors import InvalidInputError

MAX_EXACT_INT = 2**53
"""Up to this magnitude every integer is exactly a float."""


def plain_numbers(values: object, what: str) -> list[int | float]:
    """A column of any type as a list of Python's numbers."""
    to_list = methodcaller("tolist" if hasattr(values, "tolist") else "__iter__")
    try:
        return list(to_list(values))
    except (TypeError, AttributeError) as cause:
        raise InvalidInputError(f"{what} must be a column, not {values!r}") from cause


def _int_list(ints: Ints) -> list[int]:
    return [ints[index] for index in range(len(ints))]


class ListColumns(ListStorage[Partial]):
    """Columns for one aggregate, made of lists."""

    def __init__(self, summary: NumericAggregate) -> None:
        """Columns for this aggregate."""
        super().__init__(summary.identity)
        self._summary = summary

    def to_times(self, values: object) -> Ints:
        """Times as a list of integers that fit into 64 bits."""
        return [within_64_bits(time) for time in plain_numbers(values, "the time")]

    def to_numbers(self, values: object, kind: Kind, what: str) -> Column[int | float]:
        """Numbers as a list of this kind, if the conversion is exact."""
        if kind == "int":
            return [within_64_bits(x, what) for x in plain_numbers(values, what)]
        return [as_float(x, what) for x in plain_numbers(values, what)]

    def lift(self, columns: list[Column[int | float]]) -> Column[Partial]:
        """Lift each row."""
        size = len(columns[0])
        return [self._summary.lift(*(column[row] for column in columns)) for row in range(size)]

    def lower(
        self, partials: Column[Partial], nonempty: Ints | None = None
    ) -> list[Column[int | float]]:
        """Lower each partial, or those that `nonempty` marks; others are 0."""
        zeros: Partial = (0,) * len(self._summary.results)
        rows = [
            self._summary.lower(partials[row]) if nonempty is None or nonempty[row] else zeros
            for row in range(len(partials))
        ]
        return [[row[k] for row in rows] for k in range(len(zeros))]

    def magnitude(self, partials: Column[Partial]) -> int:
        """An upper bound of the sum of the magnitudes of partials of one integer."""
        return sum(abs(int(partials[row][0])) for row in range(len(partials)))

    def first_descent(self, times: Ints) -> tuple[int, int] | None:
        """The first pair of neighbours in which the later time is smaller."""
        return next(((a, b) for a, b in pairwise(_int_list(times)) if b < a), None)

    def nonempty_ranges(self, firsts: Ints, lasts: Ints) -> Ints:
        """1 for each range that holds a row, else 0."""
        return [int(a < b) for a, b in zip(_int_list(firsts), _int_list(lasts), strict=True)]

    def first_out_of_range(self, firsts: Ints, lasts: Ints, size: int) -> tuple[int, int] | None:
        """The first bounds that are not within `size` rows."""
        bounds = zip(_int_list(firsts), _int_list(lasts), strict=True)
        return next(((a, b) for a, b in bounds if not 0 <= a <= b <= size), None)

    def first_nonzero(self, marks: Column[int | float]) -> int | None:
        """The index of the first mark that is not 0."""
        return next((index for index in range(len(marks)) if marks[index]), None)

    def counts_up_to(self, times: Ints, back: int) -> Ints:
        """For each time the number of times up to it minus `back`."""
        plain, counts, count = _int_list(times), list[int](), 0
        for time in plain:
            while count < len(plain) and plain[count] <= time - back:
                count += 1
            counts.append(count)
        return counts

    def sorted(self, batch: SortedBatch[Partial]) -> SortedBatch[Partial]:
        """Sort by time, and by arrival among equal times."""
        order = sorted(range(len(batch.times)), key=batch.times.__getitem__)
        return SortedBatch([batch.times[k] for k in order], [batch.values[k] for k in order])


def as_float(value: object, what: str) -> float:
    """A number as a float, if it is a float or an integer up to 2**53."""
    if type(value) is float:
        return value
    if type(value) is int and abs(value) <= MAX_EXACT_INT:
        return float(value)
    raise InvalidInputError(f"{what} must be floats, or integers up to 2**53, not {value!r}")
