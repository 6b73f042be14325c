"""Batch and streaming, ours and native, in turns; the best turn of each counts.

Native windows copy each row into every window that contains it, so in batch they get fewer rows if
there are many windows; rates are per row. Time is wall time, since several processes work. For a
stream it is the median of its micro-batches without the first, in which everything starts.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from shutil import rmtree
from statistics import median
from tempfile import mkdtemp
from time import perf_counter
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from muntin.columnar.windows import TableWindow
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.kernels.slicing.custom import compiled_aggregate
from muntin.spark import aggregate, cumulate, session, sliding, tumbling
from rounds.clock import DisagreementError
from spark_rounds.workload import FILES, SCHEMA, write_rows, write_stream

OURS, NATIVE = "muntin", "native"
SECOND = timedelta(seconds=1)
GAP = "50 milliseconds"
WINDOWS = (1, 20, 100, 1000)
OWN, MIXED = "own", "24 of mixed type"
PARTITIONS, BUCKETS = 2, 4
"""The partitions of a shuffle, and the buckets of our streams."""
EXACT = 1e-9
"""The allowed relative difference of sums of floats."""


@dataclass(frozen=True)
class SparkPlan:
    """The numbers of rows, keys and turns; native windows make at most `copies` copies of rows.

    A stream has `batches` micro-batches of `streamed` rows.
    """

    rows: int = 8_000_000
    keys: int = 100
    turns: int = 3
    copies: int = 40_000_000
    streamed: int = 1_000_000
    batches: int = 12


QUICK = SparkPlan(rows=20_000, turns=1, copies=400_000, streamed=4_000, batches=3)


class SparkRow(NamedTuple):
    """The throughput of one implementation, in million rows a second.

    `state` is the bytes of keys and values that the last micro-batch wrote to its state; `disk` the
    bytes of the files of its state in the checkpoint at the end.
    """

    name: str
    implementation: str
    rate: float
    state: int = 0
    disk: int = 0


class SparkEnvironment(NamedTuple):
    """The session, the plan, and a folder for input and checkpoints."""

    spark: SparkSession
    plan: SparkPlan
    folder: Path


Measured = Callable[[SparkEnvironment], Iterator[SparkRow]]


def cells() -> Mapping[str, Measured]:
    """The cells that can be measured, by name."""
    measures: dict[str, Measured] = {}
    for name in ("sum", "max"):
        measures |= {f"batch {name} {w}": partial(in_batch, name, w) for w in WINDOWS}
    measures[f"batch {OWN} 100"] = partial(in_batch, OWN, 100)
    measures["batch sessions"] = partial(in_batch, "sum", 0)
    for keys, windows in ((100, 20), (100, 100), (10_000, 20)):
        kind = {"w": sliding(windows * SECOND, SECOND)}
        measures[f"stream {keys} keys {windows}"] = partial(in_streaming, keys, kind, windows)
    measures["stream one"] = partial(in_streaming, 100, {"w": tumbling(SECOND)}, 0)
    measures[f"stream {MIXED}"] = partial(in_streaming, 100, mixed(), 0)
    return measures


def mixed() -> dict[str, TableWindow]:
    """Windows of four types, six of each."""
    sizes = (1, 2, 5, 10, 15, 20)
    kinds: list[TableWindow] = [tumbling(n * SECOND) for n in sizes]
    kinds += [sliding(2 * n * SECOND, SECOND) for n in sizes]
    kinds += [session(n * SECOND) for n in sizes]
    kinds += [cumulate(2 * n * SECOND, SECOND) for n in sizes]
    return {f"w{index}": kind for index, kind in enumerate(kinds)}


def lift(v: float) -> tuple[float]:
    """A value as a partial."""
    return (v,)


def combine(a: tuple[float], b: tuple[float]) -> tuple[float]:
    """The sum of two partials."""
    return (a[0] + b[0],)


def lower(a: tuple[float]) -> tuple[float]:
    """The sum as a result."""
    return (a[0],)


SUMMARY = NumericAggregate(
    "total", ("float",), ("float",), (0.0,), lift, combine, lower, ("float",)
)


def ours(df: DataFrame, name: str, windows: int) -> DataFrame:
    """Windows of `windows` seconds, one a second, by muntin; or sessions if it is 0."""
    kind = sliding(windows * SECOND, SECOND) if windows else session(GAP)
    own = (compiled_aggregate(SUMMARY, commutative=True), "v", "double")
    spec = own if name == OWN else (name, "v")
    answer = aggregate(df, keys="k", windows={"w": kind}, aggregates={"a": spec})
    return answer.select("a")


def native(df: DataFrame, name: str, windows: int) -> DataFrame:
    """The same by Spark's own windows, with a sum for a user's own aggregate."""
    hop = f.window("ts", f"{max(windows, 1)} seconds", "1 second")
    kind = hop if windows else f.session_window("ts", "50 milliseconds")
    of = f.max if name == "max" else f.sum
    return df.groupBy("k", kind).agg(of("v").alias("a")).select("a")


def digest(answer: DataFrame) -> tuple[int, float]:
    """Run, and return the number of windows and the sum of their values."""
    row = answer.groupBy().agg(f.count("*").alias("n"), f.sum("a").alias("a")).first()
    return (int(row["n"]), float(row["a"] or 0)) if row else (0, 0.0)


def seconds_of(answer: DataFrame) -> float:
    """The seconds to run it."""
    start = perf_counter()
    digest(answer)
    return perf_counter() - start


def in_batch(name: str, windows: int, environment: SparkEnvironment) -> Iterator[SparkRow]:
    """Measure overlapping windows, or sessions if `windows` is 0."""
    plan = environment.plan
    df = write_rows(environment.spark, plan.rows, plan.keys, environment.folder)
    fewer = min(plan.rows, plan.copies // max(windows, 1))
    some = df.where(f.col("id") < fewer)
    lanes = {OURS: (df, ours, plan.rows), NATIVE: (some, native, fewer)}
    if windows:  # sessions differ where events are a gap apart
        agree(digest(ours(some, name, windows)), digest(native(some, name, windows)))
    best = dict.fromkeys(lanes, float("inf"))
    for _ in range(plan.turns):
        for lane, (rows, make, _) in lanes.items():
            best[lane] = min(best[lane], seconds_of(make(rows, name, windows)))
    cell = f"batch {name} {windows}" if windows else "batch sessions"
    for lane, (_, _, n) in lanes.items():
        yield SparkRow(cell, lane, n / best[lane] / 1e6)


def agree(a: tuple[int, float], b: tuple[int, float]) -> None:
    """Compare both answers."""
    if a[0] != b[0] or abs(a[1] - b[1]) > EXACT * abs(b[1]):
        raise DisagreementError(f"number and sum of windows differ: {a} and {b}")


def in_streaming(
    keys: int, windows: Mapping[str, TableWindow], overlapping: int, environment: SparkEnvironment
) -> Iterator[SparkRow]:
    """Measure a stream; native windows take part if there is one sliding type."""
    plan = environment.plan
    place = write_stream(environment.folder, plan.streamed, keys, plan.batches)
    reader = environment.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", FILES)
    df = reader.parquet(str(place))
    sums = {"a": ("sum", "v")}
    how: dict[str, str] = {"watermark": "2 seconds", "output": "final"}
    lanes = {
        OURS: AGGREGATE(df, keys="k", windows=windows, aggregates=sums, buckets=BUCKETS, **how)
    }
    if overlapping:
        late = df.withWatermark("ts", "2 seconds")
        grouped = late.groupBy("k", f.window("ts", f"{overlapping} seconds", "1 second"))
        lanes[NATIVE] = grouped.agg(f.sum("v").alias("a"))
    names = {20: f"stream {keys} keys 20", 100: f"stream {keys} keys 100"}
    cell = names.get(overlapping, f"stream {MIXED}" if len(windows) > 1 else "stream one")
    best, answers = dict[str, SparkRow](), list[tuple[int, float]]()
    for lane in [lane for _ in range(plan.turns) for lane in lanes]:
        checkpoint = Path(
            mkdtemp(dir=environment.folder)
        )  # a new one: Spark may still write to the last
        rate, state, disk, answer = run(lanes[lane].select("a"), checkpoint)
        answers.append(answer)
        agree(answer, answers[0])
        best[lane] = max(
            best.get(lane, SparkRow(cell, lane, 0.0)), SparkRow(cell, lane, rate, state, disk)
        )
    yield from best.values()


AGGREGATE: Callable[..., DataFrame] = aggregate


def run(answer: DataFrame, checkpoint: Path) -> tuple[float, int, int, tuple[int, float]]:
    """Run a stream to its end: million rows a second, bytes of state, number and sum of windows."""
    observed = answer.observe("windows", f.count("*").alias("n"), f.sum("a").alias("a"))
    writer = observed.writeStream.format("noop").outputMode("append")
    writer = writer.option("checkpointLocation", str(checkpoint))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    recent = query.recentProgress
    progress = [batch for batch in recent if batch.numInputRows]
    metrics_of = [batch.observedMetrics["windows"] for batch in recent if batch.observedMetrics]
    count = sum(int(row["n"]) for row in metrics_of)
    total = sum(float(row["a"] or 0) for row in metrics_of)
    rates = [
        batch.numInputRows / batch.durationMs["triggerExecution"] / 1e3 for batch in progress[1:]
    ]
    last = progress[-1].stateOperators[0]
    metrics: Mapping[str, int] = getattr(last, "customMetrics")  # noqa: B009 - it is half typed
    state, disk = metrics["rocksdbTotalBytesWritten"], on_disk(checkpoint)
    rmtree(checkpoint, ignore_errors=True)
    return median(rates), state, disk, (count, total)


def on_disk(checkpoint: Path) -> int:
    """The bytes of all versions of the state in a checkpoint."""
    paths = (checkpoint / "state" / "0").glob("[0-9]*/**/*")
    files = (path for path in paths if path.is_file() and path.suffix != ".crc")
    return sum(file.stat().st_size for file in files)
