"""Columns of any name: with dots, spaces, backticks; and names that are one to Spark."""

from collections.abc import Mapping
from functools import partial

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from muntin.columnar.aggregate_requests import AggregateSpec
from muntin.columnar.windows import Windows
from muntin.spark import ReplaySource, aggregate, rolling, session, sliding, tumbling
from muntin.spec.errors import InvalidInputError
from muntin.spec.windows.periodic import count
from spark_support.frames import SECOND, compare, streamed, timed

ODD = {"k": "the key.s", "ts": "a`time.", "v": "v. `x`"}
LABELS = {"n": "rows.n", "total": "v`.sum"}
BUILT_IN: Mapping[str, AggregateSpec] = {"n": "count", "total": ("sum", "v")}
STRATEGIES: Mapping[str, Windows] = {
    "windows of the group-by": {"w": tumbling(10 * SECOND)},
    "slices of the group-by": {"w": sliding(10 * SECOND, 5 * SECOND)},
    "slices of kernels": {"w": session(2 * SECOND)},
    "records": {"w.`c`": count(2), "r": rolling(3 * SECOND)},
    "both": {"w": tumbling(10 * SECOND), "c": count(2)},
}


def rename_oddly(df: DataFrame) -> DataFrame:
    """The same rows under odd names."""
    return df.toDF(*(ODD.get(one, one) for one in df.columns))


def rename_plainly(df: DataFrame) -> DataFrame:
    """A result under the names that it has if nothing is odd."""
    back = {odd: plain for plain, odd in (ODD | LABELS).items()}
    return df.toDF(*(back.get(one, one) for one in df.columns))


ODD_AGGREGATES: Mapping[str, AggregateSpec] = {
    LABELS["n"]: "count",
    LABELS["total"]: ("sum", ODD["v"]),
}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_names_may_be_anything(spark: SparkSession, strategy: str) -> None:
    df, windows = timed(spark, [("a", s * s % 31, s) for s in range(30)]), STRATEGIES[strategy]
    answer = aggregate(df, keys="k", windows=windows, aggregates=BUILT_IN)
    odd = aggregate(
        rename_oddly(df), time=ODD["ts"], keys=ODD["k"], windows=windows, aggregates=ODD_AGGREGATES
    )
    compare(rename_plainly(odd), answer)


def test_names_may_be_anything_in_a_stream(spark: SparkSession) -> None:
    spark.dataSource.register(ReplaySource)
    options = {"rows": "60", "keys": "2", "step": "100000", "rows_per_trigger": "30"}
    rows = spark.readStream.format("muntin-replay").options(**options).load()
    df, windows = rows.select(f.col("key").alias("k"), "ts", "v"), [tumbling("1 second")]
    call = partial(aggregate, windows=windows, watermark="1 second", late="rows", buckets=1)
    answer = call(df, keys="k", aggregates=BUILT_IN)
    odd = call(rename_oddly(df), time=ODD["ts"], keys=ODD["k"], aggregates=ODD_AGGREGATES)
    emitted = streamed(rename_plainly(odd), "odd").drop(
        "late"
    )  # the row as it was, under its own names
    compare(emitted, streamed(answer, "plain").drop("late"))
    assert emitted.where("kind = 'late'").count() > 0


@pytest.mark.parametrize(
    ("key", "labels"), [("Kind", ["n"]), ("k", ["Total", "total"]), ("k", ["START"]), ("K", ["k"])]
)
def test_names_that_are_one_to_spark_are_refused(
    spark: SparkSession, key: str, labels: list[str]
) -> None:
    df = timed(spark, [("a", 1, 2)]).withColumnRenamed("k", key)
    with pytest.raises(InvalidInputError, match=f"two columns '({key}|{labels[0]})'"):
        aggregate(
            df, keys=key, windows=[tumbling(SECOND)], aggregates=dict.fromkeys(labels, "count")
        )
