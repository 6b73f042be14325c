"""Facts about the state that a snapshot holds: what is false of a forged one is said, not run.

A checksum finds damage; it does not find a state that somebody has made up. Compiled kernels read
where arrays tell them to, so each length, order and index is looked at before they do.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields

import numpy as np
from numpy.typing import DTypeLike, NDArray

from muntin.kernels.slicing.answer import Answer
from muntin.kernels.slicing.arrays import FIRST, LAST, LONGEST, Fields, Ints
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.choice import Everything
from muntin.kernels.slicing.grain import Records, Slices
from muntin.kernels.slicing.group import Group
from muntin.kernels.slicing.known import Known
from muntin.kernels.slicing.moment import Clock
from muntin.kernels.slicing.opaque import Events
from muntin.kernels.slicing.parts import Part
from muntin.snapshot import SnapshotError

Facts = Iterator[tuple[str, object]]
"""Each fact may rely on those before it: none is looked at after one that is false."""
NUMBERS: set[np.dtype[np.generic]] = {
    np.dtype(np.int64),
    np.dtype(np.float64),
    np.dtype(np.object_),
}


def ensure(facts: Facts) -> None:
    """Refuse a state of which some fact is false."""
    for what, holds in facts:
        if not holds:
            raise SnapshotError(f"the snapshot is damaged: it is not so that {what}")


def is_row(
    array: NDArray[np.generic], dtype: DTypeLike = np.int64, size: int | None = None
) -> bool:
    """Whether an array is one row of a type, of a size if it is given, without gaps."""
    return (
        array.ndim == 1
        and array.dtype == np.dtype(dtype)
        and array.flags.c_contiguous
        and size in {None, array.size}
    )


def within(numbers: Ints, first: int, last: int) -> bool:
    """Whether all numbers lie between two, both included."""
    return bool(((numbers >= first) & (numbers <= last)).all())


def whole(number: object, first: int, last: int) -> bool:
    """Whether something is an integer between two, both included."""
    return type(number) is int and first <= number <= last


def of_clock(clock: Clock) -> Facts:
    """Yield the facts about watermarks."""
    for name in ("watermark", "reached", "limit"):
        yield f"the {name} is a time", whole(getattr(clock, name), FIRST, LAST)
    yield "lateness is no gain", clock.limit <= clock.watermark


def of_birth(birth: Ints, keys: int) -> Facts:
    """Yield the facts about the order in which keys came."""
    yield "births are numbers", is_row(birth)
    yield "each is that of a key, or of none", within(birth, -1, max(keys, birth.size) - 1)


def of_group(group: Group, keys: int) -> Facts:
    """Yield the facts about cells, what is kept of them, and what was told of them."""
    cells, store = group.store.cells, group.store
    yield "its queries see what is younger than a time", whole(group.since, FIRST, LAST)
    yield "it knows how to cut time", _cuts(group.grain)
    yield from _of_cells(cells, keys)
    yield "it keeps what its queries need", not len(cells) or store.parts.keys() >= {*group.parts}
    for part, columns in store.parts.items():
        yield f"{part} is kept of each cell", _kept(part, columns, len(cells))
    yield from of_birth(group.birth, keys)
    dropped = group.dropped
    yield "it counts what it dropped", is_row(dropped) and within(dropped, 0, LAST)
    yield "of keys that it knows", dropped.size <= group.birth.size
    yield "and all of these", not len(cells) or int(cells.key.max()) < dropped.size
    for track in group.tracks.values():
        yield from of_known(track.known, keys)


def _cuts(grain: Records | Slices) -> bool:
    if isinstance(grain, Records):
        return True
    periods = all(
        whole(period, 1, LONGEST) and whole(phase, 0, period - 1) for period, phase in grain.periods
    )
    return periods and all(whole(edge, FIRST, LAST) for edge in grain.single)


def _of_cells(cells: Cells, keys: int) -> Facts:
    n = len(cells)
    for one in fields(cells):
        yield f"{one.name} is known of each cell", is_row(getattr(cells, one.name), size=n)
    yield "cells are of keys", within(cells.key, 0, keys - 1)
    yield "they lie in time", within(cells.low, FIRST, LAST) and within(cells.high, FIRST, LAST)
    yield "none ends before it begins", (cells.low <= cells.high).all()
    yield "none begins before its slice", (cells.slot <= cells.low).all()
    yield "each holds an event", within(cells.count, 1, LAST)
    for name in ("fresh", "arrival", "own"):
        yield f"{name} is a number", within(getattr(cells, name), 0, LAST)
    yield "a mark is there or not", within(cells.mark, 0, 1)
    same = np.diff(cells.key) == 0
    yield "keys rise", (np.diff(cells.key) >= 0).all()
    for column in (cells.slot, cells.low):
        yield "cells of one key are in order", (column[1:] >= column[:-1])[same].all()


def _kept(part: Part, columns: Fields, n: int) -> bool:
    kinds = _kinds(part, columns)
    return len(columns) == len(kinds) and all(
        column.shape == (n,) and column.dtype in kind
        for column, kind in zip(columns, kinds, strict=True)
    )


def _kinds(part: Part, columns: Fields) -> Sequence[set[np.dtype[np.generic]]]:
    """Return of which types the columns of a part may be."""
    if isinstance(part, Events | Everything):
        return [NUMBERS] * (1 + isinstance(part, Everything))
    identity = part.identity(columns)
    return [{one.dtype} if one.dtype.fields else NUMBERS for one in identity]


def of_known(known: Known, keys: int) -> Facts:
    """Yield the facts about windows that were told of."""
    n = len(known)
    for name in ("key", "start", "end", "settles", "first", "revision"):
        yield f"the {name} of each window is known", is_row(getattr(known, name), size=n)
    yield "windows are of keys", within(known.key, 0, keys - 1)
    yield "they lie in time", within(known.start, FIRST, LAST) and within(known.end, FIRST, LAST)
    yield "and end after they begin", (known.start < known.end).all()
    yield "revisions are counted", within(known.revision, 0, LAST)
    for name, answer in known.values.items():
        yield f"the value of {name} is known of each window", _answers(answer, n)


def _answers(answer: Answer, n: int) -> bool:
    valid = answer.valid is None or is_row(answer.valid, np.bool_, n)
    return valid and all(column.shape == (n,) for column in answer.columns)


def named_once(groups: Sequence[Sequence[str]], queries: Mapping[str, object]) -> bool:
    """Whether each query that is named is there, and is in one group only."""
    names = [name for group in groups for name in group]
    return all(groups) and len(names) == len({*names}) and {*names} <= queries.keys()
