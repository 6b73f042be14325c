"""Windows over columns in order: a scan (`column_kernels.fold_windows`) instead of a tree."""

from muntin.kernels.aggregator.column_backend import (
    NumericColumn,
    ResultColumns,
    backend_for,
    lift_batch,
    lower_partials,
)
from muntin.kernels.compiler.engine import window_scan_kernel
from muntin.kernels.compiler.input_checks import within_64_bits
from muntin.kernels.compiler.jit import COMPILED
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.spec.errors import InvalidInputError, positive


def fold_places(
    summary: NumericAggregate,
    bounds: tuple[NumericColumn, NumericColumn],
    times: NumericColumn,
    *columns: NumericColumn,
    compiled: bool = COMPILED,
) -> ResultColumns:
    """Aggregate the rows from a first place up to a last, for places that never fall.

    Answers are 0 where a window is empty: nothing is lowered there.

    >>> from muntin.kernels.aggregator.numeric_catalogue import numeric_aggregate
    >>> window = numeric_aggregate("max"), ([0, 0, 1], [1, 3, 3]), [5, 6, 7]
    >>> fold_places(*window, [3.0, 1.0, 2.0], compiled=False)
    [[3.0, 3.0, 2.0]]
    """
    form = backend_for(summary, compiled=compiled)
    batch = lift_batch(form, summary, times, columns)
    firsts, lasts = form.to_times(bounds[0]), form.to_times(bounds[1])
    size = len(batch.times)
    for what, places in (("first", firsts), ("last", lasts)):
        if fault := form.first_descent(places):
            raise InvalidInputError(f"{what} places must not fall: {fault[1]} after {fault[0]}")
    if len(firsts) != len(lasts):
        raise InvalidInputError(f"{len(firsts)} first places for {len(lasts)} last ones")
    if fault := form.first_out_of_range(firsts, lasts, size):
        raise InvalidInputError(f"[{fault[0]}, {fault[1]}) is not within the {size} rows")
    out, suffix = form.empty(len(firsts)), form.empty(max(1, size))
    window_scan_kernel(summary, compile_it=compiled)(batch.values, (firsts, lasts), out, suffix)
    return lower_partials(form, summary, out, form.nonempty_ranges(firsts, lasts))


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
    form = backend_for(summary, compiled=compiled)
    whens = form.to_times(times)
    size = within_64_bits(positive(size, "the size of a window"), "the size of a window")
    if fault := form.first_descent(whens):
        raise InvalidInputError(f"times must not fall: {fault[1]} comes after {fault[0]}")
    if len(whens):
        within_64_bits(int(whens[0]) - size, "the beginning of the first window")
    places = form.counts_up_to(whens, size), form.counts_up_to(whens, 0)
    return fold_places(summary, places, whens, *columns, compiled=compiled)
