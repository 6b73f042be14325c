"""Timers: which key states have work at a watermark, found without a visit to each of them."""

from collections.abc import Hashable, Iterator
from heapq import heapify, heappop, heappush
from typing import Generic, TypeVar

from muntin.spec.stream import END

S = TypeVar("S", bound=Hashable)
MAX_STALE_TIMERS = 8
"""Timers that no longer count may stay up to this number and that of those that count."""


class TimerQueue(Generic[S]):
    """A heap of watermarks; only the earliest of each owner counts.

    >>> timers = TimerQueue[str]()
    >>> timers.set("a", 7), timers.set("b", 3), timers.set("a", 9)
    (None, None, None)
    >>> list(timers.pop_due(5)), list(timers.pop_due(8))
    (['b'], ['a'])
    """

    def __init__(self) -> None:
        """Start with no timer."""
        self._heap: list[tuple[float, int, S]] = []
        self._earliest: dict[S, float] = {}
        self._number = 0  # so that owners are never compared

    @property
    def next_watermark(self) -> float:
        """A watermark before which no timer is due."""
        return self._heap[0][0] if self._heap else END

    def set(self, owner: S, watermark: float) -> None:
        """Set the timer of an owner, unless it has an earlier one."""
        earliest = self._earliest.get(owner)
        if earliest is None or watermark < earliest:
            self._number += 1
            heappush(self._heap, (watermark, self._number, owner))
            self._earliest[owner] = watermark
            if len(self._heap) > 2 * len(self._earliest) + MAX_STALE_TIMERS:
                self._drop_stale()

    def __len__(self) -> int:
        """The number of timers, stale ones included."""
        return len(self._heap)

    def _drop_stale(self) -> None:
        """Drop stale timers, once they are the majority."""
        earliest = enumerate(self._earliest.items())
        self._heap = [(watermark, number, owner) for number, (owner, watermark) in earliest]
        heapify(self._heap)

    def pop_due(self, watermark: float) -> Iterator[S]:
        """Owners whose timers are due, each once; their timers have to be set again."""
        while self._heap and self._heap[0][0] <= watermark:
            due, _, owner = heappop(self._heap)
            if self._earliest.get(owner) == due:
                del self._earliest[owner]
                yield owner
