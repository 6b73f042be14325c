"""Kernels that rebuild what a change of layout moves."""

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.cells import widen_index
from muntin.columnar.engine.compiling import Phase, call, ints
from muntin.columnar.engine.directory import Directory


@Phase
def fill_indexes(t: Directory) -> int:
    """Make the hash index of each slice anew."""
    scalars, cells, bits = ints(t, d.SCALARS), ints(t, d.CELLS), ints(t, d.INDEX_BITS)
    for s in range(scalars[d.SLICES]):
        if cells[s]:
            while 3 * cells[s] >= 2 << bits[s] or bits[s] == 0:
                widen_index(t, s)
    return 0


@Phase
def move_part(t: Directory) -> int:
    """Copy and merge the pairs of one part from the column of another place."""
    scalars, parts = ints(t, d.SCALARS), ints(t, d.PARTS)
    part, origin = scalars[d.TOUCHED], scalars[d.NEED]
    at = part * d.P_FIELDS
    call(parts[at + d.P_COPY], t, part, parts[at + d.P_CELLS], origin)
    call(parts[at + d.P_MERGE], t, part, parts[at + d.P_CELLS], origin)
    return 0


def rebuild_indexes(engine):
    s = engine.scalars
    s[d.INDEX_TOP] = 0
    engine.directory.arrays[d.INDEX][:] = 0
    engine.directory.arrays[d.FREE_INDEX][:] = 0
    cells = engine.directory.arrays[d.CELLS]
    need = int(16 * cells.sum() + 64 * (cells > 0).sum()) + 1024
    engine.directory.grow(d.INDEX, need)
    fill_indexes(engine.directory)


def apply_pairs(engine, copies, merges, spare):
    directory, s = engine.directory, engine.scalars
    saved = [directory.arrays[p] for p in (d.COPY_FROM, d.COPY_TO, d.MERGE_FROM, d.MERGE_TO)]
    for places, pairs in (((d.COPY_FROM, d.COPY_TO), copies), ((d.MERGE_FROM, d.MERGE_TO), merges)):
        table = np.array(pairs, np.int64).reshape(-1, 2)
        for i, place in enumerate(places):
            directory.put(place, table[:, i].copy())
    s[d.COPIES], s[d.MERGES] = len(copies), len(merges)
    at = 0
    for i, kept in enumerate(engine.parts):
        s[d.TOUCHED], s[d.NEED] = i, spare[at]
        move_part(directory)
        at += len(kept.cells)
    s[d.COPIES] = s[d.MERGES] = 0
    for place, array in zip((d.COPY_FROM, d.COPY_TO, d.MERGE_FROM, d.MERGE_TO), saved):
        directory.put(place, array)
