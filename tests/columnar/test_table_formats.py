"""A call returns the kind of table that it was given, or that which `to` names."""

import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from importlib import import_module

import numpy as np
import pytest

from muntin.columnar import aggregate, rolling, sliding, tumbling
from muntin.columnar.arguments import is_mapping
from muntin.columnar.arrow import table_of
from muntin.columnar.table import CallArguments, RollingArguments
from muntin.columnar.table_formats import FORMATS
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.windows.frames import State
from muntin.spec.windows.periodic import count

pa, pd, pl, duckdb = map(import_module, ("pyarrow", "pandas", "polars", "duckdb"))
START = datetime(2024, 1, 1, tzinfo=UTC)
TIMES = [START + timedelta(minutes=n) for n in (1, 40, 61, 125)]
TABLE = pa.table(
    {
        "ts": pa.array(TIMES, pa.timestamp("us", "UTC")),
        "user": ["ann", "bob", "ann", "ann"],
        "v": pa.array([1, 2**60 + 1, None, 8]),
    }
)


class Streamed:
    """A table of an unknown library: it streams to Arrow."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return TABLE.__arrow_c_stream__(requested_schema)


GIVEN: dict[str, Callable[[], object]] = {
    "arrow": lambda: TABLE,
    "pandas": lambda: TABLE.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get),
    "polars": lambda: pl.from_arrow(TABLE),
    "duckdb": lambda: duckdb.connect().from_arrow(TABLE),
    "dict": lambda: {
        "ts": pa.array(TIMES, pa.timestamp("us", "UTC")),
        "user": np.array(["ann", "bob", "ann", "ann"]),
        "v": [1, 2**60 + 1, None, 8],
    },
}
CLASSES: dict[str, type] = {
    "arrow": pa.Table,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "duckdb": duckdb.DuckDBPyRelation,
    "dict": dict,
}
CALL: CallArguments = {
    "windows": {"hour": tumbling("1 hour"), "hop": sliding("2 hours", "1 hour")},
    "aggregates": {"sum": ("sum", "v"), "all": ("collect", "v"), "n": "count"},
    "keys": "user",
}
ROLLING: RollingArguments = {
    "size": "1 hour",
    "aggregates": {"sum": ("sum", "v"), "n": "count"},
    "keys": "user",
}

ANY_CALL: Callable[..., object] = aggregate
ANY_ROLLING: Callable[..., object] = rolling
ANY_FRAME = getattr(import_module("muntin.columnar"), "aggregate")  # noqa: B009 - as the library's users see it
"""The calls, with arguments that no type checker knows."""


def rows_of(table: object) -> list[dict[str, object]]:
    """The rows of a table of any kind; lists as lists, and times as instants."""
    if is_mapping(table):
        arrays = ((str(name), np.asarray(values).tolist()) for name, values in table.items())
        table = {name: [plain(value) for value in values] for name, values in arrays}
    rows = table_of(table).to_pylist()
    return [{name: plain(value) for name, value in row.items()} for row in rows]


def plain(value: object) -> object:
    if isinstance(value, np.ndarray):
        return [*value.tolist()]
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


@pytest.mark.parametrize("name", GIVEN)
def test_a_result_is_of_the_kind_of_table_that_was_given(name: str) -> None:
    result = ANY_CALL(GIVEN[name](), **CALL)
    assert isinstance(result, CLASSES[name])
    expected, wide = rows_of(aggregate(TABLE, to="arrow", **CALL)), 2**60 + 1
    assert [row["sum"] for row in expected] == [1, wide, None, 8, 1, wide, 1, wide, 8, 8]
    assert rows_of(result) == expected


@pytest.mark.parametrize("name", GIVEN)
def test_rolling_returns_the_table_with_more_columns(name: str) -> None:
    result = ANY_ROLLING(GIVEN[name](), **ROLLING)
    assert isinstance(result, CLASSES[name])
    rows = rows_of(result)
    assert list(rows[0]) == ["ts", "user", "v", "sum", "n"]
    assert [(row["ts"], row["user"], row["v"]) for row in rows] == list(
        zip(map(plain, TIMES), ["ann", "bob", "ann", "ann"], [1, 2**60 + 1, None, 8], strict=True)
    )
    assert [(row["sum"], row["n"]) for row in rows] == [(1, 1), (2**60 + 1, 1), (None, 1), (8, 1)]


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("name", GIVEN)
def test_the_kind_of_table_can_be_chosen(name: str, to: str) -> None:
    result = ANY_CALL(GIVEN[name](), to=to, **CALL)
    assert isinstance(result, CLASSES[to])
    assert rows_of(result) == rows_of(aggregate(TABLE, to="arrow", **CALL))


def test_a_table_of_another_library_streams_to_arrow() -> None:
    result = aggregate(Streamed(), **CALL)
    assert isinstance(result, pa.Table)
    assert result.to_pylist() == aggregate(TABLE, to="arrow", **CALL).to_pylist()
    assert rolling(Streamed(), **ROLLING).column_names == ["ts", "user", "v", "sum", "n"]


def test_a_frame_of_pandas_keeps_its_index_and_may_have_its_times_in_it() -> None:
    frame = pd.DataFrame({"ts": TIMES, "v": [1, 2, 4, 8]}, index=[7, 7, 3, 1])
    result = rolling(frame, size="1 hour", aggregates={"sum": ("sum", "v")})
    assert result.index.tolist() == [7, 7, 3, 1]
    assert result["sum"].tolist() == [1, 3, 6, 8]
    assert list(frame.columns) == ["ts", "v"]
    by_time = aggregate(frame.set_index("ts"), windows=[tumbling("1 hour")], aggregates=["count"])
    assert by_time["count"].tolist() == [2, 1, 1]
    assert str(by_time["start"].dtype) == "datetime64[ns, UTC]"


def test_integers_with_nulls_keep_their_values() -> None:
    table = {"t": [1, 2, 13], "v": [2**62 + 1, None, None]}
    calls: CallArguments = {
        "windows": [tumbling(10), count(2)],
        "aggregates": {"v": ("max", "v")},
        "time": "t",
    }
    frame = ANY_FRAME(table, to="pandas", **calls)
    assert str(frame["v"].dtype) == "Int64"
    assert frame["v"].tolist()[0] == 2**62 + 1
    columns = aggregate(table, **calls)
    assert columns["v"].tolist() == [2**62 + 1, None, 2**62 + 1]
    assert columns["start"].tolist() == [0, 10, None]
    open_table = {"ts": TIMES, "v": [1, 1, 1, 1]}
    end = aggregate(open_table, windows=[State()], aggregates=[("sum", "v")])["end"]
    assert np.isnat(np.asarray(end, "datetime64[us]")).tolist() == [True]


def test_a_relation_is_of_the_connection_that_was_given() -> None:
    connection = duckdb.connect()
    connection.execute("create table users as select 'ann' as user, 7 as rank")
    result = aggregate(connection.from_arrow(TABLE), **CALL)
    joined = result.join(connection.table("users"), "user")
    assert {row[0] for row in joined.project("rank").fetchall()} == {7}
    assert connection.sql("show tables").fetchall() == [("users",)]


def test_a_dict_keeps_what_it_holds() -> None:
    times, extra = [1, 2, 3], ["not", "read", "at all"]
    table = {"ts": times, "x": np.array([1.0, 2.0, 4.0]), "extra": extra}
    result = rolling(table, size=2, aggregates={"s": ("sum", "x")})
    assert result["ts"] is times
    assert result["extra"] is extra
    assert np.asarray(result["s"]).tolist() == [1.0, 3.0, 6.0]


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(UnsupportedError, match="to='polars' needs polars: pip install polars"):
        aggregate(TABLE, to="polars", **CALL)
    assert isinstance(aggregate(TABLE, to="dict", **CALL), dict)


def test_other_kinds_of_tables_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"to must be one of arrow, pandas, .* 'numpy'"):
        ANY_CALL(TABLE, to="numpy", **CALL)
    with pytest.raises(InvalidInputError, match="not LazyFrame; collect it first"):
        ANY_CALL(pl.from_arrow(TABLE).lazy(), **CALL)
