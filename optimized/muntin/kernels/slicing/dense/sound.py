"""Facts about dense slices that a snapshot holds: muntin.kernels.slicing.sound says why."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import TypeVar

import numpy as np

from muntin.kernels.slicing.arrays import FIRST, LAST, Ints
from muntin.kernels.slicing.dense.slices import DenseSlices
from muntin.kernels.slicing.dense.tables import COPIES, Table, table_of
from muntin.kernels.slicing.dense.timeline import MOST, Timeline
from muntin.kernels.slicing.known import Known
from muntin.kernels.slicing.moment import Clock
from muntin.kernels.slicing.parts import Count, Part
from muntin.kernels.slicing.sound import Facts, is_row, of_birth, of_clock, of_known, whole, within
from muntin.kernels.slicing.track import Track
from muntin.snapshot import SnapshotError
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.window import WindowType

T = TypeVar("T")


def of_dense(
    state: Mapping[str, object], tracks: Mapping[WindowType, Track], timeline: Timeline, keys: int
) -> Facts:
    """Yield the facts about the state of a group that has these tracks, and such a time line."""
    parts = {p for track in tracks.values() for form in track.queries.values() for p in form.parts}
    types = sum(isinstance(kind, Sliding) for kind in tracks)
    birth, held, key = (
        _typed(state, "birth", np.ndarray),
        state["_slices"],
        _typed(state, "_key", int),
    )
    yield "its queries see what is younger than a time", whole(state["since"], FIRST, LAST)
    yield from of_birth(birth, keys)
    yield from of_clock(_typed(state, "_clock", Clock))
    yield from of_known(_typed(state, "_known", Known), keys * types)
    for track in tracks.values():
        yield from of_known(track.known, keys)
    _typed(state, "_terms", dict)
    if not isinstance(held, DenseSlices):
        yield "without slices there is no key", held is None and key == -1
        return
    yield "slices are of a key", whole(key, 0, min(keys, birth.size) - 1)
    yield "the key was born", birth[key] >= 0
    yield "times are kept for sessions", held.timed == any(isinstance(k, Session) for k in tracks)
    yield from _of_timeline(held.timeline, timeline)
    yield from _of_slices(held, parts)


def _typed(state: Mapping[str, object], name: str, kind: type[T]) -> T:
    found = state[name]
    if not isinstance(found, kind):
        raise SnapshotError(f"the snapshot is damaged: {name} is {found!r}")
    return found


def _of_timeline(line: Timeline, fresh: Timeline) -> Facts:
    n = line.n
    yield "edges are times", is_row(line.edges) and within(line.edges, FIRST + 1, LAST)
    for name in ("unit", "step", "reach", "shift"):
        yield f"the {name} is that of the queries", getattr(line, name) == getattr(fresh, name)
    for name in ("periods", "phases"):
        mine, theirs = getattr(line, name), getattr(fresh, name)
        yield f"the {name} are those of the queries", is_row(mine) and np.array_equal(mine, theirs)
    yield "slices have a number", whole(n, 0, MOST)
    yield "there is an edge more, and what ends them", line.edges.size >= n + 2
    edges = line.edges[: n + 1]
    yield "edges rise", (np.diff(edges) > 0).all()
    yield "they end before time does", edges[n] < LAST and (line.edges[n + 1 :] == LAST).all()
    yield "the table begins with them", line.origin == edges[0]
    yield "they are those of the queries", _are_all(edges, line)
    last = (line.end - line.origin) >> line.shift
    yield "the table has room", is_row(line.table, np.uint32) and last + 2 <= line.table.size
    begins = line.origin + (np.arange(last + 1) << line.shift)
    slices = np.searchsorted(edges, begins, "right") - 1
    yield "the table tells slices", np.array_equal(line.table[: last + 1], slices) or n == 0


def _are_all(edges: Ints, line: Timeline) -> bool:
    """Whether edges lie where some period says, and wherever one says."""
    on = np.zeros(edges.size, np.bool_)
    for period, phase in zip(line.periods.tolist(), line.phases.tolist(), strict=True):
        mine = (edges - phase) % period == 0
        on |= mine
        here = edges[mine]
        first = int(edges[0]) + (phase - int(edges[0])) % period
        due = max(0, (int(edges[-1]) - first) // period + 1)
        if here.size != due:
            return False
    return bool(on.all())


def _of_slices(held: DenseSlices, parts: AbstractSet[Part]) -> Facts:
    n, size = held.n, held.size
    yield "there is room for slices", whole(size, n + 1, 2 * MOST) and size & (size - 1) == 0
    for name, length in (("counts", COPIES * size), ("told", size)):
        yield f"{name} is a row of each slice", is_row(getattr(held, name), size=length)
    for name in ("sums", "fresh"):
        yield f"{name} is a row of each slice", is_row(getattr(held, name), size=size + 1)
    timed = COPIES * size if held.timed else COPIES
    for name in ("low", "high"):
        yield f"{name} is a row", is_row(getattr(held, name), size=timed)
    yield "events are counted", within(held.counts, 0, LAST)
    yield "in slices that are there", not held.counts[COPIES * n :].any()
    yield "what is sealed is there", whole(held.sealed, 0, n)
    sums = held.sums[: held.sealed + 1]
    yield "what is sealed adds up", sums[0] == 0 and (np.diff(sums) >= 0).all()
    tables = held.tables
    yield "what counts all is asked", all(isinstance(part, Count) for part in held.plain)
    yield "all that is asked is kept", tables.keys() | held.plain == parts
    for part, table in tables.items():
        yield f"{part} has its table", table.part == part and _fits(table, size)


def _fits(table: Table, size: int) -> bool:
    dtype = table.identity.dtype
    kinds = {kind for kind, *_ in dtype.fields.values()} if dtype.fields else {dtype}
    if not kinds <= {np.dtype(np.int64), np.dtype(np.float64)}:
        return False
    made = table_of(table.part, dtype)
    return (
        type(table) is type(made)
        and (dtype, table.identity.tobytes()) == (made.identity.dtype, made.identity.tobytes())
        and table.size == size
        and is_row(table.copies, dtype, made.copied * size)
        and is_row(table.folds, dtype, 2 * size)
    )
