"""The records of a store as columns, and a store that is laid out anew from such columns.

Snapshots, compaction and other numbers of keys go this way: trees and timers are never copied, but
made by what places rows too.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import AnyArray, Directory
from muntin.columnar.engine.kernel_language import Ints, Phase, ints
from muntin.columnar.engine.records import layout as r
from muntin.columnar.engine.records.placement import reported
from muntin.columnar.engine.records.release import wait_again
from muntin.columnar.engine.records.store import RecordStore
from muntin.columnar.engine.records.tree import fold_nodes, put_row, take_row
from muntin.columnar.engine.sessions import layout as s
from muntin.columnar.engine.sessions.timers import unit_of
from muntin.kernels.slicing.parts import Part

KEY_MASK = (1 << 32) - 1
PAIR = 2


class Records(NamedTuple):
    """Rows by key and time, the columns of each part, forgotten rows by key, revisions."""

    key: Ints
    time: Ints
    mark: Ints
    columns: list[list[AnyArray]]
    dropped: Ints
    revisions: Ints


@Phase
def list_records(t: Directory, base: int, n: int) -> int:
    """Place rows that are in order; where each lies is written over the marks."""
    store, pairs = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_LATE)
    marks, steps = ints(t, base + r.AT_SORTED), ints(t, base + r.AT_STEPS)
    free = ints(t, base + r.AT_FREE_ROWS)
    store[r.STEP] = 1
    for i in range(n):
        row = take_row(store, free)
        steps[row] = 1
        put_row(t, base, pairs[2 * i], pairs[2 * i + 1], row << 1 | marks[i])
        marks[i] = row
    store[r.LIVE] = n
    return 0


@Phase
def fold_records(t: Directory, base: int) -> int:
    """Fold the nodes of rows that were placed; timers go on from now."""
    store, scalars = ints(t, base + r.AT_SCALARS), ints(t, d.SCALARS)
    store[s.POSITION] = unit_of(store, reported(scalars))
    return fold_nodes(t, base)


@Phase
def set_timers(t: Directory, base: int) -> int:
    """Set the timers of all keys that have none."""
    keys, upto = ints(t, base + r.AT_KEYS), reported(ints(t, d.SCALARS))
    for key in range(len(keys) >> r.KEY_BITS):
        wait_again(t, base, key, upto, 0)
    return 0


def live_records(store: RecordStore, parts: Sequence[Part], limit: int) -> Records:
    """What a store holds between two steps, with the columns of some parts."""
    nodes, keys = store.nodes, store.keys
    listed = list[Ints]()
    has_rows = np.flatnonzero(keys[:, r.ROOT])
    leaf, key = keys[has_rows, r.FIRST], has_rows
    while leaf.size:  # the nth leaves of all keys at once
        listed.append(np.stack([key, leaf]))
        following = nodes[leaf, r.NEXT]
        leaf, key = following[following > 0], key[following > 0]
    of, leaves = np.concatenate(listed, axis=1) if listed else np.zeros((2, 0), np.int64)
    order = np.argsort(of, kind="stable")
    of, leaves = of[order], leaves[order]
    filled = np.arange(r.FAN) < nodes[leaves, r.FILL][:, None]
    slots = nodes[leaves, : 2 * r.FAN].reshape(-1, r.FAN, 2)[filled]
    number = np.repeat(of, nodes[leaves, r.FILL])
    time, rows = np.ascontiguousarray(slots[:, 0]), slots[:, 1] >> 1
    arrays = store.directory.arrays
    columns: list[list[AnyArray]] = [
        [arrays[place][rows] for place in store.places[part]] for part in parts
    ]
    dropped = np.trim_zeros(keys[:, r.DROPPED], "b")
    if not store.scalars[r.RANKED]:
        dropped = dropped[:0]
    return Records(
        number, time, slots[:, 1] & 1, columns, dropped.copy(),
        store.live_revisions(limit).reshape(-1),
    )  # fmt: skip


def lay_records(store: RecordStore, records: Records, parts: Sequence[Part]) -> None:
    """Have these records alone, in arrays of their size."""
    n, directory, base = records.key.size, store.directory, store.base
    store.clear()
    distinct = int(np.count_nonzero(np.diff(records.key))) + 1
    keys = max(int(records.key.max(initial=0)) + 1, records.dropped.size)
    store.make_room(n, keys, PAIR * (n // r.FAN + distinct) + 8)
    store.set_revisions(records.revisions.reshape(-1, r.V_FIELDS), 0)
    store.keys[: records.dropped.size, r.DROPPED] = records.dropped
    pairs, places = (directory.arrays[base + place] for place in (r.AT_LATE, r.AT_SORTED))
    pairs[: PAIR * n : PAIR], pairs[1 : PAIR * n : PAIR] = records.key, records.time
    places[:n] = records.mark
    list_records(directory, base, n)
    for part, columns in zip(parts, records.columns, strict=True):
        for place, values in zip(store.places[part], columns, strict=True):
            directory.arrays[place][places[:n]] = values
    fold_records(directory, base)
    set_timers(directory, base)


def compact_records(store: RecordStore, limit: int) -> None:
    """Keep what is in use, between two steps."""
    parts = [*store.places]
    lay_records(store, live_records(store, parts, limit), parts)


def renumber_records(store: RecordStore, numbers: Ints, kept: Ints, limit: int) -> None:
    """Compact a store whose keys get the numbers that an array has at their old ones."""
    parts = [*store.places]
    held = live_records(store, parts, limit)
    dropped: Ints = np.zeros(max(int(kept.max(initial=-1)) + 1, held.dropped.size), np.int64)
    dropped[: held.dropped.size] = held.dropped
    revisions = held.revisions.reshape(-1, r.V_FIELDS)
    names = revisions[:, r.V_NAME]
    revisions[:, r.V_NAME] = names & ~KEY_MASK | numbers[names & KEY_MASK]
    moved = held._replace(key=numbers[held.key], dropped=dropped[kept])
    lay_records(store, moved, parts)


def remove_record_query(store: RecordStore, number: int) -> None:
    """Report the windows of a query no more; a key may wait to go that it had rest."""
    store.remove_query(number)
    store.make_room(int(store.scalars[r.LIVE_KEYS]), 1, 0)
    set_timers(store.directory, store.base)


def renumber_queries(records: Records, queries: Sequence[int]) -> Records:
    """The records of these queries, which are numbered in their order."""
    revisions, numbers = records.revisions.reshape(-1, r.V_FIELDS), np.array(queries)
    names = revisions[:, r.V_NAME]
    at = np.searchsorted(numbers, (names >> 32) - 1)  # they rise
    known = np.append(numbers, -1)[at] == (names >> 32) - 1
    revisions = revisions[known].copy()
    revisions[:, r.V_NAME] = (at[known] + 1) << 32 | names[known] & KEY_MASK
    return records._replace(revisions=revisions.reshape(-1))
