"""A bucket of keys: the state that one call of a stateful processor takes up and puts down.

This is the seam between Spark's state and the operators. What has a form over columns is one
operator for all keys; beside it each key has a readable operator for the other windows. The head
is small and says which pieces there are. A piece is read when it is needed, and written when it
has changed.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from muntin.kernels.slicing.over import is_record, is_row
from muntin.snapshot import SnapshotError
from muntin.spark.batch.slice_plan import SlicePlan
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import Table, picked, times
from muntin.spark.execution.columnar_support import columnar_windows
from muntin.spark.state.state_chunks import Chunks, ChunkStore, read_chunk, write_changed
from muntin.spark.state.state_header import framed_state, query_fingerprint, read_state
from muntin.spark.streaming.columnar_bucket import ColumnarBucket
from muntin.spark.streaming.output_rows import late_events, late_rows, window_rows
from muntin.spark.streaming.payload_reader import Payload, SlicesAndRows, all_rows
from muntin.spark.streaming.row_bucket import Key, KeySnapshot, RowBucket, hashable
from muntin.spark.streaming.timers import TimerRules
from muntin.spec.dialect import OURS
from muntin.spec.stream import END

INLINE_STATE_LIMIT = 2**15
"""Pieces of so many bytes in all are kept with what is known of a bucket."""


class BucketHeader(NamedTuple):
    """What is known of a bucket besides its pieces.

    The windows that are answered over columns, when these have something to say, and the checksums
    of their pieces, or these themselves if they are small; the keys that have operators of their
    own.
    """

    watermark: float
    over_columns: list[str]
    due: float
    checks: Mapping[str, int]
    keys: Mapping[Key, KeySnapshot]
    small: Chunks


class Bucket:
    """Keys, and the watermark up to which all was said."""

    def __init__(
        self,
        plan: AggregationPlan,
        shelf: ChunkStore,
        data: bytes | None = None,
        slicing: SlicePlan | None = None,
    ) -> None:
        """Start without keys, or from a state; a state of something else is refused.

        Slices that come are made so; if none is said, or some window has another operator, they are
        not looked at.
        """
        self._plan, self._shelf = plan, shelf
        self._before = head = restored(plan, data) if data is not None else empty(plan)
        fast, every = set(head.over_columns), {one.id for one in plan.windows}
        self._fast, slow = plan.restricted_to(fast), plan.restricted_to(every - fast)
        self._slow, self._readable = slow.windows, RowBucket(slow, shelf, head.keys)
        self._slicing = slicing if fast == every else None
        self._columnar: ColumnarBucket | None = None
        self._pieces: Chunks = {}
        self._due = head.due
        self._kept = data is not None
        self.changed = False

    @property
    def due(self) -> float | None:
        """The least watermark at which something is to be said or forgotten; None without keys."""
        return min(self._due, self._readable.due) if self._kept else None

    def process(self, came: Sequence[Payload], watermark: float) -> Iterator[Table]:
        """Let the watermark rise, then take in what came, and yield what is said.

        Rows behind the lateness limit are late.
        """
        self._watermark = max(self._before.watermark, watermark)
        judged = [self._judged(one) for one in self._pieces_of(came)]
        pieces = [one for one, _ in judged]
        if self._fast.windows:
            yield from self._over_columns([one for one in pieces if one.tables])
        for _, late in judged:
            if late is not None:
                yield from late_rows(self._plan, late)
        (rows,) = [one.rows for one in pieces] if self._slow else [None]
        if self._readable.asked(rows, self._watermark):
            self.changed = True
            said = self._readable.take(rows, self._watermark)
            yield from window_rows(self._plan, said.results)
            yield from late_events(self._plan, said.late)

    @property
    def _limit(self) -> float:
        """The time before which rows are late."""
        return self._watermark - self._plan.settings.allowed_lateness

    def _pieces_of(self, came: Sequence[Payload]) -> list[SlicesAndRows]:
        """Return slices as far as they may be looked at, and else rows."""
        if self._slicing is None:
            return [SlicesAndRows(None, all_rows(came))]
        return [one.split(self._limit) for one in came]

    def _judged(self, piece: SlicesAndRows) -> tuple[SlicesAndRows, Table | None]:
        """Return a piece with the rows that are in time, and those that are late, if any are.

        In a dialect that does not judge by event, operators judge.
        """
        rows, rule = piece.rows, self._plan.settings.dialect.lateness
        if rows is None or self._watermark == -END or rule != "event":
            return piece, None
        late = times(rows, self._plan.time) < self._limit
        if not late.any():
            return piece, None
        names = self._plan.read
        good, bad = (picked(rows, names, np.flatnonzero(one)) for one in (~late, late))
        return piece._replace(rows=good if good.num_rows else None), bad

    def _over_columns(self, pieces: Sequence[SlicesAndRows]) -> Iterator[Table]:
        if not pieces and self._before.due > self._watermark:
            return
        checks = self._before.checks
        shelved = {name: read_chunk(self._shelf, name, check) for name, check in checks.items()}
        self._pieces = {**self._before.small, **shelved}
        self._columnar = ColumnarBucket(self._fast, self._plan, self._pieces, self._slicing)
        yield from self._columnar.take(pieces, self._watermark)
        settling = TimerRules(tuple(self._fast.kinds().values()), self._plan.settings)
        self._due = self._columnar.next_timer(settling, self._watermark)
        self.changed |= self._columnar.changed or self._due == END

    def state(self) -> bytes | None:
        """Put away the pieces that have changed, and return the head; None if nothing is kept."""
        checks, small, due = self._before.checks, self._before.small, self._due
        if self._columnar is not None:
            pieces = self._columnar.pieces()
            small = pieces if sum(map(len, pieces.values())) <= INLINE_STATE_LIMIT else {}
            large = {} if small else pieces
            checks = write_changed(self._shelf, self._pieces, checks, large)
            due = self._due = self._due if pieces else END
        keys = self._readable.persist()
        self._kept = bool(checks or small or keys)
        held = [self._watermark, self._before.over_columns, due, checks, keys, small]
        return framed_state("bucket", query_fingerprint(self._plan), held) if self._kept else None


def empty(plan: AggregationPlan) -> BucketHeader:
    """Return what is known of a bucket that holds nothing."""
    fast = columnar_windows(plan) if plan.settings.dialect == OURS else set[str]()
    return BucketHeader(-END, sorted(fast), END, {}, {}, {})


def restored(plan: AggregationPlan, data: bytes) -> BucketHeader:
    """Return what is known of a bucket."""
    held = read_state("bucket", query_fingerprint(plan), data)
    parts = list(held) if is_row(held) else []
    if len(parts) != len(BucketHeader._fields):
        raise damaged("it holds no watermark and keys")
    watermark, fast, due, checks, keys, pieces = parts
    if not isinstance(watermark, int | float) or not isinstance(due, int | float):
        raise damaged("it holds no times")
    if not (is_row(fast) and is_record(checks) and is_record(keys) and is_record(pieces)):
        raise damaged("its keys are no table")
    names = [str(one) for one in fast]
    known = {name: one for name, one in checks.items() if isinstance(one, int)}
    small = {name: one for name, one in pieces.items() if isinstance(one, bytes)}
    return BucketHeader(
        watermark, names, due, known, {_key(k): _kept(v) for k, v in keys.items()}, small
    )


def damaged(why: str) -> SnapshotError:
    """Return the error of a state that can't be read."""
    return SnapshotError(f"the state of a bucket is damaged: {why}")


def _key(key: object) -> Key:
    if is_row(key):
        return hashable(key)
    raise damaged(f"{key!r} is no key")


def _kept(one: object) -> KeySnapshot:
    match one:
        case (int() | float() as due, int() | float() as over, int() as check):
            return KeySnapshot(due, over, check)
        case _:
            raise damaged("what is kept of a key is not whole")
