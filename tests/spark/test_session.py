"""Batch on Spark itself: the denotation, and Spark's own windows under its dialect."""

import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import (
    LongType,
    StructType,
)

from muntin.columnar import windows as duration_windows
from muntin.columnar.arguments import InputColumns
from muntin.conformance.machines.random_choices import SeededSource
from muntin.spark import aggregate
from muntin.spark.spark_session import java
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError, MuntinError
from muntin.spec.query import DEFAULTS
from muntin.spec.windows.data_driven import Punctuation, Rolling, Session
from muntin.spec.windows.frames import State
from muntin.spec.windows.measure import Measure
from muntin.spec.windows.periodic import Cumulate, Sliding, count, tumbling
from spark_support.frames import SECOND, compare, random_rows, timed
from spark_support.tables import (
    HOLISTIC,
    MERGED,
    OF_ONE,
    SCHEMA,
    answered,
    collected,
    frame_of,
    in_batch,
    plan_of,
    same,
)


def test_one_call_gives_the_windows_of_the_denotation(spark: SparkSession) -> None:
    rows = random_rows(7, 60)
    windows = {
        "slide": Sliding(9, 4, 1),
        "visit": Session(3),
        "grow": Cumulate(6, 2),
        "three": count(3, 2),
        "near": Rolling(5),
        "edges": Sliding(4, 2, measure=Measure("double", lambda event: 2 * event.time)),
    }
    aggregates = {**MERGED, **HOLISTIC}
    answer = aggregate(
        frame_of(spark, rows, SCHEMA),
        time="t",
        keys=["k", "j"],
        windows=windows,
        aggregates=aggregates,
    )
    plan = plan_of(windows, aggregates)
    assert same(answered(plan, answer), in_batch(plan, rows))


def test_marks_gaps_and_one_column(spark: SparkSession) -> None:
    rows = random_rows(8, 40)
    df = frame_of(spark, rows, SCHEMA)
    windows = {"run": State(), "mark": Punctuation(), "visit": Session(3)}
    plan = plan_of(windows, OF_ONE, DEFAULTS, InputColumns("t", ("k",), gap="g", mark="p"))
    answer = aggregate(
        df, windows=windows, aggregates=OF_ONE, time="t", keys="k", gap="g", mark="p"
    )
    assert same(answered(plan, answer), in_batch(plan, rows))


def test_gaps_are_intervals_where_times_are_timestamps(spark: SparkSession) -> None:
    df = timed(spark, [("a", 1, 30), ("a", 20, 2), ("a", 40, 2)])
    given = df.withColumn("g g", f.expr("make_dt_interval(0, 0, 0, v / 2.0)"))
    visits = [duration_windows.session("1 minute")]
    answer = aggregate(given, windows=visits, gap="g g", aggregates={"n": "count"})
    start = datetime(2024, 1, 1, tzinfo=UTC)
    spans = [
        (row.start.astimezone(UTC), row.end.astimezone(UTC), row.n) for row in answer.collect()
    ]
    assert sorted(spans) == [
        (start + timedelta(seconds=1), start + timedelta(seconds=16), 1),
        (start + timedelta(seconds=20), start + timedelta(seconds=21), 1),
        (start + timedelta(seconds=40), start + timedelta(seconds=41), 1),
    ]


def test_columns_have_the_types_of_what_they_hold(spark: SparkSession) -> None:
    df = timed(spark, [("a", 1, 4), ("a", 2, 6), ("b", 11, 5)])
    aggregates = {"at": ("argmax", "v", "ts"), "low": ("min", "v"), "m4": ("m4", "v")}
    answer = aggregate(
        df, keys="k", windows=[duration_windows.tumbling(10 * SECOND)], aggregates=aggregates
    )
    kinds = "window string, window_type string, start timestamp, end timestamp, k string"
    values = "at timestamp, low int, m4 struct<min: int, max: int, first: int, last: int>"
    schema = StructType.fromDDL(f"{kinds}, {values}, kind string, revision int")
    assert answer.schema.simpleString() == schema.simpleString()
    first = answer.orderBy("start").first()
    start = datetime(2024, 1, 1, tzinfo=UTC)
    assert first
    assert first.start.astimezone(UTC) == start
    assert first["at"].astimezone(UTC) == start + timedelta(seconds=2)
    assert (first.window, first.k, first.low, tuple(first.m4)) == ("tumbling", "a", 4, (4, 6, 4, 6))


def test_an_aggregate_of_ones_own(spark: SparkSession) -> None:
    def squared(v: int) -> int:  # in here, or Spark would look for this module on its workers
        return v * v

    plus = Monoid(0, int.__add__)
    squares = Aggregate("squares", squared, plus, int, commutative=True, kind="algebraic")
    df = timed(spark, [("a", 1, 4), ("a", 2, 3), ("a", 30, 2)])
    windows = {"w": duration_windows.tumbling(10 * SECOND)}
    own = {"squares": (squares, "v", LongType()), "again": (squares, "v", "bigint")}
    answer = aggregate(df, keys="k", windows=windows, aggregates=own)
    assert collected(answer.sort("start").select("squares", "again")) == [(25, 25), (4, 4)]


@pytest.mark.parametrize(("size", "slide"), [(10, 10), (20, 5)])
def test_windows_of_spark(spark: SparkSession, size: int, slide: int) -> None:
    roll = SeededSource(size)
    df = timed(
        spark, [(roll.choice("ab"), roll.integer(0, 90), roll.integer(-9, 9)) for _ in range(50)]
    )
    aggregates = {"n": "count", "sum": ("sum", "v"), "most": ("max", "v")}
    windows = {"w": duration_windows.sliding(size * SECOND, slide * SECOND)}
    ours = aggregate(df, keys="k", windows=windows, aggregates=aggregates)
    window = f.window("ts", f"{size} seconds", f"{slide} seconds")
    theirs = df.groupBy("k", window).agg(f.count("v"), f.sum("v"), f.max("v"))
    native = theirs.select("k", "window.*", *theirs.columns[2:])
    compare(ours.select("k", "start", "end", *aggregates), native)


def test_sessions_of_spark_merge_at_the_gap(spark: SparkSession) -> None:
    roll = SeededSource(3)
    df = timed(
        spark, [(roll.choice("ab"), roll.integer(0, 200), roll.integer(0, 9)) for _ in range(60)]
    )
    native = df.groupBy("k", f.session_window("ts", "5 seconds")).agg(f.count("v"), f.sum("v"))
    theirs = native.select("k", "session_window.*", *native.columns[2:])
    like_spark, ours = (
        aggregate(
            df,
            keys="k",
            windows={"s": duration_windows.session(5 * SECOND)},
            aggregates={"n": "count", "sum": ("sum", "v")},
            dialect=dialect,
        ).select("k", "start", "end", "n", "sum")
        for dialect in (Dialect(session_merge="le"), Dialect())
    )
    compare(like_spark, theirs)
    assert Counter(map(repr, collected(ours))) != Counter(map(repr, collected(theirs)))


CALL: Callable[..., DataFrame] = aggregate
"""The call, with arguments that no type checker knows."""

GOOD: dict[str, object] = {
    "windows": [duration_windows.tumbling(SECOND)],
    "aggregates": {"n": "count"},
    "keys": "k",
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"time": "when"}, "no column 'when'; there are k, ts, v"),
        ({"time": "k"}, "the time 'k' must be a timestamp or an integer, not string"),
        ({"time": "d"}, "the time 'd' is of double: NaN and fractions"),
        ({"keys": "q"}, "no column 'q'"),
        ({"windows": []}, "at least one window"),
        ({"windows": [7]}, "7 is no window type"),
        ({"aggregates": {}}, "at least one aggregate"),
        ({"aggregates": {"n": "summ"}}, "'n': 'summ' is not an aggregate"),
        ({"aggregates": {"n": ("sum", "q")}}, "'n': there is no column 'q'"),
        ({"aggregates": {"n": ("sum", "k")}}, "'n': sum takes numbers, not string"),
        ({"aggregates": {"n": ("concat", "v")}}, "'n': concat takes strings, not int"),
        ({"aggregates": {"n": ("argmax", "v")}}, "'n': argmax reads 2 columns, not 1"),
        ({"aggregates": {"n": ("sum", "m")}}, "'n': the column 'm' is of decimal"),
        ({"aggregates": {"k": "count"}}, "two columns 'k'"),
        ({"aggregates": {"start": "count"}}, "two columns 'start'"),
        ({"windows": [State()], "aggregates": {"a": ("argmax", "v", "k")}}, "of one column"),
        ({"allowed_lateness": "1 month"}, "'1 month' is no length of time"),
        ({"output": "append"}, "output 'append' is none of"),
        ({"late": "drop"}, "late must be one of ('count', 'rows'), not 'drop'"),
        ({"buckets": 3}, "buckets must be a power of two"),
        ({"watermark": timedelta(microseconds=-1)}, "watermark=-1 is below zero"),
        ({"watermark": 5}, "watermark is 5, without a unit, and the time 'ts' is a timestamp"),
        ({"allowed_lateness": 5}, "write '5 seconds' or timedelta(seconds=5)"),
        ({"windows": [tumbling(60)]}, "windows[0]: size is 60, without a unit, and the time"),
        (
            {"windows": {"w": duration_windows.tumbling("1 minute")}, "time": "v"},
            "window 'w': size is '1 minute', and the time 'v' holds integers, whose unit",
        ),
    ],
)
def test_wrong_arguments_are_named_before_a_job_starts(
    spark: SparkSession, change: dict[str, object], message: str
) -> None:
    df = timed(spark, [("a", 1, 2)]).withColumns(
        {"d": f.col("v").cast("double"), "m": f.col("v").cast("decimal(9,2)")}
    )
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        CALL(df, **{**GOOD, **change})


def test_rows_without_a_time(spark: SparkSession) -> None:
    df = timed(spark, [("a", 1, 2)]).unionByName(spark.sql("SELECT 'a' k, NULL::timestamp ts, 5 v"))
    for more in ({}, {"aggregates": {"n": "count", "last": ("last", "v")}}):
        with pytest.raises(
            PySparkException, match=r"the time 'ts' is null in 1 of.*bad_rows='skip'"
        ):
            CALL(df, **{**GOOD, **more}).select("n").collect()
    seen = Observation("muntin")
    answer = CALL(df, **GOOD, bad_rows="skip", metrics=seen)
    assert [row.n for row in answer.collect()] == [1]
    assert seen.get == {"null_times": 1}


def test_a_sum_that_does_not_fit_is_refused(spark: SparkSession) -> None:
    df = timed(spark, [("a", 1, 2), ("a", 2, 3)]).withColumn("v", f.lit(2**62))
    for more in ({}, {"mean": ("mean", "v")}):
        aggregates = {"sum": ("sum", "v"), **more}
        answer = aggregate(
            df, keys="k", windows=[duration_windows.tumbling(10 * SECOND)], aggregates=aggregates
        )
        with pytest.raises(PySparkException, match="a value of 'sum' does not fit into bigint"):
            answer.collect()


def test_without_java_the_error_names_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(MuntinError, match=r"Spark needs Java 17 or 21: JAVA_HOME is .*no bin/java"):
        java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MuntinError, match="openjdk-17-jre-headless"):
        java()


def test_workers_come_from_the_daemon_and_draw_numbers_of_their_own(spark: SparkSession) -> None:
    def describe_worker(batches: Iterable[object]) -> Iterator[object]:
        numpy, arrow = import_module("numpy"), import_module("pyarrow")
        time.sleep(0.5)  # so that one worker does not take both
        for _ in batches:
            drawn = {"draw": [numpy.random.random()], "file": [sys.argv[0]], "pid": [os.getpid()]}
            yield arrow.RecordBatch.from_pydict(drawn)

    numbers = spark.range(0, 2, 1, 2)
    answer = getattr(numbers, "mapInArrow")(describe_worker, "draw double, file string, pid long")  # noqa: B009 - half typed
    draws, files, workers = ({*column} for column in zip(*collected(answer), strict=True))
    assert {Path(str(one)).parts[-3:] for one in files} == {("muntin", "spark", "daemon.py")}
    assert len(workers) == len(draws) == 2


def test_the_daemon_has_the_kernels_and_freezes_its_objects() -> None:
    loads = "'muntin.columnar.operator' in sys.modules, 'pandas' in sys.modules"
    prints = f"import gc, sys; daemon.manager = lambda: print({loads}, gc.get_freeze_count() > 0)"
    script = f"from muntin.spark import daemon; {prints}; daemon.main()"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)  # noqa: S603 - our own words
    assert done.stdout.split() == [b"True", b"False", b"True"]
