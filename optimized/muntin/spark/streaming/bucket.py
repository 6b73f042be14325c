"""A bucket of keys: the state that one call of the stateful processor reads, updates and writes.

Task after the shuffle. Windows that the columnar engine supports are evaluated by one columnar
operator for all keys; the others by a row-at-a-time operator for each key. The header is small and
lists the chunks. A chunk is read when it is needed, and written when it has changed.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from muntin.spark.batch.slice_plan import SlicePlan
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, picked, times
from muntin.spark.execution.evaluation import columnar_windows
from muntin.spark.state.chunk_store import Chunks, ChunkStore, read_chunk, write_changed_chunks
from muntin.spark.state.state_header import BucketHeader, decode_bucket_header, encode_bucket_header
from muntin.spark.streaming.columnar_bucket import ColumnarBucket
from muntin.spark.streaming.output_rows import late_event_rows, late_rows, window_rows
from muntin.spark.streaming.payload_reader import Payload, SlicesAndRows, all_rows
from muntin.spark.streaming.row_bucket import RowBucket
from muntin.spark.streaming.timers import TimerRules
from muntin.spec.dialect import OURS
from muntin.spec.stream import END

INLINE_STATE_LIMIT = 2**15
"""Chunks of up to this many bytes in all are stored in the header."""


class Bucket:
    """Keys, and the watermark up to which their windows were emitted."""

    def __init__(
        self,
        plan: AggregationPlan,
        store: ChunkStore,
        header: bytes | None = None,
        slice_plan: SlicePlan | None = None,
    ) -> None:
        """Start without keys, or from a header; a header of another call is refused.

        `slice_plan` is how slices in payloads were made. Without one, or if some window has a
        row-at-a-time operator, rows are read instead.
        """
        self._plan, self._store = plan, store
        self._before = before = new_header(plan)
        if header is not None:
            self._before = before = decode_bucket_header(plan, header)
        columnar, ids = set(before.columnar_windows), {window.id for window in plan.windows}
        self._columnar_plan = plan.restricted_to(columnar)
        row_plan = plan.restricted_to(ids - columnar)
        self._row_windows = row_plan.windows
        self._row_bucket = RowBucket(row_plan, store, before.keys)
        self._slice_plan = slice_plan if columnar == ids else None
        self._columnar_bucket: ColumnarBucket | None = None
        self._chunks_before: Chunks = {}
        self._columnar_timer = before.columnar_timer
        self._is_stored = header is not None
        self.changed = False

    @property
    def next_timer(self) -> float | None:
        """The least watermark at which a window is emitted or a key expires; None without keys."""
        return min(self._columnar_timer, self._row_bucket.next_timer) if self._is_stored else None

    def process(self, payloads: Sequence[Payload], watermark: float) -> Iterator[ArrowBatch]:
        """Advance the watermark, then process payloads; rows before allowed lateness are late."""
        self._watermark = max(self._before.watermark, watermark)
        split = [self._split_late(piece) for piece in self._pieces(payloads)]
        pieces = [piece for piece, _ in split]
        if self._columnar_plan.windows:
            yield from self._process_columns([piece for piece in pieces if piece.tables])
        for _, late in split:
            if late is not None:
                yield from late_rows(self._plan, late)
        (rows,) = [piece.rows for piece in pieces] if self._row_windows else [None]
        if self._row_bucket.has_work(rows, self._watermark):
            self.changed = True
            output = self._row_bucket.process(rows, self._watermark)
            yield from window_rows(self._plan, output.results)
            yield from late_event_rows(self._plan, output.late)

    @property
    def _late_limit(self) -> float:
        """The time before which rows are late."""
        return self._watermark - self._plan.settings.allowed_lateness

    def _pieces(self, payloads: Sequence[Payload]) -> list[SlicesAndRows]:
        """Slices that can hold no late row, and otherwise rows."""
        if self._slice_plan is None:
            return [SlicesAndRows(None, all_rows(payloads))]
        return [payload.split_at(self._late_limit) for payload in payloads]

    def _split_late(self, piece: SlicesAndRows) -> tuple[SlicesAndRows, ArrowBatch | None]:
        """A piece without its late rows, and these, if there are any.

        In a dialect whose lateness is not decided by event, operators decide.
        """
        rows, rule = piece.rows, self._plan.settings.dialect.lateness
        if rows is None or self._watermark == -END or rule != "event":
            return piece, None
        is_late = times(rows, self._plan.time) < self._late_limit
        if not is_late.any():
            return piece, None
        names = self._plan.read
        timely, late = (picked(rows, names, np.flatnonzero(flags)) for flags in (~is_late, is_late))
        return piece._replace(rows=timely if timely.num_rows else None), late

    def _process_columns(self, pieces: Sequence[SlicesAndRows]) -> Iterator[ArrowBatch]:
        if not pieces and self._before.columnar_timer > self._watermark:
            return
        checksums = self._before.checksums.items()
        stored = {name: read_chunk(self._store, name, checksum) for name, checksum in checksums}
        self._chunks_before = chunks = {**self._before.inline_chunks, **stored}
        bucket = ColumnarBucket(self._columnar_plan, self._plan, chunks, self._slice_plan)
        self._columnar_bucket = bucket
        yield from bucket.process(pieces, self._watermark)
        rules = TimerRules(tuple(self._columnar_plan.kinds().values()), self._plan.settings)
        self._columnar_timer = bucket.next_timer(rules, self._watermark)
        self.changed |= bucket.changed or self._columnar_timer == END

    def write_state(self) -> bytes | None:
        """Write the changed chunks, and return the header; None if the bucket is empty."""
        checksums, inline = self._before.checksums, self._before.inline_chunks
        if self._columnar_bucket is not None:
            chunks = self._columnar_bucket.chunks()
            inline = chunks if sum(map(len, chunks.values())) <= INLINE_STATE_LIMIT else {}
            to_store = {} if inline else chunks
            checksums = write_changed_chunks(self._store, self._chunks_before, checksums, to_store)
            self._columnar_timer = self._columnar_timer if chunks else END
        keys = self._row_bucket.persist()
        self._is_stored = bool(checksums or inline or keys)
        if not self._is_stored:
            return None
        windows, timer = self._before.columnar_windows, self._columnar_timer
        header = BucketHeader(self._watermark, windows, timer, checksums, keys, inline)
        return encode_bucket_header(self._plan, header)


def new_header(plan: AggregationPlan) -> BucketHeader:
    """The header of an empty bucket: which windows its columnar operator evaluates."""
    columnar = columnar_windows(plan) if plan.settings.dialect == OURS else set[str]()
    return BucketHeader(-END, sorted(columnar), END, {}, {}, {})
