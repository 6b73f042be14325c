"""Lanes: one key, and the queries that share slices."""

from collections.abc import Iterator
from copy import copy
from typing import Self

from muntin.optimized.slicing.cuts import Cuts
from muntin.optimized.slicing.report import Line, Moment, Report
from muntin.optimized.slicing.slices import Slices
from muntin.optimized.slicing.track import Track
from muntin.spec.errors import MuntinError, UserCodeError
from muntin.spec.query import Query
from muntin.spec.stream import END, Event


def named(query: Query, event: Event, cause: Exception) -> MuntinError:
    """Return the error that says at which query and event something failed."""
    where = f"query {query.id!r}" + (f", {event}" if f"{event}" not in f"{cause}" else "")
    if isinstance(cause, MuntinError):
        return type(cause)(f"{where}: {cause}")
    return UserCodeError(f"{where}: raised {cause!r}")


class Lane:
    """The slices of one key under one aggregate, and a track for each query that has seen any."""

    def __init__(self, slices: Slices[object], cuts: Cuts | None) -> None:
        """Start with no event; Panes and Pairs bring cuts of their own."""
        self.slices, self.cuts = slices, cuts
        self.tracks: dict[str, Track] = {}

    @property
    def wake(self) -> float:
        """The watermark at which there is something to do."""
        return min((track.wake for track in self.tracks.values()), default=END)

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = copy(self)
        twin.slices = self.slices.copy()
        twin.cuts = self.cuts.copy() if self.cuts else None
        twin.tracks = {name: track.copy() for name, track in self.tracks.items()}
        return twin

    def begin_step(self) -> None:
        """Let each track remember where the step begins."""
        for track in self.tracks.values():
            track.set_mark(self.slices)

    def observe(self, event: Event, first: Query) -> None:
        """Take in an event: one lift and at most one combine, whatever the number of queries."""
        for track in self.tracks.values():
            if event.time > track.since:
                try:
                    track.observe(self.slices, event)
                except Exception as cause:
                    raise named(track.query, event, cause) from cause
        try:
            self._add(event, first)
        except Exception as cause:
            raise named(first, event, cause) from cause

    def _add(self, event: Event, first: Query) -> None:
        cut = self.cuts is not None and self.cuts.passed(event.time)
        if self.slices.wanted:
            self.slices.add(first.aggregate.lift(event.value), cut=cut)
        else:
            self.slices.skip()

    def report(self, moment: Moment) -> Iterator[tuple[Track, Line]]:
        """Publish what is complete."""
        for track in self.tracks.values():
            if track.changed or track.mark is not None or track.wake <= moment.watermark:
                for line in Report(track, self.slices, moment).lines():
                    yield track, line

    def remove(self, name: str) -> None:
        """Drop a query, and let go of what only it needed."""
        if name in self.tracks:
            self.tracks.pop(name).release(self.slices)

    def begins(self) -> set[int]:
        """Return the ordinals that the tracks hold."""
        return {begin for track in self.tracks.values() for begin in track.begins()}

    def idle(self) -> bool:
        """Whether it can be forgotten, and made anew when its key has another event."""
        return all(track.idle() for track in self.tracks.values())
