"""Out-of-order aggregation over columns: batches in any order in, columns of results out.

With the extra `kernels` columns are NumPy arrays and kernels are compiled; without it, or with
NUMBA_DISABLE_JIT=1, columns are lists and the same source is interpreted.
"""

from collections.abc import Sequence

from muntin.atomicity import AllOrNothing
from muntin.kernels.aggregator.column_backend import (
    NumericColumn,
    ResultColumns,
    backend_for,
    lift_batch,
    lower_partials,
)
from muntin.kernels.aggregator.finger_btree import FingerTree
from muntin.kernels.aggregator.numeric_catalogue import MAX_INT
from muntin.kernels.compiler.availability import COMPILED, gc_paused
from muntin.kernels.compiler.engine import NodeShape, compiled_engine, interpreted_engine
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate, Partial
from muntin.kernels.finger_btree.records import SortedBatch
from muntin.spec.errors import InvalidInputError

SORT_THRESHOLD = 256
"""Batches of fewer items out of order are inserted one by one, which is faster than sorting."""


class ColumnWindow(AllOrNothing):
    """One window over one aggregate: a finger B+-tree, for columns.

    >>> from muntin.kernels.aggregator.numeric_catalogue import numeric_aggregate
    >>> window = ColumnWindow(numeric_aggregate("mean"), compiled=False)
    >>> window.insert([30, 10, 20], [3.0, 1.0, 5.0])
    >>> window.query(), window.oldest(), len(window)
    ((3.0,), 10, 3)
    >>> window.replay_rounds([10, 20], [25, 40], [2.0, 7.0])
    [[3.3333333333333335, 4.0]]
    """

    def __init__(
        self,
        summary: NumericAggregate,
        shape: NodeShape = NodeShape(),  # noqa: B008 - it is immutable
        *,
        compiled: bool = COMPILED,
    ) -> None:
        """Start with an empty window."""
        self.summary, self._shape, self._compiled = summary, shape, compiled
        self._magnitude = 0
        self._start(summary.narrow or summary)

    def _start(self, partials: NumericAggregate) -> None:
        """Start with an empty tree for these partials, which are narrow or those of the summary."""
        monoid, shape = partials.monoid(), self._shape
        with gc_paused():
            backend = backend_for(partials, compiled=self._compiled)
            if self._compiled:
                engine = compiled_engine(partials, shape)
            else:
                engine = interpreted_engine(monoid, shape, commutative=partials.commutative)
            tree = FingerTree(monoid, None, engine)
        self._partials, self._backend, self.tree = partials, backend, tree

    def _batch(
        self, times: NumericColumn, columns: Sequence[NumericColumn]
    ) -> SortedBatch[Partial]:
        """Check and lift a batch; the tree is widened first if narrow partials might overflow."""
        batch = lift_batch(self._backend, self._partials, times, columns)
        if self._partials is not self.summary.narrow:
            return batch
        added = self._backend.magnitude(batch.values)
        if self._magnitude + added > MAX_INT:
            entries = self.tree.entries()
            self._magnitude = self._backend.magnitude(entries.values)
            if max(self._magnitude + added, 2 * self._magnitude) > MAX_INT:
                return self._widen(entries, batch)
        self._magnitude += added
        return batch

    def _widen(
        self, entries: SortedBatch[Partial], batch: SortedBatch[Partial]
    ) -> SortedBatch[Partial]:
        """Change to the partials of the summary, for the entries and for a batch."""
        narrow = self._backend
        self._start(self.summary)
        wide = [
            SortedBatch(times, self._backend.lift(narrow.lower(values, None)))
            for times, values in (entries, batch)
        ]
        self.tree.insert_batch(wide[0], in_order=True)
        return wide[1]

    def insert(self, times: NumericColumn, *columns: NumericColumn) -> None:
        """Insert a batch in any order; of equal times, later rows are younger."""
        batch = self._batch(times, columns)
        in_order = not self._backend.first_descent(batch.times)
        if not in_order and len(batch.times) >= SORT_THRESHOLD:
            batch, in_order = self._backend.sorted(batch), True
        self.tree.insert_batch(batch, in_order=in_order)

    def evict(self, times: NumericColumn) -> None:
        """Evict the item at each of these times."""
        self.tree.engine.calls.evict_each(self.tree.arrays, self._backend.to_times(times))

    def evict_through(self, time: int) -> None:
        """Evict all items up to a time, inclusive."""
        self.tree.bulk_evict(time)

    def replay_rounds(
        self, through: NumericColumn, times: NumericColumn, *columns: NumericColumn
    ) -> ResultColumns:
        """For each row evict through a time, insert the row, and query; columns of results."""
        batch = self._batch(times, columns)
        ends = self._backend.to_times(through)
        if len(ends) != len(batch.times):
            raise InvalidInputError(f"{len(ends)} evictions for {len(batch.times)} inserts")
        return lower_partials(self._backend, self._partials, self.tree.replay_rounds(ends, batch))

    def query(self) -> Partial | None:
        """Aggregate the window; None if it is empty."""
        if not len(self):
            return None
        result = self._partials.lower(self.tree.query())
        return result[:-1] if self._partials.checked else result

    def query_ranges(
        self, firsts: NumericColumn, lasts: NumericColumn
    ) -> tuple[Sequence[bool], ResultColumns]:
        """Aggregate each range of time, both ends included.

        Whether each range holds an item, and columns of results, 0 for empty ranges.
        """
        begin, end = self._backend.to_times(firsts), self._backend.to_times(lasts)
        if len(begin) != len(end):
            raise InvalidInputError(f"{len(begin)} first times for {len(end)} last times")
        out, engine = self._backend.empty(len(begin)), self.tree.engine
        nonempty = engine.storage.ints([0] * len(begin))
        engine.calls.query_ranges(self.tree.arrays, begin, end, out, nonempty)
        flags = [bool(nonempty[row]) for row in range(len(begin))]
        return flags, lower_partials(self._backend, self._partials, out, nonempty)

    def oldest(self) -> int | None:
        """The smallest time, if any."""
        return self.tree.oldest()

    def youngest(self) -> int | None:
        """The largest time, if any."""
        return self.tree.youngest()

    def __len__(self) -> int:
        """The number of times in the window."""
        return len(self.tree)
