"""A driver that is run as users run theirs: with a Spark Connect server, or by spark-submit.

    python user_job.py FOLDER connect
    spark-submit --master ... user_job.py FOLDER submit

It writes its results to FOLDER/report.json. By spark-submit it also lets the stream of the fault
tests lose executors, in FOLDER/lost.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from muntin.kernels.slicing.custom import compiled_aggregate
from muntin.spark import ReplaySource, aggregate, session, sliding, tumbling
from muntin.spark.spark_session import SETTINGS
from spark_support.faults.faulty_processors import inject_fault
from spark_support.faults.query import run
from spark_support.user_aggregates import TOTAL

CALL: Callable[..., DataFrame] = aggregate
OPTIONS = {
    "rows": "120",
    "keys": "2",
    "step": "100000",
    "disorder": "0.3",
    "delay": "3000000",
    "rows_per_trigger": "60",
}
SLIDE = {
    "slide": sliding("4 seconds", "1 second"),
    "visit": session("700 milliseconds"),
}
CALLS: dict[str, dict[str, object]] = {
    "group-by": {"windows": {"w": tumbling("3 seconds")}, "aggregates": {"n": "count"}},
    "slices": {"windows": SLIDE, "aggregates": {"n": ("sum", "v")}},
    "rows": {"windows": SLIDE, "aggregates": {"n": ("collect", "v")}},
    "own": {
        "windows": SLIDE,
        "aggregates": {"n": (compiled_aggregate(TOTAL, commutative=True), "v", "bigint")},
    },
}
MODES = {"connect": ("group-by", "slices", "rows"), "submit": ("slices", "own")}
"""The calls of each mode."""
STREAM: dict[str, object] = {
    **CALLS["slices"],
    "watermark": "3 seconds",
    "output": "final",
    "buckets": 2,
}
COLUMNS = ("window", "start", "end", "key", "n")
ROWS = 1000
"""The rows of the stream that loses executors."""


def batch_results(spark: SparkSession, names: Sequence[str]) -> dict[str, list[str]]:
    """The rows of some calls in batch."""
    spark.dataSource.register(ReplaySource)
    df = spark.read.format("muntin-replay").options(**OPTIONS).load()
    return {name: row_texts(CALL(df, keys="key", **CALLS[name])) for name in names}


def row_texts(result: DataFrame) -> list[str]:
    """The rows of a result as text, sorted."""
    rows: list[tuple[object, ...]] = getattr(result.select(*COLUMNS), "collect")()  # noqa: B009 - half typed
    return sorted(str(tuple(row)) for row in rows)


def stream_results(spark: SparkSession, folder: Path) -> tuple[list[str], int]:
    """The windows of a stream, each emitted when it is final; and the number of late rows."""
    spark.dataSource.register(ReplaySource)
    df = spark.readStream.format("muntin-replay").options(**OPTIONS).load()
    result = CALL(df, keys="key", **STREAM)
    path = str(folder / "sink")
    writer = result.writeStream.format("parquet").option("path", path).outputMode("append")
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    late = sum(late_count(each.observedMetrics["muntin"]) for each in query.recentProgress)
    return row_texts(spark.read.parquet(path)), late


def late_count(metrics: Sequence[int | Sequence[int]]) -> int:
    """The number of late rows; with Connect Spark 4.3 nests the row once more."""
    (first, *_) = metrics
    return first if isinstance(first, int) else first[0]


def connect_session() -> SparkSession:
    """A session with a server on this machine, which it starts."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.remote("local[2]")
    for name, value in {**SETTINGS, "spark.sql.shuffle.partitions": "2"}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def describe_workers(spark: SparkSession) -> list[str]:
    """The Python of each executor, and the path of its muntin."""
    schema = "executor string, python string, library string"

    def look(batches: Iterable[object]) -> Iterator[object]:
        for _ in batches:
            library = import_module("muntin.spark").__file__
            each = {"executor": os.environ["SPARK_EXECUTOR_DIRS"], "python": sys.executable}
            columns = {name: [value] for name, value in (each | {"library": library}).items()}
            yield import_module("pyarrow").RecordBatch.from_pydict(columns)

    each: DataFrame = getattr(spark.range(0, 8, 1, 8), "mapInArrow")(look, schema)  # noqa: B009 - half typed
    rows: list[tuple[object, ...]] = getattr(each.distinct(), "collect")()  # noqa: B009 - the same
    return sorted(str(tuple(row)) for row in rows)


def main(folder: Path, mode: str) -> None:
    """Run the calls of a mode, and write the report."""
    spark = connect_session() if mode == "connect" else SparkSession.builder.getOrCreate()
    batch, (stream, late) = batch_results(spark, MODES[mode]), stream_results(spark, folder)
    report = {"batch": batch, "stream": stream, "late": late, "session": type(spark).__module__}
    report |= {"workers": [] if mode == "connect" else describe_workers(spark)}
    if mode == "submit":
        inject_fault("death", lost := folder / "lost")
        lost.mkdir()
        run(spark, lost, ROWS)
    (folder / "report.json").write_text(json.dumps(report))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
