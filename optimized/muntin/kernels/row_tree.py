"""What both forms of an aggregator over columns have in common: a tree whose nodes are rows.

A form has kernel sources of its own, with calls of the same names, and says what its rows are.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, Generic
from weakref import WeakKeyDictionary

from muntin.kernels.binding import A, Column, Ints
from muntin.kernels.engine import Engine, Shape, opaque
from muntin.kernels.modules import TREE
from muntin.kernels.tree.records import Batch, Tree
from muntin.spec.cost import Meter
from muntin.spec.monoid import Monoid
from muntin.spec.structure import Pair, in_time_order

FIRST_ROWS = 4

_ENGINES: WeakKeyDictionary[object, Engine[object]] = WeakKeyDictionary()
"""Beside the trees: code is no part of a state, which snapshots write."""


class RowTree(ABC, Generic[A]):
    """Out-of-order aggregation for any monoid; with another engine, for numbers."""

    sources: ClassVar[tuple[str, ...]] = TREE
    usual: ClassVar[Shape] = Shape()

    def __init__(
        self, monoid: Monoid[A], meter: Meter | None = None, engine: Engine[A] | None = None
    ) -> None:
        """Start with an empty window."""
        del meter
        self._monoid = monoid
        _ENGINES[self] = engine or opaque(monoid, self.usual, self.sources)  # type: ignore[assignment] # as above
        self.tree = self._first_rows()
        self._answer = self.engine.storage.column([monoid.identity])
        self.engine.calls.begin_tree(self.tree, self._answer)

    @property
    def engine(self) -> Engine[A]:
        """Kernels and storage."""
        return _ENGINES[self]  # type: ignore[return-value] # it is of this tree's own monoid

    @property
    def shape(self) -> Shape:
        """Entries of a leaf, and children of an inner node."""
        return self.engine.shape

    @abstractmethod
    def _first_rows(self) -> Tree[A]:
        """Return rows of zeros."""

    @abstractmethod
    def _grow(self) -> None:
        """Make more rows of what is short, between two calls of a kernel."""

    def insert_batch(self, batch: Batch[A], *, in_order: bool) -> None:
        """Insert a batch, in the order in which it is."""
        calls = self.engine.calls
        insert = calls.insert_sorted if in_order else calls.insert_each
        at = insert(self.tree, batch, 0)
        while at < len(batch.times):
            self._grow()
            at = insert(self.tree, batch, at)

    def play_rounds(self, up_to: Ints, batch: Batch[A]) -> Column[A]:
        """Evict up to a time, insert an entry and query, for each entry: return the answers."""
        rounds = self.engine.calls.rounds
        out = self.engine.storage.empty(len(batch.times))
        at = rounds(self.tree, up_to, batch, out, 0)
        while at < len(batch.times):
            self._grow()
            at = rounds(self.tree, up_to, batch, out, at)
        return out

    def _batch(self, pairs: Sequence[Pair[A]]) -> Batch[A]:
        storage = self.engine.storage
        times = storage.ints([self.engine.storage.time(time) for time, _ in pairs])
        return Batch(times, storage.column([value for _, value in pairs]))

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
        self.engine.calls.ask(self.tree, self._answer)
        return self.engine.storage.at(self._answer, 0)

    def query_range(self, first: int, last: int) -> A:
        """Fold the values with first <= time <= last."""
        ints = self.engine.storage.ints
        ends = ints([self.engine.storage.time(first)]), ints([self.engine.storage.time(last)])
        self.engine.calls.ask_ranges(self.tree, *ends, self._answer, ints([0]))
        return self.engine.storage.at(self._answer, 0)

    @abstractmethod
    def oldest(self) -> int | None:
        """Return the smallest time, if any."""

    @abstractmethod
    def youngest(self) -> int | None:
        """Return the largest time, if any."""

    def items(self) -> Iterator[Pair[A]]:
        """Yield times and values, oldest first."""
        times = self.engine.storage.ints([0] * len(self))
        values = self.engine.storage.column([self._monoid.identity] * len(self))
        self.engine.calls.held(self.tree, times, values)
        value_at = self.engine.storage.at
        return ((int(times[at]), value_at(values, at)) for at in range(len(self)))

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of items held."""

    @abstractmethod
    def relates(self, window: Sequence[Pair[A]]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain pairs that this object stands for."""
