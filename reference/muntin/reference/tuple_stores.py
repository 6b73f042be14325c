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
    """All events of one key, in arrival order."""

    def __init__(self, query: Query, settings: Settings) -> None:
        """Start with no event."""
        super().__init__(query, settings)
        self.events: list[AcceptedEvent] = []
        self._contents: dict[tuple[int, ...], tuple[AcceptedEvent, ...]] = {}  # of this step only

    @classmethod
    def unsupported_reason(cls, query: Query, settings: Settings) -> None:
        """Every query is supported."""
        del query, settings

    def copy(self) -> Self:
        """An independent copy."""
        copy = type(self)(self.query, self.settings)
        copy.events = list(self.events)
        return copy

    def timeline(self, events: Sequence[AcceptedEvent], finite_watermark: float) -> Timeline:
        """The events, laid out along the measure of the window type."""
        return build_timeline(
            list(events), self.query.window.measure, finite_watermark, self.settings.dialect
        )

    def accepts(self, accepted: AcceptedEvent, finite_watermark: float, limit: float) -> bool:
        """Whether some window that would hold the event is not final; without one, by event."""
        windows = self._windows([*self.events, accepted], finite_watermark)
        holding = [window for window in windows if accepted.arrival in window.arrivals]
        changeable = any(window.final_at > limit for window in holding)
        return changeable if holding else accepted.event.time >= limit

    def insert(self, accepted: AcceptedEvent) -> None:
        """Add an event."""
        self.events.append(accepted)

    def windows(self, finite_watermark: float) -> list[WindowContent]:
        """The windows of the events held."""
        return [self._remember(window) for window in self._windows(self.events, finite_watermark)]

    def value(self, window: WindowContent, excluded: Collection[int]) -> object:
        """The fold of the window."""
        content = self._contents[window.stamp]
        return self.query.value([a.event for a in content if a.arrival not in excluded])

    def evict(self, final_time: float) -> None:
        """Drop nothing but, where lateness is judged by window, final sessions (rule 12)."""
        self._contents = {}
        window_type = self.query.window
        evictable = isinstance(window_type, Session) and window_type.measure is TIME
        if evictable and self.settings.dialect.lateness == "window":
            final = [w for w in self._windows(self.events, final_time) if w.final_at <= final_time]
            evicted = {arrival for window in final for arrival in window.arrivals}
            self.events = [a for a in self.events if a.arrival not in evicted]

    def retained(self) -> RetainedState:
        """The number of events."""
        return RetainedState(len(self.events), 0)

    def _windows(self, events: Sequence[AcceptedEvent], finite_watermark: float) -> list[Window]:
        window_type = self.query.window
        return self.query.call_user_code(
            "its windows",
            lambda: materialize_windows(window_type, self.timeline(events, finite_watermark)),
        )

    def _remember(self, window: Window) -> WindowContent:
        self._contents[window.arrivals] = window.content
        return WindowContent(window.interval, window.completes_at, window.final_at, window.arrivals)


class TupleBuffer(FullHistoryStore):
    """The youngest events of one key, and the number of those evicted."""

    def __init__(self, query: Query, settings: Settings) -> None:
        """Start with no event."""
        super().__init__(query, settings)
        self.evicted_count = 0
        self.last_evicted: list[AcceptedEvent] = []  # the last event evicted, if any

    def copy(self) -> Self:
        """An independent copy."""
        copy = super().copy()
        copy.evicted_count, copy.last_evicted = self.evicted_count, self.last_evicted
        return copy

    def timeline(self, events: Sequence[AcceptedEvent], finite_watermark: float) -> Timeline:
        """The events, with ranks and ties that count those that were evicted."""
        timeline = super().timeline([*self.last_evicted, *events], finite_watermark)
        ranked = self.query.window.measure is COUNT
        evicted = {last.arrival for last in self.last_evicted}
        held = (event for event in timeline.events if event.accepted.arrival not in evicted)
        positioned = [
            event._replace(rank=rank, coordinate=rank if ranked else event.coordinate)
            for rank, event in enumerate(held, self.evicted_count)
        ]
        return timeline._replace(events=tuple(positioned))

    def accepts(self, accepted: AcceptedEvent, finite_watermark: float, limit: float) -> bool:
        """As always; but an event before an evicted one belongs to final windows, by rank."""
        older = any(accepted.event.time < last.event.time for last in self.last_evicted)
        by_time = self.settings.dialect.count_order == "time"
        if older and by_time and self.query.window.measure is COUNT:
            return False
        return super().accepts(accepted, finite_watermark, limit)

    def evict(self, final_time: float) -> None:
        """Drop the oldest events that no window needs.

        By window, in a user's measure, any event can complete an old window.
        """
        self._contents = {}
        by_window = self.settings.dialect.lateness == "window"
        if by_window and self.query.window.measure not in (TIME, COUNT):
            return
        timeline = self.timeline(self.events, final_time)
        count = evictable_count(self.query.window, timeline, final_time)
        evicted = [event.accepted for event in timeline.events[:count]]
        self.evicted_count += len(evicted)
        self.last_evicted = evicted[-1:] or self.last_evicted
        arrivals = {accepted.arrival for accepted in evicted}
        self.events = [a for a in self.events if a.arrival not in arrivals]
