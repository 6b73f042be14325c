"""The state of a session store, and the checks of one that comes from outside.

Its arrays are written as they are once they are compact: rows, lists and trees of keys, timers.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from muntin.columnar.engine.compiling import Ints
from muntin.columnar.engine.directory import FAR, AnyArray
from muntin.columnar.engine.partials.kernels import filled
from muntin.columnar.engine.sessions import layout as s
from muntin.columnar.engine.sessions.compaction import compact_store
from muntin.columnar.engine.sessions.store import SessionStore
from muntin.columnar.engine.sessions.timers import BUCKETS, CHUNK, CHUNK_WORDS
from muntin.kernels.slicing.parts import Part
from muntin.kernels.slicing.sound import Facts, row_of, values_within

SAVED = (s.AT_SCALARS, s.AT_ROWS, s.AT_HEADS, s.AT_BUCKETS, s.AT_CHUNKS)


class StoreState(NamedTuple):
    """The arrays of a store, and the columns of each partial by its number."""

    arrays: list[Ints]
    columns: list[tuple[int, list[AnyArray]]]


def save_store(store: SessionStore, parts: Sequence[tuple[int, Part]]) -> StoreState:
    """What a store holds, between two steps."""
    compact_store(store)
    arrays, base, top = store.directory.arrays, store.base, int(store.scalars[s.TOP])
    columns = [(number, [arrays[place][:top] for place in store.places[part]]) for number, part in parts]
    saved = [arrays[base + place].astype(np.int64) for place in SAVED]
    saved[1] = saved[1][: top * s.ROW_FIELDS]
    return StoreState(saved, columns)


def load_store(store: SessionStore, state: StoreState, parts: Sequence[Part]) -> None:
    """Go on from a state that was checked."""
    scalars, rows, heads, buckets, chunks = state.arrays
    directory, base = store.directory, store.base
    capacity = max(64, 1 << int(scalars[s.TOP]).bit_length())
    store.grow_rows(capacity)
    store.scalars[:] = scalars
    directory.arrays[base + s.AT_ROWS][: rows.size] = rows
    directory.put(base + s.AT_HEADS, heads.copy())
    directory.put(base + s.AT_BUCKETS, buckets.copy())
    held = directory.arrays[base + s.AT_CHUNKS]
    directory.put(base + s.AT_CHUNKS, chunks.copy() if chunks.size >= held.size else held)
    directory.arrays[base + s.AT_CHUNKS][: chunks.size] = chunks
    for number, columns in state.columns:
        part = parts[number]
        for place, identity, column in zip(
            store.places[part], store.kernels[part].identity, columns, strict=True
        ):
            grown = filled(capacity, identity)
            grown[: column.size] = column
            directory.put(place, grown)


def check_store(store: SessionStore, state: StoreState, keys: int, parts: int) -> Facts:
    """All that kernels index by."""
    yield "`stores` must have their arrays", len(state.arrays) == len(SAVED)
    scalars, rows, heads, buckets, chunks = state.arrays
    yield row_of("scalars", scalars, size=s.STORE_SCALARS)
    yield row_of("buckets", buckets, size=BUCKETS)
    for name, array in (("rows", rows), ("heads", heads), ("chunks", chunks)):
        yield row_of(name, array)
    top, used = int(scalars[s.TOP]), int(scalars[s.CHUNK_TOP])
    same = [s.GAP, s.SINCE, s.ADJOIN, s.SHIFT]
    yield "`scalars` must be of the gap", bool((scalars[same] == store.scalars[same]).all())
    yield f"`rows` must be {top}", s.FIRST_ROW <= top and rows.size == top * s.ROW_FIELDS
    yield "`chunks` must be whole", not chunks.size % CHUNK_WORDS and 1 <= used <= chunks.size // CHUNK_WORDS
    for name in (s.FREE, s.FREE_CHUNK, s.NEW_ROWS, s.MERGES, s.CHANGES):
        yield values_within("scalars", scalars[name : name + 1], 0, 0)
    yield values_within("live", scalars[s.LIVE : s.LIVE + 1], 0, top)
    yield "`heads` must be keys", heads.size <= 2 * max(keys, 8) and not heads.size & (heads.size - 1)
    table = rows.reshape(-1, s.ROW_FIELDS)
    for name in (s.LEFT, s.RIGHT):
        yield values_within("tree", table[:, name], 0, top - 1)
    for name, halves in (("heads", heads), ("links", table[:, s.LINK])):
        yield values_within(name, halves >> s.HALF, 0, top - 1)
        yield values_within(name, halves & s.LOW_HALF, 0, top - 1)
    yield values_within("key", table[s.FIRST_ROW :, s.KEY], 0, max(keys, 1) - 1)
    for name in (s.FIRST, s.REACH):
        yield values_within("extent", table[:, name], -FAR, FAR)
    lists = chunks.reshape(-1, CHUNK_WORDS)[:used]
    yield values_within("buckets", buckets, 0, used - 1)
    yield values_within("chunks", lists[:, 0], 0, used - 1)
    yield values_within("chunks", lists[:, 1], 0, CHUNK)
    yield values_within("timers", lists[:, 2:] >> 1, 0, top - 1)
    following = np.concatenate([buckets, lists[1:, 0]])
    yield "`chunks` must be in one chain each", _distinct(following)
    yield "`links` must be in one list each", _lists_end(table, heads)
    roots = (heads >> s.HALF)[heads >> s.HALF > 0]
    yield "`tree` must have one parent each", _distinct(
        np.concatenate([table[:, s.LEFT], table[:, s.RIGHT], roots])
    )
    yield "`columns` must be of the partials", all(0 <= number < parts for number, _ in state.columns)
    for _, columns in state.columns:
        for column in columns:
            yield f"`columns` must have {top} rows", column.shape == (top,)


def _distinct(numbers: Ints) -> bool:
    """Whether no number but 0 comes twice."""
    some = numbers[numbers > 0]
    return bool(np.unique(some).size == some.size)


def _lists_end(table: Ints, heads: Ints) -> bool:
    """Whether the lists of keys come to an end, and no row is in two of them."""
    seen = np.zeros(table.shape[0], np.bool_)
    row = (heads & s.LOW_HALF)[heads & s.LOW_HALF > 0]
    while row.size:
        if seen[row].any() or np.unique(row).size < row.size:
            return False
        seen[row] = True
        older = table[row, s.LINK] & s.LOW_HALF
        row = older[older > 0]
    return True
