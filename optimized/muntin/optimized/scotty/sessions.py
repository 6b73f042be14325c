"""The sessions of one query over one key, without their tuples: virtual slices of [Traub20], 8.4.1.

Each is known by its first and last time and by how far it reaches. Sessions of any gap are unions
of the slices that the smallest gap makes, so their values come from slices.
"""

from bisect import bisect_left, bisect_right
from operator import attrgetter
from typing import NamedTuple

from muntin.spec.stream import Event
from muntin.spec.window import Interval

START = attrgetter("start")
REACH = attrgetter("reach")


class Span(NamedTuple):
    """A session: the times of its first and last tuple, where it ends, and how many there are."""

    start: int
    last: int
    reach: int
    size: int

    def shown(self, *, short: bool) -> Interval:
        """Return the interval that is reported; in a dialect, without the gap."""
        if short:
            return Interval(self.start, self.last + 1, self.reach)
        return Interval(self.start, self.reach)


class Sessions:
    """Sessions sorted by start, and so by end: they do not overlap."""

    def __init__(self, gap: int, *, inclusive: bool) -> None:
        """Start with no session."""
        self.gap, self._reach = gap, int(inclusive)
        self.spans: list[Span] = []

    def joined(self, event: Event) -> tuple[int, int, Span]:
        """Return the range of the sessions that a tuple joins, and the session that they become."""
        time, own = event.time, event.time + (event.gap or self.gap)
        low = bisect_right(self.spans, time - self._reach, key=REACH)
        high = bisect_left(self.spans, own + self._reach, key=START)
        parts = self.spans[low:high]
        whole = Span(
            min([time, *(one.start for one in parts)]),
            max([time, *(one.last for one in parts)]),
            max([own, *(one.reach for one in parts)]),
            1 + sum(one.size for one in parts),
        )
        return low, high, whole

    def add(self, event: Event) -> tuple[list[Span], Span]:
        """Let a tuple extend, fuse or begin sessions: return those that were, and the new one."""
        low, high, whole = self.joined(event)
        parts = self.spans[low:high]
        self.spans[low:high] = [whole]
        return parts, whole

    def ending(self, low: float, high: float) -> list[Span]:
        """Return the sessions that end after `low`, and not after `high`."""
        first, last = (bisect_right(self.spans, at, key=REACH) for at in (low, high))
        return self.spans[first:last]

    def starting_at(self, start: int) -> Span | None:
        """Return the session that starts at a time."""
        at = bisect_left(self.spans, start, key=START)
        found = self.spans[at : at + 1]
        return found[0] if found and found[0].start == start else None

    def release(self, up_to: float) -> None:
        """Drop the sessions that end at a time or before."""
        del self.spans[: bisect_right(self.spans, up_to, key=REACH)]
