"""The keys of a bucket in one columnar operator, for the windows that the columnar engine supports.

Task after the shuffle. The number of a key in the operator is its place in the table of keys. A key
without state is dropped.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from muntin.columnar.embedding import Ints, KeyNumbers
from muntin.spark.batch.slice_plan import SlicePlan
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, as_typed, keys, picked, table, times
from muntin.spark.execution.evaluation import columns_of, engine_of
from muntin.spark.execution.result_rows import result_batches
from muntin.spark.state.chunk_store import Chunks
from muntin.spark.state.key_table import decode_keys, encode_keys
from muntin.spark.streaming.payload_reader import SlicesAndRows, merge_slices
from muntin.spark.streaming.timers import TimerRules
from muntin.spec.stream import END

KEY_TABLE_CHUNK = "table of keys"


class ColumnarBucket:
    """One operator for all keys of a bucket.

    `plan` is that of the windows that it evaluates, `call_plan` that of all windows of the call.
    """

    def __init__(
        self,
        plan: AggregationPlan,
        call_plan: AggregationPlan,
        chunks: Chunks,
        slice_plan: SlicePlan | None = None,
    ) -> None:
        """Start without keys, or from chunks; `slice_plan` is how incoming slices were made."""
        self._plan, self._call_plan = plan, call_plan
        self._chunks_before, self._slice_plan = chunks, slice_plan
        self._engine = engine_of(plan, saves=True)
        self._keys = decode_keys(plan, chunks[KEY_TABLE_CHUNK]) if chunks else None
        self.changed = False
        if self._keys is not None:
            self._engine.load(chunks, self._keys.num_rows)

    def process(self, pieces: Sequence[SlicesAndRows], watermark: float) -> Iterator[ArrowBatch]:
        """Advance the watermark, then ingest pieces without late rows; yield output rows."""
        if watermark > -END:
            yield from self._advance(watermark)
        tables = [part for piece in pieces for part in piece.tables]
        if not tables:
            return
        self.changed, numbers = True, self._key_numbers(tables)
        if self._slice_plan and any(piece.slices is not None for piece in pieces):
            self._engine.feed_partials(merge_slices(self._slice_plan, pieces, numbers))
            yield from self._advance()
            return
        rows, number = table(tables), np.concatenate(numbers)
        self._engine.feed(times(rows, self._plan.time), columns_of(self._plan, rows), number)
        yield from self._advance()

    def _advance(self, watermark: float | None = None) -> Iterator[ArrowBatch]:
        """Run a step, and yield its output rows."""
        self._engine.advance(watermark)
        results = self._engine.take()
        if results and self._keys is not None:
            self.changed = True
            places = np.arange(self._keys.num_rows)
            numbers = KeyNumbers(places, places)
            yield from result_batches(self._call_plan, results, self._keys, numbers)

    def _key_numbers(self, tables: Sequence[ArrowBatch]) -> list[Ints]:
        """The number of the key of each row, by table; new keys get the next numbers."""
        names, numbers = self._plan.keys, [keys(rows, self._plan.keys) for rows in tables]
        new_keys = [
            picked(rows, names, number.row) for rows, number in zip(tables, numbers, strict=True)
        ]
        old_keys = [] if self._keys is None else [as_typed(self._keys, new_keys[0])]
        candidates = table([*old_keys, *new_keys])
        merged = keys(candidates, names)
        self._keys = picked(candidates, names, merged.row)
        ends = np.cumsum([part.num_rows for part in (*old_keys, *new_keys)]).tolist()
        parts = np.split(merged.number, ends[:-1])[len(old_keys) :]
        return [part[number.number] for part, number in zip(parts, numbers, strict=True)]

    def chunks(self) -> dict[str, bytes]:
        """The state as chunks; none if no key is live."""
        if self._keys is None:
            return {}
        saved = self._engine.save(self._keys.num_rows, self._chunks_before)
        if not saved.chunks:
            return {}
        if saved.kept_keys.size < self._keys.num_rows:
            self._keys = picked(self._keys, self._plan.keys, saved.kept_keys)
        return {**saved.chunks, KEY_TABLE_CHUNK: encode_keys(self._plan, self._keys)}

    def next_timer(self, rules: TimerRules, watermark: float) -> float:
        """The least watermark at which a window may be emitted, or all keys may expire."""
        extent = self._engine.extent()
        if extent is None:
            return END
        first, last = extent
        return min(rules.next_emission(max(watermark, first - 1)), rules.expiry(last, 0))
