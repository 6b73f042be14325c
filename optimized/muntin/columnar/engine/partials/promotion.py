"""Partials of other types: where values of another type come, nulls, or sums that pass 64 bits.

Rows lie in several spaces: cells, and what stores keep beside them. All columns are converted
first, and then all are put to their new places, so an error leaves the state as it was.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.kernel_language import Ints, floats
from muntin.columnar.engine.partials.conversion import Encode, converted
from muntin.columnar.engine.partials.kernels import PartKernels, kernels_for
from muntin.kernels.slicing.arrays import Column, column_of
from muntin.kernels.slicing.parts import Count, Part

if TYPE_CHECKING:
    from muntin.columnar.engine.engine import ColumnarEngine
    from muntin.columnar.engine.partials.part_table import KeptPart

ROOM = 2.0**61
"""Sums whose terms may reach this in all get more limbs: half of where a step asks for it."""


def _nothing() -> None:
    """A store that reads the places of its columns each time has nothing to note."""


@dataclass
class RowSpace:
    """Rows with partials: how many events each has, and the places of the columns.

    The lists of places are rewritten where a partial gets other columns; then `note` is called.
    """

    counts: Callable[[], Ints]
    places: dict[Part, list[int]] = field(default_factory=dict[Part, list[int]])
    note: Callable[[], None] = _nothing


def spaces_of(engine: "ColumnarEngine") -> list[RowSpace]:
    """The cells, and the spaces of stores."""
    arrays = engine.directory.arrays
    cells = RowSpace(
        lambda: np.asarray(arrays[d.ROW_COUNT], np.int64),
        {kept.part: kept.cells for kept in engine.parts},
    )
    return [cells, *engine.spaces]


def promote(
    engine: "ColumnarEngine",
    kept: "KeptPart",
    kernels: PartKernels,
    encoders: Sequence[Encode | None] = (),
) -> None:
    """Give a partial kernels of another type, and convert its columns in all spaces."""
    if kept.log:  # its values lie elsewhere
        kept.kernels = kernels
        engine.list_parts()
        for space in engine.spaces:
            space.note()
        return
    arrays, directory = engine.directory.arrays, engine.directory
    moved: list[tuple[list[int], list[Column]]] = []
    kinds = kept.part, kept.kernels, kernels
    for space in spaces_of(engine):
        if kept.part not in space.places:
            continue
        places = space.places[kept.part]
        counted = space.places.get(Count(kept.part.sources[0]))
        empty = np.asarray((arrays[counted[0]] if counted else space.counts()) == 0, np.bool_)
        columns = [column_of(arrays[place]) for place in places]
        moved.append((places, converted(*kinds, columns, empty, encoders)))
    kept.kernels = kernels
    for places, columns in moved:
        for place in places:
            directory.put(place, np.zeros(0, np.int64))
        places[:] = [directory.add(column) for column in columns]
    engine.renew_results(kept)
    engine.list_parts()
    for space in engine.spaces:
        space.note()


def compact_logs(engine: "ColumnarEngine") -> int:
    """Let values go that no row has; how many items logs may have until it pays again."""
    room = 0
    for kept in engine.parts:
        if kept.log is None:
            continue
        if kept.log.size > kept.log.limit:
            compact_log(engine, kept)
        room += kept.log.limit
    return room


def compact_log(engine: "ColumnarEngine", kept: "KeptPart") -> None:
    """Let the values of a log go that no row has."""
    if kept.log is None:
        return
    engine.release_rows()
    arrays, columns = engine.directory.arrays, list[tuple[int, int]]()
    for space in spaces_of(engine):
        if kept.part in space.places:
            heads, counts = space.places[kept.part]
            gone = np.flatnonzero(space.counts() == 0)
            gone = gone[gone < arrays[heads].size]
            arrays[heads][gone] = arrays[counts][gone] = 0
            columns.append((heads, counts))
    kept.log.compact(columns)
    for place in kept.tree:
        arrays[place][:] = 0
    engine.scalars[d.PREFIXED] = 0


def keep_counts(engine: "ColumnarEngine", part: Count) -> "KeptPart":
    """Count the values of a column that were all there until now."""
    from muntin.columnar.engine.partials.part_table import KeptPart  # noqa: PLC0415 - it imports this module

    kernels = kernels_for(part, "int")
    if kernels is None:
        raise AssertionError
    arrays = engine.directory.arrays
    kept = KeptPart(part, kernels, d.TIMES)
    for space in engine.spaces:
        space.places[part] = [engine.directory.add(space.counts().copy())]
    engine.add_part(kept)
    engine.directory.put(kept.cells[0], arrays[d.ROW_COUNT].copy())
    engine.list_parts()
    for space in engine.spaces:
        space.note()
    return kept


def live_bound(engine: "ColumnarEngine", kept: "KeptPart") -> float:
    """A bound of the sums of what rows hold now."""
    arrays = engine.directory.arrays
    return sum(
        float(np.abs(arrays[space.places[kept.part][-1]].astype(np.float64)).sum())
        for space in spaces_of(engine)
        if kept.part in space.places
    )


def widen(engine: "ColumnarEngine", nth: int) -> None:
    """Make room for the sums of a batch: know the bound of the nth anew, or take more limbs."""
    kept = [one for one in engine.parts if one.kernels.degree][nth]
    bounds = floats(engine.directory, d.SUM_BOUND)
    half = bounds.size // 2
    added = bounds[half + nth] - bounds[nth]
    live = live_bound(engine, kept)
    if live + added < ROOM:
        bounds[nth] = live
        return
    kernels = kernels_for(kept.part, "wide")
    if kernels is None:
        raise AssertionError
    kept.types = ("wide",)
    promote(engine, kept, kernels)
