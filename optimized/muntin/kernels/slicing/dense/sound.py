"""Checks of restored dense slices; muntin.kernels.slicing.sound says why."""

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
from muntin.kernels.slicing.sound import (
    Facts,
    integer_within,
    is_row,
    of_birth,
    of_clock,
    of_known,
    row_of,
    values_within,
    whole,
)
from muntin.kernels.slicing.track import Track
from muntin.snapshot.errors import corrupt_snapshot
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.window import WindowType

T = TypeVar("T")


def of_dense(
    state: Mapping[str, object], tracks: Mapping[WindowType, Track], timeline: Timeline, keys: int
) -> Facts:
    """Checks of the state of a group with these trackers and this timeline."""
    parts = {p for track in tracks.values() for form in track.queries.values() for p in form.parts}
    types = sum(isinstance(kind, Sliding) for kind in tracks)
    birth, key = _typed(state, "birth", np.ndarray), _typed(state, "_key", int)
    held = state["_slices"]
    yield integer_within("since", state["since"], FIRST, LAST)
    yield from of_birth(birth, keys)
    yield from of_clock(_typed(state, "_clock", Clock))
    yield from of_known(_typed(state, "_known", Known), keys * types)
    for track in tracks.values():
        yield from of_known(track.known, keys)
    _typed(state, "_terms", dict)
    if not isinstance(held, DenseSlices):
        yield f"`_key` must be -1 without slices, found {key}", held is None and key == -1
        return
    yield integer_within("_key", key, 0, min(keys, birth.size) - 1)
    yield f"`birth` must have the arrival of key {key}, found {birth[key]}", birth[key] >= 0
    timed = any(isinstance(kind, Session) for kind in tracks)
    yield f"`timed` must be {timed}, found {held.timed!r:.80}", held.timed == timed
    yield from _of_timeline(held.timeline, timeline)
    yield from _of_slices(held, parts)


def _typed(state: Mapping[str, object], name: str, kind: type[T]) -> T:
    value = state[name]
    if not isinstance(value, kind):
        raise corrupt_snapshot(f"`{name}` must be a {kind.__name__}, found {value!r:.80}")
    return value


def _of_timeline(line: Timeline, fresh: Timeline) -> Facts:
    n = line.n
    yield row_of("edges", line.edges)
    yield values_within("edges", line.edges, FIRST + 1, LAST)
    for name in ("unit", "step", "reach", "shift"):
        found, expected = getattr(line, name), getattr(fresh, name)
        yield f"`{name}` must be {expected} by the queries, found {found!r:.80}", found == expected
    for name in ("periods", "phases"):
        mine, theirs = getattr(line, name), getattr(fresh, name)
        yield (
            f"`{name}` must be {theirs.tolist()} by the queries, found {mine.tolist()!r:.80}",
            is_row(mine) and np.array_equal(mine, theirs),
        )
    yield integer_within("n", n, 0, MOST)
    yield (
        f"`edges` must have at least {n + 2} values for {n} slices, found {line.edges.size}",
        line.edges.size >= n + 2,
    )
    edges = line.edges[: n + 1]
    yield "`edges` must be strictly increasing", (np.diff(edges) > 0).all()
    after = line.edges[n + 1 :]
    yield (
        f"`edges` must be below {LAST} to {n}, found {edges[n]}, equal after, found {after.min()}",
        edges[n] < LAST and (after == LAST).all(),
    )
    yield (
        f"`origin` must be the first edge {edges[0]}, found {line.origin!r:.80}",
        line.origin == edges[0],
    )
    yield "`edges` must be the slice edges of the queries", _are_all(edges, line)
    yield from _of_table(line, edges)


def _of_table(line: Timeline, edges: Ints) -> Facts:
    last = (line.end - line.origin) >> line.shift
    yield row_of("table", line.table, np.uint32)
    yield (
        f"`table` must have at least {last + 2} values, found {line.table.size}",
        last + 2 <= line.table.size,
    )
    begins = line.origin + (np.arange(last + 1) << line.shift)
    slices = np.searchsorted(edges, begins, "right") - 1
    yield (
        "`table` must map times to their slices",
        np.array_equal(line.table[: last + 1], slices) or line.n == 0,
    )


def _are_all(edges: Ints, line: Timeline) -> bool:
    """Whether the edges are exactly the multiples of all periods in their range."""
    on = np.zeros(edges.size, np.bool_)
    for period, phase in zip(line.periods.tolist(), line.phases.tolist(), strict=True):
        mine = (edges - phase) % period == 0
        on |= mine
        first = int(edges[0]) + (phase - int(edges[0])) % period
        due = max(0, (int(edges[-1]) - first) // period + 1)
        if np.count_nonzero(mine) != due:
            return False
    return bool(on.all())


def _of_slices(held: DenseSlices, parts: AbstractSet[Part]) -> Facts:
    n, size = held.n, held.size
    yield (
        f"`size` must be a power of two within {n + 1} to {2 * MOST}, found {size!r:.80}",
        whole(size, n + 1, 2 * MOST) and size & (size - 1) == 0,
    )
    for name, length in (("counts", COPIES * size), ("told", size)):
        yield row_of(name, getattr(held, name), size=length)
    for name in ("sums", "fresh"):
        yield row_of(name, getattr(held, name), size=size + 1)
    timed = COPIES * size if held.timed else COPIES
    for name in ("low", "high"):
        yield row_of(name, getattr(held, name), size=timed)
    yield values_within("counts", held.counts, 0, LAST)
    yield f"`counts` must be 0 after slice {n}", not held.counts[COPIES * n :].any()
    yield integer_within("sealed", held.sealed, 0, n)
    sums = held.sums[: held.sealed + 1]
    yield "`sums` must be prefix sums from 0", sums[0] == 0 and (np.diff(sums) >= 0).all()
    tables = held.tables
    yield "`plain` must hold counts only", all(isinstance(part, Count) for part in held.plain)
    yield "`tables` must have the partials of the queries", tables.keys() | held.plain == parts
    for part, table in tables.items():
        yield (
            f"the table of `{part}` must fit it and {size} slices",
            table.part == part and _fits(table, size),
        )


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
