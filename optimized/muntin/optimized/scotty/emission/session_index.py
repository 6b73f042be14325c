"""The sessions of one query over one key: unions of slices, found when they are asked for.

[Traub20], section 8.4.1, keeps an index of virtual session slices. Slices know their first and
last time and how far they reach, so the index would say nothing new. Proof: proofs/scotty.md, M3.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from muntin.optimized.scotty.slices.slice import Slice, singleton_slice
from muntin.optimized.scotty.slices.slice_manager import SliceManager
from muntin.spec.stream import END, Event
from muntin.spec.windows.window import Interval

SessionEnd = Literal["oldest", "youngest"]
"""A session that is not settled, or has not ended."""
NO_LEAPS: Mapping[int, int] = MappingProxyType({})


class SessionSpan(NamedTuple):
    """A session: its first and last time, where it ends, and the range of its slices."""

    start: int
    last: int
    reach: float
    low: int
    high: int

    def shown(self, *, short: bool) -> Interval:
        """Return the interval that is reported; in a dialect, without the gap."""
        if short:
            return Interval(self.start, self.last + 1, int(self.reach))
        return Interval(self.start, self.reach)


class SessionIndex:
    """The sessions of one gap, of what comes after `since`."""

    def __init__(self, gap: int, since: float, *, inclusive: bool) -> None:
        """Sessions merge at the gap itself if inclusive."""
        self.gap, self.since, self._reach = gap, since, int(inclusive)
        self._linked: tuple[float, ...] = (-END, -END)  # of the youngest, and then of the oldest

    def scan(self, slices: SliceManager, at: int) -> Iterator[SessionSpan]:
        """Yield the sessions from that which begins with a slice on."""
        return self.spans(slices.slices, at, self._leaps(slices))

    def spans(
        self, slices: Sequence[Slice], at: int, leaps: Mapping[int, int] = NO_LEAPS
    ) -> Iterator[SessionSpan]:
        """Yield sessions; the slices that a leap passes need no look: one session holds them."""
        while at < len(slices):
            begin, at = at, leaps.get(at, at)
            last, reach, at = slices[at].last, slices[at].reach(self.gap), at + 1
            while at < len(slices) and slices[at].first < reach + self._reach:
                at = leaps.get(at, at)
                last, reach = max(last, slices[at].last), max(reach, slices[at].reach(self.gap))
                at += 1
            yield SessionSpan(slices[begin].first, last, reach, begin, at)

    def remember_session(self, seen: SessionEnd, start: float, last: float) -> None:
        """Remember that one session holds all slices that begin between these times.

        Of those seen as the oldest or as the youngest, one session is remembered each.
        """
        youngest, oldest = self._linked[:2], self._linked[2:]
        self._linked = (start, last, *oldest) if seen == "youngest" else (*youngest, start, last)

    def _leaps(self, slices: SliceManager) -> dict[int, int]:
        """Return the first and the last of slices that are known to be in one session.

        Sessions only grow. But the gap of a tuple of its own may reach beyond younger slices.
        """
        leaps = dict[int, int]()
        links = zip(self._linked[::2], self._linked[1::2], strict=True)
        for start, last in links if slices.own == -END else ():
            low = bisect_right(slices.firsts, start) - 1
            if low >= 0 and slices.slices[low].last >= start:
                high = bisect_right(slices.firsts, last) - 1
                leaps[low] = max(high, leaps.get(low, low))
        return leaps

    def first(self, slices: SliceManager) -> int:
        """Return the first slice that the query has seen."""
        return 0 if self.since == -END else bisect_right(slices.firsts, self.since)

    def around(self, slices: SliceManager, time: int, begun: float = -END) -> SessionSpan:
        """Return the session that holds a tuple of this time; at `begun` one surely begins."""
        at = bisect_right(slices.firsts, time) - 1
        least = max(self.first(slices), bisect_right(slices.firsts, begun) - 1)
        begin = self._begin(slices, at, least)
        return next(span for span in self.scan(slices, begin) if span.high > at)

    def _begin(self, slices: SliceManager, at: int, least: int) -> int:
        """Return the slice with which the session of this slice begins, or one before that.

        The gap of some tuple may end before that of an earlier one; but no slice reaches further
        than a gap behind its last tuple, or than any gap of its own does.
        """
        ones, leaps = slices.slices, self._leaps(slices)
        back = {high: low for low, high in leaps.items()}
        begin = at = next((low for low, high in leaps.items() if low < at <= high), at)
        while at > least:
            needed = ones[begin].first - self._reach
            if max(ones[at - 1].last + self.gap, slices.own) <= needed:
                break
            linked = ones[at - 1].reach(self.gap) > needed
            at = back.get(at - 1, at - 1)
            begin = at if linked else begin
        return begin

    def reach_with(self, slices: SliceManager, event: Event) -> float:
        """Return where the session would end that an event would be part of."""
        ones, first = slices.slices, self.first(slices)
        at, size = max(first, bisect_right(slices.firsts, event.time)), 1
        before = ones[self._begin(slices, at - 1, first) : at] if at > first else []
        while True:  # most sessions end near
            line = [*before, singleton_slice(event, None, None, -1), *ones[at : at + size]]
            spans = self.spans(line, 0)
            found = next(span for span in spans if span.start <= event.time <= span.last)
            if found.high < len(line) or at + size >= len(ones):
                return found.reach
            size *= 2
