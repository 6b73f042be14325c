"""Columns as NumPy arrays for compiled kernels: partials are records, or plain numbers."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from muntin.kernels.aggregator.list_backend import MAX_EXACT_INT, as_float, plain_numbers
from muntin.kernels.aggregator.numeric_catalogue import identity_lift, identity_lower
from muntin.kernels.compiler.engine import NodeShape
from muntin.kernels.compiler.input_checks import check_unmasked, within_64_bits
from muntin.kernels.compiler.kernel_api import Column, IntRows, Ints, Rows
from muntin.kernels.compiler.numeric_aggregate import Kind, NumericAggregate, Partial
from muntin.kernels.compiler.specialization import COLUMN_SOURCES, compiled_module
from muntin.kernels.compiler.storage import ListTable
from muntin.kernels.finger_btree.records import SortedBatch, TreeArrays
from muntin.spec.errors import InvalidInputError

DTYPES = {"int": "<i8", "float": "<f8"}
FEW_ROWS = 32
"""A column of fewer rows is faster to read as a list than to reduce."""
Kernel = Callable[..., None]
INTEGER_TYPES: tuple[type[object], ...] = (int, np.integer)


class ArrayStorage:
    """Storage in arrays for the partials of one aggregate."""

    def __init__(self, summary: NumericAggregate) -> None:
        """Choose the dtype of a partial."""
        kinds = [DTYPES[kind] for kind in summary.fields]
        named = [(f"f{k}", kind) for k, kind in enumerate(kinds)]
        self._single = len(kinds) == 1
        self.dtype = np.dtype(kinds[0]) if self._single else np.dtype(named)

    def to_time(self, value: int) -> int:
        """The time, if it fits into 64 bits."""
        return within_64_bits(value)

    def ints(self, values: Sequence[int]) -> Ints:
        """A row of integers."""
        row: Ints = np.array(values, np.int64)
        return row

    def column(self, values: Sequence[Partial]) -> Column[Partial]:
        """A column of partials."""
        plain = [value[0] for value in values] if self._single else list(values)
        column: Column[Partial] = np.array(plain, self.dtype)
        return column

    def empty(self, size: int) -> Column[Partial]:
        """An uninitialized column to write to."""
        column: Column[Partial] = np.empty(size, self.dtype)
        return column

    def partial_at(self, column: Column[Partial], index: int) -> Partial:
        """The partial at an index of a column."""
        item: object = np.asarray(column)[index].item()
        return self._partial(item)

    def _partial(self, item: object) -> Partial:
        partial: Partial = (item,) if self._single else item  # type: ignore[assignment] # numbers
        return partial

    def to_lists(self, tree: TreeArrays[Partial]) -> TreeArrays[Partial]:
        """A read-only copy of the tree in lists."""
        inner, times = (ListTable(np.asarray(ints).tolist()) for ints in (tree.inner, tree.times))
        folds, leaves, ends = (
            ListTable([[self._partial(x) for x in row] for row in np.asarray(rows).tolist()])
            for rows in (tree.folds, tree.leaves, tree.ends)
        )
        return TreeArrays(np.asarray(tree.s).tolist(), inner, folds, times, leaves, ends)

    def int_rows(self, old: IntRows | None, old_size: int, size: int, width: int) -> IntRows:
        """Rows of zeros that begin with the old rows, if there are any."""
        grid: IntRows = _with_old_rows(old, old_size, np.zeros((size, width), np.int64))
        return grid

    def rows(
        self, old: Rows[Partial] | None, old_size: int, size: int, width: int
    ) -> Rows[Partial]:
        """Rows of zeros that begin with the old rows, if there are any."""
        grid: Rows[Partial] = _with_old_rows(old, old_size, np.zeros((size, width), self.dtype))
        return grid


def _with_old_rows(old: object, old_size: int, grid: NDArray[np.generic]) -> NDArray[np.generic]:
    if old is not None:
        grid[:old_size] = np.asarray(old)
    return grid


class ArrayColumns(ArrayStorage):
    """Columns for one aggregate, made of arrays."""

    def __init__(self, summary: NumericAggregate) -> None:
        """Lift and lower kernels are compiled at their first call."""
        super().__init__(summary)
        self._summary = summary
        kernels = vars(compiled_module(summary, COLUMN_SOURCES, *NodeShape()))
        self._lift_all: Kernel = kernels["lift_all"]
        self._lower_all: Kernel = kernels["lower_all"]

    def to_times(self, values: object) -> Ints:
        """Times as an array of 64-bit integers."""
        return _int64_column(values, "the time")

    def to_numbers(self, values: object, kind: Kind, what: str) -> Column[int | float]:
        """Numbers as an array of this kind, if the conversion is exact."""
        if kind == "int":
            return _int64_column(values, what)
        values, array = _one_dimension(values, what)
        if array.dtype.kind in "iu" and array.size:
            array = _int64_column(values, what)
            if max(-int(array.min()), int(array.max())) > MAX_EXACT_INT:
                raise InvalidInputError(f"{what} must be floats, or integers up to 2**53")
        elif array.dtype.kind != "f" and array.size:
            raise InvalidInputError(f"{what} must be floats, not {array.dtype}")
        elif not isinstance(values, np.ndarray) and (np.abs(array) >= MAX_EXACT_INT).any():
            for number in plain_numbers(values, what):
                _ = isinstance(number, INTEGER_TYPES) and as_float(int(number), what)
        column: Column[int | float] = np.ascontiguousarray(array, np.float64)
        return column

    def lift(self, columns: list[Column[int | float]]) -> Column[Partial]:
        """Lift each row; a column of partials that are the values may be the column itself."""
        if self._summary.lift is identity_lift:
            return columns[0]  # type: ignore[return-value] # a partial is a number
        out = self.empty(len(columns[0]))
        self._lift_all(tuple(columns), out)
        return out

    def lower(
        self, partials: Column[Partial], nonempty: Ints | None = None
    ) -> list[Column[int | float]]:
        """Lower each partial, or those that `nonempty` marks; others are 0."""
        if nonempty is not None:
            return self._lower_nonempty(np.asarray(partials), np.flatnonzero(np.asarray(nonempty)))
        if self._summary.lower is identity_lower and self._single:
            return [partials]  # type: ignore[list-item] # the same
        kinds = [DTYPES[kind] for kind in self._summary.results]
        columns: list[Column[int | float]] = [np.empty(len(partials), kind) for kind in kinds]
        self._lower_all(partials, tuple(columns))
        return columns

    def _lower_nonempty(
        self, partials: NDArray[np.generic], indices: NDArray[np.int64]
    ) -> list[Column[int | float]]:
        picked: Column[Partial] = partials[indices]
        columns: list[Column[int | float]] = []
        for lowered in self.lower(picked):
            column = np.zeros(partials.size, np.asarray(lowered).dtype)
            column[indices] = lowered
            columns.append(column)
        return columns

    def magnitude(self, partials: Column[Partial]) -> int:
        """An upper bound of the sum of the magnitudes of partials of one integer."""
        array = np.asarray(partials)
        ends = array if array.size < FEW_ROWS else np.array([array.min(), array.max()])
        numbers: list[int] = ends.tolist()
        return max(map(abs, numbers), default=0) * array.size

    def first_descent(self, times: Ints) -> tuple[int, int] | None:
        """The first pair of neighbours in which the later time is smaller."""
        array = np.asarray(times)
        return _first_pair(array[1:] < array[:-1], array[:-1], array[1:])

    def nonempty_ranges(self, firsts: Ints, lasts: Ints) -> Ints:
        """1 for each range that holds a row, else 0."""
        nonempty: Ints = (np.asarray(firsts) < np.asarray(lasts)).astype(np.int64)
        return nonempty

    def first_out_of_range(self, firsts: Ints, lasts: Ints, size: int) -> tuple[int, int] | None:
        """The first bounds that are not within `size` rows."""
        a, b = np.asarray(firsts), np.asarray(lasts)
        return _first_pair((a < 0) | (b < a) | (b > size), a, b)

    def first_nonzero(self, marks: Column[int | float]) -> int | None:
        """The index of the first mark that is not 0."""
        indices = np.flatnonzero(np.asarray(marks))
        return int(indices[0]) if indices.size else None

    def counts_up_to(self, times: Ints, back: int) -> Ints:
        """For each time the number of times up to it minus `back`."""
        array = np.asarray(times)
        counts: Ints = np.searchsorted(array, array - back, "right").astype(np.int64)
        return counts

    def sorted(self, batch: SortedBatch[Partial]) -> SortedBatch[Partial]:
        """Sort by time, and by arrival among equal times: by one integer if both fit into it."""
        times, values = np.asarray(batch.times), np.asarray(batch.values)
        bits = int(times.size - 1).bit_length()
        oldest = int(times.min())
        if (int(times.max()) - oldest) >> (62 - bits):
            order = np.argsort(times, kind="stable")
            return SortedBatch(times[order], values[order])
        packed = ((times - oldest) << bits) | np.arange(times.size)
        packed.sort()
        return SortedBatch((packed >> bits) + oldest, values[packed & ((1 << bits) - 1)])


def _one_dimension(values: object, what: str) -> tuple[object, NDArray[np.generic]]:
    """A column and its array; an iterator is read into a list first."""
    array: NDArray[np.generic] = np.asarray(values)
    if array.ndim == 0:
        values = plain_numbers(values, what)
        array = np.asarray(values)
    if array.ndim != 1:
        raise InvalidInputError(f"{what} must be a column, not of {array.ndim} dimensions")
    check_unmasked(values, what)
    return values, array


def _int64_column(values: object, what: str) -> NDArray[np.int64]:
    values, array = _one_dimension(values, what)
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.dtype.kind == "u":
        within_64_bits(int(array.max()), what)
    elif array.dtype.kind != "i":
        array = np.array(
            [within_64_bits(value, what) for value in plain_numbers(values, what)], np.int64
        )
    return np.ascontiguousarray(array, np.int64)


def _first_pair(
    wrong: NDArray[np.bool_], a: NDArray[np.int64], b: NDArray[np.int64]
) -> tuple[int, int] | None:
    first = int(wrong.argmax()) if wrong.size else 0
    return (int(a[first]), int(b[first])) if wrong.size and wrong[first] else None
