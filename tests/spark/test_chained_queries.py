"""Calls over results of others, in one query and in two; watermarks that are only metadata."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from muntin.columnar import windows
from muntin.columnar.arguments import InputColumns
from muntin.spark import ReplaySource, aggregate
from muntin.spark.call.analysis import analyze
from muntin.spark.streaming import stream_query
from muntin.spark.streaming.stream_query import (
    WATERMARK_METADATA,
    column_metadata,
    with_watermark,
)
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import DEFAULTS
from muntin.spec.windows.periodic import tumbling
from spark_support.tables import collected

OPTIONS = {"rows": "80", "keys": "2", "step": "100000", "rows_per_trigger": "40"}
FIRST: Callable[..., DataFrame] = partial(
    aggregate,
    keys="key",
    windows=[windows.tumbling("1 second")],
    aggregates={"n": "count"},
    watermark="1 second",
    output="final",
    buckets=1,
)
SECOND: Callable[..., DataFrame] = partial(
    aggregate,
    time="start",
    windows=[windows.tumbling("4 seconds")],
    aggregates={"total": ("sum", "n")},
    buckets=1,
    metrics="second",
)


@pytest.fixture
def rows(spark: SparkSession) -> DataFrame:
    """A stream of a trace."""
    spark.dataSource.register(ReplaySource)
    return spark.readStream.format("muntin-replay").options(**OPTIONS).load()


def unchanged(result: DataFrame, rows: DataFrame) -> DataFrame:
    """The result itself."""
    del rows
    return result


def transformed(result: DataFrame, rows: DataFrame) -> DataFrame:
    """Filtered, projected and grouped rows of the result."""
    del rows
    moved = result.where("n > 1").select(f.expr("start + interval 1 second").alias("at"), "n")
    return moved.groupBy("at", "n").count().drop("count").withColumnRenamed("at", "start")


def view(result: DataFrame, rows: DataFrame) -> DataFrame:
    """A view of the result."""
    result.createOrReplaceTempView("result")
    return rows.sparkSession.sql("SELECT * FROM result")


def union(result: DataFrame, rows: DataFrame) -> DataFrame:
    """The result and other rows."""
    return rows.select(f.col("ts").alias("start"), "n").union(result.select("start", "n"))


@pytest.mark.parametrize("derive", [unchanged, transformed, view, union])
def test_a_stream_over_a_result_of_the_same_query_is_refused(
    rows: DataFrame, derive: Callable[[DataFrame, DataFrame], DataFrame]
) -> None:
    with pytest.raises(InvalidInputError, match="the result of another aggregate"):
        SECOND(derive(FIRST(rows), rows), watermark="1 second")


def through_files(df: DataFrame, folder: Path) -> DataFrame:
    """Write a stream to files, and read these as a stream with their own schema."""
    place = str(folder / "files")
    writer = df.writeStream.format("parquet").option("path", place)
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    writer.trigger(availableNow=True).start().awaitTermination()
    schema = df.sparkSession.read.parquet(place).schema
    return df.sparkSession.readStream.schema(schema).parquet(place)


def output_rows(result: DataFrame) -> list[tuple[object, ...]]:
    """Run a stream to its end, and return its rows."""
    query = result.writeStream.format("memory").queryName("output_rows").outputMode("append")
    query.trigger(availableNow=True).start().awaitTermination()
    return [*collected(result.sparkSession.table("output_rows"))]


def test_a_stream_over_a_result_in_files_is_aggregated(rows: DataFrame, tmp_path: Path) -> None:
    read = through_files(FIRST(rows), tmp_path)
    assert output_rows(SECOND(read, watermark="0 seconds", output="final"))
    place = str(tmp_path / "files")
    assert [*collected(SECOND(rows.sparkSession.read.parquet(place), output="final"))]


def test_a_watermark_in_the_metadata_of_files_is_none(rows: DataFrame, tmp_path: Path) -> None:
    read = through_files(rows.withWatermark("ts", "1 second"), tmp_path)
    assert WATERMARK_METADATA in column_metadata(StructType(read.schema.fields), "ts")
    with pytest.raises(InvalidInputError, match="a stream needs a watermark"):
        FIRST(read, watermark=None)
    assert output_rows(FIRST(read))


@pytest.mark.parametrize(("delay", "millis"), [(1500, 2), (1, 1), (0, 0), (10**6, 1000)])
def test_a_delay_is_rounded_up(rows: DataFrame, delay: int, millis: int) -> None:
    schema = StructType(rows.schema.fields)
    plan = analyze(
        schema, InputColumns("ts", ("key",)), {"w": tumbling(1)}, {"n": "count"}, DEFAULTS
    )
    schema = with_watermark(rows, plan, delay).schema
    assert column_metadata(StructType(schema.fields), "ts")[WATERMARK_METADATA] == millis


def unknown(_: DataFrame) -> None:
    """Whether a stream has a watermark can't be seen with Spark Connect."""


def test_a_watermark_that_can_not_be_seen_is_set_if_requested(
    rows: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With Spark Connect: the metadata may be old, and Spark itself refuses a second watermark."""
    monkeypatch.setattr(stream_query, "has_watermark", unknown)
    with_metadata = rows.withMetadata("ts", {WATERMARK_METADATA: 7})
    plan = analyze(
        StructType(rows.schema.fields),
        InputColumns("ts"),
        {"w": tumbling(1)},
        {"n": "count"},
        DEFAULTS,
    )
    schema = with_watermark(with_metadata, plan, 10**6).schema
    assert column_metadata(StructType(schema.fields), "ts")[WATERMARK_METADATA] == 1000
    assert with_watermark(with_metadata, plan, None) is with_metadata
