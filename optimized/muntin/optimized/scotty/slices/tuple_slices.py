"""Slices that hold their tuples: split, merged and shifted to match the edges of windows.

[Traub20], section 5.2: merge combines, split recomputes, and a tuple that a late one has pushed
over an edge is taken off one slice, by invert where that is declared, and put on the next.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from muntin.optimized.common.user_code import check_result, combine_checked, fold_checked
from muntin.optimized.scotty.slices.aggregate_store import AggregateStore
from muntin.optimized.scotty.slices.slice import ORDER, LiftedEvent, Slice
from muntin.optimized.scotty.workload import Removal
from muntin.spec.algebra.monoid import Monoid


class TupleSlice(NamedTuple):
    """Consecutive tuples and their partial aggregate, unless it has yet to be computed."""

    entries: tuple[LiftedEvent, ...]
    partial: object
    partial_known: bool = True


def first_order(slice_: TupleSlice) -> tuple[int, int]:
    """The place of its first tuple in event order."""
    return slice_.entries[0].order


class SliceUpdatePolicy(NamedTuple):
    """How slices are updated, by the decision trees (Figures 4 to 6 of [Traub20])."""

    monoid: Monoid[object]
    commutative: bool
    removal: Removal


class TupleSlices:
    """All stored tuples, cut into slices."""

    def __init__(self, policy: SliceUpdatePolicy, store: AggregateStore) -> None:
        """Start with no tuple."""
        self.policy, self.store = policy, store
        self.slices: list[TupleSlice] = []
        self._stored_slices: list[Slice] = []

    def empty_copy(self) -> "TupleSlices":
        """One without tuples, to try an event on."""
        return TupleSlices(self.policy, self.store)

    @property
    def cuts(self) -> list[int]:
        """The positions at which slices begin, and the number of tuples."""
        return [0, *accumulate(len(slice_.entries) for slice_ in self.slices)]

    def restore(self, slices: list[TupleSlice]) -> None:
        """Return to slices that were copied before a step that failed."""
        self.slices, self._stored_slices = slices, []
        self.store.reset()

    def insert(self, lifted: LiftedEvent, *, last: bool) -> None:
        """Add a tuple to the slice that covers its place in event order, or as the last."""
        monoid, order, slices = self.policy.monoid, lifted.order, self.slices
        if not slices:
            total = combine_checked(monoid, monoid.identity, lifted.partial)
            slices.append(TupleSlice((lifted,), total))
            return
        index = len(slices) - 1
        if not last and order < slices[-1].entries[0].order:
            index = max(0, bisect_left(slices, order, key=first_order) - 1)
            follows = index + 1 < len(slices) and order > slices[index].entries[-1].order
            index += follows
        entries, partial, partial_known = slices[index]
        position = len(entries) if last else bisect_left(entries, order, key=ORDER)
        combines = partial_known and (self.policy.commutative or position == len(entries))
        total = combine_checked(monoid, partial, lifted.partial) if combines else None
        entries = (*entries[:position], lifted, *entries[position:])
        slices[index] = TupleSlice(entries, total, combines)

    def fit_to_edges(self, edges: Iterable[int]) -> None:
        """Let slices begin exactly at these positions (and at the first tuple)."""
        *cuts, size = self.cuts
        edge_set = {0, *(edge for edge in edges if 0 < edge < size)}
        if edge_set == set(cuts):
            return
        for cut in cuts:
            if cut not in edge_set and cut - 1 in edge_set and cut - 1 not in cuts:
                self._shift(self.cuts.index(cut))
        for cut in reversed(cuts):
            if cut not in edge_set and cut in self.cuts:
                self._merge(self.cuts.index(cut))
        for edge in sorted(edge_set):
            if size and edge not in self.cuts:
                self._split(edge)

    def _shift(self, index: int) -> None:
        """Move the last tuple of the slice before slice `index` to that slice."""
        left, right = self.slices[index - 1], self.slices[index]
        *remaining, moved = left.entries
        monoid, invert = self.policy.monoid, self.policy.monoid.invert
        shortened = TupleSlice((*remaining,), None, partial_known=False)
        if self.policy.removal == "invert" and invert and left.partial_known:
            total = check_result(monoid, invert(left.partial, moved.partial), left.partial)
            shortened = TupleSlice((*remaining,), total)
        extended = self._joined(TupleSlice((moved,), moved.partial), right)
        self.slices[index - 1 : index + 1] = [shortened, extended]

    def _merge(self, index: int) -> None:
        self.slices[index - 1 : index + 1] = [self._joined(*self.slices[index - 1 : index + 1])]

    def _joined(self, left: TupleSlice, right: TupleSlice) -> TupleSlice:
        """One slice of two neighbours."""
        known, total = left.partial_known and right.partial_known, None
        if known:
            total = combine_checked(self.policy.monoid, left.partial, right.partial)
        return TupleSlice(left.entries + right.entries, total, known)

    def _split(self, edge: int) -> None:
        index = sum(cut <= edge for cut in self.cuts) - 1
        position, slice_ = edge - self.cuts[index], self.slices[index]
        parts = (slice_.entries[:position], slice_.entries[position:])
        self.slices[index : index + 1] = [TupleSlice(p, None, partial_known=False) for p in parts]

    def fold(self, low: int, high: int) -> object:
        """Combine the slices from one edge to another, later one."""
        cuts = self.cuts
        first, last = cuts.index(low), cuts.index(high)
        for index in range(first, last):
            if not self.slices[index].partial_known:
                entries = self.slices[index].entries
                self.slices[index] = TupleSlice(entries, self.recompute(entries))
        self._mark_changed_slices()
        return self.store.fold(self._stored_slices, first, last)

    def recompute(self, entries: Sequence[LiftedEvent]) -> object:
        """Combine tuples, at least one."""
        return fold_checked(self.policy.monoid, [entry.partial for entry in entries])

    def _mark_changed_slices(self) -> None:
        """Mark in the store which slices have changed."""
        stored, self._stored_slices = self._stored_slices, []
        for index, slice_ in enumerate(self.slices):
            stored_slice = stored[index] if index < len(stored) else None
            partial = slice_.partial if slice_.partial_known else self.policy.monoid.identity
            if stored_slice is None or stored_slice.partial is not partial:
                self.store.mark_changed(index)
                stored_slice = Slice(index, index, index, index, len(slice_.entries), partial)
            self._stored_slices.append(stored_slice)
        for index in range(len(self.slices), len(stored)):
            self.store.mark_changed(index)

    def evict(self, count: int) -> None:
        """Drop the oldest tuples, at least one; a slice that is cut has yet to be folded."""
        index = bisect_left(self.cuts, count) - 1
        remaining = self.slices[index].entries[count - self.cuts[index] :]
        cut = TupleSlice(remaining, None, partial_known=False)
        self.slices[: index + 1] = [cut] if remaining else []
