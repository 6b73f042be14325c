"""Arrays as a batch: what is no column of numbers is refused, and named."""

from collections.abc import Container, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from muntin.kernels.compiler.input_checks import check_unmasked
from muntin.kernels.slicing.arrays import (
    FARTHEST,
    LAST,
    LONGEST,
    Ints,
    Objects,
    column_of,
    constant,
    within,
)
from muntin.kernels.slicing.batch import Batch, Source, Values, any_values, numbers, objects
from muntin.kernels.slicing.over import is_record, is_row
from muntin.spec.errors import InvalidInputError, UnsupportedError, positive
from muntin.spec.stream import Event, check_order

FINEST_TIME = "datetime64[us]"
"""The finest times that Python has a type for."""


class Edges(NamedTuple):
    """What rows say of the edges of windows: their own gaps, and which are punctuations."""

    gaps: object = None
    marks: object = None


def of_columns(  # noqa: PLR0913, PLR0917 - what a step has, and how it is read
    times: object,
    values: object,
    edges: Edges,
    arrivals: int,
    sources: Sequence[Source],
    of_numbers: Container[Source] | None = None,
) -> Batch:
    """Return arrays as a batch: times, and values in one array or in several with names.

    All columns are of numbers, or only some, and the others of whatever comes.
    """
    time = time_column(times)
    columns = {s: source_values(values, s, time.size, of_numbers) for s in sources}
    none = constant(0, time.size)
    own = none if edges.gaps is None else _gaps(edges.gaps, time)
    mark = none if edges.marks is None else _marks(edges.marks, time.size)
    events = partial(_events, time, values, own, mark)
    return Batch(time, none, own, mark, columns, events, arrivals)


def _gaps(gaps: object, time: Ints) -> Ints:
    """Return the gap that each row brings, 0 if it brings none."""
    data, valid = value_column(gaps, "the column of gaps", time.size)
    there = np.ones(time.size, np.bool_) if valid is None else valid
    if data.dtype == np.float64 and there.any():
        raise InvalidInputError("the gaps of rows must be integers, or None; some are floats")
    for at in np.flatnonzero(there & ((data < 1) | (data >= LONGEST)))[:1]:
        what = f"the gap of the event at {time[at]}"
        within(positive(int(data[at]), what), what, LONGEST)
    return np.where(there, data, 0).astype(np.int64)


def _marks(marks: object, n: int) -> Ints:
    """Return 1 for each row that is a punctuation, else 0."""
    array = bare(marks, "the column of marks")
    if array.shape != (n,):
        raise InvalidInputError(f"the marks have the shape {array.shape}, and there are {n} times")
    for one in array.tolist() if array.dtype != np.bool_ else ():
        if not isinstance(one, bool | np.bool_ | None):
            raise InvalidInputError(f"the marks of rows must be booleans, not {one!r}")
    return array.astype(np.bool_).astype(np.int64)


def bare(values: object, what: object) -> NDArray[np.generic]:
    """Return an array, if it has no mask."""
    check_unmasked(values, what)
    try:
        return np.asarray(values)
    except ValueError as cause:
        raise InvalidInputError(f"{what} must be a column, of one item a row: {cause}") from cause


def time_column(times: object) -> Ints:
    """Return times as integers of 64 bits, or say which is none."""
    array = bare(times, "times")
    if array.ndim != 1:
        raise InvalidInputError(f"times must be a column of integers, not of shape {array.shape}")
    if array.dtype.kind not in "iu" and array.size:
        raise InvalidInputError(f"times must be a column of integers, not {array.dtype}")
    if array.dtype.kind == "u" and array.size:  # in any order of bytes
        within(int(array.max()), "the time of an event", FARTHEST)
    return np.ascontiguousarray(array, np.int64)


def check_times(batch: Batch) -> None:
    """Refuse times that do not fit."""
    for extreme in (batch.least, batch.most) if len(batch) else ():
        within(extreme, "the time of an event", FARTHEST)


def source_values(
    values: object, source: Source, n: int, of_numbers: Container[Source] | None = None
) -> Values:
    """Return a column of numbers, or, if only some are of numbers, of whatever comes."""
    read = value_column if of_numbers is None or source in of_numbers else any_column
    return read(*_source(values, source), n)


def _source(values: object, source: Source) -> tuple[object, object]:
    """Return a column of values as an aggregate reads it, and what messages call it."""
    if source is None and values is None:
        raise InvalidInputError("there are queries over values, and no values were given")
    if source is not None:
        if not is_record(values) or not isinstance(source, str) or source not in values:
            raise InvalidInputError(
                f"there are queries over {source!r}, and there is no such column"
            )
        return values[source], source
    if is_record(values):
        raise InvalidInputError(f"say which of the columns {list(values)} to aggregate, by `over`")
    return values, "the values"


def value_column(values: object, what: object, n: int) -> Values:
    """Return numbers as a column of 64-bit integers or floats."""
    if isinstance(values, Values):
        return values
    array = bare(values, what)
    if array.shape != (n,):
        raise InvalidInputError(f"{what} has the shape {array.shape}, and there are {n} times")
    items = array.tolist() if array.dtype.kind == "O" else whole_items(values, array)
    if items is not None:
        return numbers(items, f"a value of {what}")
    if array.dtype.kind not in "iuf":
        raise UnsupportedError(f"{what} is of {array.dtype}, which is no number")
    if array.dtype.kind == "u" and array.size and int(array.max()) >= 2 * LAST:
        return Values(column_of(objects(array.tolist())))
    dtype = np.float64 if array.dtype.kind == "f" else np.int64
    return Values(column_of(array.astype(dtype, copy=False)))


def any_column(values: object, what: object, n: int) -> Values:
    """Numbers as numbers of 64 bits; if some are none, values as they are, None as null.

    >>> column = any_column(["b", None, "a"], "name", 3)
    >>> column.data.tolist(), column.valid.tolist()
    (['b', None, 'a'], [True, False, True])
    """
    try:
        return value_column(values, what, n)
    except UnsupportedError:
        array = bare(values, what)
    if array.shape != (n,):
        raise InvalidInputError(f"{what} has the shape {array.shape}, and there are {n} times")
    data: list[object] = list(values) if is_row(values) else array.tolist()
    if array.dtype.kind == "M":
        data = array.astype(FINEST_TIME).tolist()
    return any_values(data)


def whole_items(values: object, array: NDArray[np.generic]) -> list[object] | None:
    """Return the items of a list of integers of which NumPy has made floats: some are wide."""
    if array.dtype.kind != "f" or not isinstance(values, list | tuple):
        return None
    items: list[object] = [*values]
    return items if all(isinstance(item, int) for item in items) else None


def _events(time: Ints, values: object, own: Ints, mark: Ints) -> Objects:
    """Return events made of columns, for aggregates of which nothing is known."""
    if is_record(values):
        fields = {name: _items(value) for name, value in values.items()}
        each = zip(*fields.values(), strict=True)
        rows: list[object] = [dict(zip(fields, row, strict=True)) for row in each]
    else:
        rows = [None] * time.size if values is None else _items(values)
    each = zip(time.tolist(), rows, own.tolist(), mark.tolist(), strict=True)
    return objects([Event(t, v, None, gap or None, bool(is_mark)) for t, v, gap, is_mark in each])


def _items(values: object) -> list[object]:
    if isinstance(values, Values):
        found: list[object] = values.data.tolist()
        flags = [True] * len(found) if values.valid is None else values.valid.tolist()
        return [value if there else None for value, there in zip(found, flags, strict=True)]
    array = bare(values, "values")
    return [*values] if isinstance(values, list | tuple) else list(array.tolist())


def check_sorted(seen: float, time: Ints) -> None:
    """Refuse a stream that was promised to be in order and is not (rule 14)."""
    falls = np.flatnonzero(np.diff(time) < 0)
    if time.size and time[0] < seen:
        check_order([seen, int(time[0])])
    if falls.size:
        check_order(time[falls[0] : falls[0] + 2].tolist())
