"""Windows over a table, in one call: anything with the Arrow stream interface, or NumPy arrays.

A whole table is one step that ends the stream. What comes back is an Arrow table.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from muntin.columnar.arrow import (
    ArrowTable,
    DistinctKeys,
    bound_arrays,
    column,
    concat_tables,
    distinct_keys,
    empty_like,
    gap_values,
    make_table,
    mark_values,
    number_values,
    result_array,
    string_array,
    table_of,
    time_values,
)
from muntin.kernels.aggregator.array_backend import DTYPES
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.kernels.slicing.answer import Answer
from muntin.kernels.slicing.answered import Answered, Lines
from muntin.kernels.slicing.arrays import NONE, Ints, column_of
from muntin.kernels.slicing.columns_in import Edges
from muntin.kernels.slicing.custom import compiled_aggregate
from muntin.kernels.slicing.operator import ColumnarOperator
from muntin.kernels.slicing.over import over
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.catalogue import named
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Query
from muntin.spec.stream import END
from muntin.spec.windows.data_driven import Rolling
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.periodic import tumbling
from muntin.spec.windows.window import WindowType

AggregateRequest = tuple[str | NumericAggregate, str | tuple[str, ...]]
"""The name of an aggregate, or one of your own, and the column that it is of, or several."""
AggregateRequests = Mapping[str, AggregateRequest] | Sequence[AggregateRequest]
"""For each column of the result what it holds; in a list they are called as in `sum(price)`."""
Windows = Mapping[str, WindowType] | Sequence[WindowType]
"""Window types by name; in a list they are called by their types."""
PAIRS = ("argmin", "argmax")


def aggregate(  # noqa: PLR0913 - all but the first are named, and most are seldom said
    table: object,
    *,
    time: str,
    windows: Windows,
    aggregates: AggregateRequests,
    key: str | None = None,
    gap: str | None = None,
    mark: str | None = None,
) -> ArrowTable:
    """Return a row for each window that holds a row of the table: by name, then end and start.

    `gap` is the column of the gaps that rows bring to sessions, `mark` that of punctuations.

    >>> from muntin.spec.windows.periodic import tumbling
    >>> prices = {"at": np.array([1, 12, 4]), "price": np.array([5.0, 2.0, 7.0])}
    >>> wanted = {"low": ("min", "price"), "n": ("count", "price")}
    >>> result = aggregate(prices, time="at", windows={"ten": tumbling(10)}, aggregates=wanted)
    >>> result.to_pylist()[0]
    {'window': 'ten', 'start': 0, 'end': 10, 'low': 5.0, 'n': 2}
    """
    arrow, kinds, wanted = table_of(table), by_name(windows), by_label(aggregates)
    check_labels([*wanted, *([] if key is None else [key])], ["window", "start", "end"])
    check_labels(wanted, [key or ""])
    known = None if key is None else distinct_keys(arrow, key)
    rows = _Rows(arrow, time, known, _edges(arrow, gap, mark))
    answered = _answered(rows, kinds, wanted)
    lines, kind = answered.by_query(), column(arrow, time).type
    parts = list[ArrowTable]()
    for name in kinds:
        each = {one: lines.get(query_id(one, name), EMPTY) for one in wanted}
        first = next(iter(each.values()))
        columns: dict[str, object] = {"window": string_array([name] * first.start.size)}
        if key is not None and known:
            columns[key] = known.distinct.take(_places(answered, first))
        columns |= bound_arrays(first.start, first.end, kind)
        columns |= {label: _said(arrow, wanted[label], one) for label, one in each.items()}
        parts.append(make_table(columns))
    return concat_tables(parts)


def rolling(
    table: object, *, time: str, size: int, aggregates: AggregateRequests, key: str | None = None
) -> ArrowTable:
    """Return a table with a column more for each aggregate: over the last units of time of a row.

    Rows of one time and key have the same values.

    >>> prices = {"at": np.array([1, 3, 2]), "price": np.array([5, 1, 7])}
    >>> result = rolling(prices, time="at", size=2, aggregates={"sum": ("sum", "price")})
    >>> [row["sum"] for row in result.to_pylist()]
    [5, 8, 12]
    """
    arrow, wanted = table_of(table), by_label(aggregates)
    check_labels(wanted, getattr(arrow, "column_names"))  # noqa: B009 - Arrow is not typed
    known = None if key is None else distinct_keys(arrow, key)
    answered = _answered(_Rows(arrow, time, known), {"": Rolling(size)}, wanted)
    lines, at = answered.by_query(), time_values(arrow, time)
    for label in wanted:
        one = lines.get(query_id(label, ""), EMPTY)
        whose = at * 0 if known is None else known.indices
        row = _rows(_places(answered, one), one.end - 1, whose, at)
        picked = (
            empty_column(arrow, *wanted[label])
            if one is EMPTY
            else result_array(one.value.picked(row))
        )
        arrow = arrow.append_column(label, picked)
    return arrow


def _places(answered: Answered, lines: Lines) -> Ints:
    """Return the places of the keys of lines, among those of the table that are distinct."""
    return np.array([answered.keys(number) or 0 for number in lines.key.tolist()], np.int64)


EMPTY = Lines(NONE, NONE, NONE, NONE, Answer((column_of(NONE),)), NONE)


def _said(arrow: ArrowTable, wanted: AggregateRequest, lines: Lines) -> object:
    """Return the column of values that lines tell."""
    return empty_column(arrow, *wanted) if lines is EMPTY else result_array(lines.value)


def query_id(label: str, window: str) -> str:
    """Return the name of the query for a column of the result over a window type."""
    return f"{label!r} over {window!r}"


def empty_column(
    arrow: ArrowTable, what: str | NumericAggregate, of: str | tuple[str, ...]
) -> object:
    """Return a column of no values, of the type that it has where there are some."""
    if isinstance(what, NumericAggregate):
        kinds = what.results[:-1] if what.checked else what.results
        return result_array(Answer(tuple(np.empty(0, DTYPES[kind]) for kind in kinds)))
    operator = ColumnarOperator()
    operator.add(Query("one", tumbling(1), _aggregate(what, of)))
    row = {name: np.ones(1, number_values(arrow, name).data.dtype) for name in _names(of)}
    lines = operator.take_columns(np.zeros(1, np.int64), row, None, END).of("one") or EMPTY
    return empty_like(result_array(lines.value))


def by_name(windows: Windows) -> Mapping[str, WindowType]:
    """Return window types by name.

    >>> from muntin.spec.windows.periodic import tumbling
    >>> list(by_name([tumbling(5), Rolling(3), tumbling(10)]))
    ['tumbling', 'rolling', 'tumbling 2']
    """
    if isinstance(windows, WindowType | str):
        raise InvalidInputError(
            f"say window types in a list, or by name, not a {type(windows).__name__}"
        )
    windows = windows if isinstance(windows, Mapping) else list(windows)
    for kind in windows.values() if isinstance(windows, Mapping) else windows:
        check_window(kind)
    if isinstance(windows, Mapping):
        check_names(windows)
        return windows
    names = [kind.name for kind in windows]
    nth = [names[:at].count(name) for at, name in enumerate(names)]
    each = (f"{name} {n + 1}" if n else name for name, n in zip(names, nth, strict=True))
    return dict(zip(each, windows, strict=True))


def check_window(kind: object) -> None:
    """Refuse what is no window type."""
    if not isinstance(kind, WindowType):
        raise InvalidInputError(f"{kind!r} is no window type; say tumbling(10), for example")


def by_label(aggregates: AggregateRequests) -> Mapping[str, AggregateRequest]:
    """Return what is wanted by label, if each aggregate is of as many columns as it needs.

    >>> list(by_label([("sum", "price"), ("argmax", ("price", "size"))]))
    ['sum(price)', 'argmax(price, size)']
    """
    if not isinstance(aggregates, Mapping):
        aggregates = list(aggregates)
        labels = [f"{_name(what)}({', '.join(_names(of))})" for what, of in map(pair, aggregates)]
        for nth, label in enumerate(labels):
            check_labels([label], labels[:nth])
        return by_label(dict(zip(labels, aggregates, strict=True)))
    check_names(aggregates)
    for what, of in map(pair, aggregates.values()):
        columns = len(what.columns) if isinstance(what, NumericAggregate) else 1 + (what in PAIRS)
        if len(_names(of)) != columns:
            raise InvalidInputError(
                f"{_name(what)} is of {columns} column{'s' * (columns > 1)}, not of {of!r}"
            )
    return aggregates


def pair(given: AggregateRequest) -> AggregateRequest:
    """Return the name of an aggregate and its columns, if it is these."""
    match given:
        case (str() | NumericAggregate() as what, str() as of):
            return what, of
        case (str() | NumericAggregate() as what, tuple() as of) if {*map(type, of)} == {str}:
            return what, of
        case _:
            raise InvalidInputError(
                f"say what an aggregate is and which column it is of, as in ('sum', 'price'), "
                f"not {given!r}"
            )


def _name(what: str | NumericAggregate) -> str:
    return what.name if isinstance(what, NumericAggregate) else what


def _names(of: str | tuple[str, ...]) -> tuple[str, ...]:
    return (of,) if isinstance(of, str) else of


def check_names(named: Iterable[object]) -> None:
    """Refuse what cannot be the name of anything."""
    for name in named:
        if not isinstance(name, str):
            raise InvalidInputError(f"the name of a window type or column is a str, not {name!r}")


def check_labels(wanted: Iterable[str], taken: Sequence[str]) -> None:
    """Refuse a column of the result that is called as another one is."""
    for label in wanted:
        if label in taken:
            raise InvalidInputError(
                f"there is a column {label!r} already; call the result otherwise"
            )


class _Rows(NamedTuple):
    """A table, its column of time, its keys, and what its rows say of edges."""

    arrow: ArrowTable
    time: str
    known: DistinctKeys | None
    edges: Edges = Edges()


def _edges(arrow: ArrowTable, gap: str | None, mark: str | None) -> Edges:
    own = None if gap is None else gap_values(arrow, gap)
    return Edges(own, None if mark is None else mark_values(arrow, mark))


def _answered(
    rows: _Rows, windows: Mapping[str, WindowType], wanted: Mapping[str, AggregateRequest]
) -> Answered:
    """Ask for each aggregate over each window; of one column events have its values."""
    arrow, known = rows.arrow, rows.known
    if not windows or not wanted:
        raise InvalidInputError("say at least one window and one aggregate")
    read = {name: number_values(arrow, name) for _, of in wanted.values() for name in _names(of)}
    plain = len(read) == 1 and all(len(_names(of)) == 1 for _, of in wanted.values())
    check_frames(windows, list(read), plain=plain)
    operator = ColumnarOperator()
    for name, kind in windows.items():
        for label, (what, of) in wanted.items():
            operator.add(Query(query_id(label, name), kind, _aggregate(what, () if plain else of)))
    given = next(iter(read.values())) if plain else read
    each = time_values(arrow, rows.time), given, known and known.indices, END
    return operator.take_columns(*each, gaps=rows.edges.gaps, marks=rows.edges.marks)


def check_frames(windows: Mapping[str, WindowType], read: Sequence[str], *, plain: bool) -> None:
    """Refuse what looks at single values, where a value is a record."""
    for name, kind in windows.items():
        if isinstance(kind, Delta | State | Threshold) and not plain:
            raise InvalidInputError(
                f"window {name!r}: {kind.name} frames look at the value that is aggregated, so "
                f"all aggregates must be of one column, not of {', '.join(read)}"
            )


def _aggregate(
    what: str | NumericAggregate, of: str | tuple[str, ...]
) -> Aggregate[object, object, object]:
    """Return an aggregate over fields, or of whole values if there are none."""
    if isinstance(what, NumericAggregate):
        return compiled_aggregate(what, _names(of))
    return over(of, named(what)) if of else named(what)


def _rows(window_key: Ints, window_time: Ints, key: Ints, time: Ints) -> Ints:
    """Return, for each row, the window of its key and time."""
    both = [np.concatenate(pair) for pair in ((window_time, time), (window_key, key))]
    order = np.lexsort(both)  # stable: each window comes before its rows
    is_window = order < window_time.size
    last = np.maximum.accumulate(np.where(is_window, np.arange(order.size), 0))
    found = np.empty(order.size, np.int64)
    found[order] = order[last]
    return found[window_time.size :]
