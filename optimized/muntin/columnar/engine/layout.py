"""How rows lie: the layout that suits the keys, and the move from one layout to another."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.cells import widen_index
from muntin.columnar.engine.directory import AnyArray, Directory
from muntin.columnar.engine.kernel_language import Ints, Phase, call, ints

if TYPE_CHECKING:
    from muntin.columnar.engine.engine import ColumnarEngine

UNIT = 64
"""Rows of a unit, where a slice has rows for the keys that came."""
LANE_ROWS = 4
FEW_KEYS = 64
"""Up to this number each key has a row in each slice, whether it comes or not."""
AHEAD = 64
"""Slices for whose first index there is room."""
SAMPLE = 8
"""The slices whose rows say which layout suits."""
FULL, EMPTY = 8, 24
"""Slices get a row for each key if one in eight comes, and lose them if fewer than one in 24 do."""


@Phase
def fill_indexes(t: Directory) -> int:
    """Make the hash index of each slice anew."""
    scalars, cells = ints(t, d.SCALARS), ints(t, d.CELLS)
    for s in range(scalars[d.SLICES]):
        if cells[s]:
            widen_index(t, s)
    return 0


@Phase
def move_part(t: Directory) -> int:
    """Copy and merge pairs of rows of one part, from the column at another place."""
    scalars, parts = ints(t, d.SCALARS), ints(t, d.PARTS)
    part, origin = scalars[d.TOUCHED], scalars[d.NEED]
    at: int = part * d.P_FIELDS
    call(parts[at + d.P_COPY], t, part, parts[at + d.P_CELLS], origin)
    call(parts[at + d.P_MERGE], t, part, parts[at + d.P_CELLS], origin)
    return 0


class LiveRows(NamedTuple):
    """The rows that hold events: slice, key and row, by slice."""

    slice: Ints
    key: Ints
    row: Ints


@Phase
def list_rows(t: Directory, to: int) -> int:
    """Write slice, key and row of all rows that hold events, by slice, to three places."""
    scalars, units, next_unit = ints(t, d.SCALARS), ints(t, d.UNIT), ints(t, d.NEXT_UNIT)
    slices, keys, rows = ints(t, to), ints(t, to + 1), ints(t, to + 2)
    counts, row_key = ints(t, d.ROW_COUNT), ints(t, d.ROW_KEY)
    width, layout, n = scalars[d.UNIT_ROWS], scalars[d.LAYOUT], 0
    for s in range(scalars[d.SLICES]):
        unit = units[s]
        while unit:
            for i in range(width):
                row = unit * width + i
                if counts[row] == 0:
                    continue
                key = i if layout == d.DENSE else 0
                slices[n], rows[n] = s, row
                keys[n] = row_key[row] if layout == d.SPARSE else key
                n += 1
            unit = next_unit[unit]
    return n


def live_rows(engine: "ColumnarEngine") -> LiveRows:
    """All rows that hold events, in any layout."""
    s, spare = engine.scalars, engine.spare_places(len(LiveRows._fields))
    room = int((s[d.TOP_UNIT] - 1 - s[d.FREE_UNITS]) * s[d.UNIT_ROWS])
    columns = [np.empty(room, np.int64) for _ in spare]
    for place, column in zip(spare, columns, strict=True):
        engine.directory.put(place, column)
    n = list_rows(engine.directory, spare[0])
    for place in spare:
        engine.directory.put(place, np.zeros(0, np.int64))
    return LiveRows(*[column[:n] for column in columns])


def best_layout(engine: "ColumnarEngine", *, moving: bool = False) -> int:
    """The layout for the keys that came and the rows that are live; rows move only if it pays."""
    s, arrays = engine.scalars, engine.directory.arrays
    keys, layout = int(s[d.KEY_COUNT]), int(s[d.LAYOUT])
    if keys <= 1:
        return layout
    if keys <= FEW_KEYS:
        return d.DENSE
    used = np.flatnonzero(arrays[d.UNIT][: int(s[d.SEALED])])[-SAMPLE:]
    if used.size < 2:  # noqa: PLR2004 - too few to judge
        return d.SPARSE if layout == d.LANES else layout
    if layout == d.SPARSE:
        return d.DENSE if arrays[d.CELLS][used].mean() * FULL >= keys else d.SPARSE
    width = int(s[d.UNIT_ROWS])
    rows = arrays[d.ROW_COUNT].reshape(-1, width)[arrays[d.UNIT][used]]
    held = np.count_nonzero(rows) / used.size
    factor = EMPTY if layout == d.DENSE and not moving else FULL
    return d.DENSE if held * factor >= keys else d.SPARSE


def width_of(layout: int, keys: int) -> int:
    """The rows of a unit."""
    if layout == d.DENSE:
        return max(UNIT, 1 << (keys - 1).bit_length())
    return LANE_ROWS if layout == d.LANES else UNIT


def set_layout(engine: "ColumnarEngine", layout: int, live: LiveRows | None = None) -> None:
    """Move all rows to another layout, to wider units, or to other slices and keys."""
    arrays, scalars = engine.directory.arrays, engine.scalars
    if scalars[d.LAYOUT] == d.LANES != layout and scalars[d.DIRTY_CELLS] == 0:
        dirty = arrays[d.DIRTY_SLICE][: int(scalars[d.DIRTY_SLICES])]
        slices = np.repeat(dirty, arrays[d.FRESH][dirty])
        engine.put_dirty(slices, np.zeros_like(slices))
    old = [[arrays[place] for place in kept.cells] for kept in engine.parts]
    lay_rows(engine, layout, live or live_rows(engine), arrays[d.ROW_COUNT], old)


def lay_rows(
    engine: "ColumnarEngine",
    layout: int,
    live: LiveRows,
    counts: Ints,
    old: Sequence[Sequence[AnyArray]],
) -> None:
    """Lay rows out anew, by slice and key: of one cell they are merged."""
    width = width_of(layout, int(engine.scalars[d.KEY_COUNT]))
    first = np.ones(live.row.size, np.bool_)
    first[1:] = (np.diff(live.slice) != 0) | (np.diff(live.key) != 0)
    cell = np.cumsum(first) - 1
    of_slice, of_key = live.slice[first], live.key[first]
    heads = np.flatnonzero(np.diff(of_slice, prepend=-1))
    sizes = np.diff(np.append(heads, of_slice.size))
    chunks, row = np.ones_like(sizes), of_key
    if layout == d.SPARSE:
        chunks = -(-sizes // width)
        row = np.arange(of_slice.size) - np.repeat(heads, sizes)
    begin = np.cumsum(chunks) - chunks + 1
    row = np.repeat(begin, sizes) * width + row
    _renew_rows(engine, layout, width, int(chunks.sum()))
    arrays, occupied = engine.directory.arrays, of_slice[heads]
    arrays[d.UNIT][occupied] = begin
    arrays[d.LAST_UNIT][occupied] = begin + chunks - 1
    arrays[d.CELLS][occupied] = sizes
    units = np.arange(1, int(chunks.sum()) + 1)
    following = units + 1
    following[np.cumsum(chunks) - 1] = 0
    arrays[d.NEXT_UNIT][units] = following
    if layout == d.SPARSE:
        arrays[d.ROW_KEY][row] = of_key
    np.add.at(arrays[d.ROW_COUNT], row[cell], counts[live.row])
    _move_parts(engine, (live.row[first], row), (live.row[~first], row[cell[~first]]), old)
    if layout == d.SPARSE:
        _index_all(engine)


def _renew_rows(engine: "ColumnarEngine", layout: int, width: int, units: int) -> None:
    s, directory = engine.scalars, engine.directory
    s[d.LAYOUT], s[d.UNIT_ROWS], s[d.TOP_UNIT] = layout, width, units + 1
    s[d.FREE_UNIT] = s[d.FREE_UNITS] = 0
    s[d.UNITS] = 2 * units + 4 + (int(s[d.N]) // width if layout == d.SPARSE else 0)
    rows = int(s[d.UNITS]) * width
    directory.put(d.NEXT_UNIT, np.zeros(int(s[d.UNITS]), np.int64))
    directory.put(d.ROW_COUNT, np.zeros(rows, np.int64))
    directory.put(d.ROW_KEY, np.zeros(rows if layout == d.SPARSE else 0, np.int64))
    directory.put(d.INDEX, np.zeros(0, np.int64))
    s[d.INDEX_TOP] = 0
    for kept in engine.parts:
        kept.empty_columns(directory, kept.cells, rows)
    s[d.PREFIXED] = s[d.RELEASED] = 0
    for place in (d.UNIT, d.LAST_UNIT, d.CELLS, d.INDEX_AT, d.INDEX_BITS):
        directory.arrays[place][:] = 0


def _index_all(engine: "ColumnarEngine") -> None:
    s, directory = engine.scalars, engine.directory
    s[d.INDEX_TOP] = 0
    cells = directory.arrays[d.CELLS]
    room = int(16 * cells.sum() + (4 << int(s[d.INDEX_GUESS])) * (cells > 0).sum()) + 4096
    room += 8 * int(s[d.N]) + (2 << int(s[d.INDEX_GUESS])) * AHEAD  # for the batch that waits
    directory.put(d.INDEX, np.zeros(room, np.int64))
    directory.arrays[d.FREE_INDEX][:] = 0
    fill_indexes(directory)


def _move_parts(
    engine: "ColumnarEngine",
    copies: tuple[Ints, Ints],
    merges: tuple[Ints, Ints],
    old: Sequence[Sequence[AnyArray]],
) -> None:
    """Copy and merge pairs of rows from the old columns."""
    directory, s = engine.directory, engine.scalars
    places = (d.COPY_FROM, d.COPY_TO, d.MERGE_FROM, d.MERGE_TO)
    buffers = [directory.arrays[place] for place in places]
    for place, array in zip(places, (*copies, *merges), strict=True):
        directory.put(place, np.ascontiguousarray(array))
    s[d.COPIES], s[d.MERGES] = copies[0].size, merges[0].size
    for number, columns in enumerate(old):
        for place, column in zip(engine.spare_places(len(columns)), columns, strict=True):
            directory.put(place, column)
        s[d.TOUCHED], s[d.NEED] = number, engine.spare_places(len(columns))[0]
        move_part(directory)
        for place in engine.spare_places(len(columns)):
            directory.put(place, np.zeros(0, np.int64))
    s[d.COPIES] = s[d.MERGES] = 0
    for place, array in zip(places, buffers, strict=True):
        directory.put(place, array)
