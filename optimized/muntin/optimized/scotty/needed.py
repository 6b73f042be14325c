"""From which time on slices are needed by windows that are not settled, whatever the key.

What is settled grows. So each calendar says once what it needs, and until when that holds; only
the one that needs the earliest slices is asked again. Proof: proofs/scotty.md, M6.
"""

from collections.abc import Iterable
from heapq import heapify, heappop, heapreplace

from muntin.optimized.scotty.schedules.base import WindowSchedule
from muntin.spec.stream import END


class RetentionHorizon:
    """A heap of what each calendar needs: the least time, and until when that holds."""

    def __init__(self, calendars: Iterable[tuple[WindowSchedule, int]]) -> None:
        """Start anew with these calendars, and how much later than its end a window is settled."""
        self._calendars = list(calendars)
        self._heap: list[tuple[float, float, int]] = [
            (-END, -END, nth) for nth, _ in enumerate(self._calendars)
        ]
        heapify(self._heap)

    def after(self, done: float) -> tuple[float, float]:
        """Return the least time that is needed, and until what is settled that holds."""
        if done == -END:
            return -END, -END
        while self._heap and self._heap[0][1] <= done:
            nth = self._heap[0][2]
            calendar, later = self._calendars[nth]
            one = None if done == END else calendar.first_open_after(int(done) - later)
            if one is None:
                heappop(self._heap)
            else:
                entry = calendar.span(one)[0], calendar.completion_time(one) + later, nth
                heapreplace(self._heap, entry)
        return self._heap[0][:2] if self._heap else (END, END)
