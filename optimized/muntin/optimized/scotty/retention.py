"""What must be kept of a key, and what may be fused: whatever is settled tells (rule 12).

Slices go when no window that is not settled needs them. Of windows without bound on their length,
landmarks and open sessions, slices that no edge to come can part become one. M6 and M7:
proofs/scotty.md.
"""

from collections.abc import Mapping
from contextlib import suppress

from muntin.optimized.scotty.calendars import Calendar
from muntin.optimized.scotty.lane import Lane
from muntin.optimized.scotty.needed import Needed
from muntin.optimized.scotty.session_view import SessionView
from muntin.optimized.scotty.sessions import Sessions
from muntin.optimized.scotty.slice_manager import SliceManager
from muntin.spec.data_driven import Session
from muntin.spec.query import Query, Settings


class Retention:
    """What the queries of a group need, taken together."""

    def __init__(
        self,
        settings: Settings,
        queries: Mapping[str, Query],
        since: Mapping[str, float],
        calendars: Mapping[str, Calendar],
    ) -> None:
        """Of sessions that see the same events, the widest hold the others."""
        dialect, inclusive = settings.dialect, settings.dialect.session_merge == "le"
        sessions = [
            (query.window.gap, since[name])
            for name, query in queries.items()
            if isinstance(query.window, Session)
        ]
        widest = {since: gap for gap, since in sorted(sessions)}
        self._widest = [Sessions(gap, at, inclusive=inclusive) for at, gap in widest.items()]
        self._later = max(0, dialect.closing_of("session"))
        self._needed = Needed(
            (one, max(0, dialect.closing_of(queries[name].window.name)))
            for name, one in calendars.items()
        )
        starts = (one.starts_at for one in calendars.values())
        self._landmarks = {start for start in starts if start is not None}

    def needs(self, slices: SliceManager, done: float) -> tuple[float, float]:
        """Return the least time that is needed, and until what is settled that surely holds."""
        low, until = self._needed.after(done)
        for sessions in self._widest:
            spans = sessions.scan(slices.slices, sessions.first(slices))
            opened = next((span for span in spans if span.reach + self._later > done), None)
            if opened and opened.start <= low:
                low, until = opened.start, opened.reach + self._later
        return min([low, *self._landmarks]), until

    def compact(self, lane: Lane, done: float) -> None:
        """Fuse what is settled, but for where an open window begins."""
        if not (self._landmarks or self._widest):
            return
        slices, bounded = lane.slices, min(done, self._needed.after(done)[0])
        if slices.settled(bounded) > lane.compacted:
            views = [view for view in lane.views.values() if isinstance(view, SessionView)]
            opened = {at for view in views for at in view.open_from(slices, done)}
            with suppress(Exception):  # a combine that raises leaves the slices as they were
                slices.compact(slices.settled(bounded), opened | self._landmarks)
        lane.compacted = max(1, slices.settled(bounded))
