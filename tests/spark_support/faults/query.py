"""The query of the fault tests: its trace, its call, and the windows that its sink must hold."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from muntin.spark import ReplaySource, aggregate, session, sliding
from muntin.spark.source.trace import Generated

DELAY, SIZE, SLIDE, GAP = 500_000, 2_000_000, 1_000_000, 300_000
TRACE = {"keys": 5, "step": 20_000, "delay": 400_000, "seed": 3}
OPTIONS = {**{name: str(value) for name, value in TRACE.items()}, "rows_per_trigger": "250"}

START_ERROR: type[Exception] = import_module("py4j.protocol").Py4JJavaError
"""What Spark raises where a query can't even start."""
QUERY_ERRORS = StreamingQueryException, START_ERROR

Window = tuple[str, int, int, int]
"""The id of a window, its key, start and end."""


class Value(NamedTuple):
    """The aggregates of a window."""

    rows: int
    total: int


def run(spark: SparkSession, folder: Path, rows: int, checkpoint: Path | None = None) -> None:
    """Run the query in this session to the end of a trace of this many rows."""
    start(spark, folder, rows, checkpoint).awaitTermination()


def start(
    spark: SparkSession, folder: Path, rows: int, checkpoint: Path | None = None
) -> StreamingQuery:
    """Start the query, which ends with the rows of its trace."""
    spark.dataSource.register(ReplaySource)
    options = {**OPTIONS, "rows": str(rows)}
    windows = windows_of(spark.readStream.format("muntin-replay").options(**options).load())
    writer = windows.writeStream.format("parquet").option("path", str(folder / "sink"))
    writer = writer.option("checkpointLocation", str(checkpoint or folder / "checkpoint"))
    return writer.outputMode("append").trigger(availableNow=True).start()


def windows_of(df: DataFrame) -> DataFrame:
    """The final windows of a stream."""
    return aggregate(
        df,
        keys="key",
        windows={"slide": sliding(f"{SIZE} us", f"{SLIDE} us"), "visit": session(f"{GAP} us")},
        aggregates={"rows": "count", "total": ("sum", "v")},
        watermark=f"{DELAY} us",
        output="final",
        buckets=4,
    )


def events(rows: int) -> Iterator[tuple[int, int, int]]:
    """Key, time and value of each row."""
    for batch in Generated(rows=rows, **TRACE).read(0, rows):
        for row in getattr(batch, "to_pylist")():  # noqa: B009 - Arrow is not typed
            yield row["key"], int(row["ts"].timestamp() * 10**6 + 0.5), row["v"]


def expected_windows(rows: int) -> dict[Window, Value]:
    """Every window that ends by the last watermark."""
    windows: defaultdict[Window, list[int]] = defaultdict(list)
    times: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for key, time, value in events(rows):
        times[key].append((time, value))
        last = time - time % SLIDE
        for start in range(last, time - SIZE, -SLIDE):
            windows["slide", key, start, start + SIZE].append(value)
    for key, key_events in times.items():
        visit: list[tuple[int, int]] = []
        for event in [*sorted(key_events), (10**18, 0)]:
            if visit and event[0] - visit[-1][0] >= GAP:
                values = [value for _, value in visit]
                windows["visit", key, visit[0][0], visit[-1][0] + GAP] = values
                visit = []
            visit.append(event)
    newest = max(time for key_events in times.values() for time, _ in key_events)
    watermark = newest // 1000 * 1000 - DELAY
    return {
        window: Value(len(values), sum(values))
        for window, values in windows.items()
        if window[3] <= watermark
    }


def committed_files(sink: Path) -> Iterator[str]:
    """The files that Spark's log of the sink names, each once."""
    names = set[str]()
    for log in (sink / "_spark_metadata").iterdir():
        if not log.name.startswith("."):
            names |= {json.loads(line)["path"] for line in log.read_text().splitlines()[1:]}
    yield from sorted(names)


def sink_errors(sink: Path, rows: int) -> str:
    """The windows that are missing, duplicate or wrong in the sink; empty if there are none."""
    parquet = import_module("pyarrow.parquet")
    emitted, values = Counter[Window](), dict[Window, Value]()
    for name in committed_files(sink):
        for row in parquet.read_table(name.removeprefix("file://")).to_pylist():
            start, end = (int(row[n].timestamp() * 10**6 + 0.5) for n in ("start", "end"))
            window = (row["window"], row["key"], start, end)
            emitted[window] += 1
            values[window] = Value(row["rows"], row["total"])
    expected = expected_windows(rows)
    missing = [window for window in expected if window not in emitted]
    unexpected = [window for window in emitted if window not in expected]
    duplicate = [window for window, n in emitted.items() if n > 1]
    wrong = [window for window in values if expected.get(window, values[window]) != values[window]]
    errors = {"missing": missing, "unexpected": unexpected, "duplicate": duplicate, "wrong": wrong}
    if not expected:
        return "the trace is too short: no window ends by the last watermark"
    return "; ".join(f"{len(w)} {name}: {w[:2]}" for name, w in errors.items() if w)
