"""A driver that is run as users run theirs: with a Spark Connect server, or by spark-submit.

    python driven.py FOLDER connect
    spark-submit --master ... driven.py FOLDER submit

What it is answered it writes to FOLDER/told.json. By spark-submit it also lets the stream of the
tests of faults lose executors, in FOLDER/lost.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from muntin.kernels.slicing.custom import compiled_aggregate
from muntin.spark import ReplaySource, aggregate, micros
from muntin.spark.session import SETTINGS
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding, tumbling
from spark_support.faults.faulty_processors import inject_fault
from spark_support.faults.query import run
from spark_support.user_aggregates import TOTAL

ASK: Callable[..., DataFrame] = aggregate
OPTIONS = {
    "rows": "120",
    "keys": "2",
    "step": "100000",
    "disorder": "0.3",
    "delay": "3000000",
    "rows_per_trigger": "60",
}
SLIDE = {
    "slide": Sliding(micros("4 seconds"), micros("1 second")),
    "visit": Session(micros("700 milliseconds")),
}
CALLS: dict[str, dict[str, object]] = {
    "group-by": {"windows": {"w": tumbling(micros("3 seconds"))}, "aggregates": {"n": "count"}},
    "slices": {"windows": SLIDE, "aggregates": {"n": ("sum", "v")}},
    "rows": {"windows": SLIDE, "aggregates": {"n": ("collect", "v")}},
    "own": {
        "windows": SLIDE,
        "aggregates": {"n": (compiled_aggregate(TOTAL, commutative=True), "v", "bigint")},
    },
}
MODES = {"connect": ("group-by", "slices", "rows"), "submit": ("slices", "own")}
"""The calls that are tried in each mode."""
STREAM: dict[str, object] = {
    **CALLS["slices"],
    "watermark": "3 seconds",
    "output": "final",
    "buckets": 2,
}
LINE = ("window", "start", "end", "key", "n")
ROWS = 1000
"""How many rows the stream has that loses executors."""


def answers(spark: SparkSession, names: Sequence[str]) -> dict[str, list[str]]:
    """Return what batch says to some calls."""
    spark.dataSource.register(ReplaySource)
    df = spark.read.format("muntin-replay").options(**OPTIONS).load()
    return {name: lines(ASK(df, keys="key", **CALLS[name])) for name in names}


def lines(answer: DataFrame) -> list[str]:
    """Return an answer as text, in some order."""
    rows: list[tuple[object, ...]] = getattr(answer.select(*LINE), "collect")()  # noqa: B009 - half typed
    return sorted(str(tuple(row)) for row in rows)


def streamed(spark: SparkSession, folder: Path) -> tuple[list[str], int]:
    """Return what a stream says of its windows, each when it is final; and the late rows."""
    spark.dataSource.register(ReplaySource)
    df = spark.readStream.format("muntin-replay").options(**OPTIONS).load()
    answer = ASK(df, keys="key", **STREAM)
    place = str(folder / "sink")
    writer = answer.writeStream.format("parquet").option("path", place).outputMode("append")
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    late = sum(late_in(one.observedMetrics["muntin"]) for one in query.recentProgress)
    return lines(spark.read.parquet(place)), late


def late_in(metrics: Sequence[int | Sequence[int]]) -> int:
    """Return how many rows were late; Spark 4.3 wraps the row once more with Connect."""
    (first, *_) = metrics
    return first if isinstance(first, int) else first[0]


def connected() -> SparkSession:
    """Start a server on this machine, and return a session with it."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.remote("local[2]")
    for name, value in {**SETTINGS, "spark.sql.shuffle.partitions": "2"}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def workers(spark: SparkSession) -> list[str]:
    """Return what runs on executors: which Python, and whose muntin."""
    where = "executor string, python string, library string"

    def look(batches: Iterable[object]) -> Iterator[object]:
        for _ in batches:
            of = import_module("muntin.spark").__file__
            each = {"executor": os.environ["SPARK_EXECUTOR_DIRS"], "python": sys.executable}
            columns = {name: [one] for name, one in (each | {"library": of}).items()}
            yield import_module("pyarrow").RecordBatch.from_pydict(columns)

    found: DataFrame = getattr(spark.range(0, 8, 1, 8), "mapInArrow")(look, where)  # noqa: B009 - half typed
    rows: list[tuple[object, ...]] = getattr(found.distinct(), "collect")()  # noqa: B009 - the same
    return sorted(str(tuple(row)) for row in rows)


def main(folder: Path, mode: str) -> None:
    """Answer, and say it."""
    spark = connected() if mode == "connect" else SparkSession.builder.getOrCreate()
    found, (news, late) = answers(spark, MODES[mode]), streamed(spark, folder)
    told = {"batch": found, "news": news, "late": late, "session": type(spark).__module__}
    told |= {"workers": [] if mode == "connect" else workers(spark)}
    if mode == "submit":
        inject_fault("death", lost := folder / "lost")
        lost.mkdir()
        run(spark, lost, ROWS)
    (folder / "told.json").write_text(json.dumps(told))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
