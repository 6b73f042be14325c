"""Spark's own windows over a stream of micro-batches, in append and in update mode.

Times are milliseconds here: Spark keeps its watermark in them. Each micro-batch is a file, in the
order in which they were changed; so batches, and with them watermarks, are known exactly.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from muntin.differential.spark.native_streams import Arrival, Mode, NativeEmission
from muntin.registry.dataframes.native_queries import NativeQuery

SCHEMA = "key string, t long, v long"


@dataclass(frozen=True)
class NativeStream:
    """A native query over a stream whose watermark trails by a delay."""

    query: NativeQuery
    delay: int
    mode: Mode

    def run(
        self, spark: SparkSession, batches: Sequence[Sequence[Arrival]]
    ) -> list[list[NativeEmission]]:
        """Return what each micro-batch tells; one more, without rows, comes at the end."""
        with TemporaryDirectory() as folder:
            source = Path(folder) / "source"
            _write(source, batches)
            spark.conf.set("spark.sql.shuffle.partitions", "1")
            read = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
            told: dict[int, list[NativeEmission]] = {}

            def keep(batch: DataFrame, number: int) -> None:
                told[number] = [
                    NativeEmission(row["key"], row["start"], row["end"], row["value"])
                    for row in batch.collect()
                ]

            writing = self._windows(read.parquet(str(source))).writeStream
            query = (
                writing.outputMode(self.mode)
                .foreachBatch(keep)
                .option("checkpointLocation", str(Path(folder) / "checkpoint"))
                .trigger(availableNow=True)
                .start()
            )
            query.awaitTermination()
        return [told.get(number, []) for number in range(len(batches) + 1)]

    def _windows(self, rows: DataFrame) -> DataFrame:
        asked, timed = self.query, rows.withColumn("ts", F.timestamp_millis("t"))
        sizes = [f"{size} milliseconds" for size in (asked.size, asked.slide, asked.offset)]
        window = F.window("ts", *sizes) if asked.slide else F.session_window("ts", sizes[0])
        late = timed.withWatermark("ts", f"{self.delay} milliseconds")
        value = F.expr(f"{asked.function}(v)").alias("value")
        found = late.groupBy("key", window.alias("w")).agg(value)
        start, end = (F.unix_millis(f"w.{name}").alias(name) for name in ("start", "end"))
        return found.select("key", start, end, "value")


def _write(folder: Path, batches: Sequence[Sequence[Arrival]]) -> None:
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    shape = pyarrow.schema([("key", "string"), ("t", "int64"), ("v", "int64")])
    folder.mkdir()
    for number, rows in enumerate(batches):
        path = folder / f"{number:06}.parquet"
        parquet.write_table(
            pyarrow.Table.from_pylist([row._asdict() for row in rows], schema=shape), path
        )
        os.utime(path, (1_000_000 + number, 1_000_000 + number))
