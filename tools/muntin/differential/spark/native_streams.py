"""Spark's own windows over a stream of micro-batches, compared with the specification.

Times are milliseconds here: Spark keeps its watermark in them. Each micro-batch is a file, in the
order of modification times; so batches, and with them watermarks, are known exactly.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the usual name

from muntin.differential.plan import DiffPlan
from muntin.differential.shrinking import Mismatch, stream_mismatch
from muntin.differential.stream_expectations import (
    Batches,
    NativeEmission,
    OutputMode,
    append_emissions,
    arrivals,
    differing_steps,
    update_emissions,
)
from muntin.registry.dataframes.native_windows import NativeQuery, native_query, window_column
from muntin.spec.query import Query

SCHEMA = "key string, t long, v long"
ROWS, KEYS, BATCH = 400, 4, 40
"""The length of a stream: the denotation evaluates all of it as one trace."""

Expected = Callable[[Query, Batches, int], list[set[NativeEmission]]]
EXPECTED: Mapping[OutputMode, Expected] = {"append": append_emissions, "update": update_emissions}
"""What each mode must emit after each step."""


@dataclass(frozen=True)
class NativeStream:
    """A native query over a stream whose watermark trails by a delay."""

    query: NativeQuery
    delay: int
    mode: OutputMode

    def run(self, spark: SparkSession, batches: Batches) -> list[list[NativeEmission]]:
        """The windows that each micro-batch emits; Spark adds a last one without rows."""
        with TemporaryDirectory() as folder:
            source = Path(folder) / "source"
            _write(source, batches)
            spark.conf.set("spark.sql.shuffle.partitions", "1")
            read = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
            emissions: dict[int, list[NativeEmission]] = {}

            def collect(batch: DataFrame, number: int) -> None:
                emissions[number] = [
                    NativeEmission(row["key"], row["start"], row["end"], row["value"])
                    for row in batch.collect()
                ]

            writer = self._windows(read.parquet(str(source))).writeStream
            checkpoint = str(Path(folder) / "checkpoint")
            writer = writer.outputMode(self.mode).option("checkpointLocation", checkpoint)
            query = writer.foreachBatch(collect).trigger(availableNow=True).start()
            query.awaitTermination()
        return [emissions.get(number, []) for number in range(len(batches) + 1)]

    def _windows(self, rows: DataFrame) -> DataFrame:
        timed = rows.withColumn("ts", F.timestamp_millis("t"))
        watermarked = timed.withWatermark("ts", f"{self.delay} milliseconds")
        value = F.expr(f"{self.query.function}(v)").alias("value")
        window = window_column(self.query, "milliseconds").alias("w")
        windows = watermarked.groupBy("key", window).agg(value)
        start, end = (F.unix_millis(f"w.{name}").alias(name) for name in ("start", "end"))
        return windows.select("key", start, end, "value")


def _write(folder: Path, batches: Batches) -> None:
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    schema = pyarrow.schema([("key", "string"), ("t", "int64"), ("v", "int64")])
    folder.mkdir()
    for number, rows in enumerate(batches):
        path = folder / f"{number:06}.parquet"
        listed = [row._asdict() for row in rows]
        parquet.write_table(pyarrow.Table.from_pylist(listed, schema=schema), path)
        os.utime(path, (1_000_000 + number, 1_000_000 + number))


@dataclass(frozen=True)
class StreamOutcome:
    """The outcome of one query in one mode, with the smallest wrong stream if there is one."""

    query: str
    mode: str
    batches: int
    windows: int
    wrong: list[str]
    mismatch: Mismatch | None = None

    def __str__(self) -> str:
        """The outcome in a line."""
        outcome = f"WRONG: {self.wrong[0]}" if self.wrong else "agrees"
        return (
            f"{self.query} in {self.mode} mode: {self.batches} micro-batches, "
            f"{self.windows} windows emitted: {outcome}"
        )


@dataclass(frozen=True)
class StreamTrial:
    """A query in a mode of Spark, over a stream."""

    spark: SparkSession
    query: Query
    native: NativeQuery
    mode: OutputMode
    delay: int

    def differences(self, rows: Batches) -> list[str]:
        """The steps in which Spark differs from the specification."""
        return self._compared(rows)[0]

    def _compared(self, rows: Batches) -> tuple[list[str], int]:
        """The steps that differ, and the number of windows that Spark emits."""
        emissions = NativeStream(self.native, self.delay, self.mode).run(self.spark, rows)
        expected = EXPECTED[self.mode](self.query, rows, self.delay)
        return differing_steps(expected, emissions), sum(map(len, emissions))

    def outcome(self, rows: Batches) -> StreamOutcome:
        """Run and compare a stream, and shrink it if it is wrong."""
        wrong, windows = self._compared(rows)
        search = self.query, self.mode, rows, self.delay, self.differences
        mismatch = stream_mismatch(*search) if wrong else None
        return StreamOutcome(self.query.id, self.mode, len(rows), windows, wrong, mismatch)


def compare_streams(spark: SparkSession, plan: DiffPlan) -> Iterator[StreamOutcome]:
    """Run each query that Spark supports over one stream, in each of its modes."""
    rows = arrivals(replace(plan, rows=ROWS, keys=KEYS, batch=BATCH))
    for query in plan.queries():
        native = native_query(query)
        if isinstance(native, str):
            continue
        modes: list[OutputMode] = ["append", "update"] if native.slide else ["append"]
        for mode in modes:  # Spark refuses update mode for sessions
            yield StreamTrial(spark, query, native, mode, plan.delay).outcome(rows)
