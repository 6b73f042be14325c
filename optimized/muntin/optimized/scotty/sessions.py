"""The sessions of one query over one key: unions of slices, found when they are asked for.

[Traub20], section 8.4.1, keeps an index of virtual session slices. Slices know their first and
last time and how far they reach, so the index would say nothing new. Proof: proofs/scotty.md, M3.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from muntin.optimized.scotty.slice import Slice, alone
from muntin.optimized.scotty.slice_manager import SliceManager
from muntin.spec.stream import END, Event
from muntin.spec.window import Interval

FIRST = attrgetter("first")


class Span(NamedTuple):
    """A session: its first and last time, where it ends, its size, and the range of its slices."""

    start: int
    last: int
    reach: float
    size: int
    low: int
    high: int

    def shown(self, *, short: bool) -> Interval:
        """Return the interval that is reported; in a dialect, without the gap."""
        if short:
            return Interval(self.start, self.last + 1, int(self.reach))
        return Interval(self.start, self.reach)


class Sessions:
    """The sessions of one gap, of what comes after `since`."""

    def __init__(self, gap: int, since: float, *, inclusive: bool) -> None:
        """Sessions merge at the gap itself if inclusive."""
        self.gap, self.since, self._reach = gap, since, int(inclusive)

    def scan(self, slices: Sequence[Slice], at: int) -> Iterator[Span]:
        """Yield the sessions from that which begins with a slice on."""
        while at < len(slices):
            one, low = slices[at], at
            last, reach, size, at = one.last, one.reach(self.gap), one.size, at + 1
            while at < len(slices) and slices[at].first < reach + self._reach:
                last, size = max(last, slices[at].last), size + slices[at].size
                reach, at = max(reach, slices[at].reach(self.gap)), at + 1
            yield Span(one.first, last, reach, size, low, at)

    def first(self, slices: SliceManager) -> int:
        """Return the first slice that the query has seen."""
        return bisect_right(slices.firsts, self.since)

    def around(self, slices: SliceManager, time: int) -> Span:
        """Return the session that holds a tuple of this time."""
        at = bisect_right(slices.firsts, time) - 1
        return next(
            span for span in self.scan(slices.slices, self._begin(slices, at)) if span.high > at
        )

    def _begin(self, slices: SliceManager, at: int) -> int:
        """Return a slice with which a session begins: that of this slice, or an earlier one."""
        ones, first = slices.slices, self.first(slices)
        if slices.own > -END:  # the gap of some tuple may end before that of an earlier one
            return first
        while at > first and ones[at].first < ones[at - 1].reach(self.gap) + self._reach:
            at -= 1
        return at

    def reach_with(self, slices: SliceManager, event: Event) -> float:
        """Return where the session would end that an event would be part of."""
        ones = [*slices.slices[self.first(slices) :], alone(event, None, None, -1)]
        spans = self.scan(sorted(ones, key=FIRST), 0)
        return next(span.reach for span in spans if span.start <= event.time <= span.last)
