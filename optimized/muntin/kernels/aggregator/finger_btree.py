"""A finger B+-tree in arrays: out-of-order aggregation by the distance to the window's end.

The data type of [Tangwongsan19] with wide leaves, repaired when somebody asks. The source of the
calls is muntin.kernels.finger_btree; it runs here as it is, over any monoid, or compiled, over
numbers. Facts and bounds are proved in proofs/finger_btree.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic
from weakref import WeakKeyDictionary

from muntin.kernels.compiler.engine import Engine, NodeShape, interpreted_engine
from muntin.kernels.compiler.kernel_api import A, Column, Ints
from muntin.kernels.finger_btree.cost_bound import TreeBound
from muntin.kernels.finger_btree.debug_view import TreeDebugView
from muntin.kernels.finger_btree.invariants import fingers, marks, rows, shape, spines
from muntin.kernels.finger_btree.layout import (
    ENDS,
    HEAD,
    HEIGHT,
    LEFT,
    RIGHT,
    SIZE,
    SPARE_INNER,
    SPARE_LEAF,
    STAGED,
)
from muntin.kernels.finger_btree.records import SortedBatch, TreeArrays
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.structure import Pair, in_time_order

FIRST_ROWS = 4

_ENGINES: WeakKeyDictionary[object, Engine[object]] = WeakKeyDictionary()
"""Beside the trees: code is no part of a state, which snapshots write."""


class FingerTree(Generic[A]):
    """Out-of-order aggregation for any monoid; with another engine, for numbers."""

    def __init__(
        self, monoid: Monoid[A], meter: Meter | None = None, engine: Engine[A] | None = None
    ) -> None:
        """Start with an empty window."""
        del meter
        self._monoid = monoid
        _ENGINES[self] = engine or interpreted_engine(monoid)  # type: ignore[assignment] # as above
        self.tree = self._first_rows()
        self._answer = self.engine.storage.column([monoid.identity])
        self.engine.calls.begin_tree(self.tree, self._answer)

    @property
    def engine(self) -> Engine[A]:
        """Kernels and storage."""
        return _ENGINES[self]  # type: ignore[return-value] # it is of this tree's own monoid

    @property
    def shape(self) -> NodeShape:
        """Entries of a leaf, and children of an inner node."""
        return self.engine.shape

    def _first_rows(self) -> TreeArrays[A]:
        cap, fan = self.shape
        storage = self.engine.storage
        self._leaves = self._nodes = FIRST_ROWS
        tree = TreeArrays(
            storage.ints([0] * (STAGED + cap)),
            storage.int_rows(None, 0, FIRST_ROWS, 2 * fan + 2),
            storage.rows(None, 0, FIRST_ROWS, fan),
            storage.int_rows(None, 0, FIRST_ROWS, cap + 1),
            storage.rows(None, 0, FIRST_ROWS, cap),
            storage.rows(None, 0, ENDS, max(cap, LEFT)),
        )
        tree.s[SPARE_LEAF] = tree.s[SPARE_INNER] = FIRST_ROWS
        return tree

    def _spare(self, place: int, more: int) -> None:
        self.tree.s[place] += more

    def _grow(self) -> None:
        """Make more rows of what is short, between two calls of a kernel."""
        tree, storage, (cap, fan) = self.tree, self.engine.storage, self.shape
        if tree.s[SPARE_LEAF] < 1:
            had = self._leaves
            self._spare(SPARE_LEAF, had)
            self._leaves *= 2
            self.tree = tree = tree._replace(
                times=storage.int_rows(tree.times, had, self._leaves, cap + 1),
                leaves=storage.rows(tree.leaves, had, self._leaves, cap),
            )
        if tree.s[SPARE_INNER] <= tree.s[HEIGHT] + 1:
            had = self._nodes
            self._spare(SPARE_INNER, had)
            self._nodes *= 2
            self.tree = tree._replace(
                inner=storage.int_rows(tree.inner, had, self._nodes, 2 * fan + 2),
                folds=storage.rows(tree.folds, had, self._nodes, fan),
            )

    def insert_batch(self, batch: SortedBatch[A], *, in_order: bool) -> None:
        """Insert a batch, in the order in which it is."""
        calls = self.engine.calls
        insert = calls.insert_sorted if in_order else calls.insert_each
        at = insert(self.tree, batch, 0)
        while at < len(batch.times):
            self._grow()
            at = insert(self.tree, batch, at)

    def play_rounds(self, up_to: Ints, batch: SortedBatch[A]) -> Column[A]:
        """Evict up to a time, insert an entry and query, for each entry: return the answers."""
        rounds = self.engine.calls.run_rounds
        out = self.engine.storage.empty(len(batch.times))
        at = rounds(self.tree, up_to, batch, out, 0)
        while at < len(batch.times):
            self._grow()
            at = rounds(self.tree, up_to, batch, out, at)
        return out

    def _batch(self, pairs: Sequence[Pair[A]]) -> SortedBatch[A]:
        storage = self.engine.storage
        times = storage.ints([self.engine.storage.time(time) for time, _ in pairs])
        return SortedBatch(times, storage.column([value for _, value in pairs]))

    def insert(self, time: int, value: A) -> None:
        """Add a value; one that is already at this time is combined with it, on its left."""
        self.insert_batch(self._batch([(time, value)]), in_order=False)

    def evict(self, time: int) -> None:
        """Remove what is at this time, if anything is."""
        times = self.engine.storage.ints([self.engine.storage.time(time)])
        self.engine.calls.evict_each(self.tree, times)

    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> None:
        """Insert a sorted batch."""
        self.insert_batch(self._batch(in_time_order(pairs)), in_order=True)

    def bulk_evict(self, up_to: int) -> None:
        """Remove everything at or before this time."""
        self.engine.calls.evict_up_to(self.tree, self.engine.storage.time(up_to))

    def query(self) -> A:
        """Fold all values in the order of time."""
        self.engine.calls.query(self.tree, self._answer)
        return self.engine.storage.at(self._answer, 0)

    def query_range(self, first: int, last: int) -> A:
        """Fold the values with first <= time <= last."""
        ints = self.engine.storage.ints
        ends = ints([self.engine.storage.time(first)]), ints([self.engine.storage.time(last)])
        self.engine.calls.query_ranges(self.tree, *ends, self._answer, ints([0]))
        return self.engine.storage.at(self._answer, 0)

    def oldest(self) -> int | None:
        """Return the smallest time, if any."""
        tree = self.tree
        return int(tree.times[tree.s[LEFT], tree.s[HEAD]]) if len(self) else None

    def youngest(self) -> int | None:
        """Return the largest time, if any."""
        tree, right = self.tree, self.tree.s[RIGHT]
        last = tree.times[right, self.shape.cap] - 1
        return int(tree.times[right, last]) if len(self) else None

    def items(self) -> Iterator[Pair[A]]:
        """Yield times and values, oldest first."""
        times = self.engine.storage.ints([0] * len(self))
        values = self.engine.storage.column([self._monoid.identity] * len(self))
        self.engine.calls.held(self.tree, times, values)
        value_at = self.engine.storage.at
        return ((int(times[at]), value_at(values, at)) for at in range(len(self)))

    def __len__(self) -> int:
        """Return the number of items held."""
        return int(self.tree.s[SIZE])

    def invariants(self, window: Sequence[Pair[A]]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain pairs that this object stands for."""
        tree = self.engine.storage.plain(self.tree)
        view, fold = TreeDebugView(tree, self.shape), self._monoid.fold
        yield from shape(view, window)
        yield from rows(view)
        yield from marks(view, fold)
        yield from spines(view, fold)
        yield from fingers(view, fold)

    def bound_of_change(self, distance: int) -> float:
        """Combines for one entry that comes or goes at this distance, amortised (T2)."""
        return TreeBound(self.shape).change(distance)

    def bound(self, operation: Operation, /) -> Cost:
        """Combines, amortised over a run (T2)."""
        return TreeBound(self.shape).of(operation)
