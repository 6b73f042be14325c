"""Rows for the benchmark of windows on Spark: in Parquet, a fifth of them some seconds late."""

import os
from importlib import import_module
from pathlib import Path

import numpy as np
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

pa, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
LATE, SECONDS = 2000, 20
"""The greatest lateness of a row in milliseconds; the seconds in a micro-batch."""
BEGIN = 10_000_000
SCHEMA = "k long, ts timestamp, v double"
FILES = 2
"""Files of a micro-batch, one a core."""


def write_rows(spark: SparkSession, rows: int, keys: int, folder: Path) -> DataFrame:
    """Write rows, two a millisecond, unless they are there, and read them."""
    late = f.when(f.rand(1) < 0.2, f.rand(2) * LATE).otherwise(0)  # noqa: PLR2004 - a fifth
    at = f.timestamp_millis((f.col("id") / 2 - late).cast("long") + BEGIN)
    key = f.pmod(f.xxhash64("id"), f.lit(keys))
    value = f.floor(f.rand(3) * 1000).cast("double")
    generated = spark.range(0, rows, 1, 4).select(
        key.alias("k"), at.alias("ts"), value.alias("v"), "id"
    )
    place = folder / "rows"
    if not place.exists():
        generated.write.parquet(str(place))
    return spark.read.parquet(str(place))


def write_stream(folder: Path, rows: int, keys: int, batches: int) -> Path:
    """Write the files of a stream of micro-batches; each has the next seconds of rows."""
    place = folder / f"stream of {keys}"
    if place.exists():
        return place
    place.mkdir()
    for number in range(batches):
        chance = np.random.default_rng([keys, number])
        time = np.sort(chance.integers(0, SECONDS * 1000, rows)) + BEGIN + number * SECONDS * 1000
        back = np.where(chance.random(rows) < 0.2, chance.integers(0, LATE, rows), 0)  # noqa: PLR2004 - as above
        columns = {
            "k": pa.array(chance.integers(0, keys, rows)),
            "ts": pa.array((time - back) * 1000, pa.timestamp("us", "UTC")),
            "v": pa.array(chance.integers(0, 1000, rows).astype(np.float64)),
        }
        batch, half = pa.table(columns), rows // FILES
        for part in range(FILES):
            path = place / f"{number:03}-{part}.parquet"
            parquet.write_table(batch.slice(part * half, half), path)
            when = 1_700_000_000 + FILES * number + part
            os.utime(path, (when, when))
    return place
