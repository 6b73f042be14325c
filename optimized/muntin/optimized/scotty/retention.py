"""Which slices of a key are retained, and which may be merged (rule 12): eviction by watermark.

A slice goes when no window that is not final needs it: `RetentionHorizon` knows from which time on
slices are needed, whatever the key. Of windows without bound on their length, landmarks and open
sessions, slices that no edge to come can separate are merged. M6 and M7: proofs/scotty.md.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from heapq import heappop, heapreplace

from muntin.optimized.scotty.emission.session_windows import SessionWindows
from muntin.optimized.scotty.groups.key_state import KeyState
from muntin.optimized.scotty.schedules.base import WindowSchedule
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END
from muntin.spec.windows.data_driven import Session


class RetentionHorizon:
    """From which time on windows of some schedule need slices, whatever the key.

    The time up to which windows are final only grows. So each schedule says once what it needs, and
    until when that holds; only the one that needs the earliest slices is queried again.
    """

    def __init__(self, schedules: Iterable[tuple[WindowSchedule, int]]) -> None:
        """Take schedules, each with the delay from the end of a window until it is final."""
        self._schedules = list(schedules)
        self._heap = [(-END, -END, index) for index in range(len(self._schedules))]

    def needed_from(self, final_until: float) -> tuple[float, float]:
        """The least time that is needed, and up to which `final_until` that holds."""
        if final_until == -END:
            return -END, -END
        while self._heap and self._heap[0][1] <= final_until:
            index = self._heap[0][2]
            schedule, delay = self._schedules[index]
            window = None
            if final_until < END:
                window = schedule.first_open_after(int(final_until) - delay)
            if window is None:
                heappop(self._heap)
            else:
                entry = schedule.span(window)[0], schedule.completion_time(window) + delay, index
                heapreplace(self._heap, entry)
        return self._heap[0][:2] if self._heap else (END, END)


class Retention:
    """Evicts and merges the slices of a key, as its group's queries allow."""

    def __init__(
        self,
        settings: Settings,
        queries: Mapping[str, Query],
        since: Mapping[str, float],
        schedules: Mapping[str, WindowSchedule],
    ) -> None:
        """Of sessions that see the same events, those of the widest gap contain the others."""
        dialect = settings.dialect
        sessions = [
            (query.window.gap, since[name], name)
            for name, query in queries.items()
            if isinstance(query.window, Session)
        ]
        self._session_queries = [name for *_, name in sessions]
        self._widest_sessions = list({since: name for _, since, name in sorted(sessions)}.values())
        self._closing_delay = max(0, dialect.closing_of("session"))
        self._horizon = RetentionHorizon(
            (schedule, max(0, dialect.closing_of(queries[name].window.name)))
            for name, schedule in schedules.items()
        )
        starts = (schedule.retained_from for schedule in schedules.values())
        self._landmarks = {start for start in starts if start is not None}

    def evict(self, key_state: KeyState, final_until: float) -> float:
        """Evict final windows and slices, and merge slices; the time when more can be evicted."""
        key_state.forget_final_windows(final_until)
        low, until = self.horizon(key_state, final_until)
        key_state.slices.evict(low)
        self.compact(key_state, final_until)
        first_end = key_state.slices.slices[0].last if key_state.slices.slices else END
        first_final = key_state.finalization_queue[0][0] if key_state.finalization_queue else END
        return min(max(until, first_end), first_final)

    def horizon(self, key_state: KeyState, final_until: float) -> tuple[float, float]:
        """The least time that is needed, and up to which `final_until` that surely holds."""
        low, until = self._horizon.needed_from(final_until)
        for manager in _session_managers(key_state, self._widest_sessions):
            first_slice = manager.sessions.first_seen_slice(key_state.slices)
            spans = manager.sessions.sessions_from(key_state.slices, first_slice)
            open_span = next((s for s in spans if s.end + self._closing_delay > final_until), None)
            if open_span:
                last = key_state.slices.first_times[open_span.high - 1]
                manager.sessions.remember_session("oldest", open_span.start, last)
                if open_span.start <= low:
                    low, until = open_span.start, open_span.end + self._closing_delay
        return min([low, *self._landmarks]), until

    def compact(self, key_state: KeyState, final_until: float) -> None:
        """Merge final slices, except at the start of an open window; not while events are late."""
        if key_state.late_events or not (self._landmarks or self._session_queries):
            return
        slices = key_state.slices
        bound = min(final_until, self._horizon.needed_from(final_until)[0])
        final_count = slices.final_slice_count(bound)
        if final_count > key_state.compacted_count:
            managers = _session_managers(key_state, self._session_queries)
            open_starts = {start for m in managers for start in m.open_starts(slices, final_until)}
            with suppress(Exception):  # a combine that raises leaves the slices as they were
                slices.compact(final_count, open_starts | self._landmarks)
            final_count = slices.final_slice_count(bound)
        key_state.compacted_count = max(1, final_count)


def _session_managers(key_state: KeyState, names: Iterable[str]) -> list[SessionWindows]:
    managers = [key_state.managers.get(name) for name in names]
    return [manager for manager in managers if isinstance(manager, SessionWindows)]
