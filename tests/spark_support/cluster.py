"""A cluster in memory: Spark's own tester of stateful processors, and what packs rows for it."""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Protocol

from muntin.kernels.slicing.over import is_row
from muntin.snapshot import decode
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import Table, pa
from muntin.spark.streaming.bucket_ids import bucket_ids
from muntin.spark.streaming.integer_narrowing import encode_narrow
from muntin.spark.streaming.payload_reader import Payload
from muntin.spark.streaming.processor import Processor
from muntin.spark.streaming.row_bucket import PIECE, Key, hashable
from muntin.spark.streaming.shuffle_payload import (
    BUCKET,
    HEAD,
    ShuffleEncoder,
    packed,
    read,
    written,
)
from spark_support.tables import Line, Row, dicts, lines_in, table_of

pandas = import_module("pandas")
BUCKETS = 2


class Timed(Protocol):
    """What is used here of the handle of Spark's tester."""

    def setGroupingKey(self, key: int, /) -> None: ...  # noqa: N802 - Spark's name
    def listTimers(self) -> Iterator[int]: ...  # noqa: N802 - the same


Value = tuple[object, ...]


class InMemory(Protocol):
    """What is used here of Spark's tester."""

    handle: Timed

    def setWatermark(self, at: int, /) -> object: ...  # noqa: N802 - Spark's name
    def testInPandas(self, key: int, frame: object, /) -> object: ...  # noqa: N802 - the same
    def peekValueState(self, name: str, key: int, /) -> Value | None: ...  # noqa: N802
    def peekMapState(self, name: str, key: int, /) -> dict[Value, Value]: ...  # noqa: N802
    def updateMapState(self, name: str, key: int, to: dict[Value, Value], /) -> None: ...  # noqa: N802
    def updateValueState(self, name: str, key: int, to: Value, /) -> None: ...  # noqa: N802


def never_late(row: object) -> int:
    """Return the time of a row, as far as Spark is to know."""
    del row
    return 2**62


def in_memory(packing: ShuffleEncoder) -> InMemory:
    """Return Spark's tester, which drops nothing before it reaches the processor."""
    found: InMemory = import_module("pyspark.sql.streaming.tws_tester").TwsTester(
        Processor(packing),
        timeMode="EventTime",
        outputMode="Update",
        eventTimeExtractor=never_late,
    )
    return found


@dataclass
class Cluster:
    """A stateful operator in memory: rows are packed and shuffled, timers fire."""

    plan: AggregationPlan
    watermark: int = 0
    few: int = 0

    def __post_init__(self) -> None:
        """Start without state."""
        self.packing = ShuffleEncoder(replace(self.plan, late="rows"), BUCKETS, self.few)
        self.answer = self.packing.plan
        self.tester = in_memory(self.packing)

    def step(self, given_rows: Sequence[Row], watermark: int) -> list[Line]:
        """Run one micro-batch: timers that are due, and rows."""
        frames = list[object]()
        if watermark > self.watermark:
            self.watermark = watermark
            frames.append(self.tester.setWatermark(watermark))
        for bucket, payloads in self.packed(given_rows).items():
            frame = pandas.DataFrame({"bucket": bucket, "payload": payloads})
            frames.append(self.tester.testInPandas(bucket, frame))
        return lines_in(self.answer, (batch for frame in frames for batch in unpacked(frame)))

    def packed(self, given_rows: Sequence[Row]) -> dict[int, list[bytes]]:
        """Return the payloads for each bucket, from two tasks, the later one first."""
        found: dict[int, list[bytes]] = {}
        middle = len(given_rows) // 2
        for task, part in reversed([*enumerate([given_rows[:middle], given_rows[middle:]])]):
            for row in sent(self.packing, part, task):
                found.setdefault(row[0], []).append(row[1])
        return found

    def state(self, bucket: int) -> bytes | None:
        """Return what is kept of a bucket."""
        held = self.tester.peekValueState("state", bucket)
        data = held[0] if held else None
        return data if isinstance(data, bytes) else None

    def pieces(self, bucket: int) -> dict[str, bytes]:
        """Return the pieces that are kept of a bucket."""
        held = self.tester.peekMapState("pieces", bucket)
        each = [(name[0], piece[0]) for name, piece in held.items()]
        return {n: p for n, p in each if isinstance(n, str) and isinstance(p, bytes)}

    def kept(self) -> dict[Key, bytes]:
        """Return what is kept of each key that has an operator of its own."""
        found = dict[Key, bytes]()
        for bucket in bucket_ids(BUCKETS):
            for name, piece in self.pieces(bucket).items():
                key = (
                    decode(bytes.fromhex(name.removeprefix(PIECE)))
                    if name.startswith(PIECE)
                    else None
                )
                if is_row(key):
                    found[hashable(key)] = piece
        return found

    def timers(self) -> list[int]:
        """Return when buckets will be woken."""
        handle = self.tester.handle
        found = list[int]()
        for bucket in bucket_ids(BUCKETS):
            handle.setGroupingKey(bucket)
            found += handle.listTimers()
        return found


def sent(packing: ShuffleEncoder, part: Sequence[Row], task: int) -> list[tuple[int, bytes]]:
    """Return the rows that a task sends to buckets."""
    if not part:
        return []
    whole = table_of(part)
    own = [str([one[name] for name in packing.plan.keys]).encode() for one in dicts(part)]
    place = pa.array([zlib.crc32(key) % BUCKETS for key in own])
    with_place = getattr(whole, "append_column")(BUCKET, place)  # noqa: B009 - Arrow is not typed
    columns = dict_of(packed(with_place, packing, (task, 0)))
    each = zip(columns["bucket"], columns["payload"], strict=True)
    return [(b, p) for b, p in each if isinstance(b, int) and isinstance(p, bytes)]


def came(plan: AggregationPlan, rows: Table) -> list[Payload]:
    """Return rows as one payload."""
    return [Payload(HEAD.pack(0, 0, 0) + written(encode_narrow(rows)), plan.read)]


def dict_of(batch: Table) -> dict[str, list[object]]:
    """Return a batch by columns."""
    found: dict[str, list[object]] = getattr(batch, "to_pydict")()  # noqa: B009 - Arrow is not typed
    return found


def unpacked(frame: object) -> Iterator[Table]:
    """Yield the batches that are answered; an empty frame may be a list."""
    for payload in getattr(frame, "payload", ()):
        yield from read(payload)
