"""Queries over one key, whose slices are kept without holes: what is fast, where it applies.

Sliding windows of all sizes are found by one kernel. Sessions and the rest see the slices as cells.
What does not fit (a second key, own gaps, huge sums) moves all to an ordinary group.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from muntin.kernels.slicing.arrays import (
    FIRST,
    Column,
    Flags,
    Ints,
    constant,
    no_ints,
    packed,
    varies,
)
from muntin.kernels.slicing.batch import Batch
from muntin.kernels.slicing.dense.closing import close, reopen
from muntin.kernels.slicing.dense.fitting import Terms, fitting
from muntin.kernels.slicing.dense.slices import DenseSlices
from muntin.kernels.slicing.dense.timeline import Timeline, timeline_from
from muntin.kernels.slicing.forms import Folded, Form, Opaque
from muntin.kernels.slicing.grain import slices
from muntin.kernels.slicing.group import Group, parts_of
from muntin.kernels.slicing.known import NEW, UPDATED, Known, Told, ToldOfMany, remembered, revised
from muntin.kernels.slicing.moment import Clock, Moment, told_upto
from muntin.kernels.slicing.parts import Count, Part
from muntin.kernels.slicing.picking import whole
from muntin.kernels.slicing.retention import needed
from muntin.kernels.slicing.store import Store
from muntin.kernels.slicing.track import Track
from muntin.kernels.slicing.view import Line, View
from muntin.spec.query import Settings
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.window import WindowType

COLUMNS = 6
"""What `close` writes of a window."""
SOME = 1024
"""So many slices are never forgotten."""
Kernel = Callable[..., int]


class DenseGroup:
    """A group that changes in place: a step either takes effect as a whole, or raises before."""

    method = "dense"

    def __init__(self, since: int, settings: Settings, tracks: Mapping[WindowType, Track]) -> None:
        """Start with no event."""
        self.since, self.settings, self.tracks = since, settings, tracks
        self.birth = no_ints()
        self._slices: DenseSlices | None = None
        self._key = -1
        self._terms: Terms = {}
        self._known = Known()
        self._out: NDArray[np.int64] = np.empty((COLUMNS, 256), np.int64).T
        self._parts: dict[Part, None] = {}
        self._asked: list[dict[str, str]] = []
        self._sliding, self._others = list[WindowType](), list[WindowType]()
        self._clock = Clock()

    def _ask(self) -> None:
        """Set out what is asked for: window types that one kernel serves, and the others."""
        self._parts = parts_of(self.tracks)
        self._counts: list[Part] = [part for part in self._parts if isinstance(part, Count)]
        sliding = [kind for kind in self.tracks if isinstance(kind, Sliding)]
        self._sliding = list[WindowType](sliding)
        self._others = [kind for kind in self.tracks if not isinstance(kind, Sliding)]
        rows = [(k.size, k.slide, (k.offset + k.size) % k.slide) for k in sliding]
        self._windows: NDArray[np.int64] = np.array(rows, np.int64).reshape(-1, 3)
        self._sizes = max((kind.size for kind in sliding), default=0)
        self._forms: dict[str, Form] = {}
        self._asked = []
        for kind in sliding:
            names = dict[str, str]()
            for name, form in self.tracks[kind].queries.items():
                if isinstance(form, Form):
                    label = f"{form.name} {form.parts}"
                    self._forms[label], names[name] = form, label
            self._asked.append(names)

    def asked(self, name: str, kind: WindowType, values: Form | Opaque) -> "DenseGroup":
        """Return the group with one query more; it has seen no event."""
        plain = Group(self.since, self.settings, slices([]), self.tracks)
        return DenseGroup(self.since, self.settings, plain.asked(name, kind, values).tracks)

    def without(self, name: str) -> "DenseGroup | Group":
        """Return a group with one query less."""
        if self._slices is None:
            tracks = Group(self.since, self.settings, slices([]), self.tracks).without(name).tracks
            return DenseGroup(self.since, self.settings, tracks)
        return self.spread_out().without(name)

    def __len__(self) -> int:
        """Return the number of slices."""
        return self._slices.n if self._slices else 0

    def takes(self, batch: Batch, limit: int) -> Flags:
        """Tell which events take part."""
        return np.asarray(batch.time >= limit)

    def spread_out(self) -> Group:
        """Return an ordinary group that knows the same."""
        grain = slices(self.tracks)
        if self._slices is None:
            return Group(self.since, self.settings, grain, self.tracks)
        if not self._parts:
            self._ask()
        tracks = self._tracks_told(self._told_before(self._slices))
        held = self._slices.store(self._key)
        store = Store(held.cells.settled(), held.parts)
        dropped = np.zeros(self._key + 1, np.int64)
        return Group(self.since, self.settings, grain, tracks, store, dropped, self.birth)

    def step(self, batch: Batch, moment: Moment) -> tuple["DenseGroup | Group", list[Told]]:
        """Take in events, publish, forget; or move to an ordinary group first."""
        if not self._parts:
            self._ask()
        if len(batch) and not self._takes_in(batch, moment):
            return self._moved(batch).step(batch, moment)
        if self._slices is None:
            return self, []
        told = self._told_of_sliding(self._slices, moment) if self._sliding else []
        told += self._told_of_others(self._slices, moment)
        self._clock = moment.after
        self._forget(self._slices, moment.after)
        return self, told

    def _moved(self, batch: Batch) -> "DenseGroup | Group":
        """Return a group for many keys, if it is they that do not fit, or else an ordinary one."""
        if self._others or not (varies(batch.key) or self._key not in {-1, int(batch.key[0])}):
            return self.spread_out()
        from muntin.kernels.slicing.keyed.group import KeyedGroup  # noqa: PLC0415 - it is one of these

        return KeyedGroup(self)

    def _takes_in(self, batch: Batch, moment: Moment) -> bool:
        key, held = int(batch.key[0]), self._slices
        one_key = self._key in {-1, key} and not varies(batch.key)
        if not one_key or (self._others and batch.own.any()):
            return False
        lifted = self._lifted(batch)
        if not lifted:
            return False
        (plain, columns), limit = lifted, moment.before.limit
        if not held or (not self._others and self._over(held.timeline, held.empty, batch, limit)):
            timed = any(isinstance(kind, Session) for kind in self._others)
            held = DenseSlices(self._timeline(batch.least), columns, timed=timed)
            held.plain = plain
        if held.plain != plain or not held.suits(columns) or not held.takes(batch, columns):
            return False
        if self._slices is not held:
            self._slices, self._key = held, key
            self.birth = np.append(np.full(key, -1), 0)
        return True

    def _over(self, line: Timeline, empty: Callable[[int], bool], batch: Batch, limit: int) -> bool:
        """Whether time goes on where no window holds any of the events that are kept."""
        return batch.most >= line.end and empty(line.slice_of(limit - self._sizes))

    def _lifted(self, batch: Batch) -> tuple[set[Part], dict[Part, Column]] | None:
        """Return what counts all events, and partials for the other parts; None if too large."""
        plain = {part for part in self._counts if batch.columns[part.source].valid is None}
        fields = {part: part.lift(batch) for part in self._parts if part not in plain}
        terms = fitting(self._terms, fields)
        if terms is None:
            return None
        self._terms = terms
        return plain, {part: packed(columns) for part, columns in fields.items()}

    def _timeline(self, least: int) -> Timeline:
        periods, lateness = slices(self.tracks).periods, self.settings.allowed_lateness
        return timeline_from(periods, self._sizes, least, lateness)

    def _told_of_sliding(self, held: DenseSlices, moment: Moment) -> list[Told]:
        before, after = moment
        final, line = self.settings.output == "final", held.timeline
        low, top = moment.reporting(final=final)
        low, top = max(low, line.first), min(top, line.end + self._sizes)
        first = held.seal(low, max(before.limit, line.first), top)
        told = self._written(close, (low, top), (held.sums,), held)
        updated: Flags | None = None
        if first is not None and not final:
            bounds = max(before.limit, line.first), min(before.watermark, line.end + self._sizes)
            again = self._written(reopen, bounds, (held.sums, held.fresh, first), held)
            updated = np.append(again[:, 5] > 0, np.zeros(len(told), np.bool_))
            told = np.concatenate([again, told])
        if not len(told):
            return []
        lo, hi = (np.ascontiguousarray(told[:, i]) for i in (3, 4))
        folded = {part: held.fold(part, lo, hi) for part in self._parts}
        return [self._told(told, constant(self._key, len(told)), folded, updated, after.limit)]

    def _written(
        self,
        kernel: Kernel,
        bounds: tuple[int, int],
        columns: tuple[object, ...],
        held: DenseSlices,
    ) -> NDArray[np.int64]:
        """Return the windows that a kernel finds; it is run again if there is no room for all."""
        line = held.timeline
        where = (line.table, line.origin, line.shift, line.edges, line.n)
        windows = self._windows.copy()
        found = kernel(windows, *bounds, self.since, *where, *columns, self._out)
        if found > len(self._out):
            self._out = np.empty((COLUMNS, 2 * found), np.int64).T
            return self._written(kernel, bounds, columns, held)
        self._windows = windows
        return self._out[:found].copy("F")

    def _told(
        self, told: NDArray[np.int64], key: Ints, folded: Folded, updated: Flags | None, limit: int
    ) -> Told:
        """Return lines about windows: which, start, end; their keys and folds."""
        which, start, end = (np.ascontiguousarray(told[:, i]) for i in range(3))
        zero = revision = constant(0, which.size)
        kind = constant(NEW, which.size)
        if updated is not None and updated.any():
            view = View(key * len(self._sliding) + which, start, end, zero, zero, end)
            self._known, revision = revised(self._known, view, updated, limit)
            kind = np.where(updated, UPDATED, NEW)
        values = {label: form.finish(folded) for label, form in self._forms.items()}
        birth = whole(self.birth, key) if varies(key) else zero + self.birth[key[:1]]
        return ToldOfMany(kind, key, start, end, revision, birth, values, which, self._asked)

    def _told_before(self, held: DenseSlices) -> Known:
        """Return all windows that are told and not frozen, their types for keys."""
        clock, line = self._clock, held.timeline
        if self.settings.output == "final":
            return Known()
        bounds = max(clock.limit, line.first), min(clock.watermark, line.end + self._sizes)
        told = self._written(close, bounds, (held.sums,), held)
        return self._remembered(told, np.full(len(told), self._key))

    def _remembered(self, told: NDArray[np.int64], key: Ints) -> Known:
        """Return windows with their revisions; a code is for the key and the type."""
        which, start, end, lo, hi = (np.ascontiguousarray(told[:, i]) for i in range(5))
        view = View(key * len(self._sliding) + which, start, end, lo, hi, end)
        return remembered(self._known, view)

    def _tracks_told(self, told: Known) -> dict[WindowType, Track]:
        """Return the tracks, with what was told of each window type."""
        tracks, types = dict(self.tracks), len(self._sliding)
        for nth, kind in enumerate(self._sliding):
            mine = told.picked(told.key % types == nth)
            tracks[kind] = replace(tracks[kind], known=replace(mine, key=mine.key // types))
        return tracks

    def _told_of_others(self, held: DenseSlices, moment: Moment) -> list[Told]:
        """Tell of the windows that see slices as cells."""
        if not self._others:
            return []
        store, final = held.store(self._key), self.settings.output == "final"
        rank = np.zeros(len(store.cells), np.int64)
        line = Line(store.cells, rank, self.since, moment.after, final)
        lines = list[Told]()
        for kind in self._others:
            track, told = self.tracks[kind].told(store, line, moment, self.settings.output)
            self.tracks = {**self.tracks, kind: track}
            lines += [replace(one, birth=one.key * 0) for one in told]
        held.settle()
        return lines

    def _forget(self, held: DenseSlices, clock: Clock) -> None:
        """Drop slices that no query needs any more, when they are as many as the others."""
        if held.n < SOME or clock.limit == FIRST:
            return
        keep = held.timeline.slice_of(clock.limit - self._sizes) if self._sliding else held.n
        if self._others and 2 * keep > held.n:
            cells = held.store(self._key).cells
            need = [needed(kind, cells, told_upto(kind, clock)) for kind in self._others]
            first = np.flatnonzero(np.logical_or.reduce(need))
            if first.size:
                keep = min(keep, held.timeline.slice_of(int(cells.slot[first[0]])))
        keep = min(keep, held.sealed)
        if 2 * keep > held.n:
            held.drop(keep)
