"""Arrays of numbers for compiled kernels: columns of partials are records, or plain numbers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from muntin.kernels.aggregator.list_backend import MAX_EXACT_INT, as_float, plain_numbers
from muntin.kernels.compiler.engine import lift_lower_kernels
from muntin.kernels.compiler.input_checks import check_unmasked, within_64_bits
from muntin.kernels.compiler.kernel_api import Column, IntRows, Ints, Rows
from muntin.kernels.compiler.numeric_aggregate import Kind, NumericAggregate, Partial
from muntin.kernels.compiler.storage import ListTable
from muntin.kernels.finger_btree.records import SortedBatch, TreeArrays
from muntin.spec.errors import InvalidInputError

DTYPES = {"int": "<i8", "float": "<f8"}
INTEGER_TYPES: tuple[type[object], ...] = (int, np.integer)


class ArrayStorage:
    """Storage for the partials of one aggregate."""

    def __init__(self, summary: NumericAggregate) -> None:
        """Choose how a partial is kept."""
        kinds = [DTYPES[kind] for kind in summary.fields]
        named = [(f"f{k}", kind) for k, kind in enumerate(kinds)]
        self._single = len(kinds) == 1
        self.dtype = np.dtype(kinds[0]) if self._single else np.dtype(named)

    def to_time(self, value: int) -> int:
        """Return an integer if it fits into 64 bits."""
        return within_64_bits(value)

    def ints(self, values: Sequence[int]) -> Ints:
        """Return a row of integers."""
        row: Ints = np.array(values, np.int64)
        return row

    def column(self, values: Sequence[Partial]) -> Column[Partial]:
        """Return a column of partials."""
        plain = [value[0] for value in values] if self._single else list(values)
        column: Column[Partial] = np.array(plain, self.dtype)
        return column

    def empty(self, size: int) -> Column[Partial]:
        """Return a column to write to."""
        column: Column[Partial] = np.empty(size, self.dtype)
        return column

    def partial_at(self, column: Column[Partial], at: int) -> Partial:
        """Return one partial of a column."""
        found: object = np.asarray(column)[at].item()
        return self._partial(found)

    def _partial(self, found: object) -> Partial:
        partial: Partial = (found,) if self._single else found  # type: ignore[assignment] # numbers
        return partial

    def to_lists(self, tree: TreeArrays[Partial]) -> TreeArrays[Partial]:
        """Return the same tree in lists: to look at, not to change."""
        inner, times = (ListTable(np.asarray(ints).tolist()) for ints in (tree.inner, tree.times))
        folds, leaves, ends = (
            ListTable([[self._partial(x) for x in row] for row in np.asarray(rows).tolist()])
            for rows in (tree.folds, tree.leaves, tree.ends)
        )
        return TreeArrays(np.asarray(tree.s).tolist(), inner, folds, times, leaves, ends)

    def int_rows(self, old: IntRows | None, had: int, size: int, width: int) -> IntRows:
        """Return so many rows, the first of which are those that there are, if any."""
        grid: IntRows = _with_old_rows(old, had, np.zeros((size, width), np.int64))
        return grid

    def rows(self, old: Rows[Partial] | None, had: int, size: int, width: int) -> Rows[Partial]:
        """Return so many rows, the first of which are those that there are, if any."""
        grid: Rows[Partial] = _with_old_rows(old, had, np.zeros((size, width), self.dtype))
        return grid


def _with_old_rows(old: object, had: int, grid: NDArray[np.generic]) -> NDArray[np.generic]:
    if old is not None:
        grid[:had] = np.asarray(old)
    return grid


class ArrayColumns:
    """Columns for one aggregate, made of arrays."""

    def __init__(self, summary: NumericAggregate) -> None:
        """Take the aggregate; what lifts and lowers is compiled when it is first called."""
        self._summary, self._storage = summary, ArrayStorage(summary)
        self._lift_lower = lift_lower_kernels(summary)

    def to_times(self, given: object) -> Ints:
        """Return times as an array, if they are integers of 64 bits."""
        return _int64_column(given, "the time")

    def to_numbers(self, given: object, kind: Kind, what: str) -> Column[int | float]:
        """Return numbers as an array, if they are of this kind, or exactly some number of it."""
        if kind == "int":
            return _int64_column(given, what)
        given, found = _one_dimension(given, what)
        if found.dtype.kind in "iu" and found.size:
            found = _int64_column(given, what)
            if max(-int(found.min()), int(found.max())) > MAX_EXACT_INT:
                raise InvalidInputError(f"{what} must be floats, or integers up to 2**53")
        elif found.dtype.kind != "f" and found.size:
            raise InvalidInputError(f"{what} must be floats, not {found.dtype}")
        elif not isinstance(given, np.ndarray) and (np.abs(found) >= MAX_EXACT_INT).any():
            for one in plain_numbers(given, what):
                _ = isinstance(one, INTEGER_TYPES) and as_float(int(one), what)
        column: Column[int | float] = np.ascontiguousarray(found, np.float64)
        return column

    def lift(self, columns: list[Column[int | float]]) -> Column[Partial]:
        """Lift each row."""
        out = self.empty(len(columns[0]))
        self._lift_lower.lift_all(tuple(columns), out)
        return out

    def lower(
        self, partials: Column[Partial], some: Ints | None = None
    ) -> list[Column[int | float]]:
        """Lower each partial, or those that hold something; others are 0."""
        if some is not None:
            return self._lower_nonempty(np.asarray(partials), np.flatnonzero(np.asarray(some)))
        kinds = [DTYPES[kind] for kind in self._summary.results]
        columns: list[Column[int | float]] = [np.empty(len(partials), kind) for kind in kinds]
        self._lift_lower.lower_all(partials, tuple(columns))
        return columns

    def _lower_nonempty(
        self, partials: NDArray[np.generic], places: NDArray[np.int64]
    ) -> list[Column[int | float]]:
        picked: Column[Partial] = partials[places]
        columns: list[Column[int | float]] = []
        for found in self.lower(picked):
            column = np.zeros(partials.size, np.asarray(found).dtype)
            column[places] = found
            columns.append(column)
        return columns

    def partial_at(self, partials: Column[Partial], at: int, /) -> Partial:
        """Return one partial."""
        return self._storage.partial_at(partials, at)

    def empty(self, size: int) -> Column[Partial]:
        """Return a column to write to."""
        return self._storage.empty(size)

    def first_descent(self, times: Ints) -> tuple[int, int] | None:
        """Return the first time that is smaller than the one before, behind that one."""
        found = np.asarray(times)
        return _first_pair(found[1:] < found[:-1], found[:-1], found[1:])

    def nonempty_ranges(self, firsts: Ints, lasts: Ints) -> Ints:
        """Return which bounds hold a row."""
        some: Ints = (np.asarray(firsts) < np.asarray(lasts)).astype(np.int64)
        return some

    def first_out_of_range(self, firsts: Ints, lasts: Ints, size: int) -> tuple[int, int] | None:
        """Return the first bounds that are not within so many rows."""
        a, b = np.asarray(firsts), np.asarray(lasts)
        return _first_pair((a < 0) | (b < a) | (b > size), a, b)

    def first_nonzero(self, marks: Column[int | float]) -> int | None:
        """Return the first place of a mark."""
        places = np.flatnonzero(np.asarray(marks))
        return int(places[0]) if places.size else None

    def counts_up_to(self, times: Ints, back: int) -> Ints:
        """Return for each time how many are not larger than it, less so much."""
        found = np.asarray(times)
        places: Ints = np.searchsorted(found, found - back, "right").astype(np.int64)
        return places

    def sorted(self, batch: SortedBatch[Partial]) -> SortedBatch[Partial]:
        """Sort by time, and by arrival among equals: both in one integer, if they fit."""
        times, values = np.asarray(batch.times), np.asarray(batch.values)
        bits = int(times.size - 1).bit_length()
        oldest = int(times.min())
        if (int(times.max()) - oldest) >> (62 - bits):
            order = np.argsort(times, kind="stable")
            return SortedBatch(times[order], values[order])
        packed = ((times - oldest) << bits) | np.arange(times.size)
        packed.sort()
        return SortedBatch((packed >> bits) + oldest, values[packed & ((1 << bits) - 1)])


def _one_dimension(given: object, what: str) -> tuple[object, NDArray[np.generic]]:
    """Return a column, and it as an array; what can be read once only is read."""
    found: NDArray[np.generic] = np.asarray(given)
    if found.ndim == 0:
        given = plain_numbers(given, what)
        found = np.asarray(given)
    if found.ndim != 1:
        raise InvalidInputError(f"{what} must be a column, not of {found.ndim} dimensions")
    check_unmasked(given, what)
    return given, found


def _int64_column(given: object, what: str) -> NDArray[np.int64]:
    given, found = _one_dimension(given, what)
    if found.size == 0:
        return np.empty(0, np.int64)
    if found.dtype.kind == "u":
        within_64_bits(int(found.max()), what)
    elif found.dtype.kind != "i":
        found = np.array(
            [within_64_bits(value, what) for value in plain_numbers(given, what)], np.int64
        )
    return np.ascontiguousarray(found, np.int64)


def _first_pair(
    wrong: NDArray[np.bool_], a: NDArray[np.int64], b: NDArray[np.int64]
) -> tuple[int, int] | None:
    at = int(wrong.argmax()) if wrong.size else 0
    return (int(a[at]), int(b[at])) if wrong.size and wrong[at] else None
