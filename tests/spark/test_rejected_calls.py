"""Wrong calls are refused before a job starts, and nothing is ignored in silence."""

import re
from collections.abc import Callable

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from muntin.spark import ReplaySource, aggregate, session, tumbling
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.errors import InvalidInputError
from muntin.spec.windows.data_driven import Punctuation, Session
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, count
from spark_support.frames import timed

CALL: Callable[..., DataFrame] = aggregate
"""The call, with arguments that no type checker knows."""

GOOD: dict[str, object] = {
    "windows": [tumbling("1 second")],
    "aggregates": {"n": "count"},
    "keys": "k",
}
PLUS = Aggregate("plus", int, Monoid(0, int.__add__), int, True, "algebraic")  # noqa: FBT003 - as in docs
MORE = {
    "array": "array(v)",
    "struct": "named_struct('a', v)",
    "map": "map('a', v)",
    "variant": "parse_json('1')",
    "month": "make_ym_interval(v)",
    "interval": "make_interval(0, 0, 0, v)",
    "day": "make_dt_interval(v)",
    "null": "null",
    "collated": "k collate UTF8_LCASE",
    "decimal": "cast(v as decimal(9, 2))",
}
"""Columns of types that some arguments do not accept."""


@pytest.fixture
def rows(spark: SparkSession) -> DataFrame:
    """Rows with columns of many types."""
    df = timed(spark, [("a", 1, 2), ("b", 2, 3)])
    return df.withColumns({name: f.expr(made) for name, made in MORE.items()})


def refused(df: DataFrame, change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        CALL(df, **{**GOOD, **change})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"windows": tumbling(10)}, "windows must be a list of window types"),
        ({"windows": None}, "windows must be a list of window types"),
        ({"windows": "tumbling"}, "windows must be a list of window types"),
        ({"windows": {1: tumbling(10)}}, "the name of a window must be a string, not 1"),
        (
            {"aggregates": [5]},
            "aggregates[0]: 5 must be a name and a column, such as ('sum', 'price')",
        ),
        ({"aggregates": ["count", "count"]}, "two columns 'count'; name aggregates in a dict"),
        ({"aggregates": "count"}, "aggregates must be a dict"),
        ({"aggregates": {"n": None}}, "'n': None must be a name and a column"),
        ({"aggregates": {"n": 5}}, "'n': 5 must be a name and a column"),
        ({"aggregates": {"n": PLUS}}, "'n': after an aggregate of your own name its columns"),
        ({"aggregates": {1: "count"}}, "the name of an aggregate must be a string, not 1"),
        ({"aggregates": {"n": (PLUS, "v", "doubl")}}, "'n': 'doubl' is no type of values"),
        ({"aggregates": {"n": (PLUS, "v", "interval year")}}, "can't make values of interval year"),
        ({"aggregates": {"n": (PLUS, "v", "char(3)")}}, "can't make values of char(3)"),
        ({"keys": None}, "keys must be the name of a column or a list of names, not None"),
        ({"keys": [1]}, "each of keys must be the name of a column, not 1"),
        ({"columns": None}, "columns must be the name of a column or a list of names"),
        ({"time": ["ts"]}, "time must be the name of a column, not ['ts']"),
        ({"gap": ["v"]}, "gap must be the name of a column, not ['v']"),
        ({"dialect": "spark"}, "dialect must be a Dialect"),
        ({"buckets": "16"}, "buckets must be an integer, not '16'"),
        ({"buckets": 2.0}, "buckets must be an integer, not 2.0"),
        ({"buckets": None}, "buckets must be an integer, not None"),
        ({"buckets": True}, "buckets must be an integer, not True"),
        ({"metrics": 5}, "metrics must be a name or an Observation, not 5"),
        ({"watermark": "14000000 days"}, "watermark=1209600000000000000 is more than result"),
        ({"allowed_lateness": "14000000 days"}, "allowed_lateness=1209600000000000000 is more"),
    ],
)
def test_arguments_are_what_they_must_be(
    rows: DataFrame, change: dict[str, object], message: str
) -> None:
    refused(rows, change, message)


def test_keys_are_names_and_no_columns(rows: DataFrame) -> None:
    refused(rows, {"keys": f.col("k")}, "keys must be the name of a column or a list of names, not")
    refused(rows, {"keys": [f.col("k")]}, "each of keys must be the name of a column, not Column")


def test_rows_are_a_dataframe() -> None:
    with pytest.raises(InvalidInputError, match="the rows must be a DataFrame of Spark, not None"):
        CALL(None, **GOOD)


@pytest.mark.parametrize(
    "kind",
    [
        tumbling(2**64),
        tumbling(2**60),
        tumbling(10, 2**64),
        Session(2**70),
        Band(-(2**70), 2**70),
        Landmark(2**64, 5),
        Landmark(0, 2**64),
        Cumulate(2**70, 2**60),
    ],
)
def test_windows_are_within_what_columns_can_hold(rows: DataFrame, kind: object) -> None:
    change: dict[str, object] = {"windows": {"w": kind}, "time": "v"}
    refused(rows, change, "of window 'w' is more than result columns")


@pytest.mark.parametrize("name", [*MORE][:-1])
def test_keys_are_of_types_that_every_strategy_groups(rows: DataFrame, name: str) -> None:
    message = "of string collate" if name == "collated" else f"the key '{name}' is of"
    refused(rows, {"keys": ["k", name]}, message)


@pytest.mark.parametrize("spec", [("count", "collated"), ("min", "collated"), ("count", "month")])
def test_values_that_spark_compares_differently_are_refused(
    rows: DataFrame, spec: tuple[str, str]
) -> None:
    refused(rows, {"aggregates": {"n": spec}}, f"the column {spec[1]!r} is of")


@pytest.mark.parametrize("frame", [Delta(1), State(), Threshold(2)])
def test_frames_look_at_a_value(rows: DataFrame, frame: object) -> None:
    refused(rows, {"windows": {"f": frame}}, "'count' alone reads none: name its column")


@pytest.mark.parametrize("frame", [Delta(1), Threshold(2)])
def test_frames_of_numbers_look_at_numbers(rows: DataFrame, frame: object) -> None:
    message = "frames look at numbers, and 'k' is of string"
    refused(rows, {"windows": [frame], "aggregates": {"n": ("min", "k")}}, message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gap": "v"}, "gap='v' does nothing"),
        ({"mark": "b"}, "mark='b' does nothing"),
        (
            {"mark": "b", "windows": [session("3 s"), count(2)]},
            "mark='b' does nothing",
        ),
        ({"windows": {"p": Punctuation()}}, "window 'p': nothing marks punctuations; say mark="),
    ],
)
def test_gaps_and_marks_have_windows_that_look_at_them(
    rows: DataFrame, change: dict[str, object], message: str
) -> None:
    refused(rows.withColumn("b", f.expr("true")), change, message)


def test_a_column_that_is_there_twice_is_refused(spark: SparkSession, rows: DataFrame) -> None:
    twice = rows.select("ts", "k", "v").join(rows.select(f.col("k").alias("K"), "v"))
    refused(twice, {}, "several columns 'k' to Spark: k, K")
    refused(twice, {"keys": (), "aggregates": {"n": ("sum", "v")}}, "several columns 'v'")
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        assert CALL(twice, **GOOD).count() == 2
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


@pytest.fixture
def stream(spark: SparkSession) -> DataFrame:
    """A stream of rows."""
    spark.dataSource.register(ReplaySource)
    stream = spark.readStream.format("muntin-replay").option("rows", 10).load()
    return stream.withColumns({"k": f.col("key"), "d": f.expr("cast(v as decimal(9, 2))")})


@pytest.mark.parametrize(
    "change",
    [{"keys": "d"}, {"columns": "d", "late": "rows"}, {"aggregates": {"n": ("count", "d")}}],
)
def test_what_a_stream_cannot_keep_is_refused(stream: DataFrame, change: dict[str, object]) -> None:
    message = "the column 'd' is of decimal(9,2), which a stream can't keep"
    refused(stream, {"watermark": "1 second", **change}, message)


def test_a_stream_is_observed_by_name(stream: DataFrame) -> None:
    refused(stream, {"watermark": "1 second", "metrics": ""}, "metrics must be a name")
