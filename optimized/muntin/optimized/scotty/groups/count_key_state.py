"""One key of the queries that count: its slices between rank edges, and the shift.

[Traub20], section 5.2: a late tuple goes into the slice that covers its place in event order, and
the last tuple of that slice and of each later one moves on. Proofs: proofs/scotty.md, C1 to C4.
"""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Hashable
from copy import copy
from functools import partial
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from muntin.optimized.common.user_code import (
    check_combinable,
    check_result,
    combine_checked,
    fold_checked,
)
from muntin.optimized.scotty.slices.aggregate_store import AggregateStore
from muntin.optimized.scotty.slices.count_slices import (
    BEGIN,
    BEHIND,
    FIRST,
    ORDER,
    CountEdges,
    CountSlice,
)
from muntin.optimized.scotty.slices.slice import LiftedEvent
from muntin.optimized.scotty.slices.tuple_slices import SliceUpdatePolicy
from muntin.optimized.scotty.undo_log import UndoLog
from muntin.spec.stream import END


class CountSliceRequirements(NamedTuple):
    """How slices are changed, whether they keep their tuples, and whether ranks are arrivals."""

    how: SliceUpdatePolicy
    stored: bool
    by_arrival: bool


class CountKeyState:
    """The slices of one key. Ranks begin at 0, and go on when slices are released."""

    def __init__(
        self,
        key: Hashable,
        plan: CountSliceRequirements,
        store: AggregateStore,
        edges: CountEdges,
        log: UndoLog,
    ) -> None:
        """Start with no tuple."""
        self.key, self.edges = key, edges
        self.slices = list[CountSlice]()
        self.total = 0
        self.ended = 0  # of so many leading slices the windows that end there have been told
        self.settled = 0  # so many leading slices never change again
        self.dirty: int | None = None  # the first slice that a late tuple has changed, untold
        self.late = set[int]()  # the arrivals of late tuples, untold
        self.maturing_slices = list[
            tuple[int, int]
        ]()  # by arrival: full slices, by their last time
        self._plan, self._store, self._log = plan, store, log

    def insert(self, lifted: LiftedEvent) -> None:
        """Add a tuple where its order says: in order, one combine."""
        check_combinable(self._plan.how.monoid, lifted.partial)
        if self._plan.by_arrival or not self.slices or lifted.order > self.slices[-1].last:
            self._append(lifted)
        else:
            self._insert_late(lifted)

    def _append(self, lifted: LiftedEvent) -> None:
        monoid = self._plan.how.monoid
        if not self.slices or self.slices[-1].full:
            self._open(lifted, combine_checked(monoid, monoid.identity, lifted.partial))
        else:
            one = self.slices[-1]
            total = (
                combine_checked(monoid, one.partial, lifted.partial) if one.known else one.partial
            )
            self._note(one)
            one.last, one.size, one.partial = lifted.order, one.size + 1, total
            if one.tuples is not None:
                one.tuples.append(lifted)
                self._log.record_undo(one.tuples.pop)
            self._store.mark_changed(one.first)
        self._count()

    def _count(self) -> None:
        """Count a further tuple, which may have made the last slice full."""
        self._log.record_undo(partial(setattr, self, "total", self.total))
        self.total += 1
        one = self.slices[-1]
        if self._plan.by_arrival and one.full:
            entry = one.last[0], one.first
            heappush(self.maturing_slices, entry)
            self._log.record_undo(partial(self._unripen, entry))

    def _unripen(self, entry: tuple[int, int]) -> None:
        self.maturing_slices.remove(entry)
        heapify(self.maturing_slices)

    def _open(self, lifted: LiftedEvent, total: object) -> None:
        """Begin a slice behind the last."""
        cell = self.edges.cell(self.total)
        tuples = deque([lifted]) if self._plan.stored else None
        self.slices.append(CountSlice(cell, lifted.order, lifted.order, 1, total, tuples))
        self._log.record_undo(self._close)
        self._store.mark_changed(cell.low)

    def _close(self) -> None:
        self.edges.unread(self.slices.pop().cell)

    def _note(self, one: CountSlice) -> None:
        """Note what a slice is like, but for its tuples."""
        self._log.record_undo(partial(one.become, copy(one)))

    def _insert_late(self, lifted: LiftedEvent) -> None:
        """Add a tuple that is not the last, and let one tuple a slice move on."""
        order, how = lifted.order, self._plan.how
        at = bisect_right(self.slices, order, lo=self.settled, key=BEGIN)
        if at > self.settled and (order < self.slices[at - 1].last or not self.slices[at - 1].full):
            at -= 1
        one = self.slices[at]
        tuples = self._tuples(one)
        inner = order < one.last
        kept = self._grows(one) and (how.commutative or not inner)
        total = (
            combine_checked(how.monoid, one.partial, lifted.partial)
            if kept
            else how.monoid.identity
        )
        self._note(one)
        self._log.record_undo(partial(setattr, self, "dirty", self.dirty))
        self._log.record_undo(partial(self.late.discard, lifted.accepted.arrival))
        self.dirty = at if self.dirty is None else min(at, self.dirty)
        self.late.add(lifted.accepted.arrival)
        place = bisect_left(tuples, order, key=ORDER)
        tuples.insert(place, lifted)
        self._log.record_undo(partial(tuples.__delitem__, place))
        self._set(one, one.size + 1, total, known=kept)
        self._shift(at)
        self._count()

    def _tuples(self, one: CountSlice) -> deque[LiftedEvent]:
        """Return the tuples of a slice that keeps them, as all do that may change."""
        return deque() if one.tuples is None else one.tuples

    def _set(self, one: CountSlice, size: int, total: object, *, known: bool) -> None:
        """Let a slice be as its tuples say."""
        tuples = self._tuples(one)
        one.begin, one.last, one.size = tuples[0].order, tuples[-1].order, size
        one.partial, one.known = total, known
        if size == 1:
            one.partial, one.known = tuples[0].partial, True
        self._store.mark_changed(one.first)

    def _shift(self, at: int) -> None:
        """Move the last tuple of a slice that holds one too many to the next, and so on."""
        monoid = self._plan.how.monoid
        while self.slices[at].size > self.slices[at].cell.high - self.slices[at].cell.low:
            moved = self._take_last(self.slices[at])
            at += 1
            if at == len(self.slices):
                self._open(moved, moved.partial)
                return
            one = self.slices[at]
            kept = self._grows(one)
            total = combine_checked(monoid, moved.partial, one.partial) if kept else monoid.identity
            self._note(one)
            tuples = self._tuples(one)
            tuples.appendleft(moved)
            self._log.record_undo(tuples.popleft)
            self._set(one, one.size + 1, total, known=kept)

    def _grows(self, one: CountSlice) -> bool:
        """Whether it is of use to combine a further tuple: it stays, or can be inverted."""
        how = self._plan.how
        return one.known and (not one.full or (how.removal == "invert" and one.size > 1))

    def _take_last(self, one: CountSlice) -> LiftedEvent:
        """Take the last tuple off a slice, by invert if it may be used (Figure 6)."""
        monoid, tuples = self._plan.how.monoid, self._tuples(one)
        invert = monoid.invert if one.known else None
        known, last = one.partial, tuples[-1].partial
        total = check_result(monoid, invert(known, last), known) if invert else monoid.identity
        self._note(one)
        moved = tuples.pop()
        self._log.record_undo(partial(tuples.append, moved))
        self._set(one, one.size - 1, total, known=invert is not None)
        return moved

    def fold(self, low: int, behind: int) -> object:
        """Combine the tuples from a rank, at an edge, to the slice before an index."""
        first = bisect_left(self.slices, low, key=FIRST)
        for one in self.slices[first:behind]:
            if not one.known:
                one.partial, one.known = self._recomputed(list(self._tuples(one))), True
                self._store.mark_changed(one.first)
        return self._store.fold(self.slices, first, behind)

    def _recomputed(self, entries: list[LiftedEvent]) -> object:
        return fold_checked(self._plan.how.monoid, [entry.partial for entry in entries])

    def fold_fresh(self, low: int, behind: int) -> object:
        """Combine only the tuples that the window had not when it was last told."""
        first = bisect_left(self.slices, low, key=FIRST)
        begin = max(first, self.dirty or 0)
        fresh, come = list[LiftedEvent](), self._come_before(begin)
        for one in self.slices[begin:behind]:
            for rank, entry in enumerate(self._tuples(one), one.first):
                late = entry.accepted.arrival in self.late
                come += late
                if late or rank - come < low:
                    fresh.append(entry)
        return self._recomputed(fresh)

    def _come_before(self, at: int) -> int:
        """Return how many late tuples there are in the slices before an index."""
        changed = self.slices[self.dirty or 0 : at]
        return sum(e.accepted.arrival in self.late for one in changed for e in self._tuples(one))

    def end(self, high: float) -> list[int]:
        """Return the slices that are full and past, and had not been."""
        found = list[int]()
        if self._plan.by_arrival:
            while self.maturing_slices and self.maturing_slices[0][0] < high:
                entry = heappop(self.maturing_slices)
                self._log.record_undo(partial(heappush, self.maturing_slices, entry))
                found.append(bisect_left(self.slices, entry[1], key=FIRST))
            return found
        self._log.record_undo(partial(setattr, self, "ended", self.ended))
        while self.ended < len(self.slices) and self._past(self.ended, high):
            found.append(self.ended)
            self.ended += 1
        return found

    def _past(self, at: int, high: float) -> bool:
        return self.slices[at].full and self.slices[at].past <= high

    def told(self, indices: list[int]) -> None:
        """Take it that the windows are told that end with these slices."""
        for at in indices:
            self.slices[at].told = True
        while self.ended < len(self.slices) and self.slices[self.ended].told:
            self.ended += 1
        self.dirty = None
        self.late.clear()

    def release(self, done: float, longest: int) -> None:
        """Drop the tuples of settled slices, and slices that no window to be told may hold.

        What is over at `done` is settled; where tuples never move, what has been told.
        """
        while self.settled < self.ended and self._over(self.settled, done):
            one = self.slices[self.settled]
            one.tuples = None if one.known else one.tuples
            self.settled += 1
        if not self.settled:
            return
        low = self.slices[self.settled - 1].cell.high + 1 - longest
        gone = bisect_right(self.slices, low, hi=self.settled, key=BEHIND)
        for one in self.slices[:gone]:
            self._store.mark_changed(one.first)
        del self.slices[:gone]
        self.ended -= gone
        self.settled -= gone

    def _over(self, at: int, done: float) -> bool:
        return not self._plan.stored or self.slices[at].past <= done

    @property
    def behind(self) -> int:
        """The rank at which the next slice begins."""
        return max([self.total, *(one.cell.high for one in self.slices[-1:])])

    @property
    def next_end(self) -> float:
        """When the first slice is past that is full and was not past, as far as is known."""
        if self._plan.by_arrival:
            return self.maturing_slices[0][0] + 1 if self.maturing_slices else END
        return self._past_at(self.ended)

    @property
    def next_settled(self) -> float:
        """When the first slice settles that has been told."""
        return self._past_at(self.settled) if self.settled < self.ended else END

    def _past_at(self, at: int) -> float:
        return self.slices[at].past if at < len(self.slices) and self.slices[at].full else END

    def forget_step(self) -> None:
        """Drop what is derived from slices, after a step that has failed."""
        self._store.reset()
