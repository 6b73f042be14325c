"""The sessions of a store in a snapshot, and the checks of those that come from outside.

Only live sessions are written; lists, trees and timers are made anew, so no number that a snapshot
holds is an index, but the key.
"""

from collections.abc import Sequence

import numpy as np

from muntin.columnar.engine.directory import FAR, FARTHEST
from muntin.columnar.engine.sessions import layout as s
from muntin.columnar.engine.sessions.compaction import Sessions
from muntin.columnar.engine.sessions.store import SessionStore
from muntin.kernels.slicing.parts import Part
from muntin.kernels.slicing.sound import Facts, row_of, values_within

MOST = 1 << 48
"""The bound of events and revisions of a session: sums of them do not wrap."""


def check_sessions(store: SessionStore, state: Sessions, keys: int) -> Facts:
    """All that kernels rely on, but for the columns."""
    n = state.key.size
    for name, column in zip(state._fields[:-1], state[:-1], strict=True):
        yield row_of(f"sessions.{name}", column, size=n)
    since = int(store.scalars[s.SINCE])
    yield values_within("sessions.key", state.key, 0, max(keys, 1) - 1)
    yield values_within("sessions.first", state.first, max(since, -FARTHEST) + 1, FARTHEST)
    yield values_within("sessions.reach", state.reach, -FARTHEST, FAR)
    yield "`sessions.first` must be before `sessions.reach`", (state.first < state.reach).all()
    yield values_within("sessions.count", state.count, 1, MOST)
    yield values_within("sessions.reported", state.reported, 0, 1)
    yield values_within("sessions.revision", state.revision, 0, MOST)
    revised = state.revision > 0
    yield "`sessions.revision` must be 0 before a report", state.reported[revised].all()
    yield "`sessions.key` must be sorted", (np.diff(state.key) >= 0).all()
    disjoint = state.reach[:-1] + store.scalars[s.ADJOIN] <= state.first[1:]
    yield "`sessions` of one key must not overlap", disjoint[np.diff(state.key) == 0].all()


def check_columns(store: SessionStore, state: Sessions, parts: Sequence[Part]) -> Facts:
    """That each part has columns of its types, with a row for each session."""
    yield f"`sessions.columns` must be of {len(parts)} partials", len(state.columns) == len(parts)
    for part, columns in zip(parts, state.columns, strict=True):
        types = [identity.dtype for identity in store.kernels[part].identity]
        held = [(column.dtype, column.shape) for column in columns]
        expected = [(dtype, state.key.shape) for dtype in types]
        yield f"`sessions.columns` of `{part}` must be {expected}, found {held}", held == expected
