"""The stateful processor: one call serves all keys of a bucket, and one timer wakes it.

In a micro-batch the watermark rises first, and then rows come: an event is judged by the watermark
that was known when its micro-batch began, exactly, whatever bucket it lies in and whatever Spark
does with late rows elsewhere.
"""

import gc
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Protocol

from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from muntin.spark.state.state_header import framed_state, query_fingerprint, read_state
from muntin.spark.streaming.bucket import Bucket
from muntin.spark.streaming.output_transport import to_pandas
from muntin.spark.streaming.payload_reader import read_payloads
from muntin.spark.streaming.shuffle_payload import CONTROL_BUCKET, ShuffleEncoder
from muntin.spec.stream import END

MILLI = 1000
DATA, PIECE = (StructType([StructField(name, BinaryType())]) for name in ("data", "piece"))
NAME = StructType([StructField("name", StringType())])
"""Schemas, not strings: to have one parsed costs a call of Spark in each task."""


class Frame(Protocol):
    """What is used here of a frame of pandas."""

    def __getitem__(self, name: str, /) -> Iterable[bytes]: ...  # noqa: D105, RUF100 - as of a dict


class Timers(Protocol):
    """What Spark says of time."""

    def getCurrentWatermarkInMs(self) -> int: ...  # noqa: D102, N802 - Spark's name


class State(Protocol):
    """What is used here of a state of one value."""

    def get(self) -> tuple[object, ...] | None: ...  # noqa: D102 - Spark's name
    def update(self, value: tuple[object, ...], /) -> None: ...  # noqa: D102 - the same
    def clear(self) -> None: ...  # noqa: D102 - the same


class States(Protocol):
    """What is used here of a state of many values, each under a key."""

    def getValue(self, key: tuple[object, ...], /) -> tuple[object, ...] | None: ...  # noqa: D102, N802 - the same
    def updateValue(self, key: tuple[object, ...], value: tuple[object, ...], /) -> None: ...  # noqa: D102, N802 - the same
    def removeKey(self, key: tuple[object, ...], /) -> None: ...  # noqa: D102, N802 - the same


class Handle(Protocol):
    """What is used here of the handle of a stateful processor."""

    def getMapState(self, name: str, key: StructType, value: StructType, /) -> States: ...  # noqa: D102, N802 - the same
    def getValueState(self, name: str, schema: StructType, /) -> State: ...  # noqa: D102, N802 - the same
    def listTimers(self) -> Iterator[int]: ...  # noqa: D102, N802 - the same
    def registerTimer(self, at: int, /) -> None: ...  # noqa: D102, N802 - the same
    def deleteTimer(self, at: int, /) -> None: ...  # noqa: D102, N802 - the same


class MapStateChunkStore:
    """A shelf of pieces in a state of Spark."""

    def __init__(self, states: States) -> None:
        """Say which."""
        self._states = states

    def get(self, name: str) -> bytes | None:
        """Return a piece."""
        return bytes_in(self._states.getValue((name,)))

    def write_chunk(self, name: str, piece: bytes) -> None:
        """Keep a piece."""
        self._states.updateValue((name,), (piece,))

    def drop(self, name: str) -> None:
        """Keep a piece no more."""
        self._states.removeKey((name,))


def bytes_in(held: tuple[object, ...] | None) -> bytes | None:
    """Return the bytes in a state."""
    data = held[0] if held else None
    return bytes(data) if isinstance(data, bytes | bytearray) else None


@cache
def freeze_once() -> None:
    """Look for garbage among what is new only. To ask Python whether it does so takes long."""
    gc.freeze()


class Processor:
    """The processor of one call of `aggregate`."""

    def __init__(self, packing: ShuffleEncoder) -> None:
        """Say what is asked."""
        self._packing, self._plan = packing, packing.plan
        self._schema = packing.plan.schema()

    def init(self, handle: Handle) -> None:
        """Open the state; what a worker has imported is not looked at for garbage any more."""
        freeze_once()
        self._handle = handle
        self._state = handle.getValueState("state", DATA)
        self._shelf = MapStateChunkStore(handle.getMapState("pieces", NAME, PIECE))

    def handleInputRows(  # noqa: N802 - Spark's name
        self,
        key: tuple[int, ...],
        rows: Iterator[Frame],
        timerValues: Timers,  # noqa: N803 - the same
    ) -> Iterator[object]:
        """Take in the rows of a bucket."""
        payloads = [payload for frame in rows for payload in frame["payload"]]
        if key[0] == CONTROL_BUCKET:
            self._control()
            return iter(())
        return self.process(payloads, timerValues.getCurrentWatermarkInMs())

    def handleExpiredTimer(  # noqa: N802 - Spark's name
        self,
        key: tuple[int, ...],
        timerValues: Timers,  # noqa: N803 - the same
        expiredTimerInfo: object,  # noqa: N803 - the same
    ) -> Iterator[object]:
        """Let the watermark rise: all that is due is said in this one call."""
        del key, expiredTimerInfo
        return self.process([], timerValues.getCurrentWatermarkInMs())

    def close(self) -> None:
        """Nothing is left open."""

    def _control(self) -> None:
        """Refuse another query than that which began: before any of its rows count."""
        lines = [*query_fingerprint(self._plan), f"the number of buckets {self._packing.buckets}"]
        data = self._read()
        if data is None:
            self._state.update((framed_state("query", lines, None),))
        else:
            read_state("query", lines, data)

    def _read(self) -> bytes | None:
        return bytes_in(self._state.get())

    def process(self, payloads: list[bytes], reached: int) -> Iterator[object]:
        """Let the watermark rise, take in payloads, put down the state, and yield what is said."""
        watermark = reached * MILLI if reached > 0 else -END
        data = self._read()
        bucket = Bucket(self._plan, self._shelf, data, self._packing.slicing)
        came = read_payloads(payloads, self._plan.read)
        said = [to_pandas(self._schema, one) for one in bucket.process(came, watermark)]
        if bucket.changed:
            after = bucket.state()
            if after is not None:
                self._state.update((after,))
            elif data is not None:
                self._state.clear()
        self._wake(bucket.due, reached)
        yield from said

    def _wake(self, due: float | None, reached: int) -> None:
        """Set one timer, for when something is due."""
        for timer in list(self._handle.listTimers()):
            self._handle.deleteTimer(timer)
        if due is not None and due < END:
            at = reached if due == -END else -int(-due // MILLI)
            self._handle.registerTimer(max(at, reached + 1))
