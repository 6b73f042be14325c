"""The interface of columns: arrays for compiled kernels, lists for interpreted ones."""

from collections.abc import Sequence
from typing import Protocol

from muntin.kernels.aggregator.list_backend import ListColumns
from muntin.kernels.compiler.input_checks import TooLargeError
from muntin.kernels.compiler.kernel_api import Column, Ints
from muntin.kernels.compiler.numeric_aggregate import Kind, NumericAggregate, Partial
from muntin.kernels.finger_btree.records import SortedBatch
from muntin.spec.errors import InvalidInputError

ResultColumns = list[Column[int | float]]
"""One column per result."""


class NumericColumn(Protocol):
    """A column of numbers: an array, a list, or another object with a length and items."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> int | float: ...


class ColumnBackend(Protocol):
    """Operations on whole columns."""

    def to_times(self, values: NumericColumn) -> Ints: ...  # noqa: D102
    def to_numbers(self, values: NumericColumn, kind: Kind, what: str) -> Column[int | float]: ...  # noqa: D102
    def lift(self, columns: list[Column[int | float]]) -> Column[Partial]: ...  # noqa: D102
    def lower(  # noqa: D102
        self, partials: Column[Partial], nonempty: Ints | None
    ) -> list[Column[int | float]]: ...
    def partial_at(self, partials: Column[Partial], index: int, /) -> Partial: ...  # noqa: D102
    def empty(self, size: int) -> Column[Partial]: ...  # noqa: D102
    def magnitude(self, partials: Column[Partial]) -> int: ...  # noqa: D102
    def first_descent(self, times: Ints) -> tuple[int, int] | None: ...  # noqa: D102
    def nonempty_ranges(self, firsts: Ints, lasts: Ints) -> Ints: ...  # noqa: D102
    def first_out_of_range(  # noqa: D102
        self, firsts: Ints, lasts: Ints, size: int
    ) -> tuple[int, int] | None: ...
    def first_nonzero(self, marks: Column[int | float]) -> int | None: ...  # noqa: D102
    def counts_up_to(self, times: Ints, back: int) -> Ints: ...  # noqa: D102
    def sorted(self, batch: SortedBatch[Partial]) -> SortedBatch[Partial]: ...  # noqa: D102


def backend_for(summary: NumericAggregate, *, compiled: bool) -> ColumnBackend:
    """The backend for compiled or interpreted kernels."""
    if compiled:
        from muntin.kernels.aggregator.array_backend import ArrayColumns  # noqa: PLC0415 - it needs the extra

        return ArrayColumns(summary)
    return ListColumns(summary)


def lift_batch(
    backend: ColumnBackend,
    summary: NumericAggregate,
    times: NumericColumn,
    columns: Sequence[NumericColumn],
) -> SortedBatch[Partial]:
    """Check all columns of a batch, then lift it."""
    if len(columns) != len(summary.columns):
        raise InvalidInputError(
            f"{summary.name} needs {len(summary.columns)} columns, got {len(columns)}"
        )
    time_column = backend.to_times(times)
    numbers = [
        backend.to_numbers(column, kind, f"column {k} of {summary.name}")
        for k, (column, kind) in enumerate(zip(columns, summary.columns, strict=True))
    ]
    for k, column in enumerate(numbers):
        if len(column) != len(time_column):
            raise InvalidInputError(
                f"column {k} has {len(column)} rows for {len(time_column)} times"
            )
    return SortedBatch(
        time_column, backend.lift(numbers or [backend.to_numbers(time_column, "int", "the time")])
    )


def lower_partials(
    backend: ColumnBackend,
    summary: NumericAggregate,
    partials: Column[Partial],
    nonempty: Ints | None = None,
) -> ResultColumns:
    """Lowered results, 0 for empty ranges; an error if one does not fit into 64 bits."""
    columns = backend.lower(partials, nonempty)
    if summary.checked:
        row = backend.first_nonzero(columns.pop())
        if row is not None:
            exact = summary.lower(backend.partial_at(partials, row))[0]
            raise TooLargeError(
                f"the {summary.name} of row {row} does not fit into 64 bits: it is {exact}"
            )
    return columns
