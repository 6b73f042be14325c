"""What must be kept of a key, and what may be fused: whatever is settled tells (rule 12).

Slices go when no window that is not settled needs them. Of windows without bound on their length,
landmarks and open sessions, slices that no edge to come can part become one. M6 and M7:
proofs/scotty.md.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from heapq import heapify, heappop, heapreplace

from muntin.optimized.scotty.emission.session_windows import SessionWindows
from muntin.optimized.scotty.groups.key_state import KeyState
from muntin.optimized.scotty.schedules.base import WindowSchedule
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END
from muntin.spec.windows.data_driven import Session


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


class Retention:
    """What the queries of a group need, taken together."""

    def __init__(
        self,
        settings: Settings,
        queries: Mapping[str, Query],
        since: Mapping[str, float],
        calendars: Mapping[str, WindowSchedule],
    ) -> None:
        """Of sessions that see the same events, the widest hold the others."""
        dialect = settings.dialect
        sessions = [
            (query.window.gap, since[name], name)
            for name, query in queries.items()
            if isinstance(query.window, Session)
        ]
        self._sessions = [name for *_, name in sessions]
        self._widest = list({since: name for _, since, name in sorted(sessions)}.values())
        self._later = max(0, dialect.closing_of("session"))
        self._needed = RetentionHorizon(
            (one, max(0, dialect.closing_of(queries[name].window.name)))
            for name, one in calendars.items()
        )
        starts = (one.starts_at for one in calendars.values())
        self._landmarks = {start for start in starts if start is not None}

    def release(self, lane: KeyState, done: float) -> float:
        """Drop what is settled and fuse what may be; return when more of what is there settles."""
        lane.forget(done)
        low, until = self.needs(lane, done)
        lane.slices.release(low)
        self.compact(lane, done)
        last = lane.slices.slices[0].last if lane.slices.slices else END
        return min([max(until, last), *(one[0] for one in lane.finalization_queue[:1])])

    def needs(self, lane: KeyState, done: float) -> tuple[float, float]:
        """Return the least time that is needed, and until what is settled that surely holds."""
        low, until = self._needed.after(done)
        for view in _views(lane, self._widest):
            spans = view.sessions.scan(lane.slices, view.sessions.first(lane.slices))
            opened = next((span for span in spans if span.reach + self._later > done), None)
            if opened:
                last = lane.slices.firsts[opened.high - 1]
                view.sessions.remember_session("oldest", opened.start, last)
                if opened.start <= low:
                    low, until = opened.start, opened.reach + self._later
        return min([low, *self._landmarks]), until

    def compact(self, lane: KeyState, done: float) -> None:
        """Fuse what is settled, but for where an open window begins; first all is to be told of."""
        if lane.late_events or not (self._landmarks or self._sessions):
            return
        slices, bounded = lane.slices, min(done, self._needed.after(done)[0])
        settled = slices.final_slice_count(bounded)
        if settled > lane.compacted:
            views = _views(lane, self._sessions)
            opened = {at for view in views for at in view.open_from(slices, done)}
            with suppress(Exception):  # a combine that raises leaves the slices as they were
                slices.compact(settled, opened | self._landmarks)
            settled = slices.final_slice_count(bounded)
        lane.compacted = max(1, settled)


def _views(lane: KeyState, names: Iterable[str]) -> list[SessionWindows]:
    views = [lane.views.get(name) for name in names]
    return [view for view in views if isinstance(view, SessionWindows)]
