"""What columns are made of: arrays where kernels are compiled, lists where they run as they are."""

from collections.abc import Sequence
from typing import Protocol

from muntin.kernels.aggregator.list_backend import ListColumns
from muntin.kernels.compiler.input_checks import TooLargeError
from muntin.kernels.compiler.kernel_api import Column, Ints
from muntin.kernels.compiler.numeric_aggregate import Kind, NumericAggregate, Partial
from muntin.kernels.finger_btree.records import SortedBatch
from muntin.spec.errors import InvalidInputError

ResultColumns = list[Column[int | float]]
"""A column for each result."""


class NumericColumn(Protocol):
    """A column of numbers: an array, a list, or whatever else has a length and items."""

    def __len__(self) -> int: ...
    def __getitem__(self, at: int, /) -> int | float: ...


class ColumnBackend(Protocol):
    """What columns are made of, and what is done with whole ones."""

    def to_times(self, given: NumericColumn) -> Ints: ...  # noqa: D102
    def to_numbers(self, given: NumericColumn, kind: Kind, what: str) -> Column[int | float]: ...  # noqa: D102
    def lift(self, columns: list[Column[int | float]]) -> Column[Partial]: ...  # noqa: D102
    def lower(  # noqa: D102
        self, partials: Column[Partial], some: Ints | None
    ) -> list[Column[int | float]]: ...
    def partial_at(self, partials: Column[Partial], at: int, /) -> Partial: ...  # noqa: D102
    def empty(self, size: int) -> Column[Partial]: ...  # noqa: D102
    def first_descent(self, times: Ints) -> tuple[int, int] | None: ...  # noqa: D102
    def nonempty_ranges(self, firsts: Ints, lasts: Ints) -> Ints: ...  # noqa: D102
    def first_out_of_range(  # noqa: D102
        self, firsts: Ints, lasts: Ints, size: int
    ) -> tuple[int, int] | None: ...
    def first_nonzero(self, marks: Column[int | float]) -> int | None: ...  # noqa: D102
    def counts_up_to(self, times: Ints, back: int) -> Ints: ...  # noqa: D102
    def sorted(self, batch: SortedBatch[Partial]) -> SortedBatch[Partial]: ...  # noqa: D102


def backend_for(summary: NumericAggregate, *, compiled: bool) -> ColumnBackend:
    """Return what columns are made of."""
    if compiled:
        from muntin.kernels.aggregator.array_backend import ArrayColumns  # noqa: PLC0415 - it needs the extra

        return ArrayColumns(summary)
    return ListColumns(summary)


def lift_batch(
    form: ColumnBackend,
    summary: NumericAggregate,
    times: NumericColumn,
    columns: Sequence[NumericColumn],
) -> SortedBatch[Partial]:
    """Check and lift a batch, before anything changes."""
    if len(columns) != len(summary.columns):
        raise InvalidInputError(
            f"{summary.name} is of {len(summary.columns)} columns, not {len(columns)}"
        )
    whens = form.to_times(times)
    taken = [
        form.to_numbers(column, kind, f"column {k} of {summary.name}")
        for k, (column, kind) in enumerate(zip(columns, summary.columns, strict=True))
    ]
    for k, column in enumerate(taken):
        if len(column) != len(whens):
            raise InvalidInputError(f"column {k} has {len(column)} rows for {len(whens)} times")
    return SortedBatch(whens, form.lift(taken or [form.to_numbers(whens, "int", "the time")]))


def lower_partials(
    form: ColumnBackend,
    summary: NumericAggregate,
    partials: Column[Partial],
    some: Ints | None = None,
) -> ResultColumns:
    """Return answers, if all fit into 64 bits; 0 where some say that there is nothing."""
    columns = form.lower(partials, some)
    if summary.checked:
        at = form.first_nonzero(columns.pop())
        if at is not None:
            exact = summary.lower(form.partial_at(partials, at))[0]
            raise TooLargeError(
                f"the {summary.name} of row {at} does not fit into 64 bits: it is {exact}"
            )
    return columns
