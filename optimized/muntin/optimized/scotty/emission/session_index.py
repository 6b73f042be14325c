"""The sessions of one query over one key: unions of slices, computed when they are needed.

[Traub20], section 8.4.1, keeps an index of virtual session slices. Slices know their first and last
time and how far their gaps reach, so such an index would hold nothing new. Proof: proofs/scotty.md,
M3.
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
"""The oldest session that is not final, or the youngest that is still open."""
NO_LEAPS: Mapping[int, int] = MappingProxyType({})


class SessionSpan(NamedTuple):
    """A session: its first and last time, its end, and the range of its slices."""

    start: int
    last: int
    end: float
    low: int
    high: int

    def as_interval(self, *, without_gap: bool) -> Interval:
        """The interval that is emitted; some dialects leave the gap out."""
        if without_gap:
            return Interval(self.start, self.last + 1, int(self.end))
        return Interval(self.start, self.end)


class SessionIndex:
    """The sessions of one gap, over the events after `since`."""

    def __init__(self, gap: int, since: float, *, inclusive: bool) -> None:
        """Sessions exactly one gap apart merge if `inclusive`."""
        self.gap, self.since, self._merge_slack = gap, since, int(inclusive)
        self._known_sessions: tuple[float, ...] = (-END, -END)  # of the youngest, of the oldest

    def sessions_from(self, slices: SliceManager, index: int) -> Iterator[SessionSpan]:
        """The sessions from the one that begins with slice `index` on."""
        return self.spans(slices.slices, index, self._leaps(slices))

    def spans(
        self, slices: Sequence[Slice], index: int, leaps: Mapping[int, int] = NO_LEAPS
    ) -> Iterator[SessionSpan]:
        """The sessions of consecutive slices; a leap passes slices known to be in one session."""
        while index < len(slices):
            first_index, index = index, leaps.get(index, index)
            last, reach, index = slices[index].last, slices[index].session_end(self.gap), index + 1
            while index < len(slices) and slices[index].first < reach + self._merge_slack:
                index = leaps.get(index, index)
                last = max(last, slices[index].last)
                reach = max(reach, slices[index].session_end(self.gap))
                index += 1
            yield SessionSpan(slices[first_index].first, last, reach, first_index, index)

    def remember_session(self, which: SessionEnd, start: float, last: float) -> None:
        """Remember that one session holds all slices that begin between these times.

        One such session is kept for the oldest that is not final, one for the youngest still open.
        """
        youngest, oldest = self._known_sessions[:2], self._known_sessions[2:]
        is_youngest = which == "youngest"
        self._known_sessions = (start, last, *oldest) if is_youngest else (*youngest, start, last)

    def _leaps(self, slices: SliceManager) -> dict[int, int]:
        """First and last slice of each run that is known to be in one session.

        Sessions only grow. But the own gap of a tuple may reach beyond younger slices.
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
        """The index of the first slice that the query sees."""
        return 0 if self.since == -END else bisect_right(slices.first_times, self.since)

    def session_at(self, slices: SliceManager, time: int, known_start: float = -END) -> SessionSpan:
        """The session that holds a tuple of this time; one surely begins at `known_start`."""
        index = bisect_right(slices.first_times, time) - 1
        known = bisect_right(slices.first_times, known_start) - 1
        lowest = max(self.first_seen_slice(slices), known)
        first_index = self._first_slice(slices, index, lowest)
        return next(span for span in self.sessions_from(slices, first_index) if span.high > index)

    def _first_slice(self, slices: SliceManager, index: int, lowest: int) -> int:
        """The slice with which the session of this slice begins, or one before that.

        The gap of some tuple may end before that of an earlier one; but no slice reaches further
        than a gap behind its last tuple, or than any own gap does.
        """
        all_slices, leaps = slices.slices, self._leaps(slices)
        leaps_back = {high: low for low, high in leaps.items()}
        first_index = index = next((low for low, h in leaps.items() if low < index <= h), index)
        while index > lowest:
            reach_needed = all_slices[first_index].first - self._merge_slack
            if max(all_slices[index - 1].last + self.gap, slices.furthest_own_gap) <= reach_needed:
                break
            is_linked = all_slices[index - 1].session_end(self.gap) > reach_needed
            index = leaps_back.get(index - 1, index - 1)
            first_index = index if is_linked else first_index
        return first_index

    def end_with(self, slices: SliceManager, event: Event) -> float:
        """Where the session would end that this event would belong to."""
        all_slices, lowest = slices.slices, self.first_seen_slice(slices)
        index, size = max(lowest, bisect_right(slices.first_times, event.time)), 1
        first_index = self._first_slice(slices, index - 1, lowest) if index > lowest else index
        single = singleton_slice(event, None, None, -1)
        while True:  # most sessions end near
            slice_run = [*all_slices[first_index:index], single, *all_slices[index : index + size]]
            spans = self.spans(slice_run, 0)
            session = next(span for span in spans if span.start <= event.time <= span.last)
            if session.high < len(slice_run) or index + size >= len(all_slices):
                return session.end
            size *= 2
