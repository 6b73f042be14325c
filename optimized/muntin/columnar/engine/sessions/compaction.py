"""The live sessions of a store as columns, and a store that is laid out anew from such columns.

Snapshots, compaction and other numbers of keys go this way: rows, lists and timers are never
copied, but made by what places events too.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import FAR, AnyArray, Directory
from muntin.columnar.engine.kernel_language import Ints, Phase, ints
from muntin.columnar.engine.partials.kernels import filled
from muntin.columnar.engine.sessions import layout as s
from muntin.columnar.engine.sessions.emission import set_timer
from muntin.columnar.engine.sessions.search import field, join_links
from muntin.columnar.engine.sessions.store import LEAST_ROWS, SessionStore
from muntin.columnar.engine.sessions.timers import final_at, report_at, unit_of
from muntin.columnar.engine.timeline import U
from muntin.kernels.slicing.parts import Part


class Sessions(NamedTuple):
    """Sessions by key and begin: extents, events, what was reported, the columns of each part."""

    key: Ints
    first: Ints
    reach: Ints
    count: Ints  # type: ignore[assignment] # of events; no item of this tuple is counted
    reported: Ints
    revision: Ints
    columns: list[list[AnyArray]]


@Phase
def list_sessions(t: Directory, base: int) -> int:
    """List the sessions of all rows, which are in order, by key, and set a timer for each."""
    scalars, store = ints(t, d.SCALARS), ints(t, base + s.AT_SCALARS)
    rows, heads = ints(t, base + s.AT_ROWS), ints(t, base + s.AT_HEADS)
    store[s.POSITION] = unit_of(store, scalars[d.WATERMARK])
    for row in range(s.FIRST_ROW, store[s.TOP]):
        at = field(row, s.FIRST)
        key, reach = rows[at + s.KEY], rows[at + s.REACH]
        older = heads[U(key)] & s.LOW_HALF
        join_links(rows, heads, key, 0, row)
        join_links(rows, heads, key, row, older)
        if rows[at + s.STATE] & s.REPORTED:
            due = final_at(scalars, reach + store[s.LINGER])
            set_timer(t, base, store, rows, row, s.FINAL, due)
        else:
            due = report_at(scalars, store, reach)
            set_timer(t, base, store, rows, row, s.NEAR, due)
    return 0


def live_sessions(store: SessionStore, parts: Sequence[Part]) -> Sessions:
    """The sessions of a store between two steps, with the columns of some parts."""
    rows, arrays = store.rows[: int(store.scalars[s.TOP])], store.directory.arrays
    live = np.flatnonzero(rows[:, s.STATE] & (s.GONE | s.ROOT) == 0)
    live = live[live >= s.FIRST_ROW]
    live = live[np.lexsort((rows[live, s.FIRST], rows[live, s.KEY]))]
    key, first, reach, count, state = (
        rows[live, name] for name in (s.KEY, s.FIRST, s.REACH, s.COUNT, s.STATE)
    )
    columns: list[list[AnyArray]] = [
        [arrays[place][live] for place in store.places[part]] for part in parts
    ]
    reported = state & s.REPORTED
    return Sessions(key, first, reach, count, reported, state >> s.REVISION_SHIFT, columns)


def lay_sessions(store: SessionStore, sessions: Sessions, parts: Sequence[Part]) -> None:
    """Have these sessions alone, in arrays of their size."""
    state, directory, base = store.scalars, store.directory, store.base
    top = s.FIRST_ROW + sessions.key.size
    for place in (s.AT_ROWS, s.AT_FREE, s.AT_CHUNKS, s.AT_NEW, s.AT_MERGED, s.AT_CHANGED):
        directory.put(base + place, np.zeros(0, np.int64))
    directory.arrays[base + s.AT_BUCKETS][:] = 0
    keys = int(sessions.key.max(initial=0)) + 1
    directory.put(base + s.AT_HEADS, np.zeros(max(16, 1 << (keys - 1).bit_length()), np.int64))
    for part, kernels in store.kernels.items():
        for places in (store.places[part], store.old[part]):
            for place, value in zip(places, kernels.identity, strict=True):
                directory.put(place, filled(0, value))
    store.grow_rows(max(LEAST_ROWS, 1 << top.bit_length()))
    rows = store.rows
    flags: Ints = sessions.revision << s.REVISION_SHIFT | sessions.reported * s.REPORTED
    names = (s.KEY, s.FIRST, s.REACH, s.COUNT, s.STATE)
    for name, column in zip(names, (*sessions[:4], flags), strict=True):
        rows[s.FIRST_ROW : top, name] = column
    for part, columns in zip(parts, sessions.columns, strict=True):
        for place, values in zip(store.places[part], columns, strict=True):
            directory.arrays[place][s.FIRST_ROW : top] = values
    store.renew_pending()
    state[s.TOP :] = 0
    state[s.TOP], state[s.LIVE], state[s.CHUNK_TOP] = top, sessions.key.size, 1
    state[s.NEXT_DUE], state[s.REPORTS] = FAR, sessions.reported.sum()
    shortest = int((sessions.reach - sessions.first).min(initial=FAR))
    state[s.MIXED] = shortest < state[s.GAP]  # an event may reach more than two sessions
    list_sessions(directory, base)


def compact_store(store: SessionStore) -> None:
    """Keep what is in use, between two steps."""
    parts = [*store.places]
    lay_sessions(store, live_sessions(store, parts), parts)


def renumber_sessions(store: SessionStore, numbers: Ints) -> None:
    """Compact a store whose keys get the numbers that an array has at their old ones."""
    parts = [*store.places]
    sessions = live_sessions(store, parts)
    lay_sessions(store, sessions._replace(key=numbers[sessions.key]), parts)
