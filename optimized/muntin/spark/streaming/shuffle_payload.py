"""Rows as they go to buckets: each batch becomes one binary row a bucket.

A row of a packed DataFrame is the number of a bucket and a payload: which task made it and the how
manieth it was, so that the order of arrival is kept however rows are shuffled; slices, if there are
few; and the rows.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from struct import Struct

import numpy as np
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import BinaryType, LongType, StructField, StructType

from muntin.spark.batch.slice_plan import SlicePlan
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import Table, Work, batches, mapped, pa, picked, table
from muntin.spark.execution.internal_columns import internal_name
from muntin.spark.execution.repartition import columns_read, quoted
from muntin.spark.streaming.bucket_ids import bucket_ids
from muntin.spark.streaming.integer_narrowing import encode_narrow
from muntin.spark.streaming.pre_aggregation import MIN_ROWS_PER_SLICE, cut, slicing_of
from muntin.spec.errors import InvalidInputError, integer

PACKED = StructType([StructField("bucket", LongType()), StructField("payload", BinaryType())])
BUCKET = internal_name("bucket")
CONTROL_BUCKET = -1
"""The bucket that holds no keys, but what the query is."""

ENOUGH = 2**18
"""So many rows of a task are packed at once."""

SHORT = 2**15
"""So many buckets have numbers of 16 bits."""

HEAD = Struct("<qqq")
"""The task, the how manieth, and the length of the slices."""
ipc = import_module("pyarrow.ipc")


@dataclass(frozen=True)
class ShuffleEncoder:
    """How many buckets there are, and how many rows slices hold on average, if they are sent."""

    plan: AggregationPlan
    buckets: int
    few: int = MIN_ROWS_PER_SLICE

    @cached_property
    def slicing(self) -> SlicePlan | None:
        """How slices are made before the shuffle, if they can be."""
        return slicing_of(self.plan)

    def packed(self, df: DataFrame) -> DataFrame:
        """Return a DataFrame of packed rows."""
        keys = quoted(self.plan.keys)
        place = f.pmod(f.xxhash64(*keys), f.lit(self.buckets)) if keys else f.lit(0)
        narrow = "short" if self.buckets <= SHORT else "int"
        rows = df.select(*columns_read(self.plan)).withColumn(BUCKET, place.cast(narrow))
        return mapped(rows, packer(self), PACKED)


def packer(packing: ShuffleEncoder) -> Work:
    """Return what a worker does: in a task that has rows, the control bucket gets one too."""

    def work(given: Iterable[Table]) -> Iterator[object]:
        context, held, rows, made = TaskContext.get(), list[Table](), 0, 0
        task = context.partitionId() if context else 0
        for batch in given:
            held.append(batch)
            rows += batch.num_rows
            if rows >= ENOUGH:
                yield packed(table(held), packing, (task, made))
                held, rows, made = [], 0, made + 1
        if rows:
            yield packed(table(held), packing, (task, made))

    return work


def packed(rows: Table, packing: ShuffleEncoder, origin: tuple[int, int]) -> Table:
    """Return rows as one payload for each bucket that has any, and one for the control bucket."""
    place = np.asarray(rows.column(BUCKET), np.int64)
    names = packing.plan.read
    made = cut(rows, packing.slicing, place, packing) if packing.slicing else None
    if made:
        names = tuple(name for name in names if name not in packing.plan.keys)
        order, counts = made.order, made.rows
    else:
        order = np.argsort(place.astype(np.uint16), kind="stable")
        counts = np.bincount(place, minlength=packing.buckets)
    whole = picked(rows, names, order)
    ends, ids = np.cumsum(counts).tolist(), bucket_ids(packing.buckets)
    found, payloads = [CONTROL_BUCKET], [HEAD.pack(*origin, 0)]
    for number, (end, count) in enumerate(zip(ends, counts.tolist(), strict=True)):
        if count:
            slices = written(encode_narrow(made.of(number))) if made else b""
            mine = written(encode_narrow(whole.slice(end - count, count)))
            found.append(ids[number])
            payloads.append(HEAD.pack(*origin, len(slices)) + slices + mine)
    return next(batches({"bucket": found, "payload": payloads}, PACKED))


def written(batch: Table) -> bytes:
    """Return a batch, or a table, as an Arrow stream."""
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, batch.schema) as stream:
        stream.write(batch)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def read(data: bytes, begin: int = 0) -> list[Table]:
    """Return the batches of an Arrow stream."""
    with ipc.open_stream(pa.py_buffer(data)[begin:]) as stream:
        found: list[Table] = list(stream)
    return found


def check_bucket_count(given: object) -> int:
    """Return the number of buckets, if it is one."""
    buckets = integer(given, "buckets")
    if not 1 <= buckets <= ENOUGH // 4 or buckets & (buckets - 1):
        raise InvalidInputError(
            f"buckets must be a power of two up to {ENOUGH // 4}, not {buckets}"
        )
    return buckets
