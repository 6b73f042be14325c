"""Windows over Arrow tables."""

from datetime import UTC, datetime
from importlib import import_module
from math import nan
from random import Random

import numpy as np
import pytest

from muntin.columnar import windows
from muntin.columnar.aggregate_requests import AggregateSpecs
from muntin.columnar.durations import Length
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.windows.data_driven import LastNEvery, Session
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.periodic import Sliding, tumbling
from muntin.spec.windows.window import WindowType
from support.arrow_results import aggregate, rolling

pa = import_module("pyarrow")


def test_keys_nulls_and_several_windows() -> None:
    table = pa.table(
        {
            "t": [1, 2, 12, 3],
            "who": ["a", "b", "a", None],
            "x": [4, None, 6, 8],
            "y": [1.5, 2, 3, 4],
        }
    )
    aggregates = {"sum": ("sum", "x"), "all": ("count", "y"), "mean": ("mean", "y")}
    kinds = {"ten": tumbling(10), "near": Session(5)}
    rows = aggregate(table, time="t", keys="who", windows=kinds, aggregates=aggregates).to_pylist()
    ten = [row for row in rows if row["window"] == "ten"]
    assert [(r["who"], r["start"], r["sum"], r["all"], r["mean"]) for r in ten] == [
        ("a", 0, 4, 1, 1.5),
        ("b", 0, None, 1, 2.0),
        (None, 0, 8, 1, 4.0),
        ("a", 10, 6, 1, 3.0),
    ]
    assert [(r["who"], r["start"], r["end"]) for r in rows if r["window"] == "near"] == [
        ("a", 1, 6),
        ("b", 2, 7),
        (None, 3, 8),
        ("a", 12, 17),
    ]


def test_keys_may_be_several_columns() -> None:
    table = {
        "ts": [1, 2, 3, 4, 12],
        "a": ["x", None, "x", "y", "x"],
        "b": [nan, 1.0, nan, 1.0, -0.0],
        "v": [1, 2, 4, 8, 16],
    }
    rows = aggregate(table, windows=[tumbling(10)], aggregates=[("sum", "v")], keys=("a", "b"))
    assert getattr(rows, "column_names")[4:] == ["a", "b", "sum(v)"]  # noqa: B009 - Arrow is not typed
    assert [(row["a"], str(row["b"]), row["sum(v)"]) for row in rows.to_pylist()] == [
        ("x", "nan", 5),
        (None, "1.0", 2),
        ("y", "1.0", 8),
        ("x", "0.0", 16),
    ]
    each = rolling(table, size=3, aggregates={"n": "count"}, keys=["b", "a"]).to_pylist()
    assert [row["n"] for row in each] == [1, 1, 2, 1, 1]


def test_rows_are_counted_without_a_column() -> None:
    table = {"ts": [1, 2, 13], "v": [5, None, 5]}
    windows = [tumbling(10), LastNEvery(2, 10)]
    rows = aggregate(table, windows=windows, aggregates=["count", ("count", "v")]).to_pylist()
    assert [(row["count"], row["count(v)"]) for row in rows] == [(2, 1), (1, 1), (2, 1), (2, 1)]
    framed = aggregate(table, windows=[State()], aggregates=["count"], columns="v").to_pylist()
    assert [row["count"] for row in framed] == [1, 1, 1]


def test_a_dialect_says_how_sessions_merge() -> None:
    table = {"ts": [1, 6]}
    for dialect, n in ((Dialect(), 2), (Dialect(session_merge="le"), 1)):
        result = aggregate(table, windows=[Session(5)], aggregates=["count"], dialect=dialect)
        assert len(result.to_pylist()) == n


def test_an_aggregate_of_ones_own_names_the_type_of_its_values() -> None:
    square = Aggregate("square", int, Monoid(0, int.__add__), lambda n: n * n, True, "algebraic")  # noqa: FBT003 - as in docs
    table = {"ts": [1, 2, 13], "v": [5, 1, None]}
    own = {"long": (square, "v", "bigint"), "real": (square, "v", pa.float32())}
    result = aggregate(table, windows=[tumbling(10)], aggregates=own)
    assert [(row["long"], row["real"]) for row in result.to_pylist()] == [(36, 36.0), (None, None)]
    kinds = [getattr(result, "schema").field(name).type for name in own]  # noqa: B009 - Arrow is not typed
    assert kinds == [pa.int64(), pa.float32()]
    for kind, message in (("doubl", "'doubl' is no type of values"), ("bool", "does not fit into")):
        with pytest.raises(InvalidInputError, match=message):
            aggregate(table, windows=[tumbling(10)], aggregates=[(square, "v", kind)])


def test_timestamps_come_back_as_such() -> None:
    at = [datetime(2024, 1, 1, hour, tzinfo=UTC) for hour in (1, 2, 5)]
    table = pa.table({"at": pa.array(at, pa.timestamp("us", "UTC")), "x": [1, 2, 3]})
    hours = {"4h": windows.tumbling("4 hours")}
    rows = aggregate(table, time="at", windows=hours, aggregates={"m4": ("m4", "x")}).to_pylist()
    assert [(row["start"], row["m4"]) for row in rows] == [
        (at[0].replace(hour=0), {"min": 1, "max": 2, "first": 1, "last": 2}),
        (at[0].replace(hour=4), {"min": 3, "max": 3, "first": 3, "last": 3}),
    ]


@pytest.mark.parametrize(
    ("kind", "size"),
    [(pa.int64(), 5), (pa.timestamp("us", "UTC"), "5 us"), (pa.timestamp("ns"), "5 ns")],
)
def test_a_window_that_nothing_has_ended_has_no_end(kind: object, size: Length) -> None:
    table = {"t": pa.array([1, 2, 3]).cast(kind), "x": [1, 1, 7]}
    kinds = [State(), windows.tumbling(size)]
    result = aggregate(table, time="t", windows=kinds, aggregates=[("sum", "x")])
    bounds = {name: pa.table(result).column(name) for name in ("start", "end")}
    assert {column.type for column in bounds.values()} == {kind}
    whole = {name: column.cast(pa.int64()).to_pylist() for name, column in bounds.items()}
    assert whole == {"start": [1, 3, 0], "end": [3, None, 5]}


def test_rolling_keeps_the_rows_in_place() -> None:
    table = {"t": np.array([5, 1, 5, 2]), "x": np.array([1, 2, 3, 4]), "k": np.array([0, 0, 1, 0])}
    aggregates = {"sum": ("sum", "x"), "n": ("count", "x")}
    plain = rolling(table, time="t", size=4, aggregates=aggregates).to_pylist()
    assert [(row["sum"], row["n"]) for row in plain] == [(8, 3), (2, 1), (8, 3), (6, 2)]
    keyed = rolling(table, time="t", keys="k", size=4, aggregates=aggregates).to_pylist()
    assert [(row["sum"], row["n"]) for row in keyed] == [(5, 2), (2, 1), (3, 1), (6, 2)]


def test_wide_sums_are_decimals() -> None:
    table = {"t": np.array([1, 2]), "x": np.array([2**62, 2**62])}
    rows = aggregate(
        table, time="t", windows={"w": tumbling(10)}, aggregates={"sum": ("sum", "x")}
    ).to_pylist()
    assert rows[0]["sum"] == 2**63


def test_an_empty_table() -> None:
    table = pa.table({"t": pa.array([], pa.int64()), "x": pa.array([], pa.int64())})
    result = aggregate(
        table, time="t", windows={"w": Sliding(3, 1)}, aggregates={"sum": ("sum", "x")}
    )
    assert result.to_pylist() == []


def test_what_is_wrong_with_a_table_is_named() -> None:
    aggregates, windows = {"sum": ("sum", "x")}, {"w": tumbling(10)}
    with pytest.raises(InvalidInputError, match="a table must have the Arrow stream interface"):
        aggregate([1], time="t", windows=windows, aggregates=aggregates)
    with pytest.raises(InvalidInputError, match="no column 't': name that of the times"):
        aggregate({"u": [1], "x": [1]}, time="t", windows=windows, aggregates=aggregates)
    with pytest.raises(InvalidInputError, match="the time 't' must be integers or timestamps"):
        aggregate({"t": [1.5], "x": [1]}, time="t", windows=windows, aggregates=aggregates)
    with pytest.raises(InvalidInputError, match="the time 't' is null in 1 of 2 rows"):
        aggregate({"t": [None, 1], "x": [1, 1]}, time="t", windows=windows, aggregates=aggregates)
    with pytest.raises(UnsupportedError, match="the column 'x' is of string"):
        aggregate({"t": [1], "x": ["a"]}, time="t", windows=windows, aggregates=aggregates)


def test_dictionaries_and_chunks_are_read() -> None:
    halves = [pa.array(["a"]).dictionary_encode(), pa.array(["b"]).dictionary_encode()]
    table = pa.table(
        {
            "t": pa.chunked_array([[1], [2]]),
            "x": pa.array([5, 6]).dictionary_encode(),
            "k": pa.chunked_array(halves),
        }
    )
    rows = aggregate(
        table, time="t", keys="k", windows=[tumbling(10)], aggregates=[("sum", "x")]
    ).to_pylist()
    assert [(row["k"], row["sum(x)"]) for row in rows] == [("a", 5), ("b", 6)]


def test_windows_that_columns_do_not_support_are_result_rows_too() -> None:
    table = {"t": np.array([1, 2, 13]), "x": np.array([4, 4, 6]), "k": ["a", "b", "a"]}
    aggregates = {"all": ("distinct", "x"), "sum": ("sum", "x")}
    windows = {"two": LastNEvery(2, 10), "ten": tumbling(10)}
    rows = aggregate(table, time="t", keys="k", windows=windows, aggregates=aggregates).to_pylist()
    assert [(r["window"], r["k"], r["end"], r["all"], r["sum"]) for r in rows] == [
        ("two", "a", 10, [4], 4),
        ("two", "b", 10, [4], 4),
        ("two", "a", 20, [4, 6], 10),
        ("ten", "a", 10, [4], 4),
        ("ten", "b", 10, [4], 4),
        ("ten", "a", 20, [6], 6),
    ]


@pytest.mark.parametrize("what", ["sum", "collect"])
def test_frames_look_at_the_value_that_is_aggregated(what: str) -> None:
    table = {"t": [1, 2, 3, 4, 9], "x": [5, 5, None, 7, 1], "y": [1, 2, 3, 4, 5]}
    frames = {"d": Delta(1), "s": State(), "h": Threshold(5)}
    result = aggregate(table, time="t", windows=frames, aggregates={"x": (what, "x")})
    assert [(r["window"], r["start"]) for r in result.to_pylist()] == [
        *zip("ddd", (1, 4, 9), strict=True),
        *zip("ssss", (1, 3, 4, 9), strict=True),
        ("h", 1),  # a null ends no frame
    ]
    with pytest.raises(InvalidInputError, match="window 'd': delta frames look at the value that"):
        aggregate(table, time="t", windows=frames, aggregates=[(what, "x"), ("sum", "y")])
    with pytest.raises(InvalidInputError, match="of one column, not of x, y"):
        aggregate(table, time="t", windows=[State()], aggregates=[("argmax", "x", "y")])


def test_a_column_has_the_same_results_alone_and_with_another() -> None:
    table = {"t": [1, 2, 13, 4], "x": [5, None, 2, 7], "y": [1.0, 2, 3, 4]}
    one: dict[str, tuple[str, str]] = {"sum": ("sum", "x"), "all": ("collect", "x")}
    windows = {"ten": tumbling(10), "two": LastNEvery(2, 5), "near": Session(4)}
    alone = aggregate(table, time="t", windows=windows, aggregates=one).to_pylist()
    both = aggregate(table, time="t", windows=windows, aggregates={**one, "y": ("max", "y")})
    assert alone == [{k: v for k, v in row.items() if k != "y"} for row in both.to_pylist()]


@pytest.mark.parametrize("kind", [tumbling(10), Session(4), LastNEvery(2, 5)])
def test_a_row_holds_the_aggregates_of_one_key(kind: WindowType) -> None:
    """Columns answer some of these queries and Scotty others: each orders keys as it likes."""
    random = Random(1)  # noqa: S311 - nothing secret
    most = Aggregate("most", int, Monoid(-1, max), int, commutative=True, kind="distributive")
    for _ in range(20):
        numbers, times = random.choices(range(4), k=30), random.choices(range(60), k=30)
        table = {"t": times, "k": numbers, "x": numbers}
        aggregates = {"max": ("max", "x"), "most": (most.erase_types(), "x", "int64")}
        result = aggregate(table, time="t", keys="k", windows=[kind], aggregates=aggregates)
        for row in result.to_pylist():
            assert row["most"] == row["max"] == row["k"]


BAD: dict[str, AggregateSpecs] = {
    "argmax reads 2 columns, not 1: .*; write .'argmax', 'price', 'size'": {"m": ("argmax", "x")},
    "sum reads 1 column, not 2": {"m": ("sum", "x", "t")},
    r"such as .'argmax', 'price', 'size'., not by .'x', 't'": {"m": ("argmax", ("x", "t"))},
    "'summ' is not an aggregate": {"m": ("summ", "x")},
    "two columns 'start'": {"start": ("sum", "x")},
    "one column 'y'; there are t, x": {"m": ("sum", "y")},
}


@pytest.mark.parametrize("message", BAD)
def test_what_is_wrong_with_an_aggregate_is_named(message: str) -> None:
    table = {"t": [1, 2], "x": [1, 2]}
    with pytest.raises(InvalidInputError, match=message):
        aggregate(table, time="t", windows=[tumbling(10)], aggregates=BAD[message])
    with pytest.raises(InvalidInputError, match="two columns 'x'"):
        rolling(table, time="t", size=3, aggregates={"x": ("sum", "x")})
    with pytest.raises(InvalidInputError, match="'t' has 2 rows, 'x' has 1 rows: cut the longer"):
        aggregate({"t": [1, 2], "x": [1]}, time="t", windows=[tumbling(10)], aggregates=[])


T, U = {"t": [1, 2], "x": [1, 2]}, np.array([2**63], np.uint64)
ODD: list[tuple[str, dict[str, object]]] = [
    ("a list of window types, or a dict from names .* not Sliding", {"windows": tumbling(10)}),
    ("a list of window types, or a dict from names .* not 'tumbling'", {"windows": "tumbling"}),
    ("windows is empty; name at least one window", {"windows": []}),
    ("aggregates is empty; name at least one aggregate", {"aggregates": []}),
    ("the result would have two columns 'x'", {"keys": ["x", "x"]}),
    ("keys must be the name of a column or a list of names, not None", {"keys": None}),
    ("dialect must be a Dialect", {"dialect": "spark"}),
    ("gap='x' does nothing: no window here looks at it, as Session does", {"gap": "x"}),
    ("'count' alone reads none: name its column", {"windows": [State()], "aggregates": ["count"]}),
    ("'tumbling' is no window type", {"windows": ["tumbling"]}),
    ("10 is no window type", {"windows": {"ten": 10}}),
    ("aggregates must be a dict .* or a list of aggregates, .* not 'sum'", {"aggregates": "sum"}),
    (
        r"aggregates.0.: sum reads 1 column, not 0: \(\); write .'sum', 'price'",
        {"aggregates": ["sum"]},
    ),
    ("aggregates.0.: sum reads 1 column, not 2", {"aggregates": [("sum", "x", "t")]}),
    (
        "aggregates.0.: columns are named by strings, .* not by None",
        {"aggregates": [("sum", None)]},
    ),
    ("aggregate 's': .* must be a name and a column", {"aggregates": {"s": (max, "x")}}),
    (
        r"two columns 'sum\(x\)'; name aggregates in a dict",
        {"aggregates": [("sum", "x"), ("sum", "x")]},
    ),
    ("two columns 'window'", {"rows": {**T, "window": [1, 2]}, "keys": "window"}),
    ("two columns 'end'", {"rows": {**T, "end": [1, 2]}, "keys": "end"}),
    (
        "two columns 'k'",
        {"rows": {**T, "k": [1, 2]}, "keys": "k", "aggregates": {"k": ("sum", "x")}},
    ),
    ("the key 'k' is of list", {"rows": {**T, "k": [[1], [2]]}, "keys": "k"}),
    ("the time 't' is 9223372036854775808 in row 0", {"rows": {"t": U, "x": [1]}}),
    ("the end of a window of .* is 9223372036854775808", {"windows": [tumbling(2**63)]}),
    ("the time 't' is 4611686018427387903 in row 0", {"rows": {"t": [2**62 - 1], "x": [1]}}),
]


@pytest.mark.parametrize(("message", "odd"), ODD)
def test_nonsense_is_refused_in_words(message: str, odd: dict[str, object]) -> None:
    given = {"rows": T, "windows": [tumbling(10)], "aggregates": [("sum", "x")], **odd}
    with pytest.raises((InvalidInputError, UnsupportedError), match=message):
        aggregate(time="t", **given)  # type: ignore[arg-type] # that is what it is about
