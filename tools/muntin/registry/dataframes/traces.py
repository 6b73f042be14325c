"""Traces as rows of a DataFrame, generated on the executors from a seed.

A trace is `key`, `number`, and three arrays in the order of arrival: `t`, `v`, and `ok`, which is
true for a row on time.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from itertools import islice
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession

BATCH_ROWS = 100
"""Rows of an Arrow batch: these are traces, and long."""

Frame = DataFrame

Row = Mapping[str, object]
MapRows = Callable[[Iterable[Row]], Iterator[Row]]
SCHEMA = "key string, number long, t array<long>, v array<{value_type}>, ok array<boolean>"


class TraceBatch(Protocol):
    """The part of an Arrow batch in use."""

    def to_pylist(self) -> list[dict[str, object]]:
        """The rows of the batch."""
        ...


def map_rows(frame: DataFrame, function: MapRows, schema: str) -> DataFrame:
    """Apply a function to the rows of each partition, on the executors."""
    parsed = import_module("pyspark.sql.types").StructType.fromDDL(schema)
    arrow: object = import_module("pyspark.sql.pandas.types").to_arrow_schema(parsed)

    def run(batches: Iterable[TraceBatch]) -> Iterator[TraceBatch]:
        results = function(row for batch in batches for row in batch.to_pylist())
        while part := list(islice(results, BATCH_ROWS)):
            yield import_module("pyarrow").RecordBatch.from_pylist(part, arrow)

    return frame.mapInArrow(run, schema)  # pyright: ignore[reportUnknownMemberType]  # pyarrow has no types


def generate(spark: SparkSession, keys: range, make: Callable[[int], Row], tasks: int) -> DataFrame:
    """The trace of each key, generated on the executor that needs it."""

    def rows(ids: Iterable[Row]) -> Iterator[Row]:
        for row in ids:
            yield make(int(str(row["id"])))

    numbers = spark.range(keys.start, keys.stop, 1, tasks)
    return map_rows(numbers, rows, SCHEMA.format(value_type="bigint"))
