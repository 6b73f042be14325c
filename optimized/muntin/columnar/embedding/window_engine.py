"""The engine as other programs drive it: feed rows or slices, advance, take results, save, load."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from muntin.columnar.arrow import result_array
from muntin.columnar.arrow_columns import pa
from muntin.columnar.embedding.checkpoint import (
    QueryForms,
    decode_operator_state,
    encode_operator_state,
)
from muntin.columnar.embedding.operator_state import (
    OperatorState,
    drop_idle_keys,
    export_state,
    import_state,
    live_keys,
)
from muntin.columnar.embedding.result_rows import ResultRows
from muntin.columnar.embedding.slice_encoding import is_serializable
from muntin.columnar.embedding.slice_layout import PartialSlices
from muntin.columnar.operator import ColumnarOperator
from muntin.kernels.slicing.answered import Answered, aligned
from muntin.kernels.slicing.arrays import Ints, no_ints
from muntin.kernels.slicing.batch import Source, Values
from muntin.kernels.slicing.forms import Form, form_of
from muntin.kernels.slicing.known import KINDS
from muntin.kernels.slicing.plan import planned
from muntin.kernels.slicing.supported import refusal
from muntin.optimized.common.window_traits import traits_of
from muntin.spec.algebra.aggregate import AnyAggregate
from muntin.spec.query import Query, Settings
from muntin.spec.windows.measure import TIME
from muntin.spec.windows.window import WindowType

Windows = Mapping[str, WindowType]
"""Window types by id."""
Aggregates = Mapping[str, AnyAggregate]
"""Aggregates over records, by result name; each window computes all of them."""
Records = Mapping[Source, Values]
"""Columns of values by name."""


class SavedEngine(NamedTuple):
    """The state of an engine: chunks of bytes by name, and the keys that it kept, by old number.

    Chunks whose rows have not changed since those before are equal to the bit, so a store writes
    only the others. Without keys nothing is kept.
    """

    chunks: Mapping[str, bytes]
    kept_keys: Ints


class WindowEngine:
    """Windows over the rows of many keys, which are numbers from 0; new ones are the next.

    `saves` says that the state is to be saved: then it is kept in a form that has chunks.
    """

    def __init__(
        self, windows: Windows, aggregates: Aggregates, settings: Settings, *, saves: bool = False
    ) -> None:
        """Start without rows; what has no form over columns is refused."""
        self._windows, self._aggregates = windows, aggregates
        self._ids = query_ids(windows, aggregates)
        self._queries = _queries(windows, aggregates)
        self._operator = ColumnarOperator(settings, method="slices" if saves else "auto", threads=1)
        for query in self._queries:
            self._operator.add(query)
        self._rows: tuple[object, Records, object] | None = None
        self._slices: PartialSlices | None = None
        self._results: list[ResultRows] = []

    # ------------------------------------------------------------ rows in, windows out

    def feed(self, times: object, columns: Records, keys: object) -> None:
        """Rows of the next step; nothing happens before `advance`."""
        self._rows = times, columns, keys

    def feed_partials(self, slices: PartialSlices) -> None:
        """Slices of the next step, none of which is late, of a `SliceLayout` of these windows."""
        self._slices = slices

    def advance(self, watermark: float | None = None) -> Ints:
        """Take in what was fed, then advance the watermark; the places of rows that are late."""
        rows, slices = self._rows, self._slices
        self._rows = self._slices = None
        if slices is not None:
            self._results += self._rows_of(self._operator.take_slices(slices.store))
        if rows is None and watermark is None:
            return no_ints()
        times, columns, keys = rows or (no_ints(), self._no_records(), no_ints())
        answered = self._operator.take_columns(times, columns, keys, watermark)
        self._results += self._rows_of(answered)
        return answered.late

    def take(self) -> list[ResultRows]:
        """The results since the last time, a table for each window and step, values as of Arrow."""
        results, self._results = self._results, []
        return results

    def _no_records(self) -> Records:
        forms = self._forms.values()
        none = Values(np.zeros(0))
        return {source: none for form in forms for source in form.sources}

    def _rows_of(self, answered: Answered) -> list[ResultRows]:
        """The output of a step, with all aggregates of a window."""
        lines, results = answered.by_query(), list[ResultRows]()
        n = max((int(one.key.max()) + 1 for one in lines.values() if one.key.size), default=0)
        keys = np.array([answered.keys(number) for number in range(n)], np.int64)
        for name in self._windows:
            queries = {label: self._ids[name, label] for label in self._aggregates}
            each = aligned({label: lines[id_] for label, id_ in queries.items() if id_ in lines})
            for first in list(each.values())[:1]:
                columns = {label: result_array(one.value) for label, one in each.items()}
                kind = pa.array(KINDS).take(pa.array(first.kind))
                bounds = first.start, first.end
                rows = ResultRows(name, keys[first.key], *bounds, columns, kind, first.revision)
                results.append(rows)
        return results

    # ------------------------------------------------------------ state

    @property
    def _forms(self) -> dict[str, Form]:
        return {each.id: form for each in self._queries if (form := form_of(each.aggregate))}

    @property
    def _kinds(self) -> dict[str, WindowType]:
        return {query.id: query.window for query in self._queries}

    def extent(self) -> tuple[int, int] | None:
        """The first and the last time of the rows that are kept, if there are some."""
        slices = [group.cells for _, _, group in export_state(self._operator).groups]
        some = [cells for cells in slices if len(cells)]
        if not some:
            return None
        low, high = (one.low.min() for one in some), (one.high.max() for one in some)
        return int(min(low)), int(max(high))

    def save(self, n_keys: int, before: Mapping[str, bytes]) -> SavedEngine:
        """The state as chunks, split as those before where possible; idle keys may be dropped."""
        state = export_state(self._operator)
        live = live_keys(state, self._kinds, n_keys)
        if not live.any():
            return SavedEngine({}, no_ints())
        kept = np.arange(n_keys)
        if 2 * live.sum() <= live.size:
            state, kept = drop_idle_keys(state, live), np.flatnonzero(live)
        queries = QueryForms(self._kinds, self._forms)
        return SavedEngine(encode_operator_state(state, queries, kept.size, before), kept)

    def load(self, chunks: Mapping[str, bytes], n_keys: int) -> None:
        """Go on from the chunks of a state with keys 0 to n_keys - 1; the engine is new."""
        state: OperatorState = decode_operator_state(chunks, self._kinds)
        import_state(self._operator, state, n_keys)


def query_ids(windows: Windows, aggregates: Aggregates) -> dict[tuple[str, str], str]:
    """The id of each query, by the names of its window and of its aggregate.

    States hold ids, so they have lengths in them only where names alone would be the same: 'a',
    'b c' and 'a b', 'c'.
    """
    pairs = [(name, label) for name in windows for label in aggregates]
    joined = {pair: " ".join(pair) for pair in pairs}
    if len(set(joined.values())) == len(pairs):
        return joined
    return {pair: f"{len(pair[0])} {name}" for pair, name in joined.items()}


def _queries(windows: Windows, aggregates: Aggregates) -> list[Query]:
    """A query for each aggregate of each window."""
    ids, over = query_ids(windows, aggregates), aggregates.items()
    return [
        Query(ids[name, label], kind, each)
        for name, kind in windows.items()
        for label, each in over
    ]


def supported_windows(
    windows: Windows, aggregates: Sequence[AnyAggregate], settings: Settings
) -> set[str]:
    """The windows that the engine computes; none, if some aggregate has no form over columns."""
    if not all(map(form_of, aggregates)):
        return set()
    queries = [Query(name, kind, aggregates[0]) for name, kind in windows.items()]
    return {query.id for query in queries if refusal(query, settings) is None}


def sliceable_windows(
    windows: Windows, aggregates: Collection[AnyAggregate], settings: Settings
) -> set[str]:
    """The windows that can be made of slices, without the rows."""
    forms = list(map(form_of, aggregates))
    if not all(form and is_serializable(form) for form in forms):
        return set()
    names = supported_windows(windows, [*aggregates], settings)
    cut = {name for name in names if traits_of(windows[name]).slice_edges is not None}
    return {name for name in cut if windows[name].measure is TIME}


def takes_partials(windows: Windows, aggregates: Aggregates, settings: Settings) -> bool:
    """Whether an engine that is saved keeps slices for all windows, and so can be fed slices."""
    forms = [(query, form_of(query.aggregate)) for query in _queries(windows, aggregates)]
    methods = {planned(query, form, settings, "slices").method for query, form in forms if form}
    return methods == {"slices"}
