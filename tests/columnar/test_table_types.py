"""What Arrow and others make columns of, and what type a result has that holds nothing."""

from importlib import import_module
from math import inf, nan

import numpy as np
import pytest

from muntin.columnar.aggregate_requests import AggregateSpec, AggregateSpecs
from muntin.columnar.operator import ColumnarOperator
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.kernels.slicing.plan import Method
from muntin.snapshot import snapshot
from muntin.spec.algebra.catalogue import named
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END
from muntin.spec.windows.data_driven import LastNEvery
from muntin.spec.windows.periodic import Sliding, tumbling
from support.arrow_results import aggregate, rolling

pa = import_module("pyarrow")
SUM: AggregateSpecs = [("sum", "x")]


def test_texts_that_are_views_are_keys_as_polars_has_them() -> None:
    views = pa.array(["a", None, "a"], pa.string_view())
    codes = pa.array([0, None, 0], pa.uint32())
    encoded = pa.DictionaryArray.from_arrays(codes, pa.array(["a"], pa.string_view()))
    for keys in (views, encoded, pa.chunked_array([encoded, encoded.slice(0, 0)])):
        table = pa.table({"t": [1, 2, 3], "x": [1, 2, 4], "k": keys})
        rows = aggregate(table, time="t", keys="k", windows=[tumbling(5)], aggregates=SUM)
        assert [(row["k"], row["sum(x)"]) for row in rows.to_pylist()] == [("a", 5), (None, 2)]
        each = rolling(table, time="t", keys="k", size=5, aggregates=SUM).to_pylist()
        assert [(row["k"], row["sum(x)"]) for row in each] == [("a", 1), (None, 2), ("a", 5)]


def test_keys_that_are_equal_are_one_key() -> None:
    table = {"t": [1, 2, 3, 4], "x": [1, 2, 4, 8], "k": [0.0, -0.0, nan, nan]}
    rows = aggregate(table, time="t", keys="k", windows=[tumbling(5)], aggregates=SUM).to_pylist()
    assert [row["sum(x)"] for row in rows] == [3, 12]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_every_nan_is_one_key_and_both_zeros_are(kind: type[np.floating]) -> None:
    keys = np.array([0.0, -0.0, nan, -nan, nan, 0.1], kind)
    keys.view(f"u{keys.itemsize}")[4] ^= 1  # another NaN, as 0 / 0 may make one
    values = [1, 2, 4, 8, 16, 32, 64]
    table = pa.table(
        {"t": range(7), "x": values, "k": pa.array([*keys, None], pa.array(keys).type)}
    )
    result = aggregate(table, time="t", keys="k", windows=[tumbling(9)], aggregates=SUM).to_pylist()
    assert [row["sum(x)"] for row in result] == [3, 28, 32, 64]
    assert [str(row["k"]) for row in result] == ["0.0", "nan", str(float(keys[5])), "None"]


@pytest.mark.parametrize("what", ["m4", "collect", "mean", "median"])
def test_a_window_type_without_windows_has_a_column_of_the_same_type(what: str) -> None:
    table = {"t": np.array([1, 2]), "x": np.array([1, 2])}
    windows = {"some": tumbling(10), "none": Sliding(1, 100)}
    some = aggregate(table, time="t", windows=[tumbling(10)], aggregates=[(what, "x")])
    both = aggregate(table, time="t", windows=windows, aggregates=[(what, "x")])
    assert [row["window"] for row in both.to_pylist()] == ["some"]
    empty = {"t": np.empty(0, np.int64), "x": np.empty(0, np.int64)}
    none = aggregate(empty, time="t", windows=windows, aggregates=[(what, "x")])
    rows = rolling(empty, time="t", size=3, aggregates={"result": (what, "x")})
    kinds = [getattr(result, "schema").types[-1] for result in (some, both, none, rows)]  # noqa: B009 - Arrow is not typed
    assert len({*map(str, kinds)}) == 1


@pytest.mark.parametrize("what", ["m4", "median", "std_sample", "sum", "collect", "geomean"])
def test_windows_that_columns_do_not_support_have_values_of_the_same_type(what: str) -> None:
    table = {"ts": [1, 2, 13, 14], "x": [2, None, 4, 2**60 + 1]}
    supported, fallback = tumbling(10), LastNEvery(2, 10)
    results = [
        aggregate(table, windows=windows, aggregates={"x": (what, "x")})
        for windows in ([supported], [fallback], [supported, fallback])
    ]
    kinds = {str(getattr(result, "schema").field("x").type) for result in results}  # noqa: B009 - as above
    assert len(kinds) == 1
    rows = [[row["x"] for row in result.to_pylist()] for result in results]
    assert rows[0] == rows[1]
    assert rows[2] == rows[0] + rows[1]


def test_wide_values_of_the_row_operator_are_decimals() -> None:
    table = {"ts": [1, 2], "x": [2**62, 2**62]}
    (row,) = aggregate(
        table, windows=[LastNEvery(2, 10)], aggregates={"x": ("sum", "x")}
    ).to_pylist()
    assert row["x"] == 2**63


def lift(v: float) -> tuple[float]:
    return (v,)


def combine(a: tuple[float], b: tuple[float]) -> tuple[float]:
    return (a[0] + b[0],)


def lower(a: tuple[float]) -> tuple[float]:
    return (1 / (a[0] - 1),)


def test_an_own_aggregate_over_no_rows_has_its_type() -> None:
    own = NumericAggregate("own", ("float",), ("float",), (0.0,), lift, combine, lower, ("float",))
    empty = {"t": np.empty(0, np.int64), "x": np.empty(0)}
    result = aggregate(empty, time="t", windows=[tumbling(3)], aggregates={"own": (own, "x")})
    assert str(getattr(result, "schema").field("own").type) == "double"  # noqa: B009 - as above


def test_names_with_blanks_are_distinguished() -> None:
    table = {"t": [1, 12], "x": [1, 2]}
    windows = {"a": tumbling(10), "a b": tumbling(20)}
    aggregates: dict[str, AggregateSpec] = {"b c": ("sum", "x"), "c": ("max", "x")}
    rows = aggregate(table, time="t", windows=windows, aggregates=aggregates).to_pylist()
    assert [(r["window"], r["b c"], r["c"]) for r in rows] == [
        ("a", 1, 1),
        ("a", 2, 2),
        ("a b", 3, 2),
    ]


ODD: list[tuple[str, dict[str, object]]] = [
    ("the column 'x' cannot be read: Byte-swapped", {"rows": {"t": [1], "x": np.ones(1, ">i8")}}),
    ("the column 't' cannot be read in row 0: .* too large", {"rows": {"t": [2**70], "x": [1]}}),
    ("the column 'x' cannot be read: Unsupported", {"rows": {"t": [1], "x": np.ones(1, "i4,i4")}}),
    ("the name of an aggregate must be a string, not 1", {"aggregates": {1: ("sum", "x")}}),
    ("the name of a window must be a string, not 2", {"windows": {2: tumbling(3)}}),
]


@pytest.mark.parametrize(("message", "odd"), ODD)
def test_what_arrow_does_not_accept_is_named(message: str, odd: dict[str, object]) -> None:
    given = {"rows": {"t": [1], "x": [1]}, "windows": [tumbling(3)], "aggregates": SUM, **odd}
    with pytest.raises(InvalidInputError, match=message):
        aggregate(time="t", **given)  # type: ignore[arg-type] # that is what it is about


def test_a_window_that_begins_before_all_time_is_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"the start of a window of .* is -"):
        rolling({"t": [1], "x": [1]}, time="t", size=2**70, aggregates=SUM)


@pytest.mark.parametrize("kind", ["int8", "uint8", "uint64"])
def test_windows_of_narrow_times_may_begin_and_end_beyond_them(kind: str) -> None:
    table = pa.table({"t": pa.array([1, 120], kind), "x": [1, 2]})
    rows = aggregate(table, time="t", windows=[Sliding(40, 20)], aggregates=SUM)
    result = [(row["start"], row["end"]) for row in rows.to_pylist()]
    assert result == [(-20, 20), (0, 40), (100, 140), (120, 160)]
    assert str(getattr(rows, "schema").field("start").type) == "int64"  # noqa: B009 - as above


def test_an_empty_chunk_with_an_offset_is_nothing() -> None:
    column = pa.array([5, 6, 7], pa.int16())
    chunks = pa.chunked_array([column.slice(2, 0), column.slice(1), column.slice(3)])
    table = pa.table({"t": chunks, "x": pa.chunked_array([column.slice(0, 2)])})

    class Streamed:
        """As other engines give it."""

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return table.__arrow_c_stream__(requested_schema)

    for given in (table, Streamed()):
        rows = rolling(given, time="t", size=2, aggregates={"sum": ("sum", "x")}).to_pylist()
        assert [row["sum"] for row in rows] == [5, 11]


def test_unsigned_values_beyond_64_bits_with_a_sign_are_widened_next_to_nulls() -> None:
    table = pa.table({"t": [1, 2, 11], "x": pa.array([2**64 - 1, None, None], pa.uint64())})
    aggregates: AggregateSpecs = [("sum", "x"), ("max", "x"), ("m4", "x"), ("mean", "x")]
    first, second = aggregate(
        table, time="t", windows=[tumbling(10)], aggregates=aggregates
    ).to_pylist()
    assert first["sum(x)"] == first["max(x)"] == 2**64 - 1
    assert (second["sum(x)"], second["max(x)"], second["m4(x)"]) == (None, None, None)


@pytest.mark.parametrize("method", ["compiled", "slices", "records"])
def test_what_is_not_finite_is_no_reason_to_warn(method: Method) -> None:
    operator = ColumnarOperator(Settings(5), method=method)
    for name in ("sum", "range", "mean", "var_pop", "m4", "median"):
        operator.add(Query(name, Sliding(10, 5), named(name)))
    values = np.array([inf, inf, -inf, 1e308, 1e308, -1e308])
    operator.take_columns(np.array([1, 2, 3, 11, 12, 16]), values, None, 3)
    snapshot(operator)
    results = operator.take_columns([], [], None, END).results()
    result = {(line.query, line.start): line.value for line in results}
    assert str(result["sum", 0]) == "nan"
    assert (result["sum", 5], result["range", 10]) == (inf, inf)
