"""The records of a store in a snapshot, and the checks of those that come from outside.

No number that a snapshot holds is an index, but the key.
"""

from collections.abc import Sequence

import numpy as np

from muntin.columnar.engine.directory import FAR, FARTHEST
from muntin.columnar.engine.records import layout as r
from muntin.columnar.engine.records.compaction import KEY_MASK, Records
from muntin.columnar.engine.records.store import RecordStore
from muntin.kernels.slicing.parts import Part
from muntin.kernels.slicing.sound import Facts, row_of, values_within

MOST = 1 << 60
"""The bound of ranks and revisions: sums of them do not wrap."""


def check_records(store: RecordStore, state: Records, keys: int) -> Facts:
    """All that kernels rely on, but for the columns."""
    n = state.key.size
    for name, column in zip(("key", "time", "mark"), state[:3], strict=True):
        yield row_of(f"records.{name}", column, size=n)
    yield values_within("records.key", state.key, 0, max(keys, 1) - 1)
    yield values_within("records.time", state.time, 1 - FARTHEST, FARTHEST - 1)
    yield values_within("records.mark", state.mark, 0, 1)
    yield "`records.key` must be sorted", (np.diff(state.key) >= 0).all()
    rises = np.diff(state.time) >= 0
    yield "`records.time` must be sorted", rises[np.diff(state.key) == 0].all()
    yield row_of("records.dropped", state.dropped)
    yield "`records.dropped` must be of keys", state.dropped.size <= max(keys, 1)
    yield values_within("records.dropped", state.dropped, 0, MOST)
    yield row_of("records.revisions", state.revisions)
    yield "`records.revisions` must be rows", state.revisions.size % r.V_FIELDS == 0
    revisions = state.revisions.reshape(-1, r.V_FIELDS)
    names = revisions[:, r.V_NAME]
    yield values_within("records.revisions", names >> 32, 1, len(store.queries))
    yield values_within("records.revisions", names & KEY_MASK, 0, max(keys, 1) - 1)
    yield values_within("records.revisions", revisions[:, r.V_NUMBER], 1, MOST)
    for field in (r.V_START, r.V_END, r.V_UNTIL):
        yield values_within("records.revisions", revisions[:, field], -FAR, FAR)


def check_record_columns(store: RecordStore, state: Records, parts: Sequence[Part]) -> Facts:
    """That each part has columns of its types, with an item for each row."""
    yield f"`records.columns` must be of {len(parts)} partials", len(state.columns) == len(parts)
    for part, columns in zip(parts, state.columns, strict=True):
        types = [identity.dtype for identity in store.kernels[part].identity]
        held = [(column.dtype, column.shape) for column in columns]
        expected = [(dtype, state.key.shape) for dtype in types]
        yield f"`records.columns` of `{part}` must be {expected}, found {held}", held == expected
