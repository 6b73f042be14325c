"""Which lanes have something to do at a watermark, without asking each of them."""

from collections.abc import Hashable, Iterator
from heapq import heapify, heappop, heappush
from typing import Generic, TypeVar

from muntin.spec.stream import END

S = TypeVar("S", bound=Hashable)
SPARE = 8


class TimerQueue(Generic[S]):
    """A heap of watermarks; of each sleeper only the earliest counts.

    >>> alarms = TimerQueue[str]()
    >>> alarms.set("a", 7), alarms.set("b", 3), alarms.set("a", 9)
    (None, None, None)
    >>> list(alarms.pop_due(5)), list(alarms.pop_due(8))
    (['b'], ['a'])
    """

    def __init__(self) -> None:
        """Start with no sleeper."""
        self._heap: list[tuple[float, int, S]] = []
        self._earliest: dict[S, float] = {}
        self._number = 0  # so that sleepers are never compared

    @property
    def next(self) -> float:
        """A watermark before which nobody is to be woken."""
        return self._heap[0][0] if self._heap else END

    def set(self, sleeper: S, watermark: float) -> None:
        """Wake the sleeper at this watermark, if it would not be woken earlier."""
        known = self._earliest.get(sleeper)
        if known is None or watermark < known:
            self._number += 1
            heappush(self._heap, (watermark, self._number, sleeper))
            self._earliest[sleeper] = watermark
            if len(self._heap) > 2 * len(self._earliest) + SPARE:
                self._tidy()

    def __len__(self) -> int:
        """Return how many alarms are held, also those that do not count any more."""
        return len(self._heap)

    def _tidy(self) -> None:
        """Drop the alarms that do not count, when they are the most."""
        counting = enumerate(self._earliest.items())
        self._heap = [(watermark, nth, sleeper) for nth, (sleeper, watermark) in counting]
        heapify(self._heap)

    def pop_due(self, watermark: float) -> Iterator[S]:
        """Yield the sleepers to be woken, each once; they have to be set again."""
        while self._heap and self._heap[0][0] <= watermark:
            at, _, sleeper = heappop(self._heap)
            if self._earliest.get(sleeper) == at:
                del self._earliest[sleeper]
                yield sleeper
