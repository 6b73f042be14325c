"""Move the rows and timers of a store together, and give the rest of its arrays back."""

import numpy as np

from muntin.columnar.engine.compiling import Ints
from muntin.columnar.engine.partials.kernels import filled
from muntin.columnar.engine.sessions import layout as s
from muntin.columnar.engine.sessions.store import LEAST_ROWS, SessionStore, chunk_words
from muntin.columnar.engine.sessions.timers import CHUNK_WORDS


def compact_store(store: SessionStore) -> None:
    """Keep what is in use, between two steps; rows get other numbers."""
    state, directory, base = store.scalars, store.directory, store.base
    used = np.ones(int(state[s.TOP]), np.bool_)
    used[directory.arrays[base + s.AT_FREE][: state[s.FREE]].astype(np.int64)] = False
    kept = np.flatnonzero(used)
    moved: Ints = np.zeros(used.size, np.int64)
    moved[kept] = np.arange(kept.size)
    capacity = max(LEAST_ROWS, 1 << kept.size.bit_length())
    _move_timers(store, moved, capacity)
    rows = np.zeros((capacity, s.ROW_FIELDS), np.int64)
    rows[: kept.size] = _moved_rows(store, kept, moved)
    directory.put(base + s.AT_ROWS, rows.reshape(-1))
    heads = directory.arrays[base + s.AT_HEADS].astype(np.int64)
    renewed: Ints = moved[heads >> s.HALF] << s.HALF | moved[heads & s.LOW_HALF]
    directory.put(base + s.AT_HEADS, renewed)
    directory.put(base + s.AT_FREE, np.zeros(capacity, np.int64))
    for place in (s.AT_NEW, s.AT_MERGED, s.AT_CHANGED):
        directory.put(base + place, np.zeros(0, np.int64))
    for part, kernels in store.kernels.items():
        columns = zip(kernels.identity, store.places[part], store.old[part], strict=True)
        for value, at, before in columns:
            column = filled(capacity, value)
            column[: kept.size] = directory.arrays[at][kept]
            directory.put(at, column)
            directory.put(before, filled(0, value))
    state[s.TOP], state[s.FREE] = kept.size, 0


def _moved_rows(store: SessionStore, kept: Ints, moved: Ints) -> Ints:
    """The rows that are kept, with the numbers that others have now; what is no number is 0."""
    rows: Ints = store.rows[kept]
    heads = store.directory.arrays[store.base + s.AT_HEADS]
    live = (rows[:, s.STATE] & s.GONE == 0) & (np.arange(kept.size) >= s.FIRST_ROW)
    root = live & (rows[:, s.STATE] & s.ROOT != 0)
    in_tree = live.copy()
    in_tree[live] = heads[rows[live, s.KEY]] >> s.HALF != 0
    link = np.where(live & ~root, rows[:, s.LINK], 0)
    rows[:, s.LINK] = moved[link >> s.HALF] << s.HALF | moved[link & s.LOW_HALF]
    rows[:, s.LEFT] = moved[np.where(in_tree, rows[:, s.LEFT], 0)]
    rows[:, s.RIGHT] = moved[np.where(in_tree & ~root, rows[:, s.RIGHT], 0)]
    return rows


def _move_timers(store: SessionStore, moved: Ints, capacity: int) -> None:
    """Number the chunks of timers anew, bucket by bucket."""
    state, directory, base = store.scalars, store.directory, store.base
    buckets: Ints = directory.arrays[base + s.AT_BUCKETS].astype(np.int64)
    chunks: Ints = directory.arrays[base + s.AT_CHUNKS].astype(np.int64).reshape(-1, CHUNK_WORDS)
    chains, chain = [np.zeros(1, np.int64)], buckets[buckets > 0]
    while chain.size:
        chains.append(chain)
        chain = chunks[chain, 0]
        chain = chain[chain > 0]
    used = np.concatenate(chains)
    numbers: Ints = np.zeros(chunks.shape[0], np.int64)
    numbers[used] = np.arange(used.size)
    kept = chunks[used]
    kept[:, 0] = numbers[kept[:, 0]]
    timers = np.where(np.arange(CHUNK_WORDS - 2) < kept[:, 1:2], kept[:, 2:], 0)
    kept[:, 2:] = moved[timers >> 1] << 1 | timers & 1
    pool: Ints = np.zeros(chunk_words(capacity), np.int64)
    pool[: kept.size] = kept.reshape(-1)
    directory.put(base + s.AT_CHUNKS, pool)
    directory.put(base + s.AT_BUCKETS, numbers[buckets])
    state[s.CHUNK_TOP], state[s.FREE_CHUNK] = used.size, 0
