"""The count slices of one key, and the shift that a late tuple causes ([Traub20], section 5.2).

A late tuple goes into the slice that covers its place in event order, and the last tuple of that
slice and of each later one moves to the next. Proofs: proofs/scotty.md, R1 to R4.
"""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Hashable, Iterable
from copy import copy
from functools import partial
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from muntin.optimized.common import user_code
from muntin.optimized.scotty.slices.aggregate_store import AggregateStore
from muntin.optimized.scotty.slices.count_slices import (
    END_RANK,
    FIRST_ORDER,
    FIRST_RANK,
    CountEdges,
    CountSlice,
)
from muntin.optimized.scotty.slices.slice import ORDER, LiftedEvent
from muntin.optimized.scotty.slices.tuple_slices import SliceUpdatePolicy
from muntin.optimized.scotty.undo_log import UndoLog
from muntin.spec.stream import END


class CountSliceRequirements(NamedTuple):
    """How slices are updated, whether they store tuples, and whether ranks are arrivals."""

    policy: SliceUpdatePolicy
    stored: bool
    by_arrival: bool


class CountKeyState:
    """The slices of one key. Ranks begin at 0, and go on when slices are evicted."""

    def __init__(
        self,
        key: Hashable,
        requirements: CountSliceRequirements,
        store: AggregateStore,
        edges: CountEdges,
        log: UndoLog,
    ) -> None:
        """Start with no tuple."""
        self.key, self.edges = key, edges
        self.slices = list[CountSlice]()
        self.tuple_count = 0
        self.emitted_count = 0  # the leading slices whose windows are all emitted
        self.final_count = 0  # the leading slices that never change again
        self.first_changed: int | None = None  # the first slice with a late tuple not emitted yet
        self.late_arrivals = set[int]()  # the arrivals of late tuples not emitted yet
        self.maturing_slices: list[tuple[int, int]] = []  # by arrival: full slices, by last time
        self._requirements, self._store, self._log = requirements, store, log

    def insert(self, lifted: LiftedEvent) -> None:
        """Add a tuple at its place in event order; in order, that is one combine."""
        user_code.check_combinable(self._requirements.policy.monoid, lifted.partial)
        goes_last = self._requirements.by_arrival or not self.slices
        if goes_last or lifted.order > self.slices[-1].last_order:
            self._append(lifted)
        else:
            self._insert_late(lifted)

    def _append(self, lifted: LiftedEvent) -> None:
        monoid = self._requirements.policy.monoid
        if not self.slices or self.slices[-1].is_full:
            total = user_code.combine_checked(monoid, monoid.identity, lifted.partial)
            self._open_slice(lifted, total)
        else:
            slice_ = self.slices[-1]
            total = slice_.partial
            if slice_.partial_known:
                total = user_code.combine_checked(monoid, total, lifted.partial)
            self._record_slice_undo(slice_)
            slice_.last_order, slice_.size, slice_.partial = lifted.order, slice_.size + 1, total
            if slice_.tuples is not None:
                slice_.tuples.append(lifted)
                self._log.record_undo(slice_.tuples.pop)
            self._store.mark_changed(slice_.first)
        self._count_tuple()

    def _count_tuple(self) -> None:
        """Count a further tuple, which may have made the last slice full."""
        self._log.record_undo(partial(setattr, self, "tuple_count", self.tuple_count))
        self.tuple_count += 1
        slice_ = self.slices[-1]
        if self._requirements.by_arrival and slice_.is_full:
            entry = slice_.last_order[0], slice_.first
            heappush(self.maturing_slices, entry)
            self._log.record_undo(partial(self._remove_maturing, entry))

    def _remove_maturing(self, entry: tuple[int, int]) -> None:
        self.maturing_slices.remove(entry)
        heapify(self.maturing_slices)

    def _open_slice(self, lifted: LiftedEvent, total: object) -> None:
        """Begin a slice behind the last."""
        interval = self.edges.next_interval(self.tuple_count)
        tuples = deque([lifted]) if self._requirements.stored else None
        self.slices.append(CountSlice(interval, lifted.order, lifted.order, 1, total, tuples))
        self._log.record_undo(self._close_last_slice)
        self._store.mark_changed(interval.low)

    def _close_last_slice(self) -> None:
        self.edges.unread(self.slices.pop().ranks)

    def _record_slice_undo(self, slice_: CountSlice) -> None:
        """Record a slice as it is, except its tuples, to be restored if the step fails."""
        self._log.record_undo(partial(slice_.restore, copy(slice_)))

    def _insert_late(self, lifted: LiftedEvent) -> None:
        """Add a tuple that is not the last; one tuple a slice moves on."""
        order, policy = lifted.order, self._requirements.policy
        index = bisect_right(self.slices, order, lo=self.final_count, key=FIRST_ORDER)
        before = self.slices[index - 1] if index > self.final_count else None
        if before and (order < before.last_order or not before.is_full):
            index -= 1
        slice_ = self.slices[index]
        tuples = self._tuples(slice_)
        is_inner = order < slice_.last_order
        combines = self._can_combine(slice_) and (policy.commutative or not is_inner)
        total = policy.monoid.identity
        if combines:
            total = user_code.combine_checked(policy.monoid, slice_.partial, lifted.partial)
        self._record_slice_undo(slice_)
        self._log.record_undo(partial(setattr, self, "first_changed", self.first_changed))
        self._log.record_undo(partial(self.late_arrivals.discard, lifted.accepted.arrival))
        self.first_changed = index if self.first_changed is None else min(index, self.first_changed)
        self.late_arrivals.add(lifted.accepted.arrival)
        position = bisect_left(tuples, order, key=ORDER)
        tuples.insert(position, lifted)
        self._log.record_undo(partial(tuples.__delitem__, position))
        self._update(slice_, slice_.size + 1, total, known=combines)
        self._shift(index)
        self._count_tuple()

    def _tuples(self, slice_: CountSlice) -> deque[LiftedEvent]:
        """The tuples of a slice that stores them, as all slices do that may change."""
        return deque() if slice_.tuples is None else slice_.tuples

    def _update(self, slice_: CountSlice, size: int, total: object, *, known: bool) -> None:
        """Set size, order and partial aggregate of a slice after its tuples have changed."""
        tuples = self._tuples(slice_)
        slice_.first_order, slice_.last_order, slice_.size = tuples[0].order, tuples[-1].order, size
        slice_.partial, slice_.partial_known = total, known
        if size == 1:
            slice_.partial, slice_.partial_known = tuples[0].partial, True
        self._store.mark_changed(slice_.first)

    def _shift(self, index: int) -> None:
        """Move the last tuple of a slice that holds one too many to the next, and so on."""
        monoid = self._requirements.policy.monoid
        while self.slices[index].is_overfull:
            moved = self._remove_last(self.slices[index])
            index += 1
            if index == len(self.slices):
                self._open_slice(moved, moved.partial)
                return
            slice_ = self.slices[index]
            combines = self._can_combine(slice_)
            total = monoid.identity
            if combines:
                total = user_code.combine_checked(monoid, moved.partial, slice_.partial)
            self._record_slice_undo(slice_)
            tuples = self._tuples(slice_)
            tuples.appendleft(moved)
            self._log.record_undo(tuples.popleft)
            self._update(slice_, slice_.size + 1, total, known=combines)

    def _can_combine(self, slice_: CountSlice) -> bool:
        """Whether combining a further tuple is useful: it stays, or can be inverted."""
        policy = self._requirements.policy
        can_invert = policy.removal == "invert" and slice_.size > 1
        return slice_.partial_known and (can_invert or not slice_.is_full)

    def _remove_last(self, slice_: CountSlice) -> LiftedEvent:
        """Remove the last tuple of a slice, by invert if it may be used (Figure 6)."""
        monoid, tuples = self._requirements.policy.monoid, self._tuples(slice_)
        invert = monoid.invert if slice_.partial_known else None
        total, before = monoid.identity, slice_.partial
        if invert:
            total = user_code.check_result(monoid, invert(before, tuples[-1].partial), before)
        self._record_slice_undo(slice_)
        moved = tuples.pop()
        self._log.record_undo(partial(tuples.append, moved))
        self._update(slice_, slice_.size - 1, total, known=invert is not None)
        return moved

    def fold(self, start_rank: int, end: int) -> object:
        """Combine the tuples from a rank, which is an edge, to the slice before an index."""
        first = bisect_left(self.slices, start_rank, key=FIRST_RANK)
        for slice_ in self.slices[first:end]:
            if not slice_.partial_known:
                slice_.partial = self._recompute(self._tuples(slice_))
                slice_.partial_known = True
                self._store.mark_changed(slice_.first)
        return self._store.fold(self.slices, first, end)

    def _recompute(self, entries: Iterable[LiftedEvent]) -> object:
        monoid = self._requirements.policy.monoid
        return user_code.fold_checked(monoid, [entry.partial for entry in entries])

    def fold_new_tuples(self, start_rank: int, end: int) -> object:
        """Combine only the tuples that the window did not have when it was last emitted."""
        first = bisect_left(self.slices, start_rank, key=FIRST_RANK)
        first_index = max(first, self.first_changed or 0)
        new_tuples, late_count = list[LiftedEvent](), self._late_tuples_before(first_index)
        for slice_ in self.slices[first_index:end]:
            for rank, entry in enumerate(self._tuples(slice_), slice_.first):
                is_late = entry.accepted.arrival in self.late_arrivals
                late_count += is_late
                if is_late or rank - late_count < start_rank:
                    new_tuples.append(entry)
        return self._recompute(new_tuples)

    def _late_tuples_before(self, index: int) -> int:
        """The number of late tuples in the slices before an index."""
        changed = self.slices[self.first_changed or 0 : index]
        tuples = (entry for slice_ in changed for entry in self._tuples(slice_))
        return sum(entry.accepted.arrival in self.late_arrivals for entry in tuples)

    def pop_complete_slices(self, until: float) -> list[int]:
        """The slices that are full and have completed since the last call."""
        indices = list[int]()
        if self._requirements.by_arrival:
            while self.maturing_slices and self.maturing_slices[0][0] < until:
                entry = heappop(self.maturing_slices)
                self._log.record_undo(partial(heappush, self.maturing_slices, entry))
                indices.append(bisect_left(self.slices, entry[1], key=FIRST_RANK))
            return indices
        self._log.record_undo(partial(setattr, self, "emitted_count", self.emitted_count))
        while self.emitted_count < len(self.slices) and self._completes(self.emitted_count, until):
            indices.append(self.emitted_count)
            self.emitted_count += 1
        return indices

    def _completes(self, index: int, until: float) -> bool:
        return self.slices[index].is_full and self.slices[index].completes_at <= until

    def mark_emitted(self, indices: list[int]) -> None:
        """Record that the windows that end with these slices are emitted."""
        for index in indices:
            self.slices[index].emitted = True
        while self.emitted_count < len(self.slices) and self.slices[self.emitted_count].emitted:
            self.emitted_count += 1
        self.first_changed = None
        self.late_arrivals.clear()

    def evict(self, final_until: float, longest_size: int) -> None:
        """Evict the tuples of final slices, and slices that no window to be emitted may hold.

        A slice is final once it completes by `final_until`; if tuples never move, once it is
        emitted.
        """
        while self.final_count < self.emitted_count and self._is_final(
            self.final_count, final_until
        ):
            slice_ = self.slices[self.final_count]
            slice_.tuples = None if slice_.partial_known else slice_.tuples
            self.final_count += 1
        if not self.final_count:
            return
        lowest_start = self.slices[self.final_count - 1].ranks.high + 1 - longest_size
        evicted = bisect_right(self.slices, lowest_start, hi=self.final_count, key=END_RANK)
        for slice_ in self.slices[:evicted]:
            self._store.mark_changed(slice_.first)
        del self.slices[:evicted]
        self.emitted_count -= evicted
        self.final_count -= evicted

    def _is_final(self, index: int, final_until: float) -> bool:
        return not self._requirements.stored or self.slices[index].completes_at <= final_until

    @property
    def next_slice_rank(self) -> int:
        """The rank at which the next slice begins."""
        return max([self.tuple_count, *(slice_.ranks.high for slice_ in self.slices[-1:])])

    @property
    def next_completion(self) -> float:
        """When the next full slice completes, as far as is known."""
        if self._requirements.by_arrival:
            return self.maturing_slices[0][0] + 1 if self.maturing_slices else END
        return self._completion_time(self.emitted_count)

    @property
    def next_final(self) -> float:
        """When the first emitted slice is final."""
        is_emitted = self.final_count < self.emitted_count
        return self._completion_time(self.final_count) if is_emitted else END

    def _completion_time(self, index: int) -> float:
        """When the windows that end with a slice are complete; never, if it is not full."""
        is_full = index < len(self.slices) and self.slices[index].is_full
        return self.slices[index].completes_at if is_full else END

    def discard_index(self) -> None:
        """Drop what the store derives from slices, after a step that has failed."""
        self._store.reset()
