"""The agenda of a lane: which queries an event or a watermark concerns, without asking each.

The next-edge cache of [Traub20], section 5.2, over all queries that share slices: an event that
passes no edge costs a few comparisons, however many there are.
"""

from collections.abc import Iterable, Iterator
from itertools import takewhile

from muntin.optimized.common.timers import TimerQueue
from muntin.optimized.in_order.trackers.base import WindowTracker
from muntin.spec.stream import END


class WakeupSchedule:
    """What each track of a lane waits for. It is made anew from the tracks after a failure."""

    def __init__(self, tracks: Iterable[WindowTracker] = ()) -> None:
        """Note what each of these tracks waits for."""
        self.restless: dict[str, None] = {}
        self.retold: dict[str, None] = {}  # they have told of windows that are open
        self._times, self._ordinals, self._wakes = (
            TimerQueue[str](),
            TimerQueue[str](),
            TimerQueue[str](),
        )
        self._pauses: list[tuple[int, str]] = []
        for track in tracks:
            self.add_tracker(track)
            self.schedule_edge(track)
            self.schedule_watermark(track)

    @property
    def wake(self) -> float:
        """A watermark before which there is nothing to report."""
        return self._wakes.next

    def add_tracker(self, track: WindowTracker) -> None:
        """Take on a track: its first event concerns it."""
        self.restless[track.query.id] = None

    def schedule_edge(self, track: WindowTracker) -> None:
        """Remember which event the track waits for, now that it has seen one."""
        name, edge = track.query.id, track.edge()
        if track.sleeps == "never":
            return
        known = self.restless.pop(name, self) is self
        if track.sleeps == "until a pause" and not known:
            self._pauses = sorted([*self._pauses, (track.pause, name)])
        elif track.sleeps == "until a time" and edge < END:
            self._times.set(name, edge)
        elif track.sleeps == "until a rank" and edge < END:
            self._ordinals.set(name, edge + track.base)

    def schedule_watermark(self, track: WindowTracker) -> None:
        """Remember which watermark the track waits for, and whether any event is news to it."""
        name = track.query.id
        self._wakes.set(name, track.wake)
        if track.may_reemit:
            self.retold[name] = None
        else:
            self.retold.pop(name, None)

    def queries_affected_by(self, time: int, ordinal: int, pause: float) -> list[str]:
        """Return whom an event concerns: their edges have to be noted again."""
        names = list(self.restless)
        if self._times.next <= time:
            names += self._times.pop_due(time)
        if self._ordinals.next <= ordinal:
            names += self._ordinals.pop_due(ordinal)
        if self._pauses and self._pauses[0][0] <= pause:
            names += [name for _, name in takewhile(lambda one: one[0] <= pause, self._pauses)]
        return names

    def due_queries(self, watermark: float) -> Iterator[str]:
        """Yield whom a watermark concerns: what they wait for has to be noted again."""
        return self._wakes.pop_due(watermark)
