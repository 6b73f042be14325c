"""Lanes: one key, and the queries that share slices."""

from collections.abc import Callable, Iterator
from copy import copy
from typing import Self

from muntin.optimized.in_order.emission import Emission, Emitter, InOrderWatermark
from muntin.optimized.in_order.pane_edges import PaneEdges
from muntin.optimized.in_order.slice_buffer import SliceBuffer
from muntin.optimized.in_order.trackers.base import WindowTracker
from muntin.optimized.in_order.wakeups import WakeupSchedule
from muntin.spec.errors import MuntinError, UserCodeError
from muntin.spec.query import Query
from muntin.spec.stream import END, Event


def with_query_context(query: Query, event: Event, cause: Exception) -> MuntinError:
    """Return the error that says at which query and event something failed."""
    where = f"query {query.id!r}" + (f", {event}" if f"{event}" not in f"{cause}" else "")
    if isinstance(cause, MuntinError):
        return type(cause)(f"{where}: {cause}")
    return UserCodeError(f"{where}: raised {cause!r}")


class InOrderKeyState:
    """The slices of one key under one aggregate, and a track for each query that has seen any.

    A step works on a copy, which owns the tracks that the step concerns and shares the others.
    """

    def __init__(
        self, slices: SliceBuffer[object], lift: Callable[[object], object], cuts: PaneEdges | None
    ) -> None:
        """Start with no event; Panes and Pairs bring cuts of their own."""
        self.slices, self.cuts, self._lift = slices, cuts, lift
        self.tracks: dict[str, WindowTracker] = {}
        self.agenda = WakeupSchedule()
        self.joined = 0  # the number of tracks
        self.had_no_events = True  # whether no event came in this step
        self.own: dict[str, WindowTracker] = {}
        self._last: Event | None = None

    @property
    def wake(self) -> float:
        """A watermark before which there is nothing to do."""
        return self.agenda.wake

    def copy(self) -> Self:
        """Return a copy for a step to work on."""
        twin = copy(self)
        twin.slices = self.slices.copy()
        twin.cuts = self.cuts.copy() if self.cuts else None
        twin.own, twin.had_no_events = {}, True
        return twin

    def begin_step(self) -> None:
        """Let each track that must not tell again what it has told remember where a step begins."""
        for name in self.agenda.retold:
            self._mine(name).set_mark(self.slices)

    def commit(self) -> None:
        """End a step that has succeeded."""
        self.tracks |= self.own
        self.own = {}

    def recover(self) -> None:
        """End a step that has failed on a copy of this lane."""
        self.agenda = WakeupSchedule(self.tracks.values())

    def is_tracking(self, name: str) -> bool:
        """Whether a query has seen an event."""
        return name in self.own or name in self.tracks

    def join(self, track: WindowTracker) -> None:
        """Let a further query see events, from the next one on."""
        self.own[track.query.id] = track
        self.joined += 1
        self.agenda.add_tracker(track)

    def observe(self, event: Event) -> None:
        """Take in an event: one lift and at most one combine, whatever the number of queries."""
        for name in self.agenda.queries_affected_by(
            event.time, self.slices.count, self._pause(event)
        ):
            self._show(event, self._mine(name))
        self._last, self.had_no_events = event, False
        try:
            self._add(event)
        except Exception as cause:
            raise with_query_context(self._first(), event, cause) from cause

    def _pause(self, event: Event) -> float:
        """Return the time since the last event, without end if one of them brings its own gap."""
        last = self._last
        usual = last is not None and event.gap is None and last.gap is None
        return event.time - last.time if last is not None and usual else END

    def _show(self, event: Event, track: WindowTracker) -> None:
        try:
            track.observe(self.slices, event)
        except Exception as cause:
            raise with_query_context(track.query, event, cause) from cause
        self.agenda.schedule_edge(track)

    def _mine(self, name: str) -> WindowTracker:
        """Return a track as this step may change it, up to the last event."""
        if name not in self.own:
            self.own[name] = self.tracks[name].copy()
        if self._last is not None:
            self.own[name].catch_up(self.slices, self._last.time)
        return self.own[name]

    def _first(self) -> Query:
        """Return the query that was asked first."""
        tracks = self.tracks or self.own
        return next(iter(tracks.values())).query

    def _add(self, event: Event) -> None:
        cut = self.cuts is not None and self.cuts.crosses_edge(event.time)
        if self.slices.has_pins:
            self.slices.add(self._lift(event.value), cut=cut)
        else:
            self.slices.skip()

    def report(self, moment: InOrderWatermark) -> Iterator[tuple[WindowTracker, Emission]]:
        """Publish what is complete."""
        for name in {**self.own, **dict.fromkeys(self.agenda.due_queries(moment.watermark))}:
            track = self._mine(name)
            for line in self._lines(track, moment):
                yield track, line
            self.agenda.schedule_watermark(track)

    def _lines(self, track: WindowTracker, moment: InOrderWatermark) -> list[Emission]:
        """Return what a track has to tell; slices that it needs no more are joined."""
        try:
            return list(Emitter(track, self.slices, moment).lines())
        except MuntinError:
            raise
        except Exception as cause:
            where = f"query {track.query.id!r}, the events up to {moment.watermark}"
            raise UserCodeError(f"{where}: raised {cause!r}") from cause

    def without(self, name: str) -> Self:
        """Return a copy that has dropped a query, and let go of what only it needed."""
        twin = self.copy()
        twin.tracks = {one: track for one, track in self.tracks.items() if one != name}
        if name in self.tracks:
            twin.slices = self.slices.without(self.tracks[name].release)
        twin.joined = len(twin.tracks)
        twin.agenda = WakeupSchedule(twin.tracks.values())
        return twin

    def begins(self) -> set[int]:
        """Return the ordinals that the tracks hold."""
        return {begin for track in self.tracks.values() for begin in track.begins()}

    def idle(self) -> bool:
        """Whether it can be forgotten, and made anew when its key has another event."""
        return not self.slices.has_pins and all(track.idle() for track in self.tracks.values())
