"""Wakeups: which queries of a key an event or a watermark affects, without a visit to each.

The next-edge cache of [Traub20], section 5.2, over all queries that share slices: an event that
passes no edge costs a few comparisons, however many there are.
"""

from collections.abc import Iterable, Iterator
from itertools import takewhile

from muntin.optimized.common.timers import TimerQueue
from muntin.optimized.in_order.trackers.base import WindowTracker
from muntin.spec.stream import END


class WakeupSchedule:
    """What each tracker of a key waits for. It is made anew from the trackers after a failure."""

    def __init__(self, trackers: Iterable[WindowTracker] = ()) -> None:
        """Schedule what each of these trackers waits for."""
        self.always_affected: dict[str, None] = {}
        self.may_reemit: dict[str, None] = {}  # they have emitted open windows
        self._times, self._ordinals, self._watermarks = (
            TimerQueue[str](),
            TimerQueue[str](),
            TimerQueue[str](),
        )
        self._pauses: list[tuple[int, str]] = []
        for tracker in trackers:
            self.add_tracker(tracker)
            self.schedule_edge(tracker)
            self.schedule_watermark(tracker)

    @property
    def next_wakeup(self) -> float:
        """A watermark before which there is nothing to emit."""
        return self._watermarks.next_watermark

    def add_tracker(self, tracker: WindowTracker) -> None:
        """Add a tracker, which its first event affects."""
        self.always_affected[tracker.query.id] = None

    def schedule_edge(self, tracker: WindowTracker) -> None:
        """Schedule the event that the tracker waits for, now that it has seen one."""
        name, edge = tracker.query.id, tracker.next_edge()
        if tracker.wake_condition == "never":
            return
        was_always_affected = self.always_affected.pop(name, self) is self
        if tracker.wake_condition == "until a pause" and not was_always_affected:
            self._pauses = sorted([*self._pauses, (tracker.pause, name)])
        elif tracker.wake_condition == "until a time" and edge < END:
            self._times.set(name, edge)
        elif tracker.wake_condition == "until a rank" and edge < END:
            self._ordinals.set(name, edge + tracker.first_ordinal)

    def schedule_watermark(self, tracker: WindowTracker) -> None:
        """Schedule the watermark that the tracker waits for; note whether any event affects it."""
        name = tracker.query.id
        self._watermarks.set(name, tracker.next_wakeup)
        if tracker.may_reemit:
            self.may_reemit[name] = None
        else:
            self.may_reemit.pop(name, None)

    def queries_affected_by(self, time: int, ordinal: int, pause: float) -> list[str]:
        """The queries that an event affects; their edges have to be scheduled again."""
        names = list(self.always_affected)
        if self._times.next_watermark <= time:
            names += self._times.pop_due(time)
        if self._ordinals.next_watermark <= ordinal:
            names += self._ordinals.pop_due(ordinal)
        if self._pauses and self._pauses[0][0] <= pause:
            names += [name for _, name in takewhile(lambda entry: entry[0] <= pause, self._pauses)]
        return names

    def due_queries(self, watermark: float) -> Iterator[str]:
        """The queries that a watermark affects; their watermarks have to be scheduled again."""
        return self._watermarks.pop_due(watermark)
