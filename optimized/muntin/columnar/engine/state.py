"""The state of an engine as a snapshot has it, and the checks of one that comes from outside.

Rows are written by slice and key: their layout, hash indexes, prefixes and trees are made anew.
Kernels read wherever an index points, so whatever they index by is checked first.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import FAR, AnyArray
from muntin.columnar.engine.engine import REVISION_ARRAYS, ColumnarEngine
from muntin.columnar.engine.kernel_language import Ints, floats
from muntin.columnar.engine.layout import LiveRows, best_layout, lay_rows, live_rows
from muntin.columnar.engine.partials.kernels import DTYPES
from muntin.columnar.engine.partials.part_table import KeptPart
from muntin.columnar.engine.partials.promotion import live_bound
from muntin.columnar.engine.partials.sources import SourceColumns
from muntin.columnar.engine.partials.values.saved_columns import saved_columns
from muntin.columnar.engine.records.compaction import (
    Records,
    lay_records,
    live_records,
    renumber_queries,
)
from muntin.columnar.engine.records.layout import RECORD_NUMBERS
from muntin.columnar.engine.records.state import check_record_columns, check_records
from muntin.columnar.engine.release import horizon_for
from muntin.columnar.engine.sessions.compaction import Sessions, lay_sessions, live_sessions
from muntin.columnar.engine.sessions.state import check_columns, check_sessions
from muntin.columnar.engine.sessions.store import SessionStore
from muntin.kernels.slicing.batch import Source
from muntin.kernels.slicing.moment import Clock
from muntin.kernels.slicing.sound import Facts, ensure, row_of, values_within
from muntin.snapshot.errors import corrupt_snapshot
from muntin.spec.errors import MuntinError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from muntin.columnar.engine.partials.part_table import KeptPart
    from muntin.columnar.engine_group import EngineGroup


class PartState(NamedTuple):
    """A partial: its number among those of the queries, its types, a column for each field.

    One that is empty has only seen nulls, so it may get values of any type yet.
    """

    number: int
    types: list[str]
    columns: list[AnyArray]
    is_empty: bool


class Dirty(NamedTuple):
    """Events of windows whose update waits: slice, key, and partials if only these are emitted."""

    slice: Ints
    key: Ints
    columns: list[list[AnyArray]]


class EngineState(NamedTuple):
    """The slices, the rows by slice and key, their partials, revisions, sessions and records."""

    edges: Ints
    blank: Ints
    slice: Ints
    key: Ints
    count: Ints  # type: ignore[assignment] # of events; no item of this tuple is counted
    parts: list[PartState]
    revisions: list[Ints]
    stores: list[Sessions]
    records: Records | None
    floats: list[Source]
    huge: list[Source]
    dirty: Dirty


def save_engine(group: "EngineGroup") -> EngineState | None:
    """What a group holds, if events came."""
    engine, sources = group.engine, group.sources
    if engine is None or sources is None:
        return None
    arrays, table = engine.directory.arrays, engine.timetable
    engine.release_rows()  # steps do it now and then
    needed = group.stored_parts
    live = live_rows(engine)
    live = LiveRows(*(column[np.lexsort((live.key, live.slice))] for column in live))
    revised = arrays[d.REVISION] > 0
    kept = [(needed.index(part), one) for part, one in sources.kept.items() if part in needed]
    return EngineState(
        table.edges if table else np.zeros(0, np.int64),
        _blank(engine, live.slice),
        live.slice, live.key, arrays[d.ROW_COUNT][live.row],
        [
            PartState(
                number, [*one.types],
                saved_columns(one, [arrays[p][live.row] for p in one.cells]), one.is_empty,
            )
            for number, one in kept
        ],
        [arrays[place][revised] for place in REVISION_ARRAYS],
        [_saved_sessions(store, [one for _, one in kept]) for store in group.live_stores],
        _saved_records(group, [one for _, one in kept]),
        sorted(sources.floats, key=repr), sorted(sources.huge, key=repr),
        _dirty(engine, [one for _, one in kept]),
    )  # fmt: skip


def _saved_sessions(store: SessionStore, kept: "Sequence[KeptPart]") -> Sessions:
    sessions = live_sessions(store, [one.part for one in kept])
    return sessions._replace(columns=_saved(kept, sessions.columns))


def _saved_records(group: "EngineGroup", kept: "Sequence[KeptPart]") -> Records | None:
    """The records of a group; its queries are numbered in their order, as a new group does."""
    engine = group.engine
    if engine is None or engine.records is None or not group.records:
        return None
    parts = [one.part for one in kept]
    held = live_records(engine.records, parts, int(engine.scalars[d.LIMIT]))
    numbers = [number - RECORD_NUMBERS for number in group.records.values()]
    return renumber_queries(held._replace(columns=_saved(kept, held.columns)), numbers)


def _saved(
    kept: "Sequence[KeptPart]", columns: "Sequence[Sequence[AnyArray]]"
) -> list[list[AnyArray]]:
    pairs = zip(kept, columns, strict=True)
    return [saved_columns(one, each) if each else [] for one, each in pairs]


def _restored_all(
    sources: SourceColumns, kept: "Sequence[KeptPart]", columns: list[list[AnyArray]], name: str
) -> list[list[AnyArray]]:
    if len(columns) != len(kept):
        raise corrupt_snapshot(f"`{name}.columns` must be of {len(kept)} partials")
    pairs = zip(kept, columns, strict=True)
    return [_restored(sources, one, each) if each else [] for one, each in pairs]


def _restored(sources: SourceColumns, kept: "KeptPart", columns: list[AnyArray]) -> list[AnyArray]:
    """The columns of a part of what a snapshot has; their types are those of the part."""
    try:
        restored = sources.restored(kept, columns)
    except (MuntinError, TypeError, ValueError, OverflowError) as cause:
        raise corrupt_snapshot(f"`{kept.part}` must have columns of its types") from cause
    if [column.dtype for column in restored] != [i.dtype for i in kept.kernels.identity]:
        raise corrupt_snapshot(f"`{kept.part}` must have columns of its types")
    return restored


def _blank(engine: ColumnarEngine, used: Ints) -> Ints:
    """Which slices may be cut; also one that was folded, and whose rows were given back."""
    table = engine.timetable
    if table is None:
        return np.zeros(0, np.int64)
    wide = np.diff(table.edges) > table.widest
    wide[used] = False
    return (table.blank | wide).astype(np.int64)


def _dirty(engine: ColumnarEngine, kept: "Sequence[KeptPart]") -> Dirty:
    arrays, s = engine.directory.arrays, engine.scalars
    n, pending = int(s[d.DIRTY_CELLS]), engine.pending.places
    slices, keys = arrays[d.DIRTY_CELL_SLICE][:n].copy(), arrays[d.DIRTY_CELL_KEY][:n].copy()
    if n == 0:
        dirty = arrays[d.DIRTY_SLICE][: int(s[d.DIRTY_SLICES])]
        slices = np.repeat(dirty, arrays[d.FRESH][dirty])
        keys = np.zeros_like(slices)
    columns: list[list[AnyArray]] = [
        [arrays[place][1 : n + 1].copy() for place in pending.get(one.part, [])] for one in kept
    ]
    return Dirty(slices, keys, _saved(kept, columns))


def load_engine(group: "EngineGroup", state: EngineState, clock: Clock, keys: int) -> None:
    """Go on from a state."""
    engine, sources = group.start(clock)
    ensure(_of_state(group, engine, state, keys))
    engine.scalars[d.KEY_COUNT] = max(keys, 1)
    engine.directory.grow(d.OUT_ROW, 1 << max(keys, 1).bit_length())
    parts = group.stored_parts
    kept = [sources.restore(parts[one.number], tuple(one.types)) for one in state.parts]  # type: ignore[arg-type] # checked
    sources.floats, sources.huge = {*state.floats}, {*state.huge}
    columns = dict[int, list[AnyArray]]()
    for one, saved in zip(kept, state.parts, strict=True):
        one.is_empty = saved.is_empty
        columns[id(one)] = _restored(sources, one, saved.columns)
    if engine.timetable:
        engine.timetable.edges, engine.timetable.blank = state.edges, state.blank.astype(np.bool_)
        engine.lay_edges()
        live = LiveRows(state.slice, state.key, np.arange(state.slice.size))
        lanes = keys <= 1 and not state.key.any()
        held = [columns[id(one)] for one in engine.parts]
        lay_rows(engine, d.LANES if lanes else best_layout(engine), live, state.count, held)
        engine.scalars[d.SEEN] = state.edges[int(state.slice.max(initial=0)) + 1]
        dirty = _restored_all(sources, kept, state.dirty.columns, "dirty")
        _put_dirty(engine, state.dirty._replace(columns=dirty), kept)
    engine.set_revisions(state.revisions, 0)
    parts = [part.part for part in kept]
    for store, sessions in zip(group.live_stores, state.stores, strict=True):
        restored = _restored_all(sources, kept, sessions.columns, "sessions")
        ensure(check_columns(store, sessions._replace(columns=restored), parts))
        lay_sessions(store, sessions._replace(columns=restored), parts)
    if engine.records and state.records:
        single = _restored_all(sources, kept, state.records.columns, "records")
        ensure(check_record_columns(engine.records, state.records._replace(columns=single), parts))
        lay_records(engine.records, state.records._replace(columns=single), parts)
    summed = [part for part in engine.parts if part.kernels.degree]
    for nth, part in enumerate(summed):
        floats(engine.directory, d.SUM_BOUND)[nth] = live_bound(engine, part)


def _put_dirty(engine: ColumnarEngine, dirty: Dirty, kept: "Sequence[KeptPart]") -> None:
    s, arrays = engine.scalars, engine.directory.arrays
    slices, fresh = np.unique(dirty.slice, return_counts=True)
    arrays[d.FRESH][slices] = fresh
    arrays[d.DIRTY_SLICE][: slices.size] = slices
    s[d.DIRTY_SLICES] = slices.size
    engine.put_dirty(dirty.slice, dirty.key)
    if s[d.LAYOUT] == d.LANES and s[d.MODE] != d.DISCARDS:
        s[d.DIRTY_CELLS] = 0
    for part, columns in zip(kept, dirty.columns, strict=True):
        places = engine.pending.places.get(part.part, [])
        expected = [(identity.dtype, dirty.slice.shape) for identity in part.kernels.identity]
        if [(column.dtype, column.shape) for column in columns] != expected[: len(places)]:
            raise corrupt_snapshot(
                f"`dirty.columns` of `{part.part}` must have columns of its types"
            )
        for place, column in zip(places, columns, strict=True):
            arrays[place][1 : 1 + column.size] = column


def _of_state(group: "EngineGroup", engine: ColumnarEngine, state: EngineState, keys: int) -> Facts:
    n, slices = state.slice.size, max(state.edges.size - 1, 0)
    if engine.timetable:
        yield row_of("edges", state.edges)
        yield row_of("blank", state.blank, size=slices)
        yield "`edges` must ascend", slices > 0 and bool((np.diff(state.edges) > 0).all())
        yield "`edges` must hold all times", (state.edges[0], state.edges[-1]) == (-FAR, FAR)
        yield values_within("blank", state.blank, 0, 1)
        yield "`blank` must be the slices that may be cut", _blanks_fit(engine, state)
    for name in ("slice", "key", "count"):
        yield row_of(name, getattr(state, name), size=n)
    yield values_within("slice", state.slice, 0, slices - 1)
    yield values_within("key", state.key, 0, keys - 1)
    yield values_within("count", state.count, 1, FAR)
    order = state.slice * np.int64(max(keys, 1)) + state.key
    rises = np.diff(order) > 0 if keys > 1 else np.diff(order) >= 0
    yield "`slice` and `key` must be in order", keys < FAR >> 32 and bool(rises.all())
    yield "`slice` must be none that is blank", not n or not state.blank[state.slice].any()
    yield from _of_dirty(state, slices, keys)
    numbers, most = [one.number for one in state.parts], len(group.stored_parts)
    known = all(type(number) is int and 0 <= number < most for number in numbers)
    yield "`parts` must be those of the queries", known and len({*numbers}) == len(numbers)
    for one in state.parts:
        yield "`types` must be names of types", all(kind in DTYPES for kind in one.types)
        yield "`is_empty` must be a boolean", type(one.is_empty) is bool
        for column in one.columns:
            yield f"`parts` must have {n} rows, found {column.shape}", column.shape == (n,)
    yield "`revisions` must be three columns", len(state.revisions) == len(REVISION_ARRAYS)
    for column in state.revisions:
        yield row_of("revisions", column, size=state.revisions[0].size)
    yield values_within("revisions", state.revisions[-1], 1, FAR)
    read = group.sources.sources if group.sources else set[Source]()
    yield "`floats` and `huge` must be columns", {*state.floats, *state.huge} <= read
    yield "`stores` must be one for each gap", len(state.stores) == len(group.live_stores)
    for store, held in zip(group.live_stores, state.stores, strict=True):
        yield from check_sessions(store, held, keys)
    is_held = (state.records is None) == (engine.records is None)
    yield "`records` must be those of windows over rows", is_held
    if engine.records and state.records:
        yield from check_records(engine.records, state.records, keys)


def _of_dirty(state: EngineState, slices: int, keys: int) -> Facts:
    dirty = state.dirty
    for name, cells, bound in (("slice", dirty.slice, slices), ("key", dirty.key, max(keys, 1))):
        yield row_of(f"dirty.{name}", cells, size=dirty.slice.size)
        yield values_within(f"dirty.{name}", cells, 0, bound - 1)
    columns = len(state.dirty.columns)
    yield f"`dirty` must be of {len(state.parts)} partials", columns == len(state.parts)


def _blanks_fit(engine: ColumnarEngine, state: EngineState) -> bool:
    """Whether no edge lies inside a slice that is not blank, nor folded."""
    table = engine.timetable
    if table is None:
        return True
    folded = state.edges[1:] <= horizon_for(engine)
    folded &= np.isin(np.arange(state.blank.size), state.slice)
    full = (state.blank == 0) & ~folded
    bounds = zip(state.edges[:-1][full].tolist(), state.edges[1:][full].tolist(), strict=True)
    return all(table.needed_edge_after(low) >= high for low, high in bounds)
