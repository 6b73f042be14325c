"""Memory that is given back between steps: keys that nothing names, and room that nothing fills.

A step asks for it after as many events as the state has room for, so that it costs an event no more
than a constant.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.cells import fill_key_table, release_index
from muntin.columnar.engine.directory import FAR, Directory
from muntin.columnar.engine.emission import CHUNK, flush
from muntin.columnar.engine.kernel_language import (
    UNLINKED,
    Ints,
    Phase,
    inlined,
    ints,
    lacks,
    linked,
    outlined,
)
from muntin.columnar.engine.layout import (
    LiveRows,
    best_layout,
    lay_rows,
    live_rows,
    set_layout,
)
from muntin.columnar.engine.partials.promotion import compact_logs
from muntin.columnar.engine.records.compaction import compact_records, renumber_records
from muntin.columnar.engine.sessions.compaction import compact_store, renumber_sessions
from muntin.columnar.engine.timeline import slice_at
from muntin.columnar.engine.timetable import Timetable
from muntin.columnar.engine.windows import find_horizon, horizon_of, is_endless

if TYPE_CHECKING:
    from muntin.columnar.engine.engine import ColumnarEngine

LEAST_KEYS = 1024
"""Up to this number keys keep their numbers, whether something names them or not."""
LEAST_ROOM = 4096
"""Rows of an array that is never made smaller."""
LEAST_WORK = 1 << 14
"""Events between two looks at what is in use, at least."""
STEP_WORK = 16
"""The events that a step counts for."""
SPARE = 4
"""An array is made smaller, and keys are numbered anew, if less than one in four is in use."""
KEY_MASK = (1 << 32) - 1
LEAST_SEALED = 4
"""Slices that are sealed between two releases of rows, at least."""

fill_keys = Phase(fill_key_table)


def horizon_for(engine: "ColumnarEngine") -> int:
    """The time before which only landmarks need anything."""
    limit = int(engine.scalars[d.LIMIT])
    find_horizon(engine.directory, min(limit, FAR // 2))
    return min(int(engine.scalars[d.NEED]), limit)


def drop_slices(engine: "ColumnarEngine") -> None:
    """Forget slices that no window needs, if they are as many as the others."""
    scalars, table, keep = engine.scalars, engine.timetable, engine.release_rows()
    if table is not None and engine.reach.landmarks:
        fold_slices(engine, table)
    elif table is not None and keep >= 2 and 2 * keep >= int(scalars[d.SLICES]):  # noqa: PLR2004 - two become one
        kept = np.concatenate([[0], np.arange(keep, table.blank.size)])
        table.drop(keep)
        scalars[d.RELEASED] = 0
        engine.lay_edges(kept)
        scalars[d.PREFIXED] = 0


def fold_slices(engine: "ColumnarEngine", table: Timetable) -> None:
    """Make one slice of those from a landmark to the next that no other window needs.

    This costs a pass over all rows, and comes after as many slices as there are.
    """
    scalars = engine.scalars
    if int(scalars[d.LIMIT]) <= -FAR:
        return
    uncut = np.setdiff1d(engine.reach.landmarks, table.edges)  # such a slice is blank
    origin = table.cut(uncut)
    if origin is not None:
        engine.lay_edges(origin)
    before = int(np.searchsorted(table.edges, horizon_for(engine), "right")) - 1
    keep = min(before, int(scalars[d.SEALED]))
    starts = (np.searchsorted(table.edges, engine.reach.landmarks, "right") - 1).tolist()
    heads: Ints = np.unique([0, *(at for at in starts if at < keep)])
    if 2 * (keep - heads.size) < int(scalars[d.SLICES]):
        return
    heads = np.append(heads, np.arange(keep, table.blank.size))
    live = live_rows(engine)
    live = live._replace(slice=np.searchsorted(heads, live.slice, "right") - 1)
    live = LiveRows(*(column[np.lexsort((live.key, live.slice))] for column in live))
    used = np.zeros(heads.size, np.bool_)
    used[live.slice] = True
    engine.move_dirty(np.searchsorted(heads, np.arange(table.blank.size), "right") - 1)
    table.fold(heads, used)
    scalars[d.RELEASED] = 0
    engine.lay_edges()
    set_layout(engine, best_layout(engine), live)


@inlined
def needed_from(t: Directory) -> int:
    """The time before which no window that is not final begins."""
    scalars, q = ints(t, d.SCALARS), ints(t, d.QUERIES)
    limit = min(scalars[d.LIMIT], d.FAR // 2)
    least: int = min(limit, horizon_of(t, limit))
    for query in range(scalars[d.QUERY_COUNT]):
        at = query * d.Q_FIELDS
        if is_endless(q, at):
            least = min(least, q[at + d.Q_ORIGIN] + q[at + d.Q_OPENS])
    return least


@inlined
def empty_rows(t: Directory, first: int, n: int) -> None:
    """Empty rows that lie together."""
    scalars = ints(t, d.SCALARS)
    counts, froms, tos = ints(t, d.ROW_COUNT), ints(t, d.COPY_FROM), ints(t, d.COPY_TO)
    for begin in range(first, first + n, CHUNK):
        size = min(CHUNK, first + n - begin)
        if scalars[d.COPIES] + size > len(froms):
            flush(t, d.P_CELLS, d.P_CELLS, False)
        at = scalars[d.COPIES]
        for i in range(size):
            counts[begin + i], froms[at + i], tos[at + i] = 0, 0, begin + i
        scalars[d.COPIES] = at + size


@outlined
def release_slice(t: Directory, s: int) -> int:
    """Give back the rows of a slice, emptied."""
    scalars, next_unit = ints(t, d.SCALARS), ints(t, d.NEXT_UNIT)
    bits, width = ints(t, d.INDEX_BITS), scalars[d.UNIT_ROWS]
    unit, left = ints(t, d.UNIT)[s], width
    if scalars[d.LAYOUT] != d.LANES:
        dense = scalars[d.LAYOUT] == d.DENSE
        left = scalars[d.KEY_COUNT] if dense else ints(t, d.CELLS)[s]
    if bits[s]:
        release_index(ints(t, d.INDEX), ints(t, d.FREE_INDEX), ints(t, d.INDEX_AT)[s], bits[s])
    bits[s] = ints(t, d.CELLS)[s] = ints(t, d.UNIT)[s] = 0
    while unit:
        empty_rows(t, unit * width, min(width, left))
        following, next_unit[unit] = next_unit[unit], scalars[d.FREE_UNIT]
        scalars[d.FREE_UNIT] = unit
        scalars[d.FREE_UNITS] += 1
        unit, left = following, left - width
    return 0


@linked(d.RELEASE_SLICES)
def release_slices(t: Directory) -> int:
    """Give back the rows of slices that no window needs; how many such slices there are."""
    scalars = ints(t, d.SCALARS)
    if scalars[d.LIMIT] <= -d.FAR:
        return 0
    edges, lookup, slices = ints(t, d.EDGES), ints(t, d.LOOKUP), scalars[d.SLICES]
    origin, shift = scalars[d.LOOKUP_ORIGIN], scalars[d.LOOKUP_SHIFT]
    keep: int = slice_at(needed_from(t), edges, lookup, origin, shift, slices)
    keep = min(keep, int(scalars[d.SEALED]))
    used = scalars[d.TOP_UNIT] - 1 - scalars[d.FREE_UNITS]
    scalars[d.MOST_UNITS] = max(scalars[d.MOST_UNITS], used)
    for s in range(scalars[d.RELEASED], keep):
        release_slice(t, s)
    flush(t, d.P_CELLS, d.P_CELLS, False)
    scalars[d.RELEASED] = max(keep, scalars[d.RELEASED])
    pause = max(LEAST_SEALED, (scalars[d.SEALED] - keep) >> 1)
    scalars[d.RELEASE_AT] = scalars[d.SEALED] + pause
    return keep


@Phase
def release_rows(t: Directory) -> int:
    """Give back the rows of slices that no window needs, for Python."""
    return UNLINKED if lacks(t, d.RELEASE_SLICES) else release_slices(t)


def live_keys(engine: "ColumnarEngine", keys: int) -> NDArray[np.bool_]:
    """Which numbers of keys rows, sessions or revisions have."""
    live, arrays, scalars = np.zeros(keys, np.bool_), engine.directory.arrays, engine.scalars
    if engine.timetable:
        engine.release_rows()
        live[live_rows(engine).key] = True
    for store in engine.stores:
        live |= store.has_session(keys)
    if engine.records:
        live |= engine.records.has_rows(keys)
    revised = (arrays[d.REVISION] > 0) & (arrays[d.REVISION_END] > scalars[d.LIMIT])
    names: Ints = arrays[d.REVISION_KEY][revised].astype(np.int64)
    live[names & KEY_MASK] = True
    return live


def renumber_keys(engine: "ColumnarEngine", kept: Ints) -> None:
    """Number the keys anew that have these numbers; no other number is in use."""
    arrays, scalars, directory = engine.directory.arrays, engine.scalars, engine.directory
    numbers: Ints = np.zeros(int(kept.max(initial=-1)) + 1, np.int64)
    numbers[kept] = np.arange(kept.size)
    key_of = arrays[d.KEY_OF].astype(np.int64, copy=False)
    scalars[d.KEY_COUNT] = kept.size
    if engine.timetable:
        live = live_rows(engine)
        old = [[arrays[place] for place in part.cells] for part in engine.parts]
        moved = live._replace(key=numbers[live.key])
        lay_rows(engine, best_layout(engine), moved, arrays[d.ROW_COUNT], old)
    for store in engine.stores:
        renumber_sessions(store, numbers)
    if engine.records:
        renumber_records(engine.records, numbers, kept, int(scalars[d.LIMIT]))
    _renumber_revisions(engine, numbers)
    dirty = arrays[d.DIRTY_CELL_KEY][: int(scalars[d.DIRTY_CELLS])]
    dirty[:] = np.append(numbers, np.zeros(int(dirty.max(initial=0)) + 1, np.int64))[dirty]
    directory.put(d.OUT_ROW, np.zeros(max(64, 1 << kept.size.bit_length()), np.int64))
    hashed = scalars[d.KEYING] == d.HASHED
    room = 2 * kept.size + 256 + int(scalars[d.N]) if hashed else 0
    bits = max(9, (3 * room // 2).bit_length())
    scalars[d.KEY_BITS] = bits
    directory.put(d.KEY_TABLE, np.zeros(2 << bits, np.int64))
    directory.put(d.KEY_OF, np.zeros(1 << bits, np.int64))  # results have the old one
    if hashed:
        directory.arrays[d.KEY_OF][: kept.size] = key_of[kept]
        fill_keys(directory, 0)
    engine.numberings += 1


def _renumber_revisions(engine: "ColumnarEngine", numbers: Ints) -> None:
    arrays, scalars = engine.directory.arrays, engine.scalars
    live = (arrays[d.REVISION] > 0) & (arrays[d.REVISION_END] > scalars[d.LIMIT])
    ends, names, revisions = (
        arrays[place][live].astype(np.int64)
        for place in (d.REVISION_END, d.REVISION_KEY, d.REVISION)
    )
    names = names & ~KEY_MASK | numbers[names & KEY_MASK]
    engine.set_revisions([ends, names, revisions], 0)


def give_back(engine: "ColumnarEngine") -> None:
    """Let keys go and make arrays smaller, if most of them are in no use."""
    scalars, keys = engine.scalars, int(engine.scalars[d.KEY_COUNT])
    kept = None
    if scalars[d.KEYING] == d.HASHED and keys > max(LEAST_KEYS, SPARE * engine.kept_keys):
        kept = np.flatnonzero(live_keys(engine, keys))
        engine.kept_keys = kept.size
    else:
        engine.kept_keys = 0  # so that a burst is noticed once it is over
    if kept is not None and SPARE * kept.size < keys:
        renumber_keys(engine, kept)
    else:
        _give_rows_back(engine)
    _give_results_back(engine)
    logged = compact_logs(engine)
    room = [engine.directory.arrays[place].size for place in (d.ROW_COUNT, d.REVISION)]
    room += [logged, *(store.room for store in engine.stores)]
    room += [engine.records.room] if engine.records else []
    scalars[d.WORK] = 0
    used = int(scalars[d.KEY_COUNT]) + sum(room)
    scalars[d.WORK_LIMIT] = max(LEAST_WORK, used, SPARE * int(scalars[d.N]))


def _give_rows_back(engine: "ColumnarEngine") -> None:
    scalars, arrays = engine.scalars, engine.directory.arrays
    if engine.timetable:
        engine.release_rows()
        rows = arrays[d.ROW_COUNT].size
        used = int(scalars[d.MOST_UNITS] * scalars[d.UNIT_ROWS])
        scalars[d.MOST_UNITS] = 0
        index = SPARE * (16 * used + LEAST_ROOM)
        wide = scalars[d.LAYOUT] == d.SPARSE and arrays[d.INDEX].size > index
        if wide or rows > max(LEAST_ROOM, SPARE * used):
            set_layout(engine, best_layout(engine))
    for store in engine.stores:
        if store.room > max(LEAST_ROOM, SPARE * (store.live + int(scalars[d.N]))):
            compact_store(store)
    records = engine.records
    if records and records.room > max(LEAST_ROOM, SPARE * records.take_most_rows()):
        compact_records(records, int(scalars[d.LIMIT]))
    if arrays[d.REVISION].size > max(LEAST_ROOM, 64 * int(scalars[d.REVISIONS])):
        engine.purge_revisions(0)


def _give_results_back(engine: "ColumnarEngine") -> None:
    """Make the room for results smaller; those of the last step are their holder's."""
    directory, used = engine.directory, int(engine.scalars[d.MOST_OUT])
    engine.scalars[d.MOST_OUT] = 0
    if directory.arrays[d.OUT_KEY].size <= max(LEAST_ROOM, SPARE * used):
        return
    for place in (d.OUT_KEY, d.OUT_COUNT, d.OUT_REVISION):
        directory.put(place, np.zeros(LEAST_ROOM, np.int64))
    for part in engine.parts:
        part.empty_columns(directory, part.out, LEAST_ROOM)
    if directory.arrays[d.SESSION_ROWS].size > LEAST_ROOM * d.R_FIELDS:
        directory.put(d.SESSION_ROWS, np.zeros(LEAST_ROOM * d.R_FIELDS, np.int64))
