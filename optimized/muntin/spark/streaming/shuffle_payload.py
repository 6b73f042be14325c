"""Payloads of the shuffle: each batch of rows becomes one binary row for each bucket of keys.

Task before the shuffle. A row of the encoded DataFrame is a bucket and a payload: its task and
sequence number, so that arrival order survives the shuffle; slices, if there are few; and rows.

Rows are combined into slices where slices are few. A bucket reads the rows of a slice only if some
may be late, for only the bucket knows the watermark. So the rows are sent too, in the order of
their slices, which hold the keys. No row is lost here, or declared late.

Integer columns are as narrow as their range: many span little, such as the times of a micro-batch.
A narrow column holds the differences from its least value; the metadata of the batch holds these
values and the schema.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from math import expm1
from struct import Struct
from typing import NamedTuple

import numpy as np
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import BinaryType, LongType, StructType

from muntin.columnar.embedding import ArrowColumn, Ints, takes_partials
from muntin.spark.batch.slice_plan import SlicePlan, sliceable_windows
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution import arrow
from muntin.spark.execution.arrow import ArrowBatch, Work, pa
from muntin.spark.execution.evaluation import aggregates_of
from muntin.spark.execution.repartition import columns_read, internal_name, quoted
from muntin.spec.dialect import OURS
from muntin.spec.errors import InvalidInputError, UnsupportedError, integer

COUNT_COLUMN = internal_name("count")
MIN_ROWS_PER_SLICE = 16
"""Slices are sent if a slice holds at least this many rows on average."""
SAMPLE_ROWS = 2**12
"""A sample of this size shows well enough whether slices are few."""

WIDTHS = (np.uint8, np.uint16, np.uint32)
LEAST_KEY, SCHEMA_KEY = b"least", b"schema"


def encode_narrow(batch: ArrowBatch) -> ArrowBatch:
    """A batch whose integer columns without nulls are narrow."""
    columns, least = dict[str, object](), dict[str, int]()
    for name in batch.column_names:
        columns[name] = values = arrow.column(batch, name)
        if can_narrow(values) and len(values) and not values.null_count:
            numbers = np.asarray(arrow.plain(values).cast(pa.int64()), np.int64)
            low, extent = int(numbers.min()), int(numbers.max()) - int(numbers.min())
            widths = [width for width in WIDTHS if extent <= np.iinfo(width).max]
            if widths:
                columns[name], least[name] = pa.array((numbers - low).astype(widths[0])), low
    schema: bytes = getattr(batch.schema, "serialize")().to_pybytes()  # noqa: B009 - Arrow is not typed
    metadata = {SCHEMA_KEY: schema, LEAST_KEY: json.dumps(least).encode()}
    return arrow.record_batch(columns, metadata=metadata)


def decode_narrow(batch: ArrowBatch) -> ArrowBatch:
    """The batch that `encode_narrow` encoded."""
    metadata: dict[bytes, bytes] = getattr(batch.schema, "metadata")  # noqa: B009 - the same
    schema = arrow.ipc.read_schema(pa.py_buffer(metadata[SCHEMA_KEY]))
    least: dict[str, int] = json.loads(metadata[LEAST_KEY])
    columns: dict[str, object] = {name: arrow.column(batch, name) for name in batch.column_names}
    for name, low in least.items():
        columns[name] = _widened(arrow.column(batch, name), low, schema.field(name).type)
    return arrow.record_batch(columns)


def can_narrow(values: ArrowColumn) -> bool:
    """Whether a column holds integers, or times, which count a unit."""
    kind, types = values.type, pa.types
    return bool(types.is_integer(kind) or types.is_timestamp(kind) or types.is_date32(kind))


def _widened(values: ArrowColumn, least: int, kind: object) -> object:
    numbers = pa.array(np.asarray(values).astype(np.int64) + least)
    return (numbers.cast(pa.int32()) if pa.types.is_date32(kind) else numbers).cast(kind)


PAYLOAD_SCHEMA = StructType().add("bucket", LongType()).add("payload", BinaryType())
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
        return arrow.mapped(rows, payload_task(self), PAYLOAD_SCHEMA)


def payload_task(encoder: ShuffleEncoder) -> Work:
    """The task before the shuffle; one that has rows sends to the control bucket too."""

    def work(partition: Iterable[ArrowBatch]) -> Iterator[object]:
        context, buffer, n_rows, sequence = TaskContext.get(), list[ArrowBatch](), 0, 0
        task = context.partitionId() if context else 0
        for batch in partition:
            buffer.append(batch)
            n_rows += batch.num_rows
            if n_rows >= ROWS_PER_PAYLOAD:
                yield encode_payloads(arrow.table(buffer), encoder, (task, sequence))
                buffer, n_rows, sequence = [], 0, sequence + 1
        if n_rows:
            yield encode_payloads(arrow.table(buffer), encoder, (task, sequence))

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
    sorted_rows = arrow.picked(rows, names, order)
    ends, ids = np.cumsum(counts).tolist(), bucket_ids(encoder.buckets)
    buckets, payloads = [CONTROL_BUCKET], [PAYLOAD_HEADER.pack(*origin, 0)]
    for bucket, (end, count) in enumerate(zip(ends, counts.tolist(), strict=True)):
        if count:
            slices = (
                arrow.to_ipc_bytes(encode_narrow(combined.slices_of(bucket))) if combined else b""
            )
            bucket_rows = arrow.to_ipc_bytes(encode_narrow(sorted_rows.slice(end - count, count)))
            buckets.append(ids[bucket])
            payloads.append(PAYLOAD_HEADER.pack(*origin, len(slices)) + slices + bucket_rows)
    return next(arrow.batches({"bucket": buckets, "payload": payloads}, PAYLOAD_SCHEMA))


def check_bucket_count(argument: object) -> int:
    """The number of buckets, if it is valid."""
    buckets = integer(argument, "buckets")
    if not 1 <= buckets <= MAX_BUCKETS or buckets & (buckets - 1):
        problem = f"buckets must be a power of two up to {MAX_BUCKETS}, not {buckets}"
        raise InvalidInputError(problem)
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


class PreAggregatedRows(NamedTuple):
    """The order of rows by bucket and slice, the number of rows a bucket, and the slices.

    Slices of bucket b begin at `slice_bounds[b]` and end before `slice_bounds[b + 1]`.
    """

    row_order: Ints
    row_counts: Ints
    slices: ArrowBatch
    slice_bounds: Ints

    def slices_of(self, bucket: int) -> ArrowBatch:
        """The slices of a bucket."""
        begin, end = self.slice_bounds[bucket : bucket + 2].tolist()
        return self.slices.slice(begin, end - begin)


def pre_aggregation_plan(plan: AggregationPlan) -> SlicePlan | None:
    """How rows are combined into slices; None if some window needs rows."""
    if plan.settings.dialect != OURS or sliceable_windows(plan) != plan.kinds().keys():
        return None
    all_sliced = takes_partials(plan.kinds(), aggregates_of(plan), plan.settings)
    return SlicePlan(plan) if all_sliced else None


def pre_aggregate(
    rows: ArrowBatch, slice_plan: SlicePlan, bucket: Ints, encoder: ShuffleEncoder
) -> PreAggregatedRows | None:
    """Combine rows into slices, given the bucket of each row; None if slices are too many.

    None also if an operator would refuse some row: if that row is late, no operator gets it.
    """
    try:
        return _pre_aggregate(rows, slice_plan, bucket, encoder)
    except UnsupportedError:
        return None


def _pre_aggregate(
    rows: ArrowBatch, slice_plan: SlicePlan, bucket: Ints, encoder: ShuffleEncoder
) -> PreAggregatedRows | None:
    if not is_worthwhile(rows, slice_plan, encoder.min_rows_per_slice):
        return None
    names, numbers = slice_plan.plan.keys, arrow.keys(rows, slice_plan.plan.keys)
    key_bucket = bucket[numbers.row]
    by_bucket = np.argsort(key_bucket, kind="stable")
    rank = np.empty_like(by_bucket)
    rank[by_bucket] = np.arange(by_bucket.size)
    in_order = slice_plan.sorted_rows(rows, rank[numbers.number], 0)
    if len(in_order) * encoder.min_rows_per_slice > rows.num_rows:
        return None
    sent = in_order.slices()
    slice_bucket = key_bucket[by_bucket][in_order.key]
    slice_keys = arrow.picked(rows, names, numbers.row[by_bucket][in_order.key])
    columns: dict[str, object] = {name: arrow.column(slice_keys, name) for name in names}
    columns |= slice_plan.encode(sent) | {COUNT_COLUMN: sent.count}
    slices: ArrowBatch = pa.table(columns)
    bounds = np.searchsorted(slice_bucket, np.arange(encoder.buckets + 1))
    counts = np.bincount(key_bucket[numbers.number], minlength=encoder.buckets)
    return PreAggregatedRows(in_order.order, counts, slices, bounds)


def is_worthwhile(rows: ArrowBatch, slice_plan: SlicePlan, min_rows_per_slice: int) -> bool:
    """Whether slices may be few enough: in a sample, some rows must share a slice.

    Of s rows in n slices, if all are as likely, n * (1 - exp(-s / n)) slices hold one.
    """
    if not min_rows_per_slice or rows.num_rows <= SAMPLE_ROWS:
        return True
    step = rows.num_rows // SAMPLE_ROWS
    names = slice_plan.plan.read
    sample_rows = arrow.picked(rows, names, np.arange(0, step * SAMPLE_ROWS, step))
    number = arrow.keys(sample_rows, slice_plan.plan.keys).number
    slices = rows.num_rows / min_rows_per_slice
    sample_slices = len(slice_plan.sorted_rows(sample_rows, number, 0))
    return sample_slices <= -slices * expm1(-SAMPLE_ROWS / slices)
