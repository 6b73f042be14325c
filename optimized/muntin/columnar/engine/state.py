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
from muntin.columnar.engine.partials.promotion import live_bound
from muntin.columnar.engine.records.compaction import (
    Records,
    lay_records,
    live_records,
    renumber_queries,
)
from muntin.columnar.engine.records.layout import RECORD_NUMBERS
from muntin.columnar.engine.records.state import check_record_columns, check_records
from muntin.columnar.engine.sessions.compaction import Sessions, lay_sessions, live_sessions
from muntin.columnar.engine.sessions.state import check_columns, check_sessions
from muntin.kernels.slicing.choice import Choice
from muntin.kernels.slicing.moment import Clock
from muntin.kernels.slicing.parts import Max, Min, Part
from muntin.kernels.slicing.sound import Facts, ensure, row_of, values_within
from muntin.snapshot.errors import corrupt_snapshot
from muntin.spec.algebra.values import sort_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from muntin.columnar.engine_group import EngineGroup


class PartState(NamedTuple):
    """A partial: its number among those of the queries, its types, a column for each field."""

    number: int
    types: list[str]
    columns: list[AnyArray]


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


def save_engine(group: "EngineGroup") -> EngineState | None:
    """What a group holds, if events came."""
    engine, sources = group.engine, group.sources
    if engine is None or sources is None:
        return None
    arrays, table = engine.directory.arrays, engine.timetable
    needed = group.parts
    live = live_rows(engine)
    live = LiveRows(*(column[np.lexsort((live.key, live.slice))] for column in live))
    revised = arrays[d.REVISION] > 0
    kept = [(needed.index(part), one) for part, one in sources.kept.items() if part in needed]
    return EngineState(
        table.edges if table else np.zeros(0, np.int64),
        table.blank.astype(np.int64) if table else np.zeros(0, np.int64),
        live.slice, live.key, arrays[d.ROW_COUNT][live.row],
        [
            PartState(number, [*one.types], [arrays[place][live.row] for place in one.cells])
            for number, one in kept
        ],
        [arrays[place][revised] for place in REVISION_ARRAYS],
        [live_sessions(store, [one.part for _, one in kept]) for store in group.live_stores],
        _save_records(group, [one.part for _, one in kept]),
    )  # fmt: skip


def _save_records(group: "EngineGroup", parts: "Sequence[Part]") -> Records | None:
    """The records of a group; its queries are numbered in their order, as a new group does."""
    engine = group.engine
    if engine is None or engine.records is None or not group.records:
        return None
    held = live_records(engine.records, parts, int(engine.scalars[d.LIMIT]))
    numbers = [number - RECORD_NUMBERS for number in group.records.values()]
    return renumber_queries(held, numbers)


def load_engine(group: "EngineGroup", state: EngineState, clock: Clock, keys: int) -> None:
    """Go on from a state."""
    engine, sources = group.start(clock)
    ensure(_of_state(group, engine, state, keys))
    engine.scalars[d.KEY_COUNT] = max(keys, 1)
    engine.directory.grow(d.OUT_ROW, 1 << max(keys, 1).bit_length())
    kept = [sources.restore(group.parts[one.number], tuple(one.types)) for one in state.parts]  # type: ignore[arg-type] # checked
    for one, part in zip(state.parts, kept, strict=True):
        if [column.dtype for column in one.columns] != [i.dtype for i in part.kernels.identity]:
            raise corrupt_snapshot(f"`{part.part}` must have columns of its types")
        if isinstance(part.part, Min | Max | Choice):
            some = [value for value in one.columns[0].tolist() if value is not None]
            part.order = sort_key(some[0])[0] if some else None
    if engine.timetable:
        engine.timetable.edges, engine.timetable.blank = state.edges, state.blank.astype(np.bool_)
        engine.lay_edges()
        live = LiveRows(state.slice, state.key, np.arange(state.slice.size))
        columns: list[Sequence[AnyArray]] = [
            next(one.columns for one, part in zip(state.parts, kept, strict=True) if part is held)
            for held in engine.parts
        ]
        lanes = keys <= 1 and not state.key.any()
        lay_rows(engine, d.LANES if lanes else best_layout(engine), live, state.count, columns)
    engine.set_revisions(state.revisions, 0)
    parts = [part.part for part in kept]
    for store, held in zip(group.live_stores, state.stores, strict=True):
        ensure(check_columns(store, held, parts))
        lay_sessions(store, held, parts)
    if engine.records and state.records:
        ensure(check_record_columns(engine.records, state.records, parts))
        lay_records(engine.records, state.records, parts)
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
    known = all(type(number) is int and 0 <= number < len(group.parts) for number in numbers)
    yield "`parts` must be those of the queries", known and len({*numbers}) == len(numbers)
    for one in state.parts:
        yield "`types` must be names of types", all(kind in DTYPES for kind in one.types)
        for column in one.columns:
            yield f"`parts` must have {n} rows, found {column.shape}", column.shape == (n,)
    yield "`revisions` must be three columns", len(state.revisions) == len(REVISION_ARRAYS)
    for column in state.revisions:
        yield row_of("revisions", column, size=state.revisions[0].size)
    yield values_within("revisions", state.revisions[-1], 1, FAR)
    yield "`stores` must be one for each gap", len(state.stores) == len(group.live_stores)
    for store, held in zip(group.live_stores, state.stores, strict=True):
        yield from check_sessions(store, held, keys)
    is_held = (state.records is None) == (engine.records is None)
    yield "`records` must be those of windows over rows", is_held
    if engine.records and state.records:
        yield from check_records(engine.records, state.records, keys)


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
