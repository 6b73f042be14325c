"""The agenda of a lane: which queries an event or a watermark concerns, without asking each.

The next-edge cache of [Traub20], section 5.2, over all queries that share slices: an event that
passes no edge costs a few comparisons, however many there are.
"""

from collections.abc import Iterable, Iterator
from itertools import takewhile

from muntin.optimized.common.timers import Alarms
from muntin.optimized.in_order.trackers.base import Track
from muntin.spec.stream import END


class Agenda:
    """What each track of a lane waits for. It is made anew from the tracks after a failure."""

    def __init__(self, tracks: Iterable[Track] = ()) -> None:
        """Note what each of these tracks waits for."""
        self.restless: dict[str, None] = {}
        self.retold: dict[str, None] = {}  # they have told of windows that are open
        self._times, self._ordinals, self._wakes = Alarms[str](), Alarms[str](), Alarms[str]()
        self._pauses: list[tuple[int, str]] = []
        for track in tracks:
            self.meet(track)
            self.note_edge(track)
            self.note(track)

    @property
    def wake(self) -> float:
        """A watermark before which there is nothing to report."""
        return self._wakes.next

    def meet(self, track: Track) -> None:
        """Take on a track: its first event concerns it."""
        self.restless[track.query.id] = None

    def note_edge(self, track: Track) -> None:
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

    def note(self, track: Track) -> None:
        """Remember which watermark the track waits for, and whether any event is news to it."""
        name = track.query.id
        self._wakes.set(name, track.wake)
        if track.retold:
            self.retold[name] = None
        else:
            self.retold.pop(name, None)

    def concerned(self, time: int, ordinal: int, pause: float) -> list[str]:
        """Return whom an event concerns: their edges have to be noted again."""
        names = list(self.restless)
        if self._times.next <= time:
            names += self._times.ring(time)
        if self._ordinals.next <= ordinal:
            names += self._ordinals.ring(ordinal)
        if self._pauses and self._pauses[0][0] <= pause:
            names += [name for _, name in takewhile(lambda one: one[0] <= pause, self._pauses)]
        return names

    def woken(self, watermark: float) -> Iterator[str]:
        """Yield whom a watermark concerns: what they wait for has to be noted again."""
        return self._wakes.ring(watermark)
