"""How much a cell holds: one event, or all between two edges of windows (a slice) [Traub20]."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import gcd, inf
from typing import NamedTuple

import numpy as np

from muntin.kernels.slicing.arrays import FIRST, Fields, Ints
from muntin.kernels.slicing.batch import Batch
from muntin.kernels.slicing.cells import Cells, beginnings, ordered
from muntin.kernels.slicing.condensed import Condensed
from muntin.kernels.slicing.parts import Part
from muntin.kernels.slicing.store import Store
from muntin.optimized.common.window_traits import traits_of
from muntin.spec.windows.window import WindowType


def rows(batch: Batch, parts: Iterable[Part]) -> Store:
    """Return a cell for each event, in the order of arrival."""
    time, one = batch.time, np.ones_like(batch.time)
    cells = Cells(batch.key, time, time, time, one, one, batch.arrival, batch.own, batch.mark)
    return Store(cells, {part: _wide(part, part.lift(batch)) for part in parts})


def _wide(part: Part, fields: Fields) -> Fields:
    """Return partials that can be added up without passing 64 bits."""
    return part.alike(fields, tuple(column[:0] for column in fields))[0]


class Runs(NamedTuple):
    """Events in an order, where runs of the same key and slice begin in it, and these."""

    order: Ints
    begins: Ints
    key: Ints
    slot: Ints


@dataclass(frozen=True)
class Records:
    """A cell for each event."""

    name = "records"

    def taken(self, store: Store, batch: Batch, parts: Iterable[Part]) -> Store:
        """Return a store with the events of a batch."""
        return store.followed(rows(batch, parts)).ordered()


@dataclass(frozen=True)
class Slices:
    """A cell for all between two edges: some at every period, at a phase, and some single."""

    periods: tuple[tuple[int, int], ...]
    single: tuple[int, ...]
    name = "slices"

    def slots(self, time: Ints) -> Ints:
        """Return the last edge that is not after each time."""
        slot = np.full_like(time, FIRST)
        for period, phase in self.periods:
            np.maximum(slot, time - (time - phase) % period, out=slot)
        for edge in self.single:
            np.maximum(slot, np.where(time >= edge, edge, FIRST), out=slot)
        return slot

    @property
    def unit(self) -> int:
        """What all edges are apart."""
        periods, phases = zip(*(self.periods or ((1, 0),)), strict=True)
        first = (phase - phases[0] for phase in (*phases, *self.single))
        return gcd(*periods, *first)

    def taken(self, store: Store, batch: Batch, parts: Iterable[Part]) -> Store:
        """Return a store with the events of a batch in its slices."""
        if isinstance(batch, Condensed):
            return store.followed(batch.store).ordered().condensed()
        return store.followed(sliced(batch, self.runs(batch), parts)).ordered().condensed()

    def runs(self, batch: Batch) -> Runs:
        """Return the events of a batch by key and slice."""
        slot = self.slots(batch.time)
        order = ordered(batch.key, slot, self.unit)
        key, slot = batch.key[order], slot[order]
        begins = beginnings(key, slot)
        return Runs(order, begins, key[begins], slot[begins])


def sliced(batch: Batch, runs: Runs, parts: Iterable[Part]) -> Store:
    """Return a cell for each run of events."""
    order, lo = runs.order, runs.begins
    time, arrival = batch.time[order], batch.arrival[order]
    count, none = np.diff(lo, append=order.size), np.zeros_like(lo)
    own, mark = (
        np.maximum.reduceat(each[order], lo) if each.any() else none
        for each in (batch.own, batch.mark)
    )
    low, high = np.minimum.reduceat(time, lo), np.maximum.reduceat(time, lo)
    first = np.minimum.reduceat(arrival, lo)
    cells = Cells(runs.key, runs.slot, low, high, count, count, first, own, mark)
    found = dict[Part, Fields]()
    for part in parts:
        lifted = _wide(part, part.lift(batch))
        found[part] = part.runs(tuple(column[order] for column in lifted), lo)
    return Store(cells, found)


def slices(kinds: Iterable[WindowType]) -> Slices:
    """Return the slices that no edge of these windows cuts, no wider than the smallest gap.

    >>> from muntin.spec.windows.data_driven import Session
    >>> from muntin.spec.windows.periodic import Sliding
    >>> slices([Sliding(10, 5), Sliding(3, 15), Session(2)])
    Slices(periods=((2, 0), (5, 0), (15, 3)), single=())
    """
    edges = [traits.slice_edges for traits in map(traits_of, kinds) if traits.slice_edges]
    found = {edge for each in edges for edge in each.periods}
    single = {edge for each in edges for edge in each.single}
    gap = min((each.gap for each in edges), default=inf)
    if gap < min((period for period, _ in found), default=inf):
        found.add((int(gap), 0))
    return Slices(fused(found), tuple(sorted(single)))


def fused(edges: set[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Leave out edges that are among others (query fusion, Algorithm 2 of [Traub20])."""
    kept: list[tuple[int, int]] = []
    periods, phases = np.empty((2, len(edges)), np.int64)
    for period, phase in sorted(edges):
        n = len(kept)
        among = (period % periods[:n] == 0) & ((phase - phases[:n]) % periods[:n] == 0)
        if not among.any():
            kept.append((period, phase))
            periods[n], phases[n] = period, phase
    return tuple(kept)
