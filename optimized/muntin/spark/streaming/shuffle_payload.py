"""Payloads of the shuffle: each batch of rows becomes one binary row for each bucket of keys.

Task before the shuffle. A row of the encoded DataFrame is a bucket and a payload: its task and
sequence number, so that arrival order survives the shuffle; slices, if there are few; and rows.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from struct import Struct

import numpy as np
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import BinaryType, LongType, StructField, StructType

from muntin.spark.batch.slice_plan import SlicePlan
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, Work, batches, mapped, picked, table
from muntin.spark.execution.arrow_ipc import to_ipc_bytes
from muntin.spark.execution.internal_columns import internal_name
from muntin.spark.execution.repartition import columns_read, quoted
from muntin.spark.streaming.integer_narrowing import encode_narrow
from muntin.spark.streaming.pre_aggregation import (
    MIN_ROWS_PER_SLICE,
    pre_aggregate,
    pre_aggregation_plan,
)
from muntin.spec.errors import InvalidInputError, integer

PAYLOAD_SCHEMA = StructType(
    [StructField("bucket", LongType()), StructField("payload", BinaryType())]
)
BUCKET_COLUMN = internal_name("bucket")
CONTROL_BUCKET = -1
"""The bucket that holds no keys, but the fingerprint of the query."""

ROWS_PER_PAYLOAD = 2**18
"""A task encodes its rows when it has this many."""
MAX_BUCKETS = ROWS_PER_PAYLOAD // 4
MAX_SHORT_BUCKETS = 2**15
"""Up to this many buckets are numbered by 16 bits."""

PAYLOAD_HEADER = Struct("<qqq")
"""The task, the sequence number of the payload in it, and the length of the slices."""

WORD_MASK = 2**32 - 1
HASH_SEED = 42
C1, C2 = 0xCC9E2D51, 0x1B873593


@dataclass(frozen=True)
class ShuffleEncoder:
    """The plan, the number of buckets, and the rows a slice must hold on average to be sent."""

    plan: AggregationPlan
    buckets: int
    min_rows_per_slice: int = MIN_ROWS_PER_SLICE

    @cached_property
    def slice_plan(self) -> SlicePlan | None:
        """How rows are combined before the shuffle, if they can be."""
        return pre_aggregation_plan(self.plan)

    def encode(self, df: DataFrame) -> DataFrame:
        """The DataFrame of payloads, each with its bucket."""
        keys = quoted(self.plan.keys)
        bucket = f.pmod(f.xxhash64(*keys), f.lit(self.buckets)) if keys else f.lit(0)
        width = "short" if self.buckets <= MAX_SHORT_BUCKETS else "int"
        rows = df.select(*columns_read(self.plan)).withColumn(BUCKET_COLUMN, bucket.cast(width))
        return mapped(rows, payload_task(self), PAYLOAD_SCHEMA)


def payload_task(encoder: ShuffleEncoder) -> Work:
    """The task before the shuffle; one that has rows sends to the control bucket too."""

    def work(partition: Iterable[ArrowBatch]) -> Iterator[object]:
        context, buffer, n_rows, sequence = TaskContext.get(), list[ArrowBatch](), 0, 0
        task = context.partitionId() if context else 0
        for batch in partition:
            buffer.append(batch)
            n_rows += batch.num_rows
            if n_rows >= ROWS_PER_PAYLOAD:
                yield encode_payloads(table(buffer), encoder, (task, sequence))
                buffer, n_rows, sequence = [], 0, sequence + 1
        if n_rows:
            yield encode_payloads(table(buffer), encoder, (task, sequence))

    return work


def encode_payloads(
    rows: ArrowBatch, encoder: ShuffleEncoder, origin: tuple[int, int]
) -> ArrowBatch:
    """One payload for each bucket that has rows, and one for the control bucket."""
    row_bucket = np.asarray(rows.column(BUCKET_COLUMN), np.int64)
    names, slice_plan = encoder.plan.read, encoder.slice_plan
    combined = pre_aggregate(rows, slice_plan, row_bucket, encoder) if slice_plan else None
    if combined:
        names = tuple(name for name in names if name not in encoder.plan.keys)
        order, counts = combined.row_order, combined.row_counts
    else:
        order = np.argsort(row_bucket.astype(np.uint16), kind="stable")
        counts = np.bincount(row_bucket, minlength=encoder.buckets)
    sorted_rows = picked(rows, names, order)
    ends, ids = np.cumsum(counts).tolist(), bucket_ids(encoder.buckets)
    buckets, payloads = [CONTROL_BUCKET], [PAYLOAD_HEADER.pack(*origin, 0)]
    for bucket, (end, count) in enumerate(zip(ends, counts.tolist(), strict=True)):
        if count:
            slices = to_ipc_bytes(encode_narrow(combined.slices_of(bucket))) if combined else b""
            bucket_rows = to_ipc_bytes(encode_narrow(sorted_rows.slice(end - count, count)))
            buckets.append(ids[bucket])
            payloads.append(PAYLOAD_HEADER.pack(*origin, len(slices)) + slices + bucket_rows)
    return next(batches({"bucket": buckets, "payload": payloads}, PAYLOAD_SCHEMA))


def check_bucket_count(argument: object) -> int:
    """The number of buckets, if it is valid."""
    buckets = integer(argument, "buckets")
    if not 1 <= buckets <= MAX_BUCKETS or buckets & (buckets - 1):
        raise InvalidInputError(
            f"buckets must be a power of two up to {MAX_BUCKETS}, not {buckets}"
        )
    return buckets


@cache
def bucket_ids(n: int) -> tuple[int, ...]:
    """Ids of n buckets that Spark sends to n different partitions of n.

    So buckets are spread evenly over any smaller power of two of partitions too.

    >>> sorted(spark_hash(bucket) % 8 for bucket in bucket_ids(8))
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    ids, candidate = dict[int, int](), 0
    while len(ids) < n:
        ids.setdefault(spark_hash(candidate) % n, candidate)
        candidate += 1
    return tuple(ids[partition] for partition in range(n))


def spark_hash(value: int) -> int:
    """The hash by which Spark sends a bigint to a partition (Murmur3, with seed 42).

    >>> spark_hash(1), spark_hash(-5)
    (-1712319331, 424949597)
    """
    h = HASH_SEED
    for word in (value & WORD_MASK, (value >> 32) & WORD_MASK):
        k = _rotate_left(word * C1 & WORD_MASK, 15) * C2 & WORD_MASK
        h = (_rotate_left(h ^ k, 13) * 5 + 0xE6546B64) & WORD_MASK
    h ^= 8
    h = (h ^ (h >> 16)) * 0x85EBCA6B & WORD_MASK
    h = (h ^ (h >> 13)) * 0xC2B2AE35 & WORD_MASK
    h ^= h >> 16
    return h - 2**32 if h >= 2**31 else h


def _rotate_left(word: int, bits: int) -> int:
    return ((word << bits) | (word >> (32 - bits))) & WORD_MASK
