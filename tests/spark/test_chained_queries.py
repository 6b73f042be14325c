"""Calls over the answers of others, in one query and in two; watermarks that are only noted."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from muntin.spark import ReplaySource, aggregate, micros
from muntin.spark.call.analysis import InputColumns, analyze
from muntin.spark.streaming import stream_query as streaming
from muntin.spark.streaming.stream_query import DELAY, metadata, watermarked
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import DEFAULTS
from muntin.spec.windows.periodic import tumbling
from spark_support.tables import collected

OPTIONS = {"rows": "80", "keys": "2", "step": "100000", "rows_per_trigger": "40"}
FIRST: Callable[..., DataFrame] = partial(
    aggregate,
    keys="key",
    windows=[tumbling(micros("1 second"))],
    aggregates={"n": "count"},
    watermark="1 second",
    output="final",
    buckets=1,
)
SECOND: Callable[..., DataFrame] = partial(
    aggregate,
    time="start",
    windows=[tumbling(micros("4 seconds"))],
    aggregates={"total": ("sum", "n")},
    buckets=1,
    metrics="second",
)


@pytest.fixture
def rows(spark: SparkSession) -> DataFrame:
    """Return a stream."""
    spark.dataSource.register(ReplaySource)
    return spark.readStream.format("muntin-replay").options(**OPTIONS).load()


def as_it_is(answer: DataFrame, rows: DataFrame) -> DataFrame:
    """Return an answer."""
    del rows
    return answer


def changed(answer: DataFrame, rows: DataFrame) -> DataFrame:
    """Return an answer of which little is left."""
    del rows
    moved = answer.where("n > 1").select(f.expr("start + interval 1 second").alias("at"), "n")
    return moved.groupBy("at", "n").count().drop("count").withColumnRenamed("at", "start")


def viewed(answer: DataFrame, rows: DataFrame) -> DataFrame:
    """Return an answer as a view."""
    answer.createOrReplaceTempView("answered")
    return rows.sparkSession.sql("SELECT * FROM answered")


def united(answer: DataFrame, rows: DataFrame) -> DataFrame:
    """Return an answer, and other rows."""
    return rows.select(f.col("ts").alias("start"), "n").union(answer.select("start", "n"))


@pytest.mark.parametrize("made", [as_it_is, changed, viewed, united])
def test_a_stream_over_an_answer_of_the_same_query_is_refused(
    rows: DataFrame, made: Callable[[DataFrame, DataFrame], DataFrame]
) -> None:
    with pytest.raises(InvalidInputError, match="the answer of another aggregate"):
        SECOND(made(FIRST(rows), rows), watermark="1 second")


def written(df: DataFrame, folder: Path) -> DataFrame:
    """Return what a stream wrote to files, as a stream of the schema that these have."""
    place = str(folder / "files")
    writer = df.writeStream.format("parquet").option("path", place)
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    writer.trigger(availableNow=True).start().awaitTermination()
    schema = df.sparkSession.read.parquet(place).schema
    return df.sparkSession.readStream.schema(schema).parquet(place)


def told(answer: DataFrame) -> list[tuple[object, ...]]:
    """Return what a stream says."""
    query = answer.writeStream.format("memory").queryName("told").outputMode("append")
    query.trigger(availableNow=True).start().awaitTermination()
    return [*collected(answer.sparkSession.table("told"))]


def test_a_stream_over_an_answer_that_was_written_is_answered(
    rows: DataFrame, tmp_path: Path
) -> None:
    read = written(FIRST(rows), tmp_path)
    assert told(SECOND(read, watermark="0 seconds", output="final"))
    place = str(tmp_path / "files")
    assert [*collected(SECOND(rows.sparkSession.read.parquet(place), output="final"))]


def test_a_watermark_that_files_only_note_is_none(rows: DataFrame, tmp_path: Path) -> None:
    read = written(rows.withWatermark("ts", "1 second"), tmp_path)
    assert DELAY in metadata(StructType(read.schema.fields), "ts")
    with pytest.raises(InvalidInputError, match="a stream needs a watermark"):
        FIRST(read, watermark=None)
    assert told(FIRST(read))


@pytest.mark.parametrize(("delay", "millis"), [(1500, 2), (1, 1), (0, 0), ("1 second", 1000)])
def test_a_delay_is_never_less_than_was_said(
    rows: DataFrame, delay: str | int, millis: int
) -> None:
    schema = StructType(rows.schema.fields)
    plan = analyze(
        schema, InputColumns("ts", ("key",)), {"w": tumbling(1)}, {"n": "count"}, DEFAULTS
    )
    found = watermarked(rows, plan, delay).schema
    assert metadata(StructType(found.fields), "ts")[DELAY] == millis


def unseen(_: DataFrame) -> None:
    """Say of a watermark what can be seen of it with Spark Connect."""


def test_a_watermark_that_can_not_be_seen_is_set_where_it_is_said(
    rows: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With Spark Connect: a note of one may be old, and Spark itself refuses a second one."""
    monkeypatch.setattr(streaming, "has_watermark", unseen)
    noted = rows.withMetadata("ts", {DELAY: 7})
    plan = analyze(
        StructType(rows.schema.fields),
        InputColumns("ts"),
        {"w": tumbling(1)},
        {"n": "count"},
        DEFAULTS,
    )
    said = watermarked(noted, plan, "1 second").schema
    assert metadata(StructType(said.fields), "ts")[DELAY] == 1000
    assert watermarked(noted, plan, None) is noted
