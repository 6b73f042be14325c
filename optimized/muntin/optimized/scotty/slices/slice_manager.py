"""The slices of one key: Algorithms 3 to 6 of [Traub20].

A slice lies in one cell between window edges that are known beforehand; where there are sessions,
the slices of a cell are the sessions of the smallest gap within it. So a slice separator is fixed
if it is an edge, flexible if it is a gap, combined if it is both: it need not be stored. No slice
is empty, so that time may leap. Proofs: proofs/scotty.md, M1 to M6.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterable
from functools import partial
from itertools import pairwise
from operator import attrgetter
from typing import Literal

from muntin.optimized.common.user_code import combine_checked, fold_checked
from muntin.optimized.scotty.slices.aggregate_store import AggregateStore
from muntin.optimized.scotty.slices.edges import Edges
from muntin.optimized.scotty.slices.slice import LiftedEvent, Slice, merged_slice, singleton_slice
from muntin.optimized.scotty.undo_log import UndoLog
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.stream import END, AcceptedEvent

Separator = Literal["fixed", "flexible", "combined"]
LAST = attrgetter("last")
ORDER = attrgetter("order")


class SliceRequirements:
    """What all keys share: the edges, the smallest gap, and whether tuples are stored."""

    def __init__(self, monoid: Monoid[object], *, stored: bool, inclusive: bool) -> None:
        """Start without edges and sessions. Sessions merge at the gap itself if inclusive."""
        self.monoid, self.stored, self.reach = monoid, stored, int(inclusive)
        self.edges = Edges()
        self.gap: int | None = None
        self.shortest: float = END  # of the windows whose edges are known


class SliceManager:
    """Slices sorted by time, and a list of the times of their first tuples."""

    def __init__(self, plan: SliceRequirements, store: AggregateStore, log: UndoLog) -> None:
        """Start with no slice."""
        self.plan, self.store, self.log = plan, store, log
        self.slices: list[Slice] = []
        self.firsts: list[int] = []
        self.own: float = -END  # how far the gap of any tuple of its own reaches
        # whether the step has made a slice, one before others, and one that is far from others
        self.appended = self.inserted = self.isolated = False

    def add(self, accepted: AcceptedEvent, value: object, told: float = -END) -> None:
        """Add a tuple to its slice, having made, extended or fused slices (Algorithm 3).

        Slices that end before `told` may have been told of: they stay as they were then.
        """
        event = accepted.event
        time, firsts = event.time, self.firsts
        at = len(firsts)
        if at and time < firsts[-1]:
            at = bisect_right(firsts, time)
        if at and event.gap is None and time <= self.slices[at - 1].last:
            self._insert(at - 1, accepted, value)
            return
        low = at - (at > 0 and self._touches_left(at - 1, time, told))
        high = at if at == len(firsts) or time < told else self._touched_right(low, at, accepted)
        if low == high:
            self._split(at, accepted, value)
        elif high == at:
            self._insert(low, accepted, value)
        else:
            self._fuse(low, high, accepted, value)
        if event.gap is not None:
            self.own = max(self.own, time + event.gap)

    def _touches_left(self, nth: int, time: int, told: float) -> bool:
        """Whether a tuple lies in a slice before it, or in its cell and less than the gap after."""
        one, gap = self.slices[nth], self.plan.gap
        if one.last >= time:
            return True
        if one.last < told or one.first < self.plan.edges.cell(time).low:
            return False
        return gap is None or time < one.reach(gap) + self.plan.reach

    def _touched_right(self, low: int, at: int, accepted: AcceptedEvent) -> int:
        """Return where the slices end that a tuple touches and that begin after it."""
        gap, event, firsts = self.plan.gap, accepted.event, self.firsts
        own = END if gap is None else event.time + (event.gap or gap) + self.plan.reach
        if firsts[at] >= own or (gap is None and low < at):
            return at
        return max(at, bisect_left(firsts, min(own, self.plan.edges.cell(event.time).high)))

    def _split(self, at: int, accepted: AcceptedEvent, value: object) -> None:
        """Make a slice of its own: where gaps part, a session is split (Algorithm 4)."""
        total = combine_checked(self.plan.monoid, self.plan.monoid.identity, value)
        tuples = [LiftedEvent(accepted, value)] if self.plan.stored else None
        one = singleton_slice(accepted.event, total, tuples, self.log.step)
        self.log.record_undo(partial(self._drop, at))
        self.slices.insert(at, one)
        self.firsts.insert(at, one.first)
        self.store.mark_changed(one.first)
        self.appended = True
        if at < len(self.slices) - 1:
            self.inserted = True
            self.isolated = self.isolated or self._isolated(at)

    def _drop(self, at: int) -> None:
        del self.slices[at], self.firsts[at]

    def _isolated(self, at: int) -> bool:
        """Whether some window may hold this slice and none of its neighbours."""
        if not at:
            return True
        return self.slices[at + 1].first - self.slices[at - 1].last > self.plan.shortest

    def _insert(self, nth: int, accepted: AcceptedEvent, value: object) -> None:
        """Add a tuple within a slice, or after it."""
        one = self.slices[nth]
        if one.step != self.log.step:
            self.log.change(one)
            self.store.mark_changed(one.first)
        event, tuples = accepted.event, one.tuples
        if tuples is not None:
            self._put(tuples, LiftedEvent(accepted, value))
        if tuples is None or event.time >= one.last:
            one.partial = combine_checked(self.plan.monoid, one.partial, value)
        else:
            one.partial = self._recomputed(tuples)
        one.count(event)

    def _put(self, tuples: list[LiftedEvent], lifted: LiftedEvent) -> None:
        at = bisect_right(tuples, lifted.order, key=ORDER)
        tuples.insert(at, lifted)
        self.log.record_undo(partial(tuples.__delitem__, at))

    def _fuse(self, low: int, high: int, accepted: AcceptedEvent, value: object) -> None:
        """Extend a slice to the left (Algorithm 6), or make one of those that a tuple links."""
        event, stored = accepted.event, self.plan.stored
        parts = self.slices[low:high]
        own = singleton_slice(
            event, value, [LiftedEvent(accepted, value)] if stored else None, self.log.step
        )
        before = [one for one in parts if one.first <= event.time]
        line = [*before, own, *parts[len(before) :]]
        tuples = [entry for one in parts for entry in one.tuples or ()]
        if stored and before and before[-1].last > event.time:
            insort(tuples, LiftedEvent(accepted, value), key=ORDER)
            total = self._recomputed(tuples)
        else:
            total = fold_checked(self.plan.monoid, [one.partial for one in line])
            tuples = [entry for one in line for entry in one.tuples or ()]
        self._replace(
            low, high, [merged_slice(line, total, tuples if stored else None, self.log.step)]
        )

    def _recomputed(self, tuples: Iterable[LiftedEvent]) -> object:
        return fold_checked(self.plan.monoid, [entry.partial for entry in tuples])

    def _replace(self, low: int, high: int, new: list[Slice]) -> None:
        old = self.slices[low:high]
        self.log.record_undo(partial(self._put_back, low, low + len(new), old))
        self._put_back(low, high, new)
        for one in (*old, *new):
            self.store.mark_changed(one.first)

    def _put_back(self, low: int, high: int, ones: list[Slice]) -> None:
        self.slices[low:high] = ones
        self.firsts[low:high] = [one.first for one in ones]

    def between(self, low: float, high: float) -> tuple[int, int]:
        """Return the range of the slices with low <= first < high."""
        return bisect_left(self.firsts, low), bisect_left(self.firsts, high)

    def fold(self, low: int, high: int) -> object:
        """Combine a range of slices, at least one."""
        return self.store.fold(self.slices, low, high)

    def size(self, low: int, high: int) -> int:
        """Return how many tuples a range of slices has."""
        return sum(one.size for one in self.slices[low:high])

    def next_slice_time(self, time: float) -> int | None:
        """Return the time of the first slice that does not begin before this time."""
        at = bisect_left(self.firsts, time)
        return self.firsts[at] if at < len(self.firsts) else None

    def release(self, before: float) -> None:
        """Drop the slices that end before a time."""
        if self.slices and self.slices[0].last < before:
            self._replace(0, self.final_slice_count(before), [])
        if not self.slices:
            self.own = -END

    def final_slice_count(self, before: float) -> int:
        """Return how many slices end before a time."""
        return bisect_left(self.slices, before, key=LAST)

    def merge_unseparated(self) -> None:
        """Fuse the slices that no edge and no gap parts any more: a query has gone."""
        runs = list[list[Slice]]()
        whole: Slice | None = None  # the run so far, but for its partial and its tuples
        for one in self.slices:
            if whole is not None and self.separator(whole, one) is None:
                runs[-1].append(one)
                whole = merged_slice([whole, one], None, None)
            else:
                runs.append([one])
                whole = one
        self._fuse_runs(runs)

    def merge_around(self, time: float) -> None:
        """Fuse what a tuple of this time would have fused, had its slice not been kept apart."""
        at = max(0, bisect_right(self.firsts, time) - 2)
        while at + 1 < len(self.slices) and self.firsts[at] <= time:
            left, right = self.slices[at : at + 2]
            if self.separator(left, right) is None:
                self._replace(at, at + 2, [self._fused([left, right])])
            else:
                at += 1

    def compact(self, settled: int, marks: Collection[int]) -> None:
        """Fuse the first so many slices, but for those that one of these marks parts."""
        runs: list[list[Slice]] = []
        for one in self.slices[:settled]:
            if runs and not any(runs[-1][-1].last < mark <= one.first for mark in marks):
                runs[-1].append(one)
            else:
                runs.append([one])
        self._fuse_runs(runs)

    def _fuse_runs(self, runs: list[list[Slice]]) -> None:
        """Make one of each run of the first slices."""
        among = sum(map(len, runs))
        if len(runs) < among:
            self._replace(0, among, [self._fused(run) for run in runs])

    def _fused(self, run: list[Slice]) -> Slice:
        if len(run) == 1:
            return run[0]
        total = fold_checked(self.plan.monoid, [one.partial for one in run])
        tuples = [entry for one in run for entry in one.tuples or ()]
        return merged_slice(run, total, tuples if self.plan.stored else None)

    def separator(self, left: Slice, right: Slice) -> Separator | None:
        """Return what parts two neighbours, if anything does; a compacted slice may hold edges."""
        fixed = left.first < self.plan.edges.cell(right.first).low
        gap, reach = self.plan.gap, self.plan.reach
        flexible = gap is not None and right.first >= left.reach(gap) + reach
        if fixed:
            return "combined" if flexible else "fixed"
        return "flexible" if flexible else None

    def separators(self) -> list[Separator | None]:
        """Return what parts each pair of neighbours."""
        return [self.separator(left, right) for left, right in pairwise(self.slices)]
