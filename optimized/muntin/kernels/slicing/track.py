"""One window type over the cells of a group: what is published of it, and to which queries."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import singledispatch

import numpy as np

from muntin.kernels.slicing.answer import Answer, joined
from muntin.kernels.slicing.arrays import Flags, Ints, climb, spread
from muntin.kernels.slicing.forms import Form, Opaque
from muntin.kernels.slicing.known import NEW, RETRACTED, UPDATED, Known, Told, places
from muntin.kernels.slicing.moment import Moment, Within, told_upto
from muntin.kernels.slicing.store import Store
from muntin.kernels.slicing.view import (
    Line,
    View,
    band,
    count,
    cumulate,
    landmark,
    punctuation,
    rolling,
    session,
    sliding,
)
from muntin.optimized.common.window_traits import traits_of
from muntin.spec.errors import UserCodeError
from muntin.spec.query import Mode
from muntin.spec.windows.data_driven import Punctuation, Rolling, Session
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.window import WindowType


@singledispatch
def view_of(kind: WindowType, line: Line, among: Within) -> View:
    """Return the windows of a type that settle within two times."""
    raise NotImplementedError(f"{kind} has no form over columns")


view_of.register(Cumulate)(cumulate)
view_of.register(Landmark)(landmark)
view_of.register(Band)(band)
view_of.register(Session)(session)
view_of.register(Rolling)(rolling)
view_of.register(Punctuation)(punctuation)


@view_of.register
def _(kind: Sliding, line: Line, among: Within) -> View:
    return (count if kind.measure is COUNT else sliding)(kind, line, among)


def stays(kind: WindowType) -> bool:
    """Whether a window that exists will always exist, and loses no event."""
    return kind.measure is not COUNT and traits_of(kind).edges_known


@dataclass(frozen=True)
class Track:
    """A window type, the queries that ask for it, and what they were told."""

    kind: WindowType
    queries: Mapping[str, Form | Opaque] = field(default_factory=dict[str, Form | Opaque])
    known: Known = field(default_factory=Known)

    def without(self, name: str) -> "Track":
        """Return the track with one query less: what it was told is never retracted."""
        queries = {one: form for one, form in self.queries.items() if one != name}
        values = {one: told for one, told in self.known.values.items() if one != name}
        return replace(self, queries=queries, known=replace(self.known, values=values))

    def told(
        self, store: Store, line: Line, moment: Moment, mode: Mode
    ) -> tuple["Track", list[Told]]:
        """Compare what is to be published with what was told, and tell the difference."""
        view = view_of(self.kind, line, self._among(line, moment))
        at = places(self.known, view)
        fresh = climb(line.cells.fresh)
        first = line.cells.arrival[view.lo]
        before = self.known.first[at] if len(self.known) else at
        moved = (fresh[view.hi] > fresh[view.lo]) | ((at >= 0) & (before != first))
        news = np.flatnonzero((at < 0) | moved)
        revision = np.zeros_like(at)
        if len(self.known):
            revision = np.where(at < 0, 0, self.known.revision[at] + moved)
        gone = np.ones(len(self.known), np.bool_)
        gone[at[at >= 0]] = False
        tell = _Telling(self, store, line, view, at, gone & (not stays(self.kind)))
        lines = tell.retractions() if mode == "accumulate-retract" else []
        values, some = tell.values(news, mode)
        told = news[some]
        kind = np.where(at[told] < 0, NEW, UPDATED)
        key = view.key[told]
        at_window = (key, view.start[told], view.end[told], revision[told], key)
        lines += [Told(kind, *at_window, {n: v.picked(some) for n, v in values.items()})]
        now = Known(view.key, view.start, view.end, view.settles, first, revision)
        known = replace(now, values=self._remembered(at, news, values, mode))
        kept = self.known.picked(gone).followed(known) if stays(self.kind) else known
        unfrozen = kept.picked(kept.final_at > told_upto(self.kind, moment.after))
        return replace(self, known=unfrozen), [one for one in lines if len(one)]

    def _among(self, line: Line, moment: Moment) -> Within:
        """Nothing older than the watermark: then no window that was complete has changed."""
        before, after = moment
        limit = told_upto(self.kind, before)
        if line.final:
            return Within(limit, after.limit)
        cells = line.cells
        late = stays(self.kind) and not (cells.fresh[cells.low < before.watermark] > 0).any()
        return Within(before.watermark if late else limit, after.watermark)

    def _remembered(
        self, at: Ints, news: Ints, values: Mapping[str, Answer], mode: Mode
    ) -> Mapping[str, Answer]:
        """Return the value that each published window was last told to have."""
        if stays(self.kind) or mode != "accumulate-retract":
            return {}
        old = at >= 0
        old[news] = False
        kept = np.flatnonzero(old)
        order = np.argsort(np.concatenate([kept, news]))
        before = {name: self.known.values[name] for name in values if kept.size}
        return {
            name: joined([before[name].picked(at[kept]), one]).picked(order) if kept.size else one
            for name, one in values.items()
        }


@dataclass(frozen=True)
class _Telling:
    """The values of one step."""

    track: Track
    store: Store
    line: Line
    view: View
    at: Ints
    gone: Flags

    def retractions(self) -> list[Told]:
        """Tell what was there and is no more, as it was told last."""
        if not self.gone.any():
            return []
        old = self.track.known.picked(self.gone)
        kind = np.full(len(old), RETRACTED)
        return [Told(kind, old.key, old.start, old.end, old.revision, old.key, old.values)]

    def values(self, news: Ints, mode: Mode) -> tuple[dict[str, Answer], Flags]:
        """Return the values of windows that have changed, and which have anything to tell."""
        lo, hi = self.view.lo[news], self.view.hi[news]
        store, some = self.store, np.ones(news.size, np.bool_)
        if mode == "discard":
            window, nth = spread(hi - lo)
            cell = lo[window] + nth
            unheard = self._unheard(news, window, cell)
            counts = np.bincount(window[unheard], minlength=news.size)
            store, hi = store.picked(cell[unheard]), np.cumsum(counts)
            lo, some = hi - counts, counts > 0
        told = self.view.start[news], self.view.end[news]
        queries = self.track.queries
        return {name: valued(name, queries[name], (store, lo, hi), told) for name in queries}, some

    def _unheard(self, news: Ints, window: Ints, cell: Ints) -> Flags:
        """Tell which cells were in no window that was told and is replaced by this one."""
        cells = self.line.cells
        fresh = cells.fresh[cell] > 0
        known = self.at[news][window] >= 0
        if self.track.kind.measure is COUNT:
            fresh_before = climb(cells.fresh)
            since_head = fresh_before[1:] - fresh_before[cells.heads][cells.run]
            older = self.line.rank - since_head
            return np.asarray(~known | fresh | (older[cell] < self.view.start[news][window]))
        return np.asarray(fresh | (~known & ~self._replaced()[cell]))

    def _replaced(self) -> Flags:
        """Tell which cells lie in windows that are gone."""
        cells, old = self.line.cells, self.track.known.picked(self.gone)
        heads = np.searchsorted(cells.key[cells.heads], old.key)
        present = heads < cells.heads.size
        like = cells.heads[heads[present]]
        present_keys = cells.key[like] == old.key[present]
        like, which = like[present_keys], np.flatnonzero(present)[present_keys]
        steps = np.zeros(len(cells) + 1, np.int64)
        np.add.at(steps, cells.find(like, old.start[which]), 1)
        np.add.at(steps, cells.find(like, old.end[which]), -1)
        return np.asarray(np.cumsum(steps)[:-1] > 0)


def valued(
    query: str, form: Form | Opaque, cells: tuple[Store, Ints, Ints], bounds: tuple[Ints, Ints]
) -> Answer:
    """Return the values of windows; an error of numbers beyond floats names query and window."""
    store, lo, hi = cells
    try:
        return form(store, lo, hi)
    except OverflowError as cause:
        nth = 0
        while nth < lo.size - 1 and _has_value(form, store, lo[nth : nth + 1], hi[nth : nth + 1]):
            nth += 1
        where = f"query {query!r}, the window [{bounds[0][nth]}, {bounds[1][nth]})"
        raise UserCodeError(
            f"{where}: raised {cause!r}: an integer beyond all floats among floats; convert either"
        ) from cause


def _has_value(form: Form | Opaque, store: Store, lo: Ints, hi: Ints) -> bool:
    try:
        form(store, lo, hi)
    except OverflowError:
        return False
    return True
