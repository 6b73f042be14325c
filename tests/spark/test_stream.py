"""Streaming on Spark itself: results equal those of batch; restarts; calls that are refused."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as f

from muntin.spark import ReplaySource, aggregate, session, sliding
from muntin.spark.execution.arrow import pa
from muntin.spark.source.replay_source import trace_of
from muntin.spark.source.trace import Generated, Recorded
from muntin.spark.streaming.stream_query import STATE_STORE_PROVIDER
from muntin.spec.errors import InvalidInputError
from muntin.spec.windows.periodic import count, tumbling
from spark_support.tables import collected

AGGREGATE: Callable[..., DataFrame] = aggregate
OPTIONS = {
    "keys": "3",
    "step": "100000",
    "disorder": "0.4",
    "delay": "6000000",
    "rows_per_trigger": "40",
}
WINDOWS = {
    "slide": sliding("4 seconds", "1 second"),
    "visit": session("700 milliseconds"),
    "three": count(3),
}
CALL: dict[str, object] = {
    "keys": "key",
    "windows": WINDOWS,
    "aggregates": {
        "n": "count",
        "sum": ("sum", "v"),
        "all": ("collect", "n"),
        "last": ("max", "ts"),
    },
}
STREAM_CALL: dict[str, object] = {
    **CALL,
    "watermark": "1 second",
    "allowed_lateness": "2 seconds",
    "late": "rows",
    "bad_rows": "skip",
    "buckets": 2,
}
NULL_TIME = 7
"""The row of each fifty that has no time."""
WINDOW_COLUMNS = ["window", "key", "start", "end", "start_coordinate", "end_coordinate"]
ROW_COLUMNS = [*WINDOW_COLUMNS, "n", "sum", "all", "last"]
Window = tuple[object, ...]


@pytest.fixture
def stream(spark: SparkSession) -> Callable[[int], DataFrame]:
    """A function that streams the first n rows of a trace."""
    spark.dataSource.register(ReplaySource)

    def rows(n: int) -> DataFrame:
        options = {**OPTIONS, "rows": str(n)}
        df = spark.readStream.format("muntin-replay").options(**options).load()
        return df.withColumn("ts", f.expr(f"CASE WHEN n % 50 <> {NULL_TIME} THEN ts END"))

    return rows


@dataclass
class StreamSink:
    """The output of a stream: its current windows, and the late rows."""

    windows: dict[Window, Window] = field(default_factory=dict[Window, Window])
    late: list[int] = field(default_factory=list[int])
    kinds: Counter[str] = field(default_factory=Counter[str])
    watermark: str = ""
    late_count: int = 0
    null_times: int = 0

    def write(self, batch: DataFrame, _: int) -> None:
        """Apply the rows of a micro-batch."""
        for *row, kind, late in collected(batch.select(*ROW_COLUMNS, "kind", "late.n")):
            self.kinds[str(kind)] += 1
            if isinstance(late, int):
                self.late.append(late)
                continue
            window = tuple(row[: len(WINDOW_COLUMNS)])
            assert (window in self.windows) == (kind != "new")
            self.windows[window] = tuple(map(str, row))
            if kind == "retracted":
                del self.windows[window]

    def run(self, result: DataFrame, checkpoint: str) -> None:
        """Run a stream to the end of its trace."""
        writer = result.writeStream.foreachBatch(self.write).option(
            "checkpointLocation", checkpoint
        )
        query = writer.outputMode("update").trigger(availableNow=True).start()
        query.awaitTermination()
        for progress in query.recentProgress:
            self.watermark = max(self.watermark, progress.eventTime["watermark"])
            self.late_count += progress.observedMetrics["muntin"]["late"]
            if "muntin input" in progress.observedMetrics:
                self.null_times += progress.observedMetrics["muntin input"]["null_times"]


def batch_of(
    spark: SparkSession,
    n: int,
    sink: StreamSink,
    null_time: int = -1,
) -> set[Window]:
    """The windows of a batch over the rows that were not late, up to the last watermark."""
    spark.dataSource.register(ReplaySource)
    df = spark.read.format("muntin-replay").options(**{**OPTIONS, "rows": str(n)}).load()
    timely = df.where(~f.col("n").isin(sink.late) & (f.col("n") % 50 != null_time))
    result = AGGREGATE(timely, **CALL)
    watermark = f.lit(sink.watermark).cast("timestamp")
    is_complete = f.coalesce(f.col("end") <= watermark, f.col("last") < watermark)
    return {
        tuple(map(str, row)) for row in collected(result.where(is_complete).select(*ROW_COLUMNS))
    }


def test_a_stream_ends_with_the_windows_of_batch(
    spark: SparkSession, stream: Callable[[int], DataFrame], checkpoint: str
) -> None:
    sink = StreamSink()
    sink.run(AGGREGATE(stream(80), **STREAM_CALL), checkpoint)
    partitions = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "3")  # another parallelism
    sink.run(AGGREGATE(stream(160), **STREAM_CALL), checkpoint)
    spark.conf.set("spark.sql.shuffle.partitions", partitions or "2")
    assert sink.late
    assert sink.null_times == len(range(NULL_TIME, 160, 50))
    assert sink.late_count == len(sink.late)
    assert {"new", "updated", "retracted"} <= set(sink.kinds)
    assert set(sink.windows.values()) == batch_of(spark, 160, sink, null_time=NULL_TIME)

    other = {**STREAM_CALL, "windows": {**WINDOWS, "visit": session("1 us")}}
    with pytest.raises(StreamingQueryException, match=r"of another call.*the window 'visit'"):
        StreamSink().run(AGGREGATE(stream(200), **other), checkpoint)
    with pytest.raises(StreamingQueryException, match=r"the number of buckets 2.*buckets 4"):
        StreamSink().run(AGGREGATE(stream(200), **{**STREAM_CALL, "buckets": 4}), checkpoint)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"watermark": None}, "a stream needs a watermark"),
        (
            {
                "time": "n",
                "windows": [tumbling(5)],
                "watermark": 1,
                "allowed_lateness": 0,
            },
            "the time 'n' of a stream must be a timestamp, not bigint",
        ),
        ({"late": "drop"}, "late must be one of"),
        ({"buckets": 3}, "buckets must be a power of two"),
        ({"metrics": Observation("one")}, "by name"),
    ],
)
def test_a_wrong_stream_is_refused_before_it_starts(
    stream: Callable[[int], DataFrame], change: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        AGGREGATE(stream(10), **{**STREAM_CALL, **change})


def test_an_existing_watermark_is_kept(stream: Callable[[int], DataFrame]) -> None:
    df = stream(10).withWatermark("ts", "1 second")
    assert AGGREGATE(df, **{**STREAM_CALL, "watermark": None}).isStreaming
    with pytest.raises(InvalidInputError, match="has a watermark already"):
        AGGREGATE(df, **STREAM_CALL)


def test_another_state_store_is_refused(
    spark: SparkSession, stream: Callable[[int], DataFrame]
) -> None:
    provider = spark.conf.get(STATE_STORE_PROVIDER)
    assert provider
    spark.conf.unset(STATE_STORE_PROVIDER)
    spark.conf.set(
        STATE_STORE_PROVIDER, provider.replace("RocksDBStateStore", "HDFSBackedStateStore")
    )
    try:
        with pytest.raises(InvalidInputError, match="set spark"):
            AGGREGATE(stream(10), **STREAM_CALL)
    finally:
        spark.conf.set(STATE_STORE_PROVIDER, provider)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"speed": "3"}, "'speed' is no option"),
        ({"rows": "many"}, "'rows' must be an integer >= 0, not 'many'"),
        ({"parallelism": "0"}, "'parallelism' must be an integer >= 1"),
        ({"keys": "0"}, "'keys' must be an integer >= 1, not '0'"),
        ({"step": "0"}, "'step' must be an integer >= 1, not '0'"),
        ({"begin": "soon"}, "'begin' must be an integer, not 'soon'"),
        ({"disorder": "much"}, "'disorder' must be a number from 0 to 1, not 'much'"),
        ({"disorder": "7"}, "'disorder' must be a number from 0 to 1, not '7'"),
        ({"disorder": "nan"}, "'disorder' must be a number from 0 to 1, not 'nan'"),
        ({"path": "/nowhere.parquet"}, "no file '/nowhere.parquet'"),
        ({"path": "/nowhere.parquet", "seed": "1"}, "a recorded trace has no seed"),
    ],
)
def test_wrong_options_of_a_trace_are_named(options: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        trace_of(options)[0].schema()


def test_a_trace_may_begin_before_1970() -> None:
    trace, _ = trace_of({"begin": "-5000000", "rows": "3", "disorder": "0"})
    rows = pa.Table.from_batches(trace.read(0, 3))
    assert [row["ts"].year for row in rows.to_pylist()] == [1969] * 3


def test_any_range_of_a_trace_can_be_read_again(tmp_path: Path) -> None:
    generated = Generated(rows=25_000, keys=3)
    rows = pa.Table.from_batches(generated.read(0, 25_000))
    path = tmp_path / "trace.parquet"
    import_module("pyarrow.parquet").write_table(rows, path, row_group_size=7000)
    for trace in (generated, Recorded(str(path))):
        assert trace.rows == 25_000
        assert trace.schema() == generated.schema()
        for begin, end in ((0, 1), (6999, 7001), (9_999, 20_001), (24_000, 25_000)):
            part = pa.Table.from_batches(trace.read(begin, end))
            assert part.equals(rows.slice(begin, end - begin).cast(part.schema))
