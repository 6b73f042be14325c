"""Slices that hold their tuples: split, merged and shifted to match the edges of windows.

[Traub20], section 5.2: merge combines, split recomputes, and a tuple that a late one has pushed
over an edge is taken off one slice, by invert where that is declared, and put on the next.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple

from muntin.optimized.common.user_code import check_result, combine_checked, fold_checked
from muntin.optimized.scotty.slices.aggregate_store import AggregateStore
from muntin.optimized.scotty.slices.slice import LiftedEvent, Slice
from muntin.optimized.scotty.workload import Removal
from muntin.spec.algebra.monoid import Monoid

ORDER = attrgetter("order")


class TupleSlice(NamedTuple):
    """Consecutive tuples and their partial aggregate, unless it has yet to be computed."""

    entries: tuple[LiftedEvent, ...]
    partial: object
    known: bool = True


def begin(tile: TupleSlice) -> tuple[int, int]:
    """Return the place of its first tuple in event order."""
    return tile.entries[0].order


class SliceUpdatePolicy(NamedTuple):
    """How slices are changed: what the decision trees say."""

    monoid: Monoid[object]
    commutative: bool
    removal: Removal


class TupleSlices:
    """All tuples that are kept, cut into slices."""

    def __init__(self, how: SliceUpdatePolicy, store: AggregateStore) -> None:
        """Start with no tuple."""
        self.how, self.store = how, store
        self.tiles: list[TupleSlice] = []
        self._folded: list[Slice] = []

    def empty(self) -> "TupleSlices":
        """Return one without tuples, to try something out."""
        return TupleSlices(self.how, self.store)

    @property
    def cuts(self) -> list[int]:
        """The positions at which slices begin, and the number of tuples."""
        return [0, *accumulate(len(tile.entries) for tile in self.tiles)]

    def restore(self, tiles: list[TupleSlice]) -> None:
        """Go back to slices that were copied before a step that failed."""
        self.tiles, self._folded = tiles, []
        self.store.reset()

    def insert(self, lifted: LiftedEvent, *, last: bool) -> None:
        """Add a tuple to the slice that covers its place in event order, or as the last."""
        monoid, order, tiles = self.how.monoid, lifted.order, self.tiles
        if not tiles:
            tiles.append(
                TupleSlice((lifted,), combine_checked(monoid, monoid.identity, lifted.partial))
            )
            return
        nth = len(tiles) - 1
        if not last and order < tiles[-1].entries[0].order:
            nth = max(0, bisect_left(tiles, order, key=begin) - 1)
            follows = nth + 1 < len(tiles) and order > tiles[nth].entries[-1].order
            nth += follows
        entries, partial, known = tiles[nth]
        at = len(entries) if last else bisect_left(entries, order, key=ORDER)
        kept = known and (self.how.commutative or at == len(entries))
        total = combine_checked(monoid, partial, lifted.partial) if kept else None
        tiles[nth] = TupleSlice((*entries[:at], lifted, *entries[at:]), total, kept)

    def fit(self, edges: Iterable[int]) -> None:
        """Let slices begin exactly at these positions (and at the first tuple)."""
        *cuts, size = self.cuts
        wanted = {0, *(edge for edge in edges if 0 < edge < size)}
        if wanted == set(cuts):
            return
        for cut in cuts:
            if cut not in wanted and cut - 1 in wanted and cut - 1 not in cuts:
                self._shift(self.cuts.index(cut))
        for cut in reversed(cuts):
            if cut not in wanted and cut in self.cuts:
                self._merge(self.cuts.index(cut))
        for edge in sorted(wanted):
            if size and edge not in self.cuts:
                self._split(edge)

    def _shift(self, nth: int) -> None:
        """Move the last tuple of the slice before the n-th to the n-th."""
        left, right = self.tiles[nth - 1], self.tiles[nth]
        moved, invert = left.entries[-1], self.how.monoid.invert
        if self.how.removal == "invert" and invert and left.known:
            total = check_result(self.how.monoid, invert(left.partial, moved.partial), left.partial)
            rest = TupleSlice(left.entries[:-1], total)
        else:
            rest = TupleSlice(left.entries[:-1], None, known=False)
        entries = (moved, *right.entries)
        total = (
            combine_checked(self.how.monoid, moved.partial, right.partial) if right.known else None
        )
        self.tiles[nth - 1 : nth + 1] = [rest, TupleSlice(entries, total, right.known)]

    def _merge(self, nth: int) -> None:
        left, right = self.tiles[nth - 1], self.tiles[nth]
        known = left.known and right.known
        total = combine_checked(self.how.monoid, left.partial, right.partial) if known else None
        self.tiles[nth - 1 : nth + 1] = [TupleSlice(left.entries + right.entries, total, known)]

    def _split(self, edge: int) -> None:
        nth = sum(cut <= edge for cut in self.cuts) - 1
        at, tile = edge - self.cuts[nth], self.tiles[nth]
        parts = (tile.entries[:at], tile.entries[at:])
        self.tiles[nth : nth + 1] = [TupleSlice(part, None, known=False) for part in parts]

    def fold(self, low: int, high: int) -> object:
        """Combine the slices from one edge to another, later one."""
        cuts = self.cuts
        first, last = cuts.index(low), cuts.index(high)
        for nth in range(first, last):
            if not self.tiles[nth].known:
                entries = self.tiles[nth].entries
                self.tiles[nth] = TupleSlice(entries, self.recomputed(entries))
        self._show()
        return self.store.fold(self._folded, first, last)

    def recomputed(self, entries: Sequence[LiftedEvent]) -> object:
        """Combine tuples, at least one."""
        return fold_checked(self.how.monoid, [entry.partial for entry in entries])

    def _show(self) -> None:
        """Tell the store which slices have changed."""
        before, self._folded = self._folded, []
        for nth, tile in enumerate(self.tiles):
            old = before[nth] if nth < len(before) else None
            partial = tile.partial if tile.known else self.how.monoid.identity
            if old is None or old.partial is not partial:
                self.store.mark_changed(nth)
                old = Slice(nth, nth, nth, nth, len(tile.entries), partial)
            self._folded.append(old)
        for nth in range(len(self.tiles), len(before)):
            self.store.mark_changed(nth)

    def release(self, count: int) -> None:
        """Drop oldest tuples, at least one; what is left of a cut slice has yet to be folded."""
        nth = bisect_left(self.cuts, count) - 1
        rest = self.tiles[nth].entries[count - self.cuts[nth] :]
        self.tiles[: nth + 1] = [TupleSlice(rest, None, known=False)] if rest else []
