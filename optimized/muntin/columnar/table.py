"""Windows over a table, in one call: anything with the Arrow stream interface, or NumPy arrays.

A table is one step that ends the stream. The result is a table of the kind that was given, with the
columns `window` (the id), `window_type`, `start`, `end`, the keys and one for each aggregate; if
some window is over another measure than time, also `start_coordinate` and `end_coordinate`. Spark's
result has `kind` and `revision` besides, since its windows may change.

The arguments are those of `muntin.spark.aggregate`:

- `windows`: types by id, or a list of types; beside timestamps their lengths are durations, as in
  `tumbling("1 hour")` of `muntin.columnar.windows`, beside integer times integers;
- `aggregates`: by result name, or a list; each is `"count"`, `("sum", "price")`, `("argmax",
  "price", "size")`, or an aggregate of your own, its columns and the type of its values. Sketches
  have names on Spark only; here they are aggregates of your own;
- `time`; `keys`, one name or several; `columns`, which windows read and no aggregate does;
- `gap`, the column of the gaps that rows bring to sessions; `mark`, that of punctuations;
- `dialect`.

Of a table only: `to`, the kind of table to return; `progress`, whether a bar is drawn on a
terminal: after two seconds, at once (True) or never (False); and `threads`, over which keys are
split (else MUNTIN_THREADS says how many, or there is one): then rows are in order for each key.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple, Required, TypedDict, Unpack, overload

import numpy as np

from muntin.columnar import arrow
from muntin.columnar.aggregate_requests import (
    AggregateRequest,
    AggregateSpecs,
    parse_aggregates,
    value_columns,
)
from muntin.columnar.arguments import (
    END,
    RESULT_COLUMNS,
    START,
    InputColumns,
    check_dialect,
    check_frames,
    check_inputs,
    check_result_names,
    has_time_bounds,
    parse_input_columns,
)
from muntin.columnar.arrow import DistinctKeys
from muntin.columnar.arrow_columns import ArrowColumn, ArrowTable, constant_strings
from muntin.columnar.durations import Length
from muntin.columnar.key_numbers import KeyNumbers, number_keys
from muntin.columnar.operator import ColumnarOperator
from muntin.columnar.progress import RowProgress
from muntin.columnar.table_formats import (
    Frame,
    NumpyTable,
    StreamProtocol,
    TableFormat,
    check_format,
    extended_table,
    result_table,
)
from muntin.columnar.threads import run_in_threads, split_by_key, thread_count
from muntin.columnar.windows import Windows, parse_windows, window_in_units
from muntin.columnar.windows import rolling as rolling_window
from muntin.kernels.aggregator.array_backend import DTYPES
from muntin.kernels.slicing.answer import Answer
from muntin.kernels.slicing.answered import Answered, Lines, aligned
from muntin.kernels.slicing.arrays import NONE, Flags, Ints, column_of
from muntin.kernels.slicing.batch import Values
from muntin.kernels.slicing.custom import CompiledAggregate
from muntin.optimized.common.window_traits import VALUE, inputs_of_all
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END as END_OF_STREAM
from muntin.spec.windows.periodic import tumbling
from muntin.spec.windows.window import WindowType

ROWS_A_STEP = 2**22
"""How many rows the operator is given at once: a bar moves between them."""


class CallArguments(TypedDict, total=False):
    """The arguments of `aggregate` but for the table and the kind of the result."""

    windows: Required[Windows]
    aggregates: Required[AggregateSpecs]
    time: str
    keys: str | Sequence[str]
    columns: str | Sequence[str]
    gap: str | None
    mark: str | None
    dialect: Dialect
    progress: bool | None
    threads: int | None


@overload
def aggregate(  # type: ignore[overload-overlap] # each frame is a stream of another kind
    rows: Frame, *, to: None = None, **call: Unpack[CallArguments]
) -> Frame: ...
@overload
def aggregate(
    rows: Mapping[str, object], *, to: None = None, **call: Unpack[CallArguments]
) -> NumpyTable: ...
@overload
def aggregate(
    rows: object, *, to: Literal["dict"], **call: Unpack[CallArguments]
) -> NumpyTable: ...
@overload
def aggregate(
    rows: object, *, to: Literal["pandas", "polars", "duckdb"], **call: Unpack[CallArguments]
) -> object: ...
@overload
def aggregate(
    rows: StreamProtocol, *, to: None = None, **call: Unpack[CallArguments]
) -> ArrowTable: ...
@overload
def aggregate(
    rows: object, *, to: Literal["arrow"], **call: Unpack[CallArguments]
) -> ArrowTable: ...
def aggregate(  # noqa: PLR0913 - all but the first are named, and most have defaults
    rows: object,
    *,
    windows: Windows,
    aggregates: AggregateSpecs,
    time: str = "ts",
    keys: str | Sequence[str] = (),
    columns: str | Sequence[str] = (),
    gap: str | None = None,
    mark: str | None = None,
    dialect: Dialect = OURS,
    to: TableFormat | None = None,
    progress: bool | None = None,
    threads: int | None = None,
) -> object:
    """A row for each window of each key that holds a row: by window, then end and start.

    The arguments are those of `muntin.spark.aggregate` (module docstring). Spark's `watermark`,
    `allowed_lateness`, `output`, `late`, `buckets`, `bad_rows` and `metrics` cannot apply: a table
    is one step, so no row is late and each window is emitted once.

    >>> from muntin.columnar.windows import tumbling
    >>> prices = {"at": np.array([1, 12, 4]), "price": np.array([5.0, 2.0, 7.0])}
    >>> lows = {"low": ("min", "price"), "n": "count"}
    >>> result = aggregate(prices, time="at", windows={"ten": tumbling(10)}, aggregates=lows)
    >>> result["end"].tolist(), result["low"].tolist()
    ([10, 20], [5.0, 2.0])
    """
    kind = check_format(to, rows)
    inputs = parse_input_columns(time, keys, columns, gap, mark)
    table = arrow.table_of(rows)
    kinds = parse_windows(windows, arrow.time_unit(table, inputs.time))
    call = _Call(table, inputs, kinds, parse_aggregates(aggregates), progress)
    labels = [request.label for request in call.requests]
    check_result_names([*inputs.keys, *labels], RESULT_COLUMNS, fold=False)
    check_inputs(call.windows, gap, mark)
    key_columns = _KeyColumns.of(call.table, inputs.keys)
    settings = Settings(dialect=check_dialect(dialect))
    result = _result(call, key_columns, settings, thread_count(threads))
    return result_table(result, kind, rows)


def _result(
    call: "_Call", key_columns: "_KeyColumns", settings: Settings, threads: int
) -> ArrowTable:
    """The windows of a call, one table for each window type below the other."""
    rows = _table_rows(call, key_columns)
    pickers = [partial(rows.picked, places) for places in split_by_key(rows.keys, threads)]
    parts: list[_TableRows | Callable[[], _TableRows]] = [*pickers] or [rows]
    calls = [call, *[call._replace(progress=False)] * len(parts)]  # one bar: all have as much to do
    works = [
        partial(_window_tables, one, key_columns, settings, part)
        for one, part in zip(calls, parts, strict=False)
    ]
    tables = run_in_threads(works, threads)
    return arrow.concat_tables([one for window in zip(*tables, strict=True) for one in window])


def _window_tables(
    call: "_Call",
    key_columns: "_KeyColumns",
    settings: Settings,
    given: "_TableRows | Callable[[], _TableRows]",
) -> list[ArrowTable]:
    """The windows of some rows, a table for each window type."""
    rows = given if isinstance(given, _TableRows) else given()
    answered = _evaluate(call, rows, settings)
    lines, unit = answered.by_query(), arrow.column(call.table, call.inputs.time).type
    in_time = all(has_time_bounds(kind) == (True, True) for kind in call.windows.values())
    tables = list[ArrowTable]()
    for name, kind in call.windows.items():
        each = aligned(
            {one.label: lines.get(query_id(one.label, name), EMPTY) for one in call.requests}
        )
        first = next(iter(each.values()))
        n = first.start.size
        columns: dict[str, object] = {"window": constant_strings(name, n)}
        columns["window_type"] = constant_strings(kind.name, n)
        columns |= _bounds(kind, first, unit, in_time=in_time)
        columns |= key_columns.take(_key_numbers(answered, first))
        columns |= {one.label: _values(call, one, each[one.label]) for one in call.requests}
        tables.append(arrow.make_table(columns))
    return tables


class RollingArguments(TypedDict, total=False):
    """The arguments of `rolling` but for the table and the kind of the result."""

    size: Required[Length]
    aggregates: Required[AggregateSpecs]
    time: str
    keys: str | Sequence[str]
    progress: bool | None


@overload
def rolling(  # type: ignore[overload-overlap] # each frame is a stream of another kind
    rows: Frame, *, to: None = None, **call: Unpack[RollingArguments]
) -> Frame: ...
@overload
def rolling(
    rows: Mapping[str, object], *, to: None = None, **call: Unpack[RollingArguments]
) -> dict[str, object]: ...
@overload
def rolling(
    rows: object,
    *,
    to: Literal["dict", "pandas", "polars", "duckdb"],
    **call: Unpack[RollingArguments],
) -> object: ...
@overload
def rolling(
    rows: StreamProtocol, *, to: None = None, **call: Unpack[RollingArguments]
) -> ArrowTable: ...
@overload
def rolling(
    rows: object, *, to: Literal["arrow"], **call: Unpack[RollingArguments]
) -> ArrowTable: ...
def rolling(  # noqa: PLR0913 - all but the first are named, and most have defaults
    rows: object,
    *,
    size: Length,
    aggregates: AggregateSpecs,
    time: str = "ts",
    keys: str | Sequence[str] = (),
    to: TableFormat | None = None,
    progress: bool | None = None,
) -> object:
    """The table with a column more for each aggregate: over the last units of time of a row.

    Rows of one time and key have the same values.

    >>> prices = {"at": np.array([1, 3, 2]), "price": np.array([5, 1, 7])}
    >>> rolling(prices, time="at", size=2, aggregates={"sum": ("sum", "price")})["sum"]
    array([ 5,  8, 12])
    """
    kind = check_format(to, rows)
    inputs = parse_input_columns(time, keys, (), None, None)
    table = arrow.table_of(rows)
    windows = {"": window_in_units(rolling_window(size), arrow.time_unit(table, time), "rolling")}
    call = _Call(table, inputs, windows, parse_aggregates(aggregates), progress)
    check_result_names([request.label for request in call.requests], table.column_names, fold=False)
    key_columns = _KeyColumns.of(table, inputs.keys)
    answered = _evaluate(call, _table_rows(call, key_columns), Settings())
    lines, row_times = answered.by_query(), arrow.time_values(table, time)
    row_keys = key_columns.numbers.number if inputs.keys else np.zeros_like(row_times)
    more: dict[str, ArrowColumn] = {}
    for request in call.requests:
        line = lines.get(query_id(request.label, ""), EMPTY)
        keys_of_lines = _key_numbers(answered, line)
        positions = _line_of_row(keys_of_lines, line.end - 1, row_keys, row_times)
        picked = line if line is EMPTY else line._replace(value=line.value.picked(positions))
        more[request.label] = _values(call, request, picked)
    return extended_table(rows, table, more, kind)


class _Call(NamedTuple):
    """A table and what is computed of it."""

    table: ArrowTable
    inputs: InputColumns
    windows: Mapping[str, WindowType]
    requests: tuple[AggregateRequest, ...]
    progress: bool | None


class _KeyColumns(NamedTuple):
    """The key columns of a table, and the number of the key of each row, if there are any."""

    columns: Mapping[str, DistinctKeys]
    numbers: KeyNumbers

    @classmethod
    def of(cls, table: ArrowTable, names: Sequence[str]) -> "_KeyColumns":
        if not names:
            return cls({}, KeyNumbers(NONE, NONE))
        columns = {name: arrow.distinct_keys(table, name) for name in names}
        codes = [(each.indices, len(each.distinct)) for each in columns.values()]
        return cls(columns, number_keys(codes, getattr(table, "num_rows")))  # noqa: B009 - Arrow is not typed

    def take(self, numbers: Ints) -> dict[str, object]:
        """The key columns of result rows, given the numbers of their keys."""
        if not self.columns:
            return {}
        rows = self.numbers.row[numbers]
        return {name: one.distinct.take(one.indices[rows]) for name, one in self.columns.items()}


def _key_numbers(answered: Answered, lines: Lines) -> Ints:
    """The numbers of the keys of lines, by which the call knows them."""
    known = range(int(lines.key.max(initial=-1)) + 1)
    numbers: Ints = np.array([answered.keys(number) or 0 for number in known], np.int64)
    return numbers[lines.key]


EMPTY = Lines(NONE, NONE, NONE, NONE, Answer((column_of(NONE),)), NONE)


def _bounds(kind: WindowType, lines: Lines, unit: object, *, in_time: bool) -> Mapping[str, object]:
    """Starts and ends, as times and, if some window type needs it, as coordinates."""
    time_start, time_end = has_time_bounds(kind)
    result: dict[str, object] = {
        "start": arrow.bound_array(lines.start, unit, is_shown=time_start),
        "end": arrow.bound_array(lines.end, unit, is_shown=time_end),
    }
    if not in_time:
        result[START] = arrow.bound_array(lines.start, None, is_shown=not time_start)
        result[END] = arrow.bound_array(lines.end, None, is_shown=not time_end)
    return result


def _values(call: _Call, request: AggregateRequest, lines: Lines) -> ArrowColumn:
    """The column of the values of an aggregate."""
    if request.type is not None:
        return arrow.typed_values(
            lines.value, arrow.parse_type(request.type, request.label), request.label
        )
    if lines is EMPTY:
        return empty_column(call.table, request)
    is_plain = any(column.dtype == np.object_ for column in lines.value.columns)
    if is_plain and len(lines.value.columns) == 1:
        return arrow.values_like(lines.value, empty_column(call.table, request))
    return arrow.result_array(lines.value)


def query_id(label: str, window: str) -> str:
    """The id of the query for a result column over a window type."""
    return f"{label!r} over {window!r}"


def empty_column(table: ArrowTable, request: AggregateRequest) -> ArrowColumn:
    """A column of no values, of the type that it has where there are some."""
    what = request.what
    if request.counts_rows:
        return arrow.result_array(EMPTY.value)
    if isinstance(what, CompiledAggregate):
        summary = what.summary
        kinds = summary.results[:-1] if summary.checked else summary.results
        return arrow.result_array(Answer(tuple(np.empty(0, DTYPES[kind]) for kind in kinds)))
    operator = ColumnarOperator(threads=1)
    operator.add(Query("probe", tumbling(1), request.over_columns()))
    row = {
        name: np.ones(1, arrow.number_values(table, name).data.dtype) for name in request.columns
    }
    lines = operator.take_columns(np.zeros(1, np.int64), row, None, END_OF_STREAM).of("probe")
    return arrow.result_array((lines or EMPTY).value).slice(0, 0)


def _table_rows(call: _Call, key_columns: _KeyColumns) -> "_TableRows":
    """The columns of a table.

    Of a single value column events have its values, of several they have records. To count rows
    is to count their times, which are a further field, unless windows may look at values.
    """
    table, inputs, requests = call.table, call.inputs, call.requests
    looks = VALUE in inputs_of_all(call.windows.values())
    names = value_columns(requests, inputs.extra if looks else ())
    is_single = len(names) <= 1 and all(len(request.columns) <= 1 for request in requests)
    check_frames(call.windows, names, is_single=is_single)
    row_times = arrow.time_values(table, inputs.time)
    fields: dict[str, Values] = {name: arrow.number_values(table, name) for name in names}
    with_times = not looks and any(request.counts_rows for request in requests)
    if with_times:
        fields[inputs.time] = Values(column_of(row_times))
    unit = arrow.time_unit(table, inputs.time)
    return _TableRows(
        row_times,
        fields,
        is_single,
        with_times,
        key_columns.numbers.number if inputs.keys else None,
        None if inputs.gap is None else arrow.gap_values(table, inputs.gap, unit),
        None if inputs.mark is None else arrow.mark_values(table, inputs.mark),
    )


def _evaluate(call: _Call, rows: "_TableRows", settings: Settings) -> Answered:
    """Register a query for each aggregate over each window, and process rows as one step."""
    operator = ColumnarOperator(settings, threads=1)
    for name, kind in call.windows.items():
        for request in call.requests:
            over_values = request.over_values(is_single=rows.is_single)
            each = request.over_columns(call.inputs.time) if rows.with_times else over_values
            operator.add(Query(query_id(request.label, name), kind, each))
    with RowProgress(rows.times.size, call.progress) as bar:
        begins = range(0, max(1, rows.times.size), ROWS_A_STEP)
        for begin in begins[:-1]:
            rows.ingest(operator, slice(begin, begin + ROWS_A_STEP), None)
            bar.advance(begin + ROWS_A_STEP)
        return rows.ingest(operator, slice(begins[-1], None), END_OF_STREAM)


class _TableRows(NamedTuple):
    """The columns of a table as an operator takes them."""

    times: Ints
    fields: Mapping[str, Values]
    is_single: bool
    with_times: bool
    keys: Ints | None
    gaps: Values | None
    marks: Flags | None

    def picked(self, find_places: Callable[[], Ints]) -> "_TableRows":
        """Some rows; their places are found by the thread that takes them."""
        places = find_places()
        return self._replace(
            times=self.times[places],
            fields={name: values.picked(places) for name, values in self.fields.items()},
            keys=None if self.keys is None else self.keys[places],
            gaps=None if self.gaps is None else self.gaps.picked(places),
            marks=None if self.marks is None else self.marks[places],
        )

    def ingest(self, operator: ColumnarOperator, rows: slice, watermark: float | None) -> Answered:
        """Process some rows."""
        fields = {name: _some_values(values, rows) for name, values in self.fields.items()}
        return operator.take_columns(
            self.times[rows],
            next(iter(fields.values()), None) if self.is_single and not self.with_times else fields,
            None if self.keys is None else self.keys[rows],
            watermark,
            gaps=None if self.gaps is None else _some_values(self.gaps, rows),
            marks=None if self.marks is None else self.marks[rows],
        )


def _some_values(values: Values, rows: slice) -> Values:
    return Values(values.data[rows], None if values.valid is None else values.valid[rows])


def _line_of_row(line_key: Ints, line_time: Ints, key: Ints, time: Ints) -> Ints:
    """For each row, the line of its key and time."""
    both = [np.concatenate(pair) for pair in ((line_time, time), (line_key, key))]
    order = np.lexsort(both)  # stable: each line comes before its rows
    is_line = order < line_time.size
    last = np.maximum.accumulate(np.where(is_line, np.arange(order.size), 0))
    line = np.empty(order.size, np.int64)
    line[order] = order[last]
    return line[line_time.size :]
