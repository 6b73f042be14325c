"""Batch and streaming, ours and native, in turns; each keeps the best of its turns.

Native windows copy each row into every window that holds it, so they get fewer rows where windows
are many; rates are per row. Time is that of the wall: several processes work.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from muntin.spark import ReplaySource, aggregate, micros
from muntin.spec.data_driven import Session
from muntin.spec.periodic import Sliding
from rounds.clock import DisagreementError

OURS, NATIVE = "muntin", "native"
SECOND = micros("1 second")
GAP = micros("50 milliseconds")
WINDOWS = (1, 20, 100, 1000)


@dataclass(frozen=True)
class Plan:
    """How many rows, keys and turns; native windows get at most so many copies of rows."""

    rows: int = 8_000_000
    keys: int = 100
    turns: int = 3
    copies: int = 40_000_000
    streamed: int = 40_000


QUICK = Plan(rows=20_000, turns=1, copies=400_000, streamed=2_000)


class Row(NamedTuple):
    """How many million rows a second a contender took."""

    world: str
    contender: str
    aggregate: str
    windows: int
    rate: float


def written(spark: SparkSession, plan: Plan, folder: Path) -> DataFrame:
    """Write rows, a fifth of them up to two seconds late, one a millisecond in two; return them."""
    late = f.when(f.rand(1) < 0.2, f.rand(2) * 2000).otherwise(0)  # noqa: PLR2004 - a fifth
    at = f.timestamp_millis((f.col("id") / 2 - late).cast("long") + 10_000_000)
    key = f.pmod(f.xxhash64("id"), f.lit(plan.keys))
    value = f.floor(f.rand(3) * 1000).cast("double")
    rows = spark.range(0, plan.rows, 1, 4).select(
        key.alias("k"), at.alias("ts"), value.alias("v"), "id"
    )
    rows.write.parquet(str(folder / "rows"))
    return spark.read.parquet(str(folder / "rows"))


def ours(df: DataFrame, name: str, windows: int) -> DataFrame:
    """Return windows of so many seconds, one a second; or sessions, if there are none."""
    kind = Sliding(windows * SECOND, SECOND) if windows else Session(GAP)
    answer = aggregate(df, keys="k", windows={"w": kind}, aggregates={"a": (name, "v")})
    return answer.select("a")


def native(df: DataFrame, name: str, windows: int) -> DataFrame:
    """Return the same by Spark's own windows."""
    sliding = f.window("ts", f"{max(windows, 1)} seconds", "1 second")
    kind = sliding if windows else f.session_window("ts", "50 milliseconds")
    return df.groupBy("k", kind).agg(getattr(f, name)("v").alias("a")).select("a")


def told(answer: DataFrame) -> tuple[int, float]:
    """Run, and return how many windows there are and the sum of their values."""
    row = answer.groupBy().agg(f.count("*").alias("n"), f.sum("a").alias("a")).first()
    return (int(row["n"]), float(row["a"] or 0)) if row else (0, 0.0)


def timed(answer: DataFrame) -> float:
    """Return the seconds that it takes."""
    start = perf_counter()
    told(answer)
    return perf_counter() - start


def in_batch(df: DataFrame, plan: Plan) -> Iterator[Row]:
    """Measure each number of windows, for sum and max; then sessions."""
    for name, windows in [(n, w) for n in ("sum", "max") for w in WINDOWS] + [("sum", 0)]:
        fewer = min(plan.rows, plan.copies // max(windows, 1))
        some = df.where(f.col("id") < fewer)
        lanes = {
            OURS: (df, ours, plan.rows),
            NATIVE: (some, native, fewer),
        }
        best = dict.fromkeys(lanes, float("inf"))
        for _ in range(plan.turns):
            for lane, (rows, make, _) in lanes.items():
                best[lane] = min(best[lane], timed(make(rows, name, windows)))
        agree(told(ours(some, name, windows)), told(native(some, name, windows)), windows)
        for lane, (_, _, n) in lanes.items():
            yield Row("batch", lane, name, windows, n / best[lane] / 1e6)


def agree(a: tuple[int, float], b: tuple[int, float], windows: int) -> None:
    """Hold both answers against each other; sessions differ where events are a gap apart."""
    near = abs(a[1] - b[1]) <= 1e-9 * abs(b[1])
    if windows and (a[0] != b[0] or not near):
        raise DisagreementError(f"{windows} windows: {a} and {b}")


def in_streaming(spark: SparkSession, plan: Plan, folder: Path) -> Iterator[Row]:
    """Measure a stream of a few micro-batches: 20 windows."""
    spark.dataSource.register(ReplaySource)
    options = {"rows": str(plan.streamed), "keys": str(plan.keys), "step": "500"}
    pace = {"rows_per_trigger": str(plan.streamed // 4)}
    df = spark.readStream.format("muntin-replay").options(**options, **pace).load()
    kind = Sliding(20 * SECOND, SECOND)
    mine = aggregate(
        df,
        keys="key",
        windows={"w": kind},
        aggregates={"a": ("sum", "v")},
        watermark="2 seconds",
        output="final",
    )
    late = df.withWatermark("ts", "2 seconds")
    theirs = late.groupBy("key", f.window("ts", "20 seconds", "1 second")).agg(f.sum("v"))
    for lane, answer in ((OURS, mine), (NATIVE, theirs)):
        start = perf_counter()
        writer = answer.writeStream.format("noop").outputMode("append")
        writer = writer.option("checkpointLocation", str(folder / lane))
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        yield Row("streaming", lane, "sum", 20, plan.streamed / (perf_counter() - start) / 1e6)
