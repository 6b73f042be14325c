"""The stateful processor: Spark calls it once a micro-batch for each bucket with rows or a timer.

Task after the shuffle. A bucket holds many keys, and has one timer. In a micro-batch the watermark
advances first, and then rows are processed: whether an event is late depends on the watermark at
the begin of its micro-batch, exactly, in whatever bucket it lies and whatever Spark does with late
rows elsewhere.
"""

import gc
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Protocol

from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle, TimerValues
from pyspark.sql.types import BinaryType, StringType, StructType

from muntin.spark.state.chunk_store import MapStateChunkStore, stored_bytes
from muntin.spark.state.state_header import frame_state, query_fingerprint, read_state
from muntin.spark.streaming.bucket import Bucket
from muntin.spark.streaming.output_rows import to_pandas
from muntin.spark.streaming.payload_reader import read_payloads
from muntin.spark.streaming.shuffle_payload import CONTROL_BUCKET, ShuffleEncoder
from muntin.spec.stream import END

MICROS_PER_MILLI = 1000
HEADER_STATE, CHUNK_STATE = "state", "chunks"
"""The names of the value state and of the map state of a bucket."""
DATA, CHUNK = (StructType().add(name, BinaryType()) for name in ("data", "chunk"))
NAME = StructType().add("name", StringType())
"""Schemas, not strings: Spark would be called in each task to parse one."""


class ValueState(Protocol):
    """The part of Spark's value state that is used here; its own types leave tuples open."""

    def get(self) -> tuple[object, ...] | None: ...  # noqa: D102 - Spark's name
    def update(self, value: tuple[object, ...], /) -> None: ...  # noqa: D102 - the same
    def clear(self) -> None: ...  # noqa: D102 - the same


@cache
def freeze_imports_once() -> None:
    """Exempt from garbage collection what a worker has imported, which takes long to scan."""
    gc.freeze()


class Processor:
    """The processor of one call of `aggregate`."""

    def __init__(self, encoder: ShuffleEncoder) -> None:
        """Read the payloads of this encoder."""
        self._encoder, self._plan = encoder, encoder.plan
        self._schema = encoder.plan.schema()

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state."""
        freeze_imports_once()
        self._handle = handle
        self._header: ValueState = handle.getValueState(HEADER_STATE, DATA)
        self._chunk_store = MapStateChunkStore(handle.getMapState(CHUNK_STATE, NAME, CHUNK))

    def handleInputRows(  # noqa: N802 - Spark's name
        self,
        key: tuple[int, ...],
        rows: Iterator[Mapping[str, Iterable[bytes]]],
        timerValues: TimerValues,  # noqa: N803 - the same
    ) -> Iterator[object]:
        """Process the rows of a bucket."""
        payloads = [payload for frame in rows for payload in frame["payload"]]
        if key[0] == CONTROL_BUCKET:
            self._check_query()
            return iter(())
        return self.process(payloads, timerValues.getCurrentWatermarkInMs())

    def handleExpiredTimer(  # noqa: N802 - Spark's name
        self,
        key: tuple[int, ...],
        timerValues: TimerValues,  # noqa: N803 - the same
        expiredTimerInfo: object,  # noqa: N803 - the same
    ) -> Iterator[object]:
        """Advance the watermark: one call emits all that is due."""
        del key, expiredTimerInfo
        return self.process([], timerValues.getCurrentWatermarkInMs())

    def close(self) -> None:
        """Nothing is left open."""

    def _check_query(self) -> None:
        """Refuse another query than that which began, before any of its rows count."""
        buckets = f"the number of buckets {self._encoder.buckets}"
        fingerprint = [*query_fingerprint(self._plan), buckets]
        data = stored_bytes(self._header.get())
        if data is None:
            self._header.update((frame_state("query", fingerprint, None),))
        else:
            read_state("query", fingerprint, data)

    def process(self, payloads: list[bytes], watermark_millis: int) -> Iterator[object]:
        """Advance the watermark, process payloads, write the state, and yield output rows."""
        watermark = watermark_millis * MICROS_PER_MILLI if watermark_millis > 0 else -END
        data = stored_bytes(self._header.get())
        bucket = Bucket(self._plan, self._chunk_store, data, self._encoder.slice_plan)
        arrived = read_payloads(payloads, self._plan.read)
        frames = [to_pandas(self._schema, rows) for rows in bucket.process(arrived, watermark)]
        if bucket.changed:
            header = bucket.write_state()
            if header is not None:
                self._header.update((header,))
            elif data is not None:
                self._header.clear()
        self._set_timer(bucket.next_timer, watermark_millis)
        yield from frames

    def _set_timer(self, next_timer: float | None, watermark_millis: int) -> None:
        """Replace the timer of the bucket; there is none where nothing can become due."""
        for timer in list(self._handle.listTimers()):
            self._handle.deleteTimer(timer)
        if next_timer is not None and next_timer < END:
            is_due = next_timer == -END
            millis = watermark_millis if is_due else -int(-next_timer // MICROS_PER_MILLI)
            self._handle.registerTimer(max(millis, watermark_millis + 1))
