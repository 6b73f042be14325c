"""A finger B+-tree in arrays: out-of-order aggregation by the distance to the window's end.

The data type of [Tangwongsan19] with wide leaves and stale folds that queries repair. Kernels are
those of muntin.kernels.finger_btree, interpreted over any monoid or compiled over numbers.
Invariants and bounds are proved in proofs/finger_btree.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic
from weakref import WeakKeyDictionary

from muntin.atomicity import AllOrNothing
from muntin.kernels.compiler.engine import Engine, NodeShape, interpreted_engine
from muntin.kernels.compiler.kernel_api import A, Column, Ints
from muntin.kernels.finger_btree import invariants, layout
from muntin.kernels.finger_btree.cost_bound import TreeBound
from muntin.kernels.finger_btree.debug_view import TreeDebugView
from muntin.kernels.finger_btree.records import SortedBatch, TreeArrays
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.structure import Pair, in_time_order

INITIAL_ROWS = 4

_ENGINES: WeakKeyDictionary[object, Engine[object]] = WeakKeyDictionary()
"""Kept outside of the trees: code is no part of the state that snapshots write."""


class FingerTree(AllOrNothing, Generic[A]):
    """Out-of-order aggregation for any monoid, or for numbers with a compiled engine."""

    def __init__(
        self, monoid: Monoid[A], meter: Meter | None = None, engine: Engine[A] | None = None
    ) -> None:
        """Start with an empty window."""
        del meter
        self._monoid = monoid
        _ENGINES[self] = engine or interpreted_engine(monoid)  # type: ignore[assignment] # as above
        self.arrays = self._empty_arrays()
        self._answer = self.engine.storage.column([monoid.identity])
        self.engine.calls.begin_tree(self.arrays, self._answer)

    @property
    def engine(self) -> Engine[A]:
        """Kernels and storage of this tree."""
        return _ENGINES[self]  # type: ignore[return-value] # it was made for this monoid

    @property
    def shape(self) -> NodeShape:
        """Entries of a leaf, and children of an inner node."""
        return self.engine.shape

    def _empty_arrays(self) -> TreeArrays[A]:
        cap, fan = self.shape
        storage = self.engine.storage
        self._leaf_rows = self._inner_rows = INITIAL_ROWS
        tree = TreeArrays(
            storage.ints([0] * (layout.STAGED + cap)),
            storage.int_rows(None, 0, INITIAL_ROWS, 2 * fan + 2),
            storage.rows(None, 0, INITIAL_ROWS, fan),
            storage.int_rows(None, 0, INITIAL_ROWS, cap + 1),
            storage.rows(None, 0, INITIAL_ROWS, cap),
            storage.rows(None, 0, layout.ENDS, max(cap, layout.LEFT)),
        )
        tree.s[layout.SPARE_LEAF] = tree.s[layout.SPARE_INNER] = INITIAL_ROWS
        return tree

    def _add_rows(self) -> None:
        """Double the rows that run short, between two calls of a kernel."""
        tree, storage, (cap, fan) = self.arrays, self.engine.storage, self.shape
        if tree.s[layout.SPARE_LEAF] < 1:
            old_size = self._leaf_rows
            tree.s[layout.SPARE_LEAF] += old_size
            self._leaf_rows *= 2
            self.arrays = tree = tree._replace(
                times=storage.int_rows(tree.times, old_size, self._leaf_rows, cap + 1),
                leaves=storage.rows(tree.leaves, old_size, self._leaf_rows, cap),
            )
        if tree.s[layout.SPARE_INNER] <= tree.s[layout.HEIGHT] + 1:
            old_size = self._inner_rows
            tree.s[layout.SPARE_INNER] += old_size
            self._inner_rows *= 2
            self.arrays = tree._replace(
                inner=storage.int_rows(tree.inner, old_size, self._inner_rows, 2 * fan + 2),
                folds=storage.rows(tree.folds, old_size, self._inner_rows, fan),
            )

    def insert_batch(self, batch: SortedBatch[A], *, in_order: bool) -> None:
        """Insert a batch in its own order."""
        calls = self.engine.calls
        insert = calls.insert_sorted if in_order else calls.insert_each
        done = insert(self.arrays, batch, 0)
        while done < len(batch.times):
            self._add_rows()
            done = insert(self.arrays, batch, done)

    def replay_rounds(self, up_to: Ints, batch: SortedBatch[A]) -> Column[A]:
        """For each entry evict up to a time, insert the entry, and query; the column of results."""
        rounds = self.engine.calls.run_rounds
        out = self.engine.storage.empty(len(batch.times))
        done = rounds(self.arrays, up_to, batch, out, 0)
        while done < len(batch.times):
            self._add_rows()
            done = rounds(self.arrays, up_to, batch, out, done)
        return out

    def _batch(self, pairs: Sequence[Pair[A]]) -> SortedBatch[A]:
        storage = self.engine.storage
        times = storage.ints([storage.to_time(time) for time, _ in pairs])
        return SortedBatch(times, storage.column([value for _, value in pairs]))

    def insert(self, time: int, value: A) -> None:
        """Add a value; a value already at this time is combined on its left."""
        self.insert_batch(self._batch([(time, value)]), in_order=False)

    def evict(self, time: int) -> None:
        """Remove the item at this time, if there is one."""
        storage = self.engine.storage
        self.engine.calls.evict_each(self.arrays, storage.ints([storage.to_time(time)]))

    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> None:
        """Insert a sorted batch."""
        self.insert_batch(self._batch(in_time_order(pairs)), in_order=True)

    def bulk_evict(self, up_to: int) -> None:
        """Remove all items at or before this time."""
        self.engine.calls.evict_up_to(self.arrays, self.engine.storage.to_time(up_to))

    def query(self) -> A:
        """Fold all values in time order."""
        self.engine.calls.query(self.arrays, self._answer)
        return self.engine.storage.partial_at(self._answer, 0)

    def query_range(self, first: int, last: int) -> A:
        """Fold the values with first <= time <= last."""
        storage = self.engine.storage
        begin, end = (storage.ints([storage.to_time(time)]) for time in (first, last))
        self.engine.calls.query_ranges(self.arrays, begin, end, self._answer, storage.ints([0]))
        return storage.partial_at(self._answer, 0)

    def oldest(self) -> int | None:
        """The smallest time, if any."""
        tree = self.arrays
        return int(tree.times[tree.s[layout.LEFT], tree.s[layout.HEAD]]) if len(self) else None

    def youngest(self) -> int | None:
        """The largest time, if any."""
        tree, right = self.arrays, self.arrays.s[layout.RIGHT]
        last = tree.times[right, self.shape.cap] - 1
        return int(tree.times[right, last]) if len(self) else None

    def entries(self) -> SortedBatch[A]:
        """Times and values as columns, oldest first."""
        times = self.engine.storage.ints([0] * len(self))
        values = self.engine.storage.column([self._monoid.identity] * len(self))
        self.engine.calls.copy_entries(self.arrays, times, values)
        return SortedBatch(times, values)

    def items(self) -> Iterator[Pair[A]]:
        """Times and values, oldest first."""
        (times, values), value_at = self.entries(), self.engine.storage.partial_at
        return ((int(times[row]), value_at(values, row)) for row in range(len(times)))

    def __len__(self) -> int:
        """The number of items."""
        return int(self.arrays.s[layout.INSERTED] - self.arrays.s[layout.EVICTED])

    def invariants(self, window: Sequence[Pair[A]]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain pairs that this object stands for."""
        tree = self.engine.storage.to_lists(self.arrays)
        view = TreeDebugView(tree, self.shape, commutative=self.engine.commutative)
        fold = self._monoid.fold
        yield from invariants.shape_invariants(view, window)
        yield from invariants.row_invariants(view)
        yield from invariants.mark_invariants(view, fold)
        yield from invariants.spine_invariants(view, fold)
        yield from invariants.finger_invariants(view, fold)

    def change_bound(self, distance: int) -> float:
        """Combines for one insert or eviction at this distance, amortised (T2)."""
        return TreeBound(self.shape).change_cost(distance)

    def bound(self, operation: Operation, /) -> Cost:
        """Combines, amortised over a run (T2)."""
        return TreeBound(self.shape).cost(operation)
