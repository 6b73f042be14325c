"""The keys of a bucket as columns: one operator over columns serves them all.

A key is a number for the operator, its place in a table of keys. A key of which nothing is kept is
let go.
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
from muntin.spark.execution.arrow import Table, as_typed, keys, picked, table, times
from muntin.spark.execution.evaluation import columnar_operator_for, columns_of, rows_of_answer
from muntin.spark.execution.result_rows import result_batches
from muntin.spark.state.columnar_checkpoint import QueryForms, pieces_of, state_in
from muntin.spark.state.idle_keys import drop_idle_keys, image_of, live_keys, resume_from, state_of
from muntin.spark.state.key_table import keys_in, packed_keys
from muntin.spark.state.state_chunks import Chunks
from muntin.spark.streaming.payload_reader import SlicesAndRows, merge_slices
from muntin.spark.streaming.timers import TimerRules
from muntin.spec.stream import END

TABLE = "table of keys"


class ColumnarBucket:
    """What is kept of the keys of a bucket, for the windows that have a form over columns.

    `whole` is the plan of the call, `plan` that of these windows.
    """

    def __init__(
        self,
        plan: AggregationPlan,
        whole: AggregationPlan,
        pieces: Chunks,
        slicing: SlicePlan | None = None,
    ) -> None:
        """Start without keys, or go on from pieces; slices that come are made so."""
        self._plan, self._whole, self._before, self._slicing = plan, whole, pieces, slicing
        self._operator = columnar_operator_for(plan, "slices")
        queries = image_of(self._operator).queries
        self._kinds = {name: one.window for name, one in queries.items()}
        self._forms = {
            query: form for query, one in queries.items() if (form := form_of(one.aggregate))
        }
        self._keys = keys_in(plan, pieces[TABLE]) if pieces else None
        self.changed = False
        if self._keys is not None:
            resume_from(self._operator, state_in(pieces, self._kinds), self._keys.num_rows)

    def take(self, came: Sequence[SlicesAndRows], watermark: float) -> Iterator[Table]:
        """Let the watermark rise, then take in rows, none of which is late; yield what is said."""
        none: dict[str, Values] = {name: self._nothing(name) for name in self._plan.read}
        if watermark > -END:
            answer = self._operator.take_columns(no_ints(), none, no_ints(), watermark)
            yield from self._said(answer)
        tables = [one for piece in came for one in piece.tables]
        if not tables:
            return
        self.changed, numbers = True, self._numbered(tables)
        if self._slicing and any(piece.slices is not None for piece in came):
            store = merge_slices(self._slicing, came, numbers)
            yield from self._said(self._operator.take_slices(store))
            return
        rows, number = table(tables), np.concatenate(numbers)
        time, columns = times(rows, self._plan.time), columns_of(self._plan, rows)
        yield from self._said(self._operator.take_columns(time, columns, number))

    def _said(self, answer: Answered) -> Iterator[Table]:
        lines = rows_of_answer(self._plan, answer)
        if lines and self._keys is not None:
            self.changed = True
            every = np.arange(self._keys.num_rows)
            yield from result_batches(self._whole, lines, self._keys, KeyNumbers(every, every))

    def _nothing(self, name: str) -> Values:
        real = isinstance(self._plan.types[name], FLOATING_TYPES)
        return Values(column_of(np.empty(0, np.float64) if real else no_ints()))

    def _numbered(self, tables: Sequence[Table]) -> list[Ints]:
        """Return the numbers of the keys in tables; new keys get the next."""
        names, found = self._plan.keys, [keys(one, self._plan.keys) for one in tables]
        mine = [picked(t, names, one.row) for t, one in zip(tables, found, strict=True)]
        known = [] if self._keys is None else [as_typed(self._keys, mine[0])]
        both = table([*known, *mine])
        every = keys(both, names)
        self._keys = picked(both, names, every.row)
        ends = np.cumsum([one.num_rows for one in (*known, *mine)]).tolist()
        parts = np.split(every.number, ends[:-1])[len(known) :]
        return [part[one.number] for part, one in zip(parts, found, strict=True)]

    def pieces(self) -> dict[str, bytes]:
        """Return what is to be kept: nothing, if nothing is kept of any key."""
        state = state_of(self._operator)
        if self._keys is None:
            return {}
        kept = live_keys(state, self._kinds, self._keys.num_rows)
        if not kept.any():
            return {}
        if 2 * kept.sum() <= kept.size:
            state = drop_idle_keys(state, kept)
            self._keys = picked(self._keys, self._plan.keys, np.flatnonzero(kept))
        n = self._keys.num_rows
        asked = QueryForms(self._kinds, self._forms)
        found = pieces_of(state, asked, n, self._before)
        return found | {TABLE: packed_keys(self._plan, self._keys)}

    def next_timer(self, settling: TimerRules, watermark: float) -> float:
        """Return the least watermark at which something may be to be said, or all forgotten."""
        groups = [group.cells for _, _, group in state_of(self._operator).groups]
        times = [(int(one.low.min()), int(one.high.max())) for one in groups if len(one)]
        if not times:
            return END
        least, most = min(low for low, _ in times), max(high for _, high in times)
        return min(settling.next_emission(max(watermark, least - 1)), settling.expiry(most, 0))
