"""One grammar: the same arguments give the same result over columns and on Spark."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from pyspark.sql import DataFrame, SparkSession

from muntin import columnar
from muntin.columnar.aggregate_requests import AggregateSpec
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.optimized.common.window_traits import GAP, MARK, inputs_of_all
from muntin.spark import aggregate
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.dialect import Dialect
from muntin.spec.windows.data_driven import LastNEvery, Session
from muntin.spec.windows.frames import State
from muntin.spec.windows.periodic import Sliding, count, tumbling
from spark_support.frames import random_rows
from spark_support.tables import (
    FRAMES,
    HOLISTIC,
    MERGED,
    OF_ONE,
    SCHEMA,
    Row,
    collected,
    frame_of,
    kinds,
    pa,
    rounded,
    rows,
    table_of,
)

ON_COLUMNS: Callable[..., object] = columnar.aggregate
ON_SPARK: Callable[..., DataFrame] = aggregate
"""The two calls, with arguments that no type checker knows."""

NUMERIC: Mapping[str, AggregateSpec] = {
    name: spec for name, spec in {**MERGED, **HOLISTIC}.items() if "s" not in spec[1:]
}
"""Aggregates of columns that hold numbers."""
ResultRow = tuple[Hashable, ...]


def columnar_result(
    given_rows: Sequence[Row], arguments: Mapping[str, object]
) -> tuple[list[str], Counter[ResultRow]]:
    table = pa.Table.from_batches([table_of(given_rows)])
    result = ON_COLUMNS(table, time="t", **arguments)
    names: list[str] = getattr(result, "column_names")  # noqa: B009 - Arrow is not typed
    lists: Iterable[dict[str, object]] = getattr(result, "to_pylist")()  # noqa: B009 - the same
    return names, Counter(comparable(row.values()) for row in lists)


def spark_result(
    spark: SparkSession, given_rows: Sequence[Row], arguments: Mapping[str, object]
) -> tuple[list[str], Counter[ResultRow]]:
    result = ON_SPARK(frame_of(spark, given_rows, SCHEMA), time="t", **arguments)
    assert result.columns[-2:] == ["kind", "revision"]
    return result.columns[:-2], Counter(comparable(row[:-2]) for row in collected(result))


def comparable(row: Iterable[object]) -> ResultRow:
    return tuple(rounded(value) for value in row)


def assert_same(
    spark: SparkSession, given_rows: Sequence[Row], arguments: Mapping[str, object]
) -> None:
    expected = columnar_result(given_rows, arguments)
    assert spark_result(spark, given_rows, arguments) == expected


@st.composite
def arguments_of_calls(draw: DrawFn) -> dict[str, object]:
    """Arguments of both calls."""
    windows = draw(st.lists(kinds(), min_size=1, max_size=3))
    specs = OF_ONE if any(isinstance(kind, FRAMES) for kind in windows) else NUMERIC
    names = draw(st.lists(st.sampled_from(sorted(specs)), min_size=1, unique=True))
    aggregates = {name: specs[name] for name in names}
    inputs = inputs_of_all(windows)
    return {
        "windows": draw(st.sampled_from([windows, dict(zip("abc", windows, strict=False))])),
        "aggregates": draw(st.sampled_from([aggregates, list(aggregates.values())])),
        "keys": draw(st.sampled_from([(), "k", ("k", "j"), ["j", "k"]])),
        "columns": "v" if specs is OF_ONE else (),
        "gap": "g" if GAP in inputs and draw(st.booleans()) else None,
        "mark": "p" if MARK in inputs else None,
    }


@settings(max_examples=8)
@given(arguments_of_calls(), rows())
def test_the_same_arguments_give_the_same_result(
    spark: SparkSession, arguments: dict[str, object], given_rows: list[Row]
) -> None:
    assert_same(spark, given_rows, arguments)


def squares() -> Aggregate[int, int, int]:
    def square(v: int) -> int:  # in here, or Spark would look for this module on its workers
        return v * v

    return Aggregate("squares", square, Monoid(0, int.__add__), int, True, "algebraic")  # noqa: FBT003 - as in docs


def total() -> NumericAggregate:
    def lift(v: int, w: int) -> tuple[int]:  # in here, as above
        return (v * w,)

    def combine(a: tuple[int], b: tuple[int]) -> tuple[int]:
        return (a[0] + b[0],)

    def lower(a: tuple[int]) -> tuple[int]:
        return (a[0],)

    return NumericAggregate("total", ("int", "int"), ("int",), (0,), lift, combine, lower, ("int",))


CALLS: Mapping[str, dict[str, object]] = {
    "lists": {
        "windows": [tumbling(7), tumbling(9), Session(3), tumbling(11)],
        "aggregates": ["count", ("sum", "v"), ("argmax", "v", "t"), ("percentile(90)", "v")],
        "keys": "k",
    },
    "no keys": {"windows": {"w": Sliding(9, 4)}, "aggregates": {"n": "count", "v": ("sum", "v")}},
    "ranks": {
        "windows": [count(3), LastNEvery(2, 10), tumbling(5)],
        "aggregates": [("sum", "v"), ("max", "w")],
        "keys": ["k", "j"],
    },
    "compiled": {
        "windows": [Sliding(9, 4), count(3)],
        "aggregates": [(total(), "v", "t"), (total(), "g", "v", "double")],
        "keys": "k",
    },
    "own": {
        "windows": [Sliding(9, 4)],
        "aggregates": {"s": (squares(), "v", "bigint"), "r": (squares(), "v", "double")},
        "keys": "k",
    },
    "columns": {"windows": [State()], "aggregates": ["count"], "columns": "v", "keys": "k"},
    "dialect": {
        "windows": [Session(3)],
        "aggregates": ["count", ("sum", "v")],
        "keys": "k",
        "dialect": Dialect(session_merge="le"),
    },
}


@pytest.mark.parametrize("name", CALLS)
def test_each_form_of_arguments_means_the_same_in_both(spark: SparkSession, name: str) -> None:
    assert_same(spark, random_rows(11, 50), CALLS[name])


def test_windows_and_aggregates_in_lists_have_the_same_names(spark: SparkSession) -> None:
    given_rows = random_rows(12, 20)
    for names, result in (
        columnar_result(given_rows, CALLS["lists"]),
        spark_result(spark, given_rows, CALLS["lists"]),
    ):
        assert names == [
            *("window", "window_type", "start", "end", "k"),
            *("count", "sum(v)", "argmax(v, t)", "percentile(90)(v)"),
        ]
        assert {row[0] for row in result} == {"tumbling", "tumbling 2", "session", "tumbling 3"}


WRONG: Mapping[str, dict[str, object]] = {
    "no window type": {"windows": [7]},
    "no sequence": {"windows": tumbling(10)},
    "no column": {"aggregates": ["sum"]},
    "nested columns": {"aggregates": [("argmax", ("v", "t"))]},
    "no type": {"aggregates": [(squares(), "v")]},
    "too many columns": {"aggregates": [(total(), "v", "g", "bigint", "t")]},
    "unknown type": {"aggregates": {"s": (squares(), "v", "doubl")}},
    "unread gap": {"gap": "g"},
    "unmarked punctuation": {"keys": None},
    "two names": {"keys": "k", "aggregates": {"k": "count"}},
    "frames of two columns": {"windows": [State()], "aggregates": [("argmax", "v", "t")]},
    "frames of none": {"windows": [State()], "aggregates": ["count"]},
    "no dialect": {"dialect": "le"},
}


@pytest.mark.parametrize("name", WRONG)
def test_what_one_call_refuses_the_other_refuses_for_the_same_reason(
    spark: SparkSession, name: str
) -> None:
    arguments = {"windows": [tumbling(5)], "aggregates": [("sum", "v")], **WRONG[name]}
    given_rows = random_rows(1, 3)
    calls: list[Callable[[], object]] = [
        lambda: columnar_result(given_rows, arguments),
        lambda: spark_result(spark, given_rows, arguments),
    ]
    messages = list[str]()
    for call in calls:
        with pytest.raises(ValueError, match=r"\w") as failure:
            call()
        messages.append(str(failure.value).partition(" (reserved")[0].partition(", or an Arrow")[0])
    assert messages[0] == messages[1]
