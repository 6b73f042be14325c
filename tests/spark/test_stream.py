"""Streaming on Spark itself: its answers are those of batch; restarts; what is refused."""

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

from muntin.spark import ReplaySource, aggregate, micros
from muntin.spark.execution.arrow import pa
from muntin.spark.source.replay_source import trace_of
from muntin.spark.source.trace import Generated, Recorded
from muntin.spark.streaming.stream_query import PROVIDER
from muntin.spec.errors import InvalidInputError
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding, count
from spark_support.tables import collected

ASK: Callable[..., DataFrame] = aggregate
OPTIONS = {
    "keys": "3",
    "step": "100000",
    "disorder": "0.4",
    "delay": "6000000",
    "rows_per_trigger": "40",
}
WINDOWS = {
    "slide": Sliding(micros("4 seconds"), micros("1 second")),
    "visit": Session(micros("700 milliseconds")),
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
STREAMED: dict[str, object] = {
    **CALL,
    "watermark": "1 second",
    "allowed_lateness": "2 seconds",
    "late": "rows",
    "bad_rows": "skip",
    "buckets": 2,
}
BAD = 7
"""Of fifty rows this one has no time."""
PLACE = ["window", "key", "start", "end", "start_coordinate", "end_coordinate"]
LINE = [*PLACE, "n", "sum", "all", "last"]
Window = tuple[object, ...]


@pytest.fixture
def stream(spark: SparkSession) -> Callable[[int], DataFrame]:
    """Return what streams so many rows of a trace."""
    spark.dataSource.register(ReplaySource)

    def rows(n: int) -> DataFrame:
        options = {**OPTIONS, "rows": str(n)}
        df = spark.readStream.format("muntin-replay").options(**options).load()
        return df.withColumn("ts", f.expr(f"CASE WHEN n % 50 <> {BAD} THEN ts END"))

    return rows


@dataclass
class Heard:
    """What a stream has said: the windows that stand, and the late rows."""

    stand: dict[Window, Window] = field(default_factory=dict[Window, Window])
    late: list[int] = field(default_factory=list[int])
    kinds: Counter[str] = field(default_factory=Counter[str])
    watermark: str = ""
    counted: int = 0
    nulls: int = 0

    def hear(self, batch: DataFrame, _: int) -> None:
        """Take a micro-batch to heart."""
        for *line, kind, late in collected(batch.select(*LINE, "kind", "late.n")):
            self.kinds[str(kind)] += 1
            if isinstance(late, int):
                self.late.append(late)
                continue
            window = tuple(line[: len(PLACE)])
            assert (window in self.stand) == (kind != "new")
            self.stand[window] = tuple(map(str, line))
            if kind == "retracted":
                del self.stand[window]

    def run(self, answer: DataFrame, checkpoint: str) -> None:
        """Run a stream to the end of its trace."""
        writer = answer.writeStream.foreachBatch(self.hear).option("checkpointLocation", checkpoint)
        query = writer.outputMode("update").trigger(availableNow=True).start()
        query.awaitTermination()
        for one in query.recentProgress:
            self.watermark = max(self.watermark, one.eventTime["watermark"])
            self.counted += one.observedMetrics["muntin"]["late"]
            if "muntin input" in one.observedMetrics:
                self.nulls += one.observedMetrics["muntin input"]["null_times"]


def batch_of(
    spark: SparkSession,
    n: int,
    heard: Heard,
    bad: int = -1,
) -> set[Window]:
    """Return what batch says of the rows that were not late, as far as it was complete."""
    spark.dataSource.register(ReplaySource)
    df = spark.read.format("muntin-replay").options(**{**OPTIONS, "rows": str(n)}).load()
    good = df.where(~f.col("n").isin(heard.late) & (f.col("n") % 50 != bad))
    answer = ASK(good, **CALL)
    reached = f.lit(heard.watermark).cast("timestamp")
    done = f.coalesce(f.col("end") <= reached, f.col("last") < reached)
    return {tuple(map(str, row)) for row in collected(answer.where(done).select(*LINE))}


def test_a_stream_says_in_the_end_what_batch_says(
    spark: SparkSession, stream: Callable[[int], DataFrame], checkpoint: str
) -> None:
    heard = Heard()
    heard.run(ASK(stream(80), **STREAMED), checkpoint)
    was = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "3")  # another parallelism
    heard.run(ASK(stream(160), **STREAMED), checkpoint)
    spark.conf.set("spark.sql.shuffle.partitions", was or "2")
    assert heard.late
    assert heard.nulls == len(range(BAD, 160, 50))
    assert heard.counted == len(heard.late)
    assert {"new", "updated", "retracted"} <= set(heard.kinds)
    assert set(heard.stand.values()) == batch_of(spark, 160, heard, bad=BAD)

    other = {**STREAMED, "windows": {**WINDOWS, "visit": Session(1)}}
    with pytest.raises(StreamingQueryException, match=r"of another call.*the window 'visit'"):
        Heard().run(ASK(stream(200), **other), checkpoint)
    with pytest.raises(StreamingQueryException, match=r"the number of buckets 2.*buckets 4"):
        Heard().run(ASK(stream(200), **{**STREAMED, "buckets": 4}), checkpoint)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"watermark": None}, "a stream needs a watermark"),
        ({"time": "n"}, "the time 'n' of a stream must be a timestamp, not bigint"),
        ({"late": "drop"}, "late must be one of"),
        ({"buckets": 3}, "buckets must be a power of two"),
        ({"metrics": Observation("one")}, "by name"),
    ],
)
def test_what_is_wrong_with_a_stream_is_said_before_it_starts(
    stream: Callable[[int], DataFrame], change: dict[str, object], said: str
) -> None:
    with pytest.raises(InvalidInputError, match=said):
        ASK(stream(10), **{**STREAMED, **change})


def test_a_watermark_that_is_there_is_kept(stream: Callable[[int], DataFrame]) -> None:
    df = stream(10).withWatermark("ts", "1 second")
    assert ASK(df, **{**STREAMED, "watermark": None}).isStreaming
    with pytest.raises(InvalidInputError, match="has a watermark already"):
        ASK(df, **STREAMED)


def test_a_state_store_that_does_not_do_is_refused(
    spark: SparkSession, stream: Callable[[int], DataFrame]
) -> None:
    was = spark.conf.get(PROVIDER)
    assert was
    spark.conf.unset(PROVIDER)
    spark.conf.set(PROVIDER, was.replace("RocksDBStateStore", "HDFSBackedStateStore"))
    try:
        with pytest.raises(InvalidInputError, match="set spark"):
            ASK(stream(10), **STREAMED)
    finally:
        spark.conf.set(PROVIDER, was)


@pytest.mark.parametrize(
    ("options", "said"),
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
def test_wrong_options_of_a_trace_are_named(options: dict[str, str], said: str) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(said)):
        trace_of(options)[0].schema()


def test_a_trace_may_begin_before_1970() -> None:
    made, _ = trace_of({"begin": "-5000000", "rows": "3", "disorder": "0"})
    found = pa.Table.from_batches(made.read(0, 3))
    assert [row["ts"].year for row in found.to_pylist()] == [1969] * 3


def test_any_stretch_of_a_trace_can_be_had_again(tmp_path: Path) -> None:
    made = Generated(rows=25_000, keys=3)
    whole = pa.Table.from_batches(made.read(0, 25_000))
    path = tmp_path / "trace.parquet"
    import_module("pyarrow.parquet").write_table(whole, path, row_group_size=7000)
    for trace in (made, Recorded(str(path))):
        assert trace.rows == 25_000
        assert trace.schema() == made.schema()
        for begin, end in ((0, 1), (6999, 7001), (9_999, 20_001), (24_000, 25_000)):
            part = pa.Table.from_batches(trace.read(begin, end))
            assert part.equals(whole.slice(begin, end - begin).cast(part.schema))
