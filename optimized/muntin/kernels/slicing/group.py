"""Queries that see the same events: one store of cells, and a track for each window type."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce

import numpy as np

from muntin.kernels.slicing.arrays import Flags, Ints, no_ints
from muntin.kernels.slicing.batch import Batch
from muntin.kernels.slicing.forms import Form, Opaque
from muntin.kernels.slicing.grain import Records, Slices, slices
from muntin.kernels.slicing.keys import births
from muntin.kernels.slicing.known import Told
from muntin.kernels.slicing.moment import Clock, Moment, told_upto
from muntin.kernels.slicing.parts import Part
from muntin.kernels.slicing.retention import carried, needed, prefix_dropped, taken
from muntin.kernels.slicing.store import Store
from muntin.kernels.slicing.track import Track
from muntin.kernels.slicing.view import Line
from muntin.spec.query import Settings
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.window import WindowType


def parts_of(tracks: Mapping[WindowType, Track]) -> dict[Part, None]:
    """Return the parts that the queries of tracks need, in a fixed order."""
    forms = (form for track in tracks.values() for form in track.queries.values())
    return {part: None for form in forms for part in form.parts}


@dataclass(frozen=True)
class Group:
    """The time after which its queries see events, and the state; each step makes a new one.

    `dropped` counts the cells forgotten of each key, `birth` numbers keys by their first event.
    """

    since: int
    settings: Settings
    grain: Records | Slices
    tracks: Mapping[WindowType, Track] = field(default_factory=dict[WindowType, Track])
    store: Store = field(default_factory=Store)
    dropped: Ints = field(default_factory=no_ints)
    birth: Ints = field(default_factory=no_ints)

    def with_query(self, name: str, kind: WindowType, values: Form | Opaque) -> "Group":
        """Return the group with one query more."""
        track = self.tracks.get(kind, Track(kind))
        track = replace(track, queries={**track.queries, name: values})
        tracks = {**self.tracks, kind: track}
        grain = slices([]) if isinstance(self.grain, Slices) else self.grain  # cut when one comes
        return replace(self, tracks=tracks, grain=grain)

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.store.cells)

    @property
    def method(self) -> str:
        """How cells are kept."""
        return self.grain.name

    @property
    def parts(self) -> dict[Part, None]:
        """What the queries need to be kept, in a fixed order."""
        return parts_of(self.tracks)

    def without(self, name: str) -> "Group":
        """Return the group with one query less; an idle track goes."""
        tracks = {kind: track.without(name) for kind, track in self.tracks.items()}
        fewer = replace(self, tracks={kind: one for kind, one in tracks.items() if one.queries})
        parts = {part: self.store.parts[part] for part in fewer.parts if part in self.store.parts}
        return replace(fewer, store=replace(self.store, parts=parts))

    def takes(self, batch: Batch, limit: int) -> Flags:
        """Tell which of the events that are seen take part; by window, it has one track."""
        if self.settings.dialect.lateness == "event":
            return np.asarray(batch.time >= limit)
        kinds = list(self.tracks)
        return taken(kinds[0], batch, self.store.cells, limit)

    def step(self, batch: Batch, moment: Moment) -> tuple["Group", list[Told]]:
        """Take in events, publish, forget."""
        if isinstance(self.grain, Slices) and not self.grain.periods and not self.grain.single:
            return replace(self, grain=slices(self.tracks)).step(batch, moment)
        if batch.own.any() and self.suited(batch) is not self:
            return self.suited(batch).step(batch, moment)
        birth = births(self.birth, batch.key)
        store = self.taken(batch)
        dropped = np.zeros(birth.size, np.int64)
        dropped[: self.dropped.size] = self.dropped
        cells = store.cells
        rank = cells.place + dropped[cells.key]
        final = self.settings.output == "final"
        line = Line(cells, rank, self.since, moment.after, final)
        tracks, told = dict[WindowType, Track](), list[Told]()
        for kind, track in self.tracks.items():
            tracks[kind], lines = track.told(store, line, moment, self.settings.output)
            told += [replace(one, birth=birth[one.key]) for one in lines]
        grown = replace(self, tracks=tracks, store=store, dropped=dropped, birth=birth)
        return grown.forgotten(moment.after), told

    def taken(self, batch: Batch) -> Store:
        """Return the store with the events of a batch."""
        if not len(self.store.cells):
            return self.grain.taken(Store(), batch, self.parts)
        return self.grain.taken(self.store, batch, self.store.parts) if len(batch) else self.store

    def suited(self, batch: Batch) -> "Group":
        """Return the group with a cell for each event from now on, if events bring own gaps.

        What is in slices already stays there: no session begins inside a slice.
        """
        sessions = any(isinstance(kind, Session) for kind in self.tracks)
        if isinstance(self.grain, Records) or not sessions or not batch.own.any():
            return self
        cells = replace(self.store.cells, slot=self.store.cells.low)
        return replace(self, grain=Records(), store=replace(self.store, cells=cells))

    def forgotten(self, clock: Clock) -> "Group":
        """Return the group without the cells that no query needs any more."""
        cells = self.store.cells
        if not len(cells):
            return self
        upto = {kind: told_upto(kind, clock) for kind in self.tracks}
        needs = {kind: needed(kind, cells, upto[kind]) for kind in self.tracks}
        none = np.zeros(len(cells), np.bool_)
        prefix = prefix_dropped(cells, reduce(np.logical_or, needs.values(), none))
        dropped = self.dropped.copy()
        dropped[cells.key[cells.heads]] += prefix
        rest = self.store.dropped(prefix)
        if isinstance(self.grain, Slices) and self.settings.dialect.lateness == "event":
            kept = cells.place >= prefix[cells.run]
            apart = {kind: need[kept] for kind, need in needs.items()}
            rest = carried(rest, self.grain, apart, clock.limit)
        now = Store(rest.cells.settled(), rest.parts)
        return replace(self, store=now, dropped=dropped)
