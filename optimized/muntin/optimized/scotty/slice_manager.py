"""The slices of one key: Algorithms 3 to 6 of [Traub20] as one rule (place, extend, fuse, split).

A slice lies in one cell between window edges that are known beforehand; where there are sessions,
the slices of a cell are the sessions of the smallest gap within it. So a slice separator is fixed
if it is an edge, flexible if it is a gap, combined if it is both: it need not be stored. No slice
is empty, so that time may leap. Proofs: proofs/scotty.md, M1 to M6.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import reduce
from itertools import pairwise
from operator import attrgetter
from typing import Literal

from muntin.optimized.scotty.aggregate_store import AggregateStore
from muntin.optimized.scotty.edges import Edges
from muntin.optimized.scotty.slice import Lifted, Slice, alone
from muntin.spec.monoid import Monoid
from muntin.spec.stream import END

Separator = Literal["fixed", "flexible", "combined"]
FIRST, LAST = attrgetter("first"), attrgetter("last")
ORDER = attrgetter("order")


class Plan:
    """What all keys share: the edges, the smallest gap, and whether tuples are stored."""

    def __init__(self, monoid: Monoid[object], *, stored: bool, inclusive: bool) -> None:
        """Start without edges and sessions. Sessions merge at the gap itself if inclusive."""
        self.monoid, self.stored, self.reach = monoid, stored, int(inclusive)
        self.edges = Edges()
        self.gap: int | None = None


class SliceManager:
    """Slices sorted by time."""

    def __init__(self, plan: Plan, store: AggregateStore) -> None:
        """Start with no slice."""
        self.plan, self.store = plan, store
        self.slices: list[Slice] = []

    def restore(self, slices: list[Slice]) -> None:
        """Go back to slices that were copied before a step that failed."""
        self.slices = slices
        self.store.reset()

    def add(self, lifted: Lifted) -> None:
        """Add a tuple to its slice, having made, extended or fused slices as it asks."""
        low, high = self._touching(lifted)
        if low == high:
            combine, identity = self.plan.monoid.combine, self.plan.monoid.identity
            one = alone(lifted, combine(identity, lifted.partial), stored=self.plan.stored)
        else:
            one = self._grown(self.slices[low:high], lifted)
        self._replace(low, high, [one])

    def _touching(self, lifted: Lifted) -> tuple[int, int]:
        """Return the range of the slices that become one with this tuple; perhaps an empty one."""
        event, gap, slices = lifted.accepted.event, self.plan.gap, self.slices
        cell = self.plan.edges.cell(event.time)
        low = high = bisect_right(slices, event.time, key=FIRST)
        if low and slices[low - 1].last >= event.time:
            low -= 1
        elif low and slices[low - 1].first >= cell.low:
            low -= gap is None or event.time < slices[low - 1].reach(gap) + self.plan.reach
        own = END if gap is None else event.time + (event.gap or gap) + self.plan.reach
        while high < len(slices) and slices[high].first < min(own, cell.high):
            high += 1
        return low, high

    def _grown(self, parts: Sequence[Slice], lifted: Lifted) -> Slice:
        """Return the slice of all these tuples."""
        time, own = lifted.accepted.event.time, alone(lifted, lifted.partial, stored=True)
        if not self.plan.stored or all(one.last <= time or time < one.first for one in parts):
            own = own._replace(tuples=own.tuples if self.plan.stored else ())
            before = [one for one in parts if one.first <= time]
            return reduce(self._fused, [*before, own, *parts[len(before) :]])
        tuples = [entry for one in parts for entry in one.tuples]
        insort(tuples, lifted, key=ORDER)
        whole = reduce(lambda a, b: a.joined(b, a.partial, ()), [*parts, own])
        return whole._replace(partial=self._recomputed(tuples), tuples=tuple(tuples))

    def _recomputed(self, tuples: Iterable[Lifted]) -> object:
        return reduce(self.plan.monoid.combine, [entry.partial for entry in tuples])

    def _fused(self, left: Slice, right: Slice) -> Slice:
        partial = self.plan.monoid.combine(left.partial, right.partial)
        return left.joined(right, partial, left.tuples + right.tuples)

    def _replace(self, low: int, high: int, new: list[Slice]) -> None:
        for one in (*self.slices[low:high], *new):
            self.store.touch(one.first)
        self.slices[low:high] = new

    def between(self, low: float, high: float) -> tuple[int, int]:
        """Return the range of the slices with low <= first < high."""
        slices = self.slices
        return bisect_left(slices, low, key=FIRST), bisect_left(slices, high, key=FIRST)

    def fold(self, low: int, high: int) -> object:
        """Combine a range of slices, at least one."""
        return self.store.fold(self.slices, low, high)

    def upcoming(self, time: float) -> int | None:
        """Return the time of the first slice that does not begin before this time."""
        at = bisect_left(self.slices, time, key=FIRST)
        return self.slices[at].first if at < len(self.slices) else None

    def release(self, before: float) -> None:
        """Drop the slices that end before a time."""
        gone = bisect_left(self.slices, before, key=LAST)
        if gone:
            self._replace(0, gone, [])

    def refit(self) -> None:
        """Fuse the slices that no edge and no gap parts any more: a query has gone."""
        self._fuse_where(lambda left, right: self.separator(left, right) is None, len(self.slices))

    def compact(self, before: float, marks: Collection[int]) -> None:
        """Fuse the slices before a time, but for those that one of these marks parts."""
        settled = bisect_left(self.slices, before, key=LAST)
        self._fuse_where(
            lambda left, right: not any(left.last < mark <= right.first for mark in marks), settled
        )

    def _fuse_where(self, together: Callable[[Slice, Slice], bool], among: int) -> None:
        fitted: list[Slice] = []
        for one in self.slices[:among]:
            if fitted and together(fitted[-1], one):
                fitted[-1] = self._fused(fitted[-1], one)
            else:
                fitted.append(one)
        if len(fitted) < among:
            self._replace(0, among, fitted)

    def separator(self, left: Slice, right: Slice) -> Separator | None:
        """Return what parts two neighbours, if anything does."""
        fixed = right.first >= self.plan.edges.cell(left.last).high
        gap, reach = self.plan.gap, self.plan.reach
        flexible = gap is not None and right.first >= left.reach(gap) + reach
        if fixed:
            return "combined" if flexible else "fixed"
        return "flexible" if flexible else None

    def separators(self) -> list[Separator | None]:
        """Return what parts each pair of neighbours."""
        return [self.separator(left, right) for left, right in pairwise(self.slices)]
