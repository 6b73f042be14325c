"""The aggregate store of [Traub20], section 5.3: partial aggregates combined lazily, or in a tree.

The slices themselves are the truth; a tree is an index over them that is brought up to date when a
window is folded, and rebuilt after a failure. [Tangwongsan19], 5.3.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol

from muntin.optimized.btree.fiba import Fiba
from muntin.optimized.common.user_code import check_result, fold_checked
from muntin.optimized.flatfat.flatfat_window import FlatFatWindow
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.structure import OutOfOrder

BuildTree = Callable[[Monoid[object]], OutOfOrder[object]]

MAX_STALE_SLICES = 64
"""A small tree is rebuilt once more slices than this have changed."""


class StoredSlice(Protocol):
    """A slice as a store sees it: identified by the time or rank of its first tuple."""

    @property
    def first(self) -> int:
        """The time or rank of its first tuple."""
        ...

    @property
    def partial(self) -> object:
        """Its partial aggregate."""
        ...


class AggregateStore(ABC):
    """Combines consecutive slices."""

    @abstractmethod
    def mark_changed(self, first: int) -> None:
        """Record that the slice with this first tuple was added, changed or removed."""

    @abstractmethod
    def reset(self) -> None:
        """Record that any slice may have changed."""

    @abstractmethod
    def fold(self, slices: Sequence[StoredSlice], low: int, high: int) -> object:
        """Combine the slices from index `low` up to `high`, at least one."""


class LazyStore(AggregateStore):
    """Only the list of slices: a window costs one combine less than it has slices."""

    def __init__(self, monoid: Monoid[object]) -> None:
        """Keep nothing."""
        self._monoid = monoid

    def mark_changed(self, first: int) -> None:
        """Do nothing."""

    def reset(self) -> None:
        """Do nothing."""

    def fold(self, slices: Sequence[StoredSlice], low: int, high: int) -> object:
        """Combine them one by one."""
        return fold_checked(self._monoid, [slice_.partial for slice_ in slices[low:high]])


class TreeStore(AggregateStore):
    """An ordered tree of partial aggregates over the slices."""

    def __init__(self, build: BuildTree, monoid: Monoid[object]) -> None:
        """Start without a tree; `build` must be a class to be part of a snapshot."""
        self._build, self._monoid = build, monoid
        self._tree: OutOfOrder[object] | None = None
        self._changed_firsts: set[int] = set()

    def mark_changed(self, first: int) -> None:
        """Record it until the next fold; a tree that is mostly stale is dropped."""
        if self._tree is not None:
            self._changed_firsts.add(first)
            if len(self._changed_firsts) > MAX_STALE_SLICES + 2 * len(self._tree):
                self.reset()

    @property
    def stale_count(self) -> int:
        """How many slices have changed since the last fold."""
        return len(self._changed_firsts)

    def reset(self) -> None:
        """Drop the tree."""
        self._tree = None
        self._changed_firsts.clear()

    def fold(self, slices: Sequence[StoredSlice], low: int, high: int) -> object:
        """Query the tree, once it is up to date."""
        tree, self._tree = self._tree, None  # so that a combine that raises leaves no tree
        if tree is None:
            tree = self._build(self._monoid)
            tree.bulk_insert((slice_.first, slice_.partial) for slice_ in slices)
        elif self._changed_firsts:
            for first in self._changed_firsts:
                tree.evict(first)
            changed = [slice_ for slice_ in slices if slice_.first in self._changed_firsts]
            tree.bulk_insert((slice_.first, slice_.partial) for slice_ in changed)
        total = tree.query_range(slices[low].first, slices[high - 1].first)
        self._tree = tree
        self._changed_firsts.clear()
        return check_result(self._monoid, total, slices[low].partial)


BuildStore = Callable[[Monoid[object]], AggregateStore]


def flatfat_store(monoid: Monoid[object]) -> AggregateStore:
    """A FlatFAT over slices."""
    return TreeStore(FlatFatWindow, monoid)


def fiba_store(monoid: Monoid[object]) -> AggregateStore:
    """A FiBA over slices."""
    return TreeStore(Fiba, monoid)
