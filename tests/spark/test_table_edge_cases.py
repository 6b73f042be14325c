"""Edge cases of tables: no keys, no rows, equal keys of different bits, far times."""

from collections.abc import Mapping
from functools import partial

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from muntin.columnar import windows
from muntin.columnar.aggregate_requests import AggregateSpec
from muntin.spark import ReplaySource, aggregate
from muntin.spec.windows.data_driven import Rolling, Session
from muntin.spec.windows.periodic import Cumulate, Sliding, count, tumbling
from muntin.spec.windows.window import WindowType
from spark_support.frames import compare, in_microseconds, streamed
from spark_support.tables import collected

STRATEGIES: Mapping[str, WindowType] = {
    "windows of the group-by": tumbling(10),
    "slices of the group-by": Sliding(10, 5),
    "more of these": Cumulate(10, 5),
    "slices of kernels": Session(3),
    "records": count(2),
    "more records": Rolling(4),
}
SUM: Mapping[str, AggregateSpec] = {"total": ("sum", "v")}
ALL: Mapping[str, AggregateSpec] = {"all": ("collect", "v")}
EACH_STRATEGY = pytest.mark.parametrize("kind", STRATEGIES.values(), ids=STRATEGIES.keys())


def rows_of(spark: SparkSession, text: str) -> DataFrame:
    """Rows of a key, a time and a value."""
    return spark.sql(f"SELECT * FROM VALUES {text} AS t(k, ts, v)")  # noqa: S608 - of tests


@EACH_STRATEGY
@pytest.mark.parametrize("aggregates", [SUM, {**SUM, "first": ("first", "v")}])
def test_without_keys_all_rows_are_of_one(
    spark: SparkSession, kind: WindowType, aggregates: Mapping[str, AggregateSpec]
) -> None:
    df = rows_of(spark, ", ".join(f"(1, {2 * t + t // 5 * 7}L, {t * t % 7}L)" for t in range(30)))
    results = [
        aggregate(df, keys=keys, windows=[kind], aggregates=aggregates).drop("k")
        for keys in ((), "k")
    ]
    assert sorted(map(repr, collected(results[0]))) == sorted(map(repr, collected(results[1])))
    assert results[0].count() > 1


@EACH_STRATEGY
def test_no_rows_have_no_windows(spark: SparkSession, kind: WindowType) -> None:
    df = rows_of(spark, "(1, 2L, 3L)").where("v > 5")
    assert collected(aggregate(df, windows=[kind], aggregates=SUM)) == []


@EACH_STRATEGY
@pytest.mark.parametrize(
    ("equal_keys", "type_of_key"),
    [("(0.0D), (-0.0D)", "double"), ("(sqrt(-1D)), (double('NaN'))", "float")],
)
def test_keys_that_are_equal_are_one(
    spark: SparkSession, kind: WindowType, equal_keys: str, type_of_key: str
) -> None:
    keys = spark.sql(f"SELECT CAST(k AS {type_of_key}) k FROM VALUES {equal_keys} AS t(k)")  # noqa: S608 - of tests
    df = keys.crossJoin(spark.range(1, 5).selectExpr("id AS ts", "id AS v"))
    plain = df.withColumn("k", f.lit(7))
    actual, expected = (
        collected(aggregate(one, keys="k", windows=[kind], aggregates=SUM).drop("k"))
        for one in (df, plain)
    )
    assert sorted(map(repr, actual)) == sorted(map(repr, expected))
    result_rows = aggregate(df, keys="k", windows=[kind], aggregates=SUM).select("k").collect()
    assert {str(row.k) for row in result_rows} < {"0.0", "nan"}


def test_keys_that_are_equal_are_one_in_a_stream(spark: SparkSession) -> None:
    spark.dataSource.register(ReplaySource)
    options = {"rows": "60", "keys": "1", "step": "100000", "delay": "0", "rows_per_trigger": "30"}
    rows = spark.readStream.format("muntin-replay").options(**options).load()
    key = f.expr("CASE n % 3 WHEN 0 THEN 0.0D WHEN 1 THEN -0.0D END")
    for nth, more in enumerate((SUM, ALL)):
        call = partial(aggregate, windows=[windows.tumbling("1 second")], aggregates=more)
        actual, expected = (
            streamed(
                call(rows.withColumn("k", one), keys="k", watermark="0 seconds"), f"{name}{nth}"
            )
            for one, name in ((key, "signed"), (key.cast("long"), "whole"))
        )
        compare(actual.drop("k"), expected.drop("k"))


FAR_CLOCKS = "(1, timestamp_micros(5000000000000000000L), 1L), (1, timestamp_micros(5L), 2L)"


@EACH_STRATEGY
@pytest.mark.parametrize(
    ("far", "ansi"),
    [
        (f"(1, {2**63 - 1}L, 1L), (1, 5L, 2L)", "true"),
        (f"(1, {-3 * 2**60}L, 1L), (1, 5L, 2L)", "false"),
        (FAR_CLOCKS, "false"),
    ],
)
def test_times_that_are_too_far_are_refused(
    spark: SparkSession, kind: WindowType, far: str, ansi: str
) -> None:
    df = rows_of(spark, far)
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    try:
        window = in_microseconds(kind) if far == FAR_CLOCKS else kind
        answer = aggregate(df, keys="k", windows=[window], aggregates=SUM)
        with pytest.raises(PySparkException, match=r"beyond|must lie within"):
            answer.collect()
    finally:
        spark.conf.set("spark.sql.ansi.enabled", "true")


@pytest.mark.parametrize("far", [f"(1, {-(2**62)}L, 1L)", FAR_CLOCKS])
def test_times_that_are_too_far_are_refused_event_by_event(spark: SparkSession, far: str) -> None:
    ten = in_microseconds(tumbling(10)) if far == FAR_CLOCKS else tumbling(10)
    answer = aggregate(rows_of(spark, far), windows=[ten], aggregates=ALL)
    with pytest.raises(PySparkException, match=r"the time 'ts' is -?\d+; it must lie within"):
        answer.collect()


def test_the_farthest_times_are_accepted(spark: SparkSession) -> None:
    far = 3 * 2**60 - 1
    df = rows_of(spark, f"(1, {far}L, 1L), (1, -{far}L, 2L), (1, 5L, 4L)")
    for kind in (tumbling(10), Sliding(10, 5), Session(3)):
        answer = aggregate(df, keys="k", windows=[kind], aggregates=SUM)
        assert {row.total for row in answer.collect()} == {1, 2, 4}


def test_an_hour_is_an_hour_in_every_strategy(spark: SparkSession) -> None:
    df = rows_of(spark, "(1, timestamp'1969-12-31 23:59:59', 3L), (1, timestamp'0001-01-02', 5L)")
    answer = aggregate(df, keys="k", windows=[windows.tumbling("1 hour")], aggregates=SUM)
    assert {row.total for row in answer.collect()} == {3, 5}
