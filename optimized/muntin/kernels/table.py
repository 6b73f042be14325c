"""Windows over a table, in one call: anything with the Arrow stream interface, or NumPy arrays.

A whole table is one step that ends the stream. What comes back is an Arrow table.
"""

from collections.abc import Mapping

import numpy as np

from muntin.kernels.arrow import (
    Keys,
    Table,
    below,
    built,
    column,
    keys,
    numbers,
    table_of,
    times,
    values,
)
from muntin.kernels.slicing.answer import Answer
from muntin.kernels.slicing.answered import Answered, Lines
from muntin.kernels.slicing.arrays import NONE, Ints, column_of
from muntin.kernels.slicing.operator import ColumnarOperator
from muntin.kernels.slicing.over import over
from muntin.spec.catalogue import named
from muntin.spec.data_driven import Rolling
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Query
from muntin.spec.stream import END
from muntin.spec.window import WindowType

Wanted = Mapping[str, tuple[str, str | tuple[str, ...]]]
"""For each column of the result, the name of an aggregate and the column, or pair of them."""


def aggregate(
    table: object,
    *,
    time: str,
    windows: Mapping[str, WindowType],
    aggregates: Wanted,
    key: str | None = None,
) -> Table:
    """Return a row for each window that holds a row of the table: by name, then end and start.

    >>> from muntin.spec.periodic import tumbling
    >>> prices = {"at": np.array([1, 12, 4]), "price": np.array([5.0, 2.0, 7.0])}
    >>> wanted = {"low": ("min", "price"), "n": ("count", "price")}
    >>> result = aggregate(prices, time="at", windows={"ten": tumbling(10)}, aggregates=wanted)
    >>> result.to_pylist()[0]
    {'window': 'ten', 'start': 0, 'end': 10, 'low': 5.0, 'n': 2}
    """
    arrow = table_of(table)
    known = None if key is None else keys(arrow, key)
    answered = _answered(arrow, time, known, windows, aggregates)
    lines, kind = answered.by_query(), column(arrow, time).type
    parts = list[Table]()
    for name in windows:
        each = {label: lines.get(f"{name} {label}", EMPTY) for label in aggregates}
        first = next(iter(each.values()))
        columns: dict[str, object] = {"window": [name] * first.start.size}
        if key is not None and known:
            places = np.array([answered.keys(number) for number in first.key.tolist()], np.int64)
            columns[key] = known.distinct.take(places)
        columns |= {"start": first.start, "end": first.end}
        columns |= {label: values(one.value) for label, one in each.items()}
        parts.append(built(columns, {"start": kind, "end": kind}))
    return below(parts)


def rolling(
    table: object, *, time: str, size: int, aggregates: Wanted, key: str | None = None
) -> Table:
    """Return a table with a column more for each aggregate: over the last units of time of a row.

    Rows of one time and key have the same values.

    >>> prices = {"at": np.array([1, 3, 2]), "price": np.array([5, 1, 7])}
    >>> result = rolling(prices, time="at", size=2, aggregates={"sum": ("sum", "price")})
    >>> [row["sum"] for row in result.to_pylist()]
    [5, 8, 12]
    """
    arrow = table_of(table)
    known = None if key is None else keys(arrow, key)
    answered = _answered(arrow, time, known, {"": Rolling(size)}, aggregates)
    lines, at = answered.by_query(), times(arrow, time)
    for label in aggregates:
        one = lines.get(f" {label}", EMPTY)
        places = np.array([answered.keys(number) or 0 for number in one.key.tolist()], np.int64)
        row = _rows(places, one.end - 1, at * 0 if known is None else known.places, at)
        arrow = arrow.append_column(label, values(one.value.picked(row)))
    return arrow


EMPTY = Lines(NONE, NONE, NONE, NONE, Answer((column_of(NONE),)), NONE)


def _answered(
    arrow: Table,
    time: str,
    known: Keys | None,
    windows: Mapping[str, WindowType],
    aggregates: Wanted,
) -> Answered:
    """Ask for each aggregate over each window; the name of a query is made of both."""
    if not windows or not aggregates:
        raise InvalidInputError("say at least one window and one aggregate")
    operator = ColumnarOperator()
    for name, kind in windows.items():
        for label, (what, fields) in aggregates.items():
            operator.add(Query(f"{name} {label}", kind, over(fields, named(what))))
    pairs = ((one,) if isinstance(one, str) else one for _, one in aggregates.values())
    read = {name: numbers(arrow, name) for names in pairs for name in names}
    return operator.take_columns(times(arrow, time), read, known and known.places, END)


def _rows(window_key: Ints, window_time: Ints, key: Ints, time: Ints) -> Ints:
    """Return, for each row, the window of its key and time."""
    both = [np.concatenate(pair) for pair in ((window_time, time), (window_key, key))]
    order = np.lexsort(both)  # stable: each window comes before its rows
    is_window = order < window_time.size
    last = np.maximum.accumulate(np.where(is_window, np.arange(order.size), 0))
    found = np.empty(order.size, np.int64)
    found[order] = order[last]
    return found[window_time.size :]
