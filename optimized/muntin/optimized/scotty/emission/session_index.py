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
    end: float
    low: int
    high: int

    def as_interval(self, *, without_gap: bool) -> Interval:
        """Return the interval that is reported; in a dialect, without the gap."""
        if without_gap:
            return Interval(self.start, self.last + 1, int(self.end))
        return Interval(self.start, self.end)


class SessionIndex:
    """The sessions of one gap, of what comes after `since`."""

    def __init__(self, gap: int, since: float, *, inclusive: bool) -> None:
        """Sessions merge at the gap itself if inclusive."""
        self.gap, self.since, self._merge_slack = gap, since, int(inclusive)
        self._known_sessions: tuple[float, ...] = (
            -END,
            -END,
        )  # of the youngest, and then of the oldest

    def sessions_from(self, slices: SliceManager, index: int) -> Iterator[SessionSpan]:
        """Yield the sessions from that which begins with a slice on."""
        return self.spans(slices.slices, index, self._leaps(slices))

    def spans(
        self, slices: Sequence[Slice], index: int, leaps: Mapping[int, int] = NO_LEAPS
    ) -> Iterator[SessionSpan]:
        """Yield sessions; the slices that a leap passes need no look: one session holds them."""
        while index < len(slices):
            first_index, index = index, leaps.get(index, index)
            last, reach, index = slices[index].last, slices[index].session_end(self.gap), index + 1
            while index < len(slices) and slices[index].first < reach + self._merge_slack:
                index = leaps.get(index, index)
                last, reach = (
                    max(last, slices[index].last),
                    max(reach, slices[index].session_end(self.gap)),
                )
                index += 1
            yield SessionSpan(slices[first_index].first, last, reach, first_index, index)

    def remember_session(self, which: SessionEnd, start: float, last: float) -> None:
        """Remember that one session holds all slices that begin between these times.

        Of those seen as the oldest or as the youngest, one session is remembered each.
        """
        youngest, oldest = self._known_sessions[:2], self._known_sessions[2:]
        self._known_sessions = (
            (start, last, *oldest) if which == "youngest" else (*youngest, start, last)
        )

    def _leaps(self, slices: SliceManager) -> dict[int, int]:
        """Return the first and the last of slices that are known to be in one session.

        Sessions only grow. But the gap of a tuple of its own may reach beyond younger slices.
        """
        leaps = dict[int, int]()
        links = zip(self._known_sessions[::2], self._known_sessions[1::2], strict=True)
        for start, last in links if slices.furthest_own_gap == -END else ():
            low = bisect_right(slices.first_times, start) - 1
            if low >= 0 and slices.slices[low].last >= start:
                high = bisect_right(slices.first_times, last) - 1
                leaps[low] = max(high, leaps.get(low, low))
        return leaps

    def first_seen_slice(self, slices: SliceManager) -> int:
        """Return the first slice that the query has seen."""
        return 0 if self.since == -END else bisect_right(slices.first_times, self.since)

    def session_at(self, slices: SliceManager, time: int, known_start: float = -END) -> SessionSpan:
        """Return the session that holds a tuple of this time; at `begun` one surely begins."""
        index = bisect_right(slices.first_times, time) - 1
        lowest = max(
            self.first_seen_slice(slices), bisect_right(slices.first_times, known_start) - 1
        )
        first_index = self._first_slice(slices, index, lowest)
        return next(span for span in self.sessions_from(slices, first_index) if span.high > index)

    def _first_slice(self, slices: SliceManager, index: int, lowest: int) -> int:
        """Return the slice with which the session of this slice begins, or one before that.

        The gap of some tuple may end before that of an earlier one; but no slice reaches further
        than a gap behind its last tuple, or than any gap of its own does.
        """
        all_slices, leaps = slices.slices, self._leaps(slices)
        leaps_back = {high: low for low, high in leaps.items()}
        first_index = index = next(
            (low for low, high in leaps.items() if low < index <= high), index
        )
        while index > lowest:
            reach_needed = all_slices[first_index].first - self._merge_slack
            if max(all_slices[index - 1].last + self.gap, slices.furthest_own_gap) <= reach_needed:
                break
            is_linked = all_slices[index - 1].session_end(self.gap) > reach_needed
            index = leaps_back.get(index - 1, index - 1)
            first_index = index if is_linked else first_index
        return first_index

    def end_with(self, slices: SliceManager, event: Event) -> float:
        """Return where the session would end that an event would be part of."""
        all_slices, lowest = slices.slices, self.first_seen_slice(slices)
        index, size = max(lowest, bisect_right(slices.first_times, event.time)), 1
        earlier = (
            all_slices[self._first_slice(slices, index - 1, lowest) : index]
            if index > lowest
            else []
        )
        while True:  # most sessions end near
            slice_run = [
                *earlier,
                singleton_slice(event, None, None, -1),
                *all_slices[index : index + size],
            ]
            spans = self.spans(slice_run, 0)
            session = next(span for span in spans if span.start <= event.time <= span.last)
            if session.high < len(slice_run) or index + size >= len(all_slices):
                return session.end
            size *= 2
