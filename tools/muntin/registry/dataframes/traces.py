"""Traces as rows of a DataFrame: made on the executors from a seed.

A trace is `key`, `nth`, and three arrays in the order of arrival: `t`, `v`, and `ok`, that
says what is on time.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import islice
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession

TOGETHER = 100
"""How many rows there are in an Arrow batch: these are traces, and long."""

Frame = DataFrame

Row = Mapping[str, object]
SCHEMA = "key string, nth long, t array<long>, v array<{number}>, ok array<boolean>"


class Batch(Protocol):
    """What is used here of an Arrow batch."""

    def to_pylist(self) -> list[dict[str, object]]:
        """Return its rows."""
        ...


def batch_of(rows: Sequence[Row], schema: object) -> Batch:
    """Return rows as an Arrow batch."""
    made: Batch = import_module("pyarrow").RecordBatch.from_pylist(rows, schema)
    return made


def arrow_schema(text: str) -> object:
    """Return a schema of Spark as one of Arrow."""
    types = import_module("pyspark.sql.pandas.types")
    parsed = import_module("pyspark.sql.types").StructType.fromDDL(text)
    schema: object = types.to_arrow_schema(parsed)
    return schema


def mapped(
    frame: DataFrame, function: Callable[[Iterable[Row]], Iterator[Row]], schema: str
) -> DataFrame:
    """Let a function turn the rows of each partition into others, on the executors."""
    shape = arrow_schema(schema)

    def run(batches: Iterable[Batch]) -> Iterator[Batch]:
        found = function(row for batch in batches for row in batch.to_pylist())
        while part := list(islice(found, TOGETHER)):
            yield batch_of(part, shape)

    return frame.mapInArrow(run, schema)  # pyright: ignore[reportUnknownMemberType]  # pyarrow has no types


def generated(
    spark: SparkSession, keys: range, make: Callable[[int], Row], tasks: int
) -> DataFrame:
    """Return the trace of each key, made where it is needed."""

    def rows(ids: Iterable[Row]) -> Iterator[Row]:
        for one in ids:
            yield make(int(str(one["id"])))

    numbers = spark.range(keys.start, keys.stop, 1, tasks)
    return mapped(numbers, rows, SCHEMA.format(number="bigint"))
