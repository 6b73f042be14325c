"""What an operator over columns holds, in terms of the slices of the generic operator.

Each cell becomes a slice with the same bounds, and a partial of the monoid of each aggregate; cells
that hold one time in common become one slice. Windows that were told keep their revisions. What
looks at single events, or counts them, has no such slices. Proof: proofs/scotty.md, O3.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from muntin.kernels.slicing.arrays import FIRST, LAST
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.group import Group
from muntin.kernels.slicing.image import Image
from muntin.kernels.slicing.in_monoids import Standing, standing
from muntin.optimized.scotty.ranks import UNKEPT
from muntin.optimized.scotty.slice import Lifted, Slice
from muntin.optimized.scotty.slice_manager import ORDER
from muntin.optimized.scotty.taking_over import Holding, Kept, Told
from muntin.snapshot import SnapshotError
from muntin.spec.data_driven import Session
from muntin.spec.measure import TIME
from muntin.spec.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.query import Query
from muntin.spec.stream import END, Accepted, Event
from muntin.spec.window import Interval

IN_TIME = (Sliding, Cumulate, Landmark, Band, Session)
"""Types whose slices a time tells."""


def unclocked(time: int) -> float:
    """Return a number of 64 bits as a watermark, limit or end.

    >>> unclocked(LAST), unclocked(FIRST), unclocked(7)
    (inf, -inf, 7)
    """
    return {FIRST: -END, LAST: END}.get(time, time)


def holding(image: Image, groups: Iterable[Group]) -> Holding:
    """Return all that an operator holds; or refuse, and say which query is to blame."""
    keys, generic, clock = image.keys, image.generic, image.clock
    if any(key != key for key in keys):  # noqa: PLR0124 - as NaN does
        raise SnapshotError(
            "columns cannot be taken over where a key is NaN, which is one key there and many"
            " elsewhere; restore into a ColumnarOperator"
        )
    kept = [Handing(group, image.queries, keys).kept() for group in groups]
    latest = generic.latest
    if generic.unknown:
        latest = {key: Event(int(image.seen), UNKEPT, key) for key in keys}
    watermarks = unclocked(clock.watermark), unclocked(clock.reached)
    return Holding(*watermarks, image.seen, image.arrivals, latest, [*image.queries], kept)


class Handing:
    """The queries of a group, to be handed over."""

    def __init__(
        self, group: Group, queries: Mapping[str, Query], keys: Sequence[Hashable]
    ) -> None:
        """Take a group, all queries and the keys in the order of their numbers; or refuse."""
        self._group, self._keys = group, keys
        self._forms = {
            name: form for track in group.tracks.values() for name, form in track.queries.items()
        }
        self._queries = {name: one for name, one in queries.items() if name in self._forms}
        for name, query in self._queries.items():
            kind = query.window
            if not isinstance(kind, IN_TIME) or kind.measure is not TIME:
                raise cannot(name, f"{kind.name} windows over columns look at single events")

    def kept(self) -> Kept:
        """Return what is kept."""
        since, birth = unclocked(self._group.since), self._group.birth
        met = [self._keys[n] for n in np.argsort(birth, kind="stable").tolist() if birth[n] >= 0]
        told = {name: self._told(name) for name in self._queries}
        return Kept(since, [*self._queries.values()], met, self._slices, told)

    def _told(self, name: str) -> dict[Hashable, dict[Interval, Told]]:
        known = next(t.known for t in self._group.tracks.values() if name in t.queries)
        values: list[object] = []
        if name in known.values:
            values = known.values[name].objects().tolist()
        found = dict[Hashable, dict[Interval, Told]]()
        columns = (known.key, known.start, known.end, known.revision)
        for nth, row in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
            key, start, end, revision = row
            told = Told(values[nth] if values else None, revision)
            found.setdefault(self._keys[key], {})[Interval(start, end)] = told
        return found

    def _slices(self, query: Query, *, stored: bool) -> Mapping[Hashable, list[Slice]]:
        """Return slices with partials for a query, with tuples that stand for theirs if stored."""
        group, form = self._group, self._forms[query.id]
        try:
            each = standing(query, form, group.store)
        except SnapshotError as cause:
            raise cannot(query.id, f"{cause}") from cause
        monoid, found = query.aggregate.monoid, dict[Hashable, list[Slice]]()
        for run in runs(group.store.cells, group.since):
            blurred = any(c.events > 1 and s.time is None for c in run for s in each[c.nth])
            if stored and blurred:
                raise cannot(query.id, f"{form.name} was kept as if it were commutative")
            tuples = sorted((t for cell in run for t in _tuples(cell, each[cell.nth])), key=ORDER)
            one = _slice(run, tuples)
            one.partial = monoid.fold([lifted.partial for lifted in tuples])
            one.tuples = tuples if stored else None
            found.setdefault(self._keys[run[0].key], []).append(one)
        return found


class Cell(NamedTuple):
    """A row of cells: its number, its key, and what sessions must know of it."""

    nth: int
    key: int
    low: int
    high: int
    events: int
    arrival: int
    own: int


def runs(cells: Cells, since: int) -> list[list[Cell]]:
    """Return the cells, those together that have a time in common; none begins before `since`."""
    columns = (cells.key, cells.low, cells.high, cells.count, cells.arrival, cells.own)
    found, reach = list[list[Cell]](), 0
    for nth, row in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        key, low, high, count, arrival, own = row
        cell = Cell(nth, key, max(low, since + 1), max(high, since + 1), count, arrival, own)
        if found and found[-1][0].key == key and cell.low <= reach:
            found[-1].append(cell)
            reach = max(reach, cell.high)
        else:
            found.append([cell])
            reach = cell.high
    return found


def _tuples(cell: Cell, each: Iterable[Standing]) -> list[Lifted]:
    """Return what stands for a cell as tuples: they come before all that arrive from now on."""
    times = [(cell.high if time is None else time, partial) for partial, time in each]
    return [Lifted(Accepted(Event(t, None), cell.arrival), partial) for t, partial in times]


def _slice(run: Sequence[Cell], tuples: Sequence[Lifted]) -> Slice:
    """Return the slice of cells that have a time in common, but for its partial."""
    times = [*(cell.high for cell in run), *(one.accepted.event.time for one in tuples)]
    plain = max((cell.high for cell in run if cell.events > 1 or not cell.own), default=-END)
    own = max((cell.low + cell.own for cell in run if cell.own), default=-END)
    return Slice(run[0].low, max(times), plain, own, sum(cell.events for cell in run), None)


def cannot(name: str, why: str) -> SnapshotError:
    """Return the refusal of a query."""
    return SnapshotError(
        f"query {name!r} cannot be taken over from columns: {why}; remove it there before the"
        " snapshot is taken, or restore into a ColumnarOperator"
    )
