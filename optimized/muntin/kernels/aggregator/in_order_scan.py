"""Windows over columns in order: a scan (`column_kernels.fold_windows`) instead of a tree."""

from muntin.kernels.aggregator.column_backend import (
    NumericColumn,
    ResultColumns,
    backend_for,
    lift_batch,
    lower_partials,
)
from muntin.kernels.compiler.availability import COMPILED
from muntin.kernels.compiler.engine import window_scan_kernel
from muntin.kernels.compiler.input_checks import within_64_bits
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.spec.errors import InvalidInputError, positive


def fold_ranges(
    summary: NumericAggregate,
    bounds: tuple[NumericColumn, NumericColumn],
    times: NumericColumn,
    *columns: NumericColumn,
    compiled: bool = COMPILED,
) -> ResultColumns:
    """Aggregate the rows of each range of positions, where neither bound ever decreases.

    Results of empty ranges are 0: nothing is lowered for them.

    >>> from muntin.kernels.aggregator.numeric_catalogue import numeric_aggregate
    >>> window = numeric_aggregate("max"), ([0, 0, 1], [1, 3, 3]), [5, 6, 7]
    >>> fold_ranges(*window, [3.0, 1.0, 2.0], compiled=False)
    [[3.0, 3.0, 2.0]]
    """
    backend = backend_for(summary, compiled=compiled)
    batch = lift_batch(backend, summary, times, columns)
    firsts, lasts = backend.to_times(bounds[0]), backend.to_times(bounds[1])
    size = len(batch.times)
    for what, positions in (("first", firsts), ("last", lasts)):
        if fault := backend.first_descent(positions):
            raise InvalidInputError(
                f"{what} positions must not decrease: {fault[1]} comes after {fault[0]}"
            )
    if len(firsts) != len(lasts):
        raise InvalidInputError(f"{len(firsts)} first positions for {len(lasts)} last positions")
    if fault := backend.first_out_of_range(firsts, lasts, size):
        raise InvalidInputError(f"[{fault[0]}, {fault[1]}) is not within the {size} rows")
    out, suffix = backend.empty(len(firsts)), backend.empty(max(1, size))
    window_scan_kernel(summary, compile_it=compiled)(batch.values, (firsts, lasts), out, suffix)
    return lower_partials(backend, summary, out, backend.nonempty_ranges(firsts, lasts))


def rolling(
    summary: NumericAggregate,
    size: int,
    times: NumericColumn,
    *columns: NumericColumn,
    compiled: bool = COMPILED,
) -> ResultColumns:
    """For each row, aggregate the rows with time in (t - size, t], peers included.

    >>> from muntin.kernels.aggregator.numeric_catalogue import numeric_aggregate
    >>> rolling(numeric_aggregate("sum"), 10, [1, 5, 5, 14], [1.0, 2.0, 4.0, 8.0], compiled=False)
    [[1.0, 7.0, 7.0, 14.0]]
    """
    backend = backend_for(summary, compiled=compiled)
    time_column = backend.to_times(times)
    size = within_64_bits(positive(size, "the size of a window"), "the size of a window")
    if fault := backend.first_descent(time_column):
        raise InvalidInputError(f"times must not decrease: {fault[1]} comes after {fault[0]}")
    if len(time_column):
        within_64_bits(int(time_column[0]) - size, "the beginning of the first window")
    positions = backend.counts_up_to(time_column, size), backend.counts_up_to(time_column, 0)
    return fold_ranges(summary, positions, time_column, *columns, compiled=compiled)
