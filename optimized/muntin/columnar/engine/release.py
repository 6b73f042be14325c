"""Memory that is given back between steps: keys that nothing names, and room that nothing fills.

A step asks for it after as many events as the state has room for, so that it costs an event no more
than a constant.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.cells import fill_key_table
from muntin.columnar.engine.kernel_language import Ints, Phase
from muntin.columnar.engine.layout import best_layout, lay_rows, live_rows, set_layout
from muntin.columnar.engine.partials.promotion import compact_logs
from muntin.columnar.engine.sessions.compaction import compact_store, renumber_sessions

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
"""An array is made smaller if less than one row in four is in use."""
KEY_MASK = (1 << 32) - 1

fill_keys = Phase(fill_key_table)


def live_keys(engine: "ColumnarEngine", keys: int) -> NDArray[np.bool_]:
    """Which numbers of keys rows, sessions or revisions have."""
    live, arrays, scalars = np.zeros(keys, np.bool_), engine.directory.arrays, engine.scalars
    engine.release_rows()
    if engine.timetable:
        live[live_rows(engine).key] = True
    for store in engine.stores:
        live |= store.has_session(keys)
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
    _renumber_revisions(engine, numbers)
    directory.put(d.OUT_ROW, np.zeros(max(64, 1 << kept.size.bit_length()), np.int64))
    hashed = scalars[d.KEYING] == d.HASHED
    room = 2 * kept.size + 256 if hashed else 0
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
    if scalars[d.KEYING] == d.HASHED and keys > LEAST_KEYS:
        kept = np.flatnonzero(live_keys(engine, keys))
    if kept is not None and 2 * kept.size < keys:
        renumber_keys(engine, kept)
    else:
        _give_rows_back(engine)
    _give_results_back(engine)
    logged = compact_logs(engine)
    room = [engine.directory.arrays[place].size for place in (d.ROW_COUNT, d.REVISION)]
    room += [logged, *(store.room for store in engine.stores)]
    scalars[d.WORK] = 0
    scalars[d.WORK_LIMIT] = max(LEAST_WORK, int(scalars[d.KEY_COUNT]) + sum(room))


def _give_rows_back(engine: "ColumnarEngine") -> None:
    scalars, arrays = engine.scalars, engine.directory.arrays
    if engine.timetable:
        engine.release_rows()
        rows = arrays[d.ROW_COUNT].size
        used = int(scalars[d.TOP_UNIT] - 1 - scalars[d.FREE_UNITS]) * int(scalars[d.UNIT_ROWS])
        index = SPARE * (16 * used + LEAST_ROOM)
        wide = scalars[d.LAYOUT] == d.SPARSE and arrays[d.INDEX].size > index
        if wide or rows > max(LEAST_ROOM, SPARE * used):
            set_layout(engine, best_layout(engine))
    for store in engine.stores:
        if store.room > max(LEAST_ROOM, SPARE * store.live):
            compact_store(store)
    if arrays[d.REVISION].size > max(LEAST_ROOM, 64 * int(scalars[d.REVISIONS])):
        live = arrays[d.REVISION] > 0
        revisions = (arrays[place][live] for place in (d.REVISION_END, d.REVISION_KEY, d.REVISION))
        engine.set_revisions([*revisions], 0)


def _give_results_back(engine: "ColumnarEngine") -> None:
    """Results of the last step are copied, so the room for them is free."""
    directory, used = engine.directory, int(engine.scalars[d.OUT])
    if directory.arrays[d.OUT_KEY].size <= max(LEAST_ROOM, SPARE * used):
        return
    for place in (d.OUT_KEY, d.OUT_COUNT, d.OUT_REVISION):
        directory.put(place, np.zeros(LEAST_ROOM, np.int64))
    for part in engine.parts:
        part.empty_columns(directory, part.out, LEAST_ROOM)
    if directory.arrays[d.SESSION_ROWS].size > LEAST_ROOM * d.R_FIELDS:
        directory.put(d.SESSION_ROWS, np.zeros(LEAST_ROOM * d.R_FIELDS, np.int64))
