"""The arrays of a session store, their scalars, and the fields of a session."""

import numpy as np

# places of a store, from its first one on
(
    AT_SCALARS, AT_ROWS, AT_FREE, AT_HEADS, AT_BUCKETS, AT_CHUNKS,
    AT_NEW, AT_MERGED, AT_CHANGED, AT_COLUMNS,
) = range(10)  # fmt: skip
STORE_PLACES = AT_COLUMNS + 1

# scalars of a store
(
    GAP, SINCE, ADJOIN, SHIFT, WAIT, LINGER, TOP, FREE, LIVE, REPORTS, NEW_ROWS, MERGES, CHANGES,
    POSITION, NEXT_DUE, CHUNK_TOP, FREE_CHUNK, CHAIN, LAST_CHAIN, MIXED, PREFETCHED, OUTDATED,
    TIMERS,
) = range(23)  # fmt: skip
"""A session is reported WAIT after its end, and final LINGER after it, and after the lateness."""
STORE_SCALARS = 32

IDENTITY, IGNORED = 0, 1
"""Rows of no session: one holds nothing, one takes what a store does not see."""
FIRST_ROW = 2

# fields of a row: its extent is [FIRST, REACH); LINK has the newer session, then the older one
FIRST, REACH, COUNT, STATE, KEY, LINK, LEFT, RIGHT = map(np.uint64, range(8))
ROW_BITS = np.uint64(3)
ROW_FIELDS = 8

REPORTED, CHANGED, GONE, NEAR, FINAL, ROOT = (1 << i for i in range(6))
"""Bits of a state: its results, that they are outdated, that it is merged or final, its timers."""
REVISION_SHIFT = 6
REVISION = 1 << REVISION_SHIFT
FLAGS = REVISION - 1

# fields of a session that was reported and has changed: what it was
C_ROW, C_FIRST, C_REACH, C_COUNT, C_REVISION, C_FIELDS = range(6)

HALF = 32
LOW_HALF = (1 << HALF) - 1
"""A head of a list has the root of its tree, then its newest session."""

LIVE_COLUMN, KEPT_COLUMN = range(2)
"""The values of a part now, and those that were reported and are outdated."""
