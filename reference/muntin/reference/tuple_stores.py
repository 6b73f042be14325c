"""Stores of single events: all of them (`recompute`), or those that a window still needs.

`tuple-buffer` [Traub20, section 3.1] evicts events, and so has to count those it evicted.
"""

from collections.abc import Collection, Sequence
from typing import Self

from muntin.reference.eviction_rules import evictable_count
from muntin.reference.window_store import RetainedState, WindowContent, WindowStore
from muntin.spec.query import Query, Settings
from muntin.spec.stream import AcceptedEvent
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import COUNT, TIME, Timeline, build_timeline
from muntin.spec.windows.window import Window, materialize_windows


class FullHistoryStore(WindowStore):
    """All events of one key, in the order of arrival."""

    def __init__(self, query: Query, settings: Settings) -> None:
        """Start with no event."""
        super().__init__(query, settings)
        self.events: list[AcceptedEvent] = []
        self._contents: dict[tuple[int, ...], tuple[AcceptedEvent, ...]] = {}  # of this step only

    @classmethod
    def unsupported_reason(cls, query: Query, settings: Settings) -> None:
        """Nothing is refused."""
        del query, settings

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = type(self)(self.query, self.settings)
        twin.events = list(self.events)
        return twin

    def timeline(self, events: Sequence[AcceptedEvent], reached: float) -> Timeline:
        """Lay out events along the measure of the window."""
        return build_timeline(
            list(events), self.query.window.measure, reached, self.settings.dialect
        )

    def accepts(self, accepted: AcceptedEvent, reached: float, limit: float) -> bool:
        """Whether some window that would hold the event is not frozen; else judge by event."""
        found = self._found([*self.events, accepted], reached)
        holding = [one for one in found if accepted.arrival in one.arrivals]
        unfrozen = any(one.final_at > limit for one in holding)
        return unfrozen if holding else accepted.event.time >= limit

    def insert(self, accepted: AcceptedEvent) -> None:
        """Add an event."""
        self.events.append(accepted)

    def windows(self, reached: float) -> list[WindowContent]:
        """Return every window of the events held."""
        return [self._seen(window) for window in self._found(self.events, reached)]

    def value(self, seen: WindowContent, besides: Collection[int]) -> object:
        """Fold the window."""
        content = self._contents[seen.stamp]
        return self.query.value([one.event for one in content if one.arrival not in besides])

    def evict(self, done: float) -> None:
        """Drop nothing but, where lateness is judged by window, settled sessions (rule 12)."""
        self._contents = {}
        kind = self.query.window
        leaves = isinstance(kind, Session) and kind.measure is TIME
        if leaves and self.settings.dialect.lateness == "window":
            found = self._found(self.events, done)
            gone = {arrival for one in found if one.final_at <= done for arrival in one.arrivals}
            self.events = [one for one in self.events if one.arrival not in gone]

    def retained(self) -> RetainedState:
        """Return the number of events."""
        return RetainedState(len(self.events), 0)

    def _found(self, events: Sequence[AcceptedEvent], reached: float) -> list[Window]:
        kind = self.query.window
        return self.query.call_user_code(
            "its windows", lambda: materialize_windows(kind, self.timeline(events, reached))
        )

    def _seen(self, window: Window) -> WindowContent:
        self._contents[window.arrivals] = window.content
        return WindowContent(window.interval, window.completes_at, window.final_at, window.arrivals)


class TupleBuffer(FullHistoryStore):
    """The youngest events of one key, and how many older ones there were."""

    def __init__(self, query: Query, settings: Settings) -> None:
        """Start with no event."""
        super().__init__(query, settings)
        self.evicted_count = 0
        self.last_evicted: list[AcceptedEvent] = []  # the last one forgotten, if any

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = super().copy()
        twin.evicted_count, twin.last_evicted = self.evicted_count, self.last_evicted
        return twin

    def timeline(self, events: Sequence[AcceptedEvent], reached: float) -> Timeline:
        """Lay out the events behind those that were forgotten."""
        line = super().timeline([*self.last_evicted, *events], reached)
        ranked = self.query.window.measure is COUNT
        old = {one.arrival for one in self.last_evicted}
        known = (at for at in line.events if at.accepted.arrival not in old)
        placed = [
            at._replace(rank=rank, coordinate=rank if ranked else at.coordinate)
            for rank, at in enumerate(known, self.evicted_count)
        ]
        return line._replace(events=tuple(placed))

    def accepts(self, accepted: AcceptedEvent, reached: float, limit: float) -> bool:
        """As always; but what precedes a rank that was forgotten belongs to frozen windows."""
        older = any(accepted.event.time < one.event.time for one in self.last_evicted)
        by_time = self.settings.dialect.count_order == "time"
        if older and by_time and self.query.window.measure is COUNT:
            return False
        return super().accepts(accepted, reached, limit)

    def evict(self, done: float) -> None:
        """Drop the oldest events that no window needs.

        By window, in a measure of the user's, any event may tell that an old window has ended.
        """
        self._contents = {}
        by_window = self.settings.dialect.lateness == "window"
        if by_window and self.query.window.measure not in (TIME, COUNT):
            return
        line = self.timeline(self.events, done)
        gone = [at.accepted for at in line.events[: evictable_count(self.query.window, line, done)]]
        self.evicted_count, self.last_evicted = (
            self.evicted_count + len(gone),
            gone[-1:] or self.last_evicted,
        )
        arrivals = {one.arrival for one in gone}
        self.events = [one for one in self.events if one.arrival not in arrivals]
