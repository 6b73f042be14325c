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

    from muntin.columnar.engine_group import EngineGroup


class PartState(NamedTuple):
    """A partial: its number among those of the queries, its types, a column for each field.

    One that is empty has only seen nulls, so it may get values of any type yet.
    """

    number: int
    types: list[str]
    columns: list[AnyArray]
    is_empty: bool


class EngineState(NamedTuple):
    """The slices, the rows by slice and key, their partials, revisions, and sessions."""

    edges: Ints
    blank: Ints
    slice: Ints
    key: Ints
    count: Ints  # type: ignore[assignment] # of events; no item of this tuple is counted
    parts: list[PartState]
    revisions: list[Ints]
    stores: list[Sessions]
    floats: list[Source]
    huge: list[Source]


def save_engine(group: "EngineGroup") -> EngineState | None:
    """What a group holds, if events came."""
    engine, sources = group.engine, group.sources
    if engine is None or sources is None:
        return None
    arrays, table = engine.directory.arrays, engine.timetable
    needed = group.stored_parts
    live = live_rows(engine)
    live = LiveRows(*(column[np.lexsort((live.key, live.slice))] for column in live))
    revised = arrays[d.REVISION] > 0
    kept = [(needed.index(part), one) for part, one in sources.kept.items() if part in needed]
    return EngineState(
        table.edges if table else np.zeros(0, np.int64),
        table.blank.astype(np.int64) if table else np.zeros(0, np.int64),
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
        sorted(sources.floats, key=repr), sorted(sources.huge, key=repr),
    )  # fmt: skip


def _saved_sessions(store: SessionStore, kept: "Sequence[KeptPart]") -> Sessions:
    sessions = live_sessions(store, [one.part for one in kept])
    columns = zip(kept, sessions.columns, strict=True)
    return sessions._replace(columns=[saved_columns(one, each) for one, each in columns])


def _restored(sources: SourceColumns, kept: KeptPart, columns: list[AnyArray]) -> list[AnyArray]:
    """The columns of a part of what a snapshot has; their types are those of the part."""
    try:
        restored = sources.restored(kept, columns)
    except (MuntinError, TypeError, ValueError, OverflowError) as cause:
        raise corrupt_snapshot(f"`{kept.part}` must have columns of its types") from cause
    if [column.dtype for column in restored] != [i.dtype for i in kept.kernels.identity]:
        raise corrupt_snapshot(f"`{kept.part}` must have columns of its types")
    return restored


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
    engine.set_revisions(state.revisions, 0)
    parts = [part.part for part in kept]
    for store, sessions in zip(group.live_stores, state.stores, strict=True):
        if len(sessions.columns) != len(kept):
            raise corrupt_snapshot(f"`sessions.columns` must be of {len(kept)} partials")
        each = zip(kept, sessions.columns, strict=True)
        restored = sessions._replace(columns=[_restored(sources, *pair) for pair in each])
        ensure(check_columns(store, restored, parts))
        lay_sessions(store, restored, parts)
    summed = [part for part in engine.parts if part.kernels.degree]
    for nth, part in enumerate(summed):
        floats(engine.directory, d.SUM_BOUND)[nth] = live_bound(engine, part)


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
    numbers = [one.number for one in state.parts]
    most = len(group.stored_parts)
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


def _blanks_fit(engine: ColumnarEngine, state: EngineState) -> bool:
    """Whether no edge lies inside a slice that is not blank."""
    if engine.timetable is None:
        return True
    full = state.blank == 0
    low, high = state.edges[:-1][full], state.edges[1:][full]
    return all(
        bool((low + 1 + (phase - low - 1) % period >= high).all())
        for period, phase in engine.timetable.periods
    )
