"""Batch and streaming, ours and native, in turns; each keeps the best of its turns.

Native windows copy each row into every window that holds it, so in batch they get fewer rows where
windows are many; rates are per row. Time is that of the wall: several processes work. Of a stream
it is the median of its micro-batches but the first, in which everything starts.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import rmtree
from statistics import median
from tempfile import mkdtemp
from time import perf_counter
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.kernels.slicing.custom import compiled_aggregate
from muntin.spark import aggregate, micros
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Cumulate, Sliding, tumbling
from muntin.spec.windows.window import WindowType
from rounds.clock import DisagreementError
from spark_rounds.workload import FILES, SCHEMA, streamed, written

OURS, NATIVE = "muntin", "native"
SECOND = micros("1 second")
GAP = micros("50 milliseconds")
WINDOWS = (1, 20, 100, 1000)
OWN, MIXED = "own", "24 of mixed type"
PARTITIONS, BUCKETS = 2, 4
"""Of a shuffle, and of our streams."""
EXACT = 1e-9
"""Sums of floats may differ by so much."""


@dataclass(frozen=True)
class Plan:
    """How many rows, keys and turns; native windows get at most so many copies of rows.

    A stream is of so many micro-batches of so many rows.
    """

    rows: int = 8_000_000
    keys: int = 100
    turns: int = 3
    copies: int = 40_000_000
    streamed: int = 1_000_000
    batches: int = 12


QUICK = Plan(rows=20_000, turns=1, copies=400_000, streamed=4_000, batches=3)


class Row(NamedTuple):
    """How many million rows a second a contender took.

    In the last micro-batch so many bytes of keys and values were written to its state; at the end
    the files of its state in the checkpoint had so many bytes.
    """

    name: str
    contender: str
    rate: float
    state: int = 0
    disk: int = 0


class Bench(NamedTuple):
    """Where it runs."""

    spark: SparkSession
    plan: Plan
    folder: Path


Measured = Callable[[Bench], Iterator[Row]]


def cells() -> Mapping[str, Measured]:
    """Return what can be measured, by name."""
    found: dict[str, Measured] = {}
    for name in ("sum", "max"):
        found |= {f"batch {name} {w}": partial(in_batch, name, w) for w in WINDOWS}
    found[f"batch {OWN} 100"] = partial(in_batch, OWN, 100)
    found["batch sessions"] = partial(in_batch, "sum", 0)
    for keys, windows in ((100, 20), (100, 100), (10_000, 20)):
        kind = {"w": Sliding(windows * SECOND, SECOND)}
        found[f"stream {keys} keys {windows}"] = partial(in_streaming, keys, kind, windows)
    found["stream one"] = partial(in_streaming, 100, {"w": tumbling(SECOND)}, 0)
    found[f"stream {MIXED}"] = partial(in_streaming, 100, mixed(), 0)
    return found


def mixed() -> dict[str, WindowType]:
    """Return windows of four types, six of each."""
    sizes = (1, 2, 5, 10, 15, 20)
    kinds: list[WindowType] = [tumbling(n * SECOND) for n in sizes]
    kinds += [Sliding(2 * n * SECOND, SECOND) for n in sizes]
    kinds += [Session(n * SECOND) for n in sizes]
    kinds += [Cumulate(2 * n * SECOND, SECOND) for n in sizes]
    return {f"w{nth}": kind for nth, kind in enumerate(kinds)}


def itself(v: float) -> tuple[float]:
    """Return a value as a partial."""
    return (v,)


def added(a: tuple[float], b: tuple[float]) -> tuple[float]:
    """Add."""
    return (a[0] + b[0],)


def total(a: tuple[float]) -> tuple[float]:
    """Return the sum."""
    return (a[0],)


SUMMARY = NumericAggregate(
    "total", ("float",), ("float",), (0.0,), itself, added, total, ("float",)
)


def ours(df: DataFrame, name: str, windows: int) -> DataFrame:
    """Return windows of so many seconds, one a second; or sessions, if there are none."""
    kind = Sliding(windows * SECOND, SECOND) if windows else Session(GAP)
    own = (compiled_aggregate(SUMMARY, commutative=True), "v", "double")
    asked = own if name == OWN else (name, "v")
    answer = aggregate(df, keys="k", windows={"w": kind}, aggregates={"a": asked})
    return answer.select("a")


def native(df: DataFrame, name: str, windows: int) -> DataFrame:
    """Return the same by Spark's own windows; an aggregate of one's own is a sum."""
    sliding = f.window("ts", f"{max(windows, 1)} seconds", "1 second")
    kind = sliding if windows else f.session_window("ts", "50 milliseconds")
    of = f.max if name == "max" else f.sum
    return df.groupBy("k", kind).agg(of("v").alias("a")).select("a")


def told(answer: DataFrame) -> tuple[int, float]:
    """Run, and return how many windows there are and the sum of their values."""
    row = answer.groupBy().agg(f.count("*").alias("n"), f.sum("a").alias("a")).first()
    return (int(row["n"]), float(row["a"] or 0)) if row else (0, 0.0)


def timed(answer: DataFrame) -> float:
    """Return the seconds that it takes."""
    start = perf_counter()
    told(answer)
    return perf_counter() - start


def in_batch(name: str, windows: int, bench: Bench) -> Iterator[Row]:
    """Measure so many overlapping windows, or sessions."""
    plan = bench.plan
    df = written(bench.spark, plan.rows, plan.keys, bench.folder)
    fewer = min(plan.rows, plan.copies // max(windows, 1))
    some = df.where(f.col("id") < fewer)
    lanes = {OURS: (df, ours, plan.rows), NATIVE: (some, native, fewer)}
    if windows:  # sessions differ where events are a gap apart
        agree(told(ours(some, name, windows)), told(native(some, name, windows)))
    best = dict.fromkeys(lanes, float("inf"))
    for _ in range(plan.turns):
        for lane, (rows, make, _) in lanes.items():
            best[lane] = min(best[lane], timed(make(rows, name, windows)))
    cell = f"batch {name} {windows}" if windows else "batch sessions"
    for lane, (_, _, n) in lanes.items():
        yield Row(cell, lane, n / best[lane] / 1e6)


def agree(a: tuple[int, float], b: tuple[int, float]) -> None:
    """Hold both answers against each other."""
    if a[0] != b[0] or abs(a[1] - b[1]) > EXACT * abs(b[1]):
        raise DisagreementError(f"{a} and {b}")


def in_streaming(
    keys: int, windows: Mapping[str, WindowType], overlapping: int, bench: Bench
) -> Iterator[Row]:
    """Measure a stream; native windows are there if it is of one sliding type."""
    plan = bench.plan
    place = streamed(bench.folder, plan.streamed, keys, plan.batches)
    reader = bench.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", FILES)
    df = reader.parquet(str(place))
    sums = {"a": ("sum", "v")}
    how: dict[str, str] = {"watermark": "2 seconds", "output": "final"}
    lanes = {OURS: ASK(df, keys="k", windows=windows, aggregates=sums, buckets=BUCKETS, **how)}
    if overlapping:
        late = df.withWatermark("ts", "2 seconds")
        grouped = late.groupBy("k", f.window("ts", f"{overlapping} seconds", "1 second"))
        lanes[NATIVE] = grouped.agg(f.sum("v").alias("a"))
    names = {20: f"stream {keys} keys 20", 100: f"stream {keys} keys 100"}
    cell = names.get(overlapping, f"stream {MIXED}" if len(windows) > 1 else "stream one")
    best, answers = dict[str, Row](), list[tuple[int, float]]()
    for lane in [lane for _ in range(plan.turns) for lane in lanes]:
        checkpoint = Path(mkdtemp(dir=bench.folder))  # one of its own: Spark may still write to one
        rate, state, disk, answer = run(lanes[lane].select("a"), checkpoint)
        answers.append(answer)
        agree(answer, answers[0])
        best[lane] = max(best.get(lane, Row(cell, lane, 0.0)), Row(cell, lane, rate, state, disk))
    yield from best.values()


ASK: Callable[..., DataFrame] = aggregate


def run(answer: DataFrame, checkpoint: Path) -> tuple[float, int, int, tuple[int, float]]:
    """Run a stream to its end: million rows a second, bytes of state, what was told."""
    seen = answer.observe("told", f.count("*").alias("n"), f.sum("a").alias("a"))
    writer = seen.writeStream.format("noop").outputMode("append")
    writer = writer.option("checkpointLocation", str(checkpoint))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    progress = [one for one in query.recentProgress if one.numInputRows]
    heard = [one.observedMetrics["told"] for one in query.recentProgress if one.observedMetrics]
    answer_told = sum(int(one["n"]) for one in heard), sum(float(one["a"] or 0) for one in heard)
    rates = [one.numInputRows / one.durationMs["triggerExecution"] / 1e3 for one in progress[1:]]
    last = progress[-1].stateOperators[0]
    metrics: Mapping[str, int] = getattr(last, "customMetrics")  # noqa: B009 - it is half typed
    state, disk = metrics["rocksdbTotalBytesWritten"], on_disk(checkpoint)
    rmtree(checkpoint, ignore_errors=True)
    return median(rates), state, disk, answer_told


def on_disk(checkpoint: Path) -> int:
    """Return the bytes of all versions of the state that a checkpoint holds."""
    files = (one for one in (checkpoint / "state" / "0").glob("[0-9]*/**/*") if one.is_file())
    return sum(one.stat().st_size for one in files if one.suffix != ".crc")
