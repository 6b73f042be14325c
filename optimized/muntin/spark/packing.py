"""Rows as they go to buckets: each batch becomes one binary row a bucket.

A row of a packed DataFrame is the number of a bucket and a payload: which task made it and the how
manieth it was, so that the order of arrival is kept however rows are shuffled, and an Arrow stream.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from struct import Struct

import numpy as np
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import BinaryType, LongType, StructField, StructType

from muntin.spark.arrow import Table, Work, batches, mapped, pa, picked, table
from muntin.spark.gathering import quoted
from muntin.spark.murmur import spread
from muntin.spark.plan import Plan
from muntin.spec.errors import InvalidInputError

PACKED = StructType([StructField("bucket", LongType()), StructField("payload", BinaryType())])
BUCKET = "muntin bucket"
CONTROL = -1
"""The bucket that holds no keys, but what the query is."""

ENOUGH = 2**18
"""So many rows of a task are packed at once."""

HEAD = Struct("<qq")
ipc = import_module("pyarrow.ipc")


@dataclass(frozen=True)
class Packing:
    """How many buckets there are."""

    plan: Plan
    buckets: int

    def packed(self, df: DataFrame) -> DataFrame:
        """Return a DataFrame of packed rows."""
        keys = quoted(self.plan.keys)
        place = f.pmod(f.xxhash64(*keys), f.lit(self.buckets)) if keys else f.lit(0)
        rows = df.select(*quoted(self.plan.read), place.cast("long").alias(BUCKET))
        return mapped(rows, packer(self.plan.read, self.buckets), PACKED)


def packer(names: Sequence[str], buckets: int) -> Work:
    """Return what a worker does: in a task that has rows, the control bucket gets one too."""

    def work(given: Iterable[Table]) -> Iterator[object]:
        context, held, rows, made = TaskContext.get(), list[Table](), 0, 0
        task = context.partitionId() if context else 0
        for batch in given:
            held.append(batch)
            rows += batch.num_rows
            if rows >= ENOUGH:
                yield packed(table(held), names, (task, made), buckets)
                held, rows, made = [], 0, made + 1
        if rows:
            yield packed(table(held), names, (task, made), buckets)

    return work


def packed(rows: Table, names: Sequence[str], origin: tuple[int, int], buckets: int) -> Table:
    """Return rows as one payload for each bucket that has any, and one for the control bucket."""
    place = np.asarray(rows.column(BUCKET), np.int64)
    order = np.argsort(place.astype(np.uint16), kind="stable")
    counts = np.bincount(place, minlength=buckets)
    whole, begin = picked(rows, names, order), 0
    ids, found, payloads = spread(buckets), [CONTROL], [HEAD.pack(*origin)]
    for number, count in enumerate(counts.tolist()):
        if count:
            found.append(ids[number])
            payloads.append(HEAD.pack(*origin) + written(whole.slice(begin, count)))
        begin += count
    return next(batches({"bucket": found, "payload": payloads}, PACKED))


def written(batch: Table) -> bytes:
    """Return a batch as an Arrow stream."""
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


def unpacked(payloads: Iterable[bytes]) -> Table | None:
    """Return the rows of payloads in their order of arrival; None if there are none."""
    held = [
        batch for one in sorted(payloads, key=HEAD.unpack_from) for batch in read(one, HEAD.size)
    ]
    return table(held) if held else None


def checked(buckets: int) -> int:
    """Return the number of buckets, if it is one."""
    if not 1 <= buckets <= ENOUGH // 4 or buckets & (buckets - 1):
        raise InvalidInputError(
            f"buckets must be a power of two up to {ENOUGH // 4}, not {buckets}"
        )
    return buckets
