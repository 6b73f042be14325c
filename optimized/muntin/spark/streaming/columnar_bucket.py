"""The keys of a bucket in one columnar operator, for the windows that the columnar engine supports.

Task after the shuffle. The number of a key in the operator is its place in the table of keys. A key
without state is dropped.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from muntin.columnar.key_numbers import KeyNumbers
from muntin.kernels.slicing.answered import Answered
from muntin.kernels.slicing.arrays import Ints, column_of, no_ints
from muntin.kernels.slicing.batch import Values
from muntin.kernels.slicing.forms import form_of
from muntin.spark.batch.slice_plan import SlicePlan
from muntin.spark.call.aggregate_arguments import FLOATING_TYPES
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, as_typed, keys, picked, table, times
from muntin.spark.execution.evaluation import (
    columnar_operator_for,
    columnar_queries,
    columns_of,
    rows_of_answer,
)
from muntin.spark.execution.result_rows import result_batches
from muntin.spark.state.chunk_store import Chunks
from muntin.spark.state.columnar_checkpoint import (
    QueryForms,
    decode_keys,
    decode_operator_state,
    encode_keys,
    encode_operator_state,
)
from muntin.spark.state.operator_state import drop_idle_keys, export_state, import_state, live_keys
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
        self._operator = columnar_operator_for(plan, "slices")
        queries = columnar_queries(plan)
        self._kinds = {query.id: query.window for query in queries}
        self._forms = {each.id: form for each in queries if (form := form_of(each.aggregate))}
        self._keys = decode_keys(plan, chunks[KEY_TABLE_CHUNK]) if chunks else None
        self.changed = False
        if self._keys is not None:
            state = decode_operator_state(chunks, self._kinds)
            import_state(self._operator, state, self._keys.num_rows)

    def process(self, pieces: Sequence[SlicesAndRows], watermark: float) -> Iterator[ArrowBatch]:
        """Advance the watermark, then ingest pieces without late rows; yield output rows."""
        empty: dict[str, Values] = {name: self._empty_column(name) for name in self._plan.read}
        if watermark > -END:
            answer = self._operator.take_columns(no_ints(), empty, no_ints(), watermark)
            yield from self._output_rows(answer)
        tables = [part for piece in pieces for part in piece.tables]
        if not tables:
            return
        self.changed, numbers = True, self._key_numbers(tables)
        if self._slice_plan and any(piece.slices is not None for piece in pieces):
            store = merge_slices(self._slice_plan, pieces, numbers)
            yield from self._output_rows(self._operator.take_slices(store))
            return
        rows, number = table(tables), np.concatenate(numbers)
        time, columns = times(rows, self._plan.time), columns_of(self._plan, rows)
        yield from self._output_rows(self._operator.take_columns(time, columns, number))

    def _output_rows(self, answer: Answered) -> Iterator[ArrowBatch]:
        results = rows_of_answer(self._plan, answer)
        if results and self._keys is not None:
            self.changed = True
            places = np.arange(self._keys.num_rows)
            numbers = KeyNumbers(places, places)
            yield from result_batches(self._call_plan, results, self._keys, numbers)

    def _empty_column(self, name: str) -> Values:
        is_real = isinstance(self._plan.types[name], FLOATING_TYPES)
        return Values(column_of(np.empty(0, np.float64) if is_real else no_ints()))

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
        state = export_state(self._operator)
        if self._keys is None:
            return {}
        live = live_keys(state, self._kinds, self._keys.num_rows)
        if not live.any():
            return {}
        if 2 * live.sum() <= live.size:
            state = drop_idle_keys(state, live)
            self._keys = picked(self._keys, self._plan.keys, np.flatnonzero(live))
        queries, n_keys = QueryForms(self._kinds, self._forms), self._keys.num_rows
        chunks = encode_operator_state(state, queries, n_keys, self._chunks_before)
        return chunks | {KEY_TABLE_CHUNK: encode_keys(self._plan, self._keys)}

    def next_timer(self, rules: TimerRules, watermark: float) -> float:
        """The least watermark at which a window may be emitted, or all keys may expire."""
        slices = [group.cells for _, _, group in export_state(self._operator).groups]
        spans = [(int(cells.low.min()), int(cells.high.max())) for cells in slices if len(cells)]
        if not spans:
            return END
        first, last = min(low for low, _ in spans), max(high for _, high in spans)
        return min(rules.next_emission(max(watermark, first - 1)), rules.expiry(last, 0))
