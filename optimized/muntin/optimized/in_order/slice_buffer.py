"""Slices: one active partial aggregate, and those of the slices before it (Algorithm 1).

A slice begins where some window begins, and nowhere else; when no window needs the begin any
more, the slice is joined to its predecessor [Carbone16, sections 5.2, 5.3]. S4-S6: proofs/cutty.md.

A *tentative pin* is a begin that may still prove to be one, while simultaneous events come. What
follows it stays out of the store, so that a tentative pin costs no more than a pin.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

from muntin.optimized.common import user_code
from muntin.optimized.in_order.aggregate_store import InOrderStore, Slice

A = TypeVar("A")


class SliceBuffer(Generic[A]):
    """The events since the oldest pinned begin, as consecutive partials."""

    def __init__(self, store: InOrderStore[A], *, joins: bool = True) -> None:
        """Start with no event; Panes and Pairs cut at edges of their own and join nothing."""
        self.count = 0  # the ordinal of the next event
        self._store, self._joins = store, joins
        self._combine = store.monoid.combine
        self._pins: dict[int, int] = {}
        self._tentative_pins: dict[int, int] = {}
        self._tail: list[Slice[A]] = []
        self._shared = False  # whether a copy has the same store and pins

    @property
    def has_pins(self) -> bool:
        """Whether any window holds the next event."""
        return bool(self._pins or self._tentative_pins)

    @property
    def size(self) -> int:
        """The number of slices, the active one included."""
        return len(self._store.ids) + len(self._tail)

    @property
    def oldest(self) -> int:
        """The ordinal of the first event of the oldest slice; of the next event, if none."""
        tail = self._tail[0][0] if self._tail else self.count
        return self._store.ids[0] if self._store.ids else tail

    @property
    def partial_capacity(self) -> int:
        """The number of partials that fit."""
        return self._store.partial_capacity + len(self._tail)

    def pin(self, begin: int) -> None:
        """Pin a begin: the next event, or one that is pinned already."""
        self._copy_if_shared()
        self._pins[begin] = self._pins.get(begin, 0) + 1
        self._store_closed_slices()

    def pin_tentatively(self, begin: int) -> None:
        """Pin the next event, which may prove to be a begin."""
        self._copy_if_shared()
        self._tentative_pins[begin] = self._tentative_pins.get(begin, 0) + 1

    def unpin(self, begin: int) -> None:
        """Remove one pin of a begin."""
        self._copy_if_shared()
        self._remove_pin(self._pins, begin)

    def unpin_tentative(self, begin: int) -> None:
        """Remove one tentative pin."""
        self._copy_if_shared()
        self._remove_pin(self._tentative_pins, begin)

    def add(self, partial: A, *, cut: bool = False) -> None:
        """Ingest the next event: at most one combine."""
        if self.count in self._pins or self.count in self._tentative_pins or (cut and self._tail):
            checked = user_code.check_combinable(self._store.monoid, partial)
            self._copy_if_shared()
            self._tail.append((self.count, checked))
            self._store_closed_slices()
        else:
            begin, active = self._tail[-1]
            total = self._combine(active, partial)
            self._tail[-1] = begin, user_code.check_result(self._store.monoid, total, active)
        self.count += 1

    def fold(self, first: int, stop: int) -> A:
        """Fold the events with first <= ordinal < stop, both pinned, or `stop` the next."""
        inner = self._tail[0][0] if self._tail else self.count
        parts = [partial for begin, partial in self._tail if first <= begin < stop]
        if first < inner:
            parts.insert(0, self._store.merge(first, min(stop, inner)))
        monoid = self._store.monoid
        return user_code.fold_checked(monoid, parts) if parts else monoid.identity

    def copy(self) -> "SliceBuffer[A]":
        """An independent copy, which shares what neither has changed yet."""
        twin = SliceBuffer(self._store, joins=self._joins)
        twin.count, twin._tail = self.count, self._tail.copy()
        twin._pins, twin._tentative_pins = self._pins, self._tentative_pins
        twin._shared = self._shared = True
        return twin

    def copy_without(self, release: Callable[["SliceBuffer[A]"], None]) -> "SliceBuffer[A]":
        """A copy without what `release` unpins; slices that cannot be joined stay."""
        twin = self.copy()
        try:
            release(twin)
        except Exception:  # noqa: BLE001 - whatever the user's combine raises
            twin = self.copy()
            twin._release_begins(release)  # noqa: SLF001 - it is one of these
        return twin

    def _release_begins(self, release: Callable[["SliceBuffer[A]"], None]) -> None:
        """Unpin begins, and leave the slices: each goes when no begin before it is pinned."""
        self._copy_if_shared()
        begins = WindowBegins(self._store)
        begins.count = self.count
        begins._pins, begins._tentative_pins = self._pins, self._tentative_pins  # noqa: SLF001 - as above
        release(begins)

    def _copy_if_shared(self) -> None:
        """Copy what a copy shares, before the first change of it."""
        if self._shared:
            self._store, self._shared = self._store.copy(), False
            self._pins, self._tentative_pins = self._pins.copy(), self._tentative_pins.copy()

    def _is_pinned(self, begin: int) -> bool:
        return begin in self._pins or begin in self._tentative_pins

    def _remove_pin(self, holds: dict[int, int], begin: int) -> None:
        holds[begin] -= 1
        if not holds[begin]:
            del holds[begin]
            if begin < self.count and not self._is_pinned(begin):
                self._drop_begin(begin)

    def _drop_begin(self, begin: int) -> None:
        if not self._is_pinned(self.oldest):
            self._remove_up_to_oldest_pin()
        elif self._joins:
            self._join(begin)

    def _remove_up_to_oldest_pin(self) -> None:
        name = next((begin for begin in self._store.ids if self._is_pinned(begin)), self.count)
        if self._store.ids:
            self._store.remove_up_to(name)
        while self._tail and not self._store.ids and not self._is_pinned(self._tail[0][0]):
            del self._tail[0]

    def _join(self, begin: int) -> None:
        place = next((k for k, (first, _) in enumerate(self._tail) if first == begin), None)
        if place is None:
            self._store.join(begin)
            return
        name, before = self._tail[place - 1] if place else self._store.pop()
        total = user_code.combine_checked(self._store.monoid, before, self._tail[place][1])
        self._tail[max(0, place - 1) : place + 1] = [(name, total)]
        self._store_closed_slices()

    def _store_closed_slices(self) -> None:
        """Store the slices that end where a window begins."""
        while len(self._tail) > 1 and (not self._joins or self._tail[1][0] in self._pins):
            self._store.append(*self._tail.pop(0))

    def invariants(self, events: Sequence[A], held: Sequence[int]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with all events so far, and the begins that windows need."""
        begins = [*self._store.ids, *(begin for begin, _ in self._tail)]
        stops = [*begins[1:], self.count][: len(begins)]
        fold = self._store.monoid.fold
        yield "S4 slices begin where windows do", not self._joins or begins == sorted({*held})
        yield "S5 each begin that a window needs is one of a slice", set(held) <= set(begins)
        partials = [fold(events[a:b]) for a, b in zip(begins, stops, strict=True)]
        inner = len(self._store.ids)
        tail = [partial for _, partial in self._tail]
        yield "S6 the tail folds the events of its slices", partials[inner:] == tail
        yield from self._store.invariants(list(zip(begins, partials, strict=True))[:inner])


class WindowBegins(SliceBuffer[A]):
    """Begins that can be unpinned, while the slices stay as they are."""

    def _drop_begin(self, begin: int) -> None:
        """Leave the slice."""


Slices = SliceBuffer[object]
"""Slices of partials of any type."""
