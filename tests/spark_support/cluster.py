"""A cluster in memory: Spark's own tester of stateful processors, and payloads for it."""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Protocol

from muntin.kernels.slicing.over import is_row
from muntin.snapshot import decode
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, from_ipc_bytes, pa, to_ipc_bytes
from muntin.spark.state.state_header import Key, hashable
from muntin.spark.streaming.payload_reader import Payload
from muntin.spark.streaming.processor import CHUNK_STATE, HEADER_STATE, Processor
from muntin.spark.streaming.row_bucket import KEY_CHUNK_PREFIX
from muntin.spark.streaming.shuffle_payload import (
    BUCKET_COLUMN,
    PAYLOAD_HEADER,
    ShuffleEncoder,
    bucket_ids,
    encode_narrow,
    encode_payloads,
)
from spark_support.tables import Line, Row, dicts, lines_in, table_of

pandas = import_module("pandas")
BUCKETS = 2


class InMemoryChunkStore(dict[str, bytes]):
    """Chunks by name."""

    def put(self, name: str, chunk: bytes) -> None:
        """Write a chunk."""
        self[name] = chunk

    def delete(self, name: str) -> None:
        """Delete a chunk."""
        del self[name]


class TesterHandle(Protocol):
    """The part of the handle of Spark's tester that is used here."""

    def setGroupingKey(self, key: int, /) -> None: ...  # noqa: N802 - Spark's name
    def listTimers(self) -> Iterator[int]: ...  # noqa: N802 - the same


Value = tuple[object, ...]


class ProcessorTester(Protocol):
    """The part of Spark's tester that is used here."""

    handle: TesterHandle

    def setWatermark(self, watermark: int, /) -> object: ...  # noqa: N802 - Spark's name
    def testInPandas(self, key: int, frame: object, /) -> object: ...  # noqa: N802 - the same
    def peekValueState(self, name: str, key: int, /) -> Value | None: ...  # noqa: N802 - the same
    def peekMapState(self, name: str, key: int, /) -> dict[Value, Value]: ...  # noqa: N802 - the same
    def updateMapState(self, name: str, key: int, to: dict[Value, Value], /) -> None: ...  # noqa: N802 - the same
    def updateValueState(self, name: str, key: int, to: Value, /) -> None: ...  # noqa: N802 - the same


def never_late(row: object) -> int:
    """The time that Spark sees of each row."""
    del row
    return 2**62


def processor_tester(encoder: ShuffleEncoder) -> ProcessorTester:
    """Spark's tester, which drops no row before it reaches the processor."""
    tester: ProcessorTester = import_module("pyspark.sql.streaming.tws_tester").TwsTester(
        Processor(encoder),
        timeMode="EventTime",
        outputMode="Update",
        eventTimeExtractor=never_late,
    )
    return tester


@dataclass
class Cluster:
    """A stateful operator in memory: rows are encoded and shuffled, timers fire."""

    plan: AggregationPlan
    watermark: int = 0
    min_rows_per_slice: int = 0

    def __post_init__(self) -> None:
        """Start without state."""
        plan = replace(self.plan, late="rows")
        self.encoder = ShuffleEncoder(plan, BUCKETS, self.min_rows_per_slice)
        self.answer = self.encoder.plan
        self.tester = processor_tester(self.encoder)

    def step(self, batch_rows: Sequence[Row], watermark: int) -> list[Line]:
        """Run one micro-batch: timers that are due, and rows."""
        frames = list[object]()
        if watermark > self.watermark:
            self.watermark = watermark
            frames.append(self.tester.setWatermark(watermark))
        for bucket, payloads in self.payloads(batch_rows).items():
            frame = pandas.DataFrame({"bucket": bucket, "payload": payloads})
            frames.append(self.tester.testInPandas(bucket, frame))
        return lines_in(self.answer, (batch for frame in frames for batch in output_batches(frame)))

    def payloads(self, batch_rows: Sequence[Row]) -> dict[int, list[bytes]]:
        """The payloads for each bucket, from two tasks, the later one first."""
        by_bucket: dict[int, list[bytes]] = {}
        middle = len(batch_rows) // 2
        for task, part in reversed([*enumerate([batch_rows[:middle], batch_rows[middle:]])]):
            for bucket, payload in payloads_of_task(self.encoder, part, task):
                by_bucket.setdefault(bucket, []).append(payload)
        return by_bucket

    def header(self, bucket: int) -> bytes | None:
        """The header of a bucket."""
        row = self.tester.peekValueState(HEADER_STATE, bucket)
        data = row[0] if row else None
        return data if isinstance(data, bytes) else None

    def chunks(self, bucket: int) -> dict[str, bytes]:
        """The stored chunks of a bucket."""
        rows = self.tester.peekMapState(CHUNK_STATE, bucket)
        items = [(name[0], chunk[0]) for name, chunk in rows.items()]
        return {n: c for n, c in items if isinstance(n, str) and isinstance(c, bytes)}

    def key_chunks(self) -> dict[Key, bytes]:
        """The stored chunk of each key of a row bucket."""
        by_key = dict[Key, bytes]()
        for bucket in bucket_ids(BUCKETS):
            for name, chunk in self.chunks(bucket).items():
                if name.startswith(KEY_CHUNK_PREFIX):
                    key = decode(bytes.fromhex(name.removeprefix(KEY_CHUNK_PREFIX)))
                    assert is_row(key)
                    by_key[hashable(key)] = chunk
        return by_key

    def timers(self) -> list[int]:
        """The timers of all buckets."""
        handle = self.tester.handle
        timers = list[int]()
        for bucket in bucket_ids(BUCKETS):
            handle.setGroupingKey(bucket)
            timers += handle.listTimers()
        return timers


def payloads_of_task(
    encoder: ShuffleEncoder, task_rows: Sequence[Row], task: int
) -> list[tuple[int, bytes]]:
    """The payloads that a task sends, each with its bucket."""
    if not task_rows:
        return []
    keys = [str([row[name] for name in encoder.plan.keys]).encode() for row in dicts(task_rows)]
    bucket = pa.array([zlib.crc32(key) % BUCKETS for key in keys])
    rows = getattr(table_of(task_rows), "append_column")(BUCKET_COLUMN, bucket)  # noqa: B009 - Arrow is not typed
    columns = dict_of(encode_payloads(rows, encoder, (task, 0)))
    items = zip(columns["bucket"], columns["payload"], strict=True)
    return [(b, p) for b, p in items if isinstance(b, int) and isinstance(p, bytes)]


def payload_of(plan: AggregationPlan, rows: ArrowBatch) -> list[Payload]:
    """Rows as one payload."""
    data = PAYLOAD_HEADER.pack(0, 0, 0) + to_ipc_bytes(encode_narrow(rows))
    return [Payload(data, plan.read)]


def dict_of(batch: ArrowBatch) -> dict[str, list[object]]:
    """A batch by columns."""
    columns: dict[str, list[object]] = getattr(batch, "to_pydict")()  # noqa: B009 - Arrow is not typed
    return columns


def output_batches(frame: object) -> Iterator[ArrowBatch]:
    """The batches of output rows; an empty frame may be a list."""
    for payload in getattr(frame, "payload", ()):
        yield from from_ipc_bytes(payload)
