"""The slices of one key in time, and how an event changes them: Algorithms 3 to 6 of [Traub20].

`SliceManager.add` is Algorithm 3 and chooses among the others: `_add_slice` (Algorithm 4, split),
`_merge_slices` (Algorithms 5 and 6, merge and extend), `_add_to_slice`. A late event updates a
session here.

A slice lies between two window edges that are known beforehand; if there are sessions, the slices
between two edges are the sessions of the smallest gap there. So a separator is fixed if it is an
edge, flexible if it is a gap, combined if it is both: it need not be stored. No slice is empty, so
that time may leap. Proofs: proofs/scotty.md, M1 to M6.
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
from muntin.optimized.scotty.slices.slice import (
    ORDER,
    LiftedEvent,
    Slice,
    merged_slice,
    singleton_slice,
)
from muntin.optimized.scotty.undo_log import UndoLog
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.stream import END, AcceptedEvent

Separator = Literal["fixed", "flexible", "combined"]
LAST = attrgetter("last")


class SliceRequirements:
    """What all keys share: the edges, the smallest gap, and whether tuples are stored."""

    def __init__(self, monoid: Monoid[object], *, stored: bool, inclusive: bool) -> None:
        """Start without edges. Sessions exactly one gap apart merge if `inclusive`."""
        self.monoid, self.stored, self.merge_slack = monoid, stored, int(inclusive)
        self.edges = Edges()
        self.gap: int | None = None
        self.shortest_window: float = END  # of windows whose edges are known


class SliceManager:
    """Slices sorted by time, and a list of the times of their first tuples."""

    def __init__(self, needs: SliceRequirements, store: AggregateStore, log: UndoLog) -> None:
        """Start with no slice."""
        self.requirements, self.store, self.log = needs, store, log
        self.slices: list[Slice] = []
        self.first_times: list[int] = []
        self.furthest_own_gap: float = -END  # the furthest end of an own gap
        # whether the step has made a slice, one before others, and one far from its neighbours
        self.has_appended = self.has_inserted = self.has_isolated = False

    def add(self, accepted: AcceptedEvent, value: object, emitted_until: float = -END) -> None:
        """Add a tuple to its slice: make, extend or merge slices (Algorithm 3 of [Traub20]).

        Slices that end before `emitted_until` may have been emitted: they stay as they were then.
        """
        event = accepted.event
        time, first_times = event.time, self.first_times
        index = len(first_times)
        if index and time < first_times[-1]:
            index = bisect_right(first_times, time)
        if index and event.gap is None and time <= self.slices[index - 1].last:
            self._add_to_slice(index - 1, accepted, value)
            return
        low = index - (index > 0 and self._touches_left(index - 1, time, emitted_until))
        high = index
        if index < len(first_times) and time >= emitted_until:
            high = self._right_end(low, index, accepted)
        if low == high:
            self._add_slice(index, accepted, value)
        elif high == index:
            self._add_to_slice(low, accepted, value)
        else:
            self._merge_slices(low, high, accepted, value)
        if event.gap is not None:
            self.furthest_own_gap = max(self.furthest_own_gap, time + event.gap)

    def _touches_left(self, index: int, time: int, emitted_until: float) -> bool:
        """Whether a tuple lies in a slice before it, or between its edges and within its gap."""
        slice_, needs = self.slices[index], self.requirements
        if slice_.last >= time:
            return True
        if slice_.last < emitted_until or slice_.first < needs.edges.interval_at(time).low:
            return False
        return needs.gap is None or time < slice_.session_end(needs.gap) + needs.merge_slack

    def _right_end(self, low: int, index: int, accepted: AcceptedEvent) -> int:
        """The end of the range of slices that a tuple touches and that begin after it."""
        needs, event, first_times = self.requirements, accepted.event, self.first_times
        gap = needs.gap
        reach = END if gap is None else event.time + (event.gap or gap) + needs.merge_slack
        if first_times[index] >= reach or (gap is None and low < index):
            return index
        edge = needs.edges.interval_at(event.time).high
        return max(index, bisect_left(first_times, min(reach, edge)))

    def _add_slice(self, index: int, accepted: AcceptedEvent, value: object) -> None:
        """Make a slice of one tuple: it splits a session's gap (Algorithm 4 of [Traub20])."""
        total = combine_checked(self.requirements.monoid, self.requirements.monoid.identity, value)
        tuples = [LiftedEvent(accepted, value)] if self.requirements.stored else None
        slice_ = singleton_slice(accepted.event, total, tuples, self.log.step)
        self.log.record_undo(partial(self._remove_slice, index))
        self.slices.insert(index, slice_)
        self.first_times.insert(index, slice_.first)
        self.store.mark_changed(slice_.first)
        self.has_appended = True
        if index < len(self.slices) - 1:
            self.has_inserted = True
            self.has_isolated = self.has_isolated or self._is_isolated(index)

    def _remove_slice(self, index: int) -> None:
        del self.slices[index], self.first_times[index]

    def _is_isolated(self, index: int) -> bool:
        """Whether some window may hold this slice and none of its neighbours."""
        distance = self.slices[index + 1].first - self.slices[index - 1].last
        return not index or distance > self.requirements.shortest_window

    def _add_to_slice(self, index: int, accepted: AcceptedEvent, value: object) -> None:
        """Add a tuple within a slice, or after it: the separators stay (Algorithm 3)."""
        slice_ = self.slices[index]
        if slice_.step != self.log.step:
            self.log.save_slice(slice_)
            self.store.mark_changed(slice_.first)
        event, tuples = accepted.event, slice_.tuples
        if tuples is not None:
            self._store_tuple(tuples, LiftedEvent(accepted, value))
        if tuples is None or event.time >= slice_.last:
            slice_.partial = combine_checked(self.requirements.monoid, slice_.partial, value)
        else:
            slice_.partial = self._recompute(tuples)
        slice_.count_tuple(event)

    def _store_tuple(self, tuples: list[LiftedEvent], lifted: LiftedEvent) -> None:
        index = bisect_right(tuples, lifted.order, key=ORDER)
        tuples.insert(index, lifted)
        self.log.record_undo(partial(tuples.__delitem__, index))

    def _merge_slices(self, low: int, high: int, accepted: AcceptedEvent, value: object) -> None:
        """Merge the slices that a tuple links (Algorithm 5), or extend one left (Algorithm 6)."""
        event, stored = accepted.event, self.requirements.stored
        parts = self.slices[low:high]
        own_tuples = [LiftedEvent(accepted, value)] if stored else None
        singleton = singleton_slice(event, value, own_tuples, self.log.step)
        earlier = [slice_ for slice_ in parts if slice_.first <= event.time]
        ordered = [*earlier, singleton, *parts[len(earlier) :]]
        tuples = [entry for slice_ in parts for entry in slice_.tuples or ()]
        if stored and earlier and earlier[-1].last > event.time:
            insort(tuples, LiftedEvent(accepted, value), key=ORDER)
            total = self._recompute(tuples)
        else:
            total = fold_checked(self.requirements.monoid, [slice_.partial for slice_ in ordered])
            tuples = [entry for slice_ in ordered for entry in slice_.tuples or ()]
        merged = merged_slice(ordered, total, tuples if stored else None, self.log.step)
        self._replace(low, high, [merged])

    def _recompute(self, tuples: Iterable[LiftedEvent]) -> object:
        return fold_checked(self.requirements.monoid, [entry.partial for entry in tuples])

    def _replace(self, low: int, high: int, new_slices: list[Slice]) -> None:
        old_slices = self.slices[low:high]
        self.log.record_undo(partial(self._set_slices, low, low + len(new_slices), old_slices))
        self._set_slices(low, high, new_slices)
        for slice_ in (*old_slices, *new_slices):
            self.store.mark_changed(slice_.first)

    def _set_slices(self, low: int, high: int, slices: list[Slice]) -> None:
        self.slices[low:high] = slices
        self.first_times[low:high] = [slice_.first for slice_ in slices]

    def indices_between(self, low: float, high: float) -> tuple[int, int]:
        """The range of the slices with low <= first < high."""
        return bisect_left(self.first_times, low), bisect_left(self.first_times, high)

    def fold(self, low: int, high: int) -> object:
        """Combine a range of slices, at least one."""
        return self.store.fold(self.slices, low, high)

    def tuple_count(self, low: int, high: int) -> int:
        """How many tuples a range of slices has."""
        return sum(slice_.size for slice_ in self.slices[low:high])

    def next_slice_time(self, time: float) -> int | None:
        """The time of the first slice that does not begin before this time."""
        index = bisect_left(self.first_times, time)
        return self.first_times[index] if index < len(self.first_times) else None

    def evict(self, until: float) -> None:
        """Evict the slices that end before a time."""
        if self.slices and self.slices[0].last < until:
            self._replace(0, self.final_slice_count(until), [])
        if not self.slices:
            self.furthest_own_gap = -END

    def final_slice_count(self, until: float) -> int:
        """How many slices end before a time."""
        return bisect_left(self.slices, until, key=LAST)

    def merge_unseparated(self) -> None:
        """Merge neighbours that no edge and no gap separates, after a query was removed."""
        runs = list[list[Slice]]()
        run_so_far: Slice | None = None  # without partial and tuples
        for slice_ in self.slices:
            if run_so_far is not None and self.separator(run_so_far, slice_) is None:
                runs[-1].append(slice_)
                run_so_far = merged_slice([run_so_far, slice_], None, None)
            else:
                runs.append([slice_])
                run_so_far = slice_
        self._merge_runs(runs)

    def merge_around(self, time: float) -> None:
        """Merge what a tuple of this time would have, had its slice not been kept separate."""
        index = max(0, bisect_right(self.first_times, time) - 2)
        while index + 1 < len(self.slices) and self.first_times[index] <= time:
            left, right = self.slices[index : index + 2]
            if self.separator(left, right) is None:
                self._replace(index, index + 2, [self._merge_run([left, right])])
            else:
                index += 1

    def compact(self, count: int, marks: Collection[int]) -> None:
        """Merge the first `count` slices, except where one of these marks separates them."""
        runs: list[list[Slice]] = []
        for slice_ in self.slices[:count]:
            if runs and not any(runs[-1][-1].last < mark <= slice_.first for mark in marks):
                runs[-1].append(slice_)
            else:
                runs.append([slice_])
        self._merge_runs(runs)

    def _merge_runs(self, runs: list[list[Slice]]) -> None:
        """Replace each run of the first slices by one slice."""
        among = sum(map(len, runs))
        if len(runs) < among:
            self._replace(0, among, [self._merge_run(run) for run in runs])

    def _merge_run(self, run: list[Slice]) -> Slice:
        if len(run) == 1:
            return run[0]
        total = fold_checked(self.requirements.monoid, [slice_.partial for slice_ in run])
        tuples = [entry for slice_ in run for entry in slice_.tuples or ()]
        return merged_slice(run, total, tuples if self.requirements.stored else None)

    def separator(self, left: Slice, right: Slice) -> Separator | None:
        """What separates two neighbours, if anything; a compacted slice may hold edges."""
        is_fixed = left.first < self.requirements.edges.interval_at(right.first).low
        gap, merge_slack = self.requirements.gap, self.requirements.merge_slack
        is_flexible = gap is not None and right.first >= left.session_end(gap) + merge_slack
        if is_fixed:
            return "combined" if is_flexible else "fixed"
        return "flexible" if is_flexible else None

    def separators(self) -> list[Separator | None]:
        """What separates each pair of neighbours."""
        return [self.separator(left, right) for left, right in pairwise(self.slices)]
