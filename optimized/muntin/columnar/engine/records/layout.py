"""The arrays of a record store, their scalars, and the fields of nodes, keys and queries."""

# places of a store, from its first one on
(
    AT_SCALARS, AT_NODES, AT_KEYS, AT_QUERIES, AT_STEPS, AT_FREE_ROWS, AT_FREE_NODES, AT_DIRTY,
    AT_BUCKETS, AT_CHUNKS, AT_DUE, AT_LATE, AT_SORTED, AT_REVISIONS, AT_COLUMNS,
) = range(15)  # fmt: skip
STORE_PLACES = AT_COLUMNS + 1

# scalars of a store; those below 32 are what timers of sessions have
(
    STEP, TOP_ROW, FREE_ROWS, TOP_NODE, FREE_NODES, DIRTY, TALLEST, LATE, DUE_KEYS, PHASE,
    LINE, EMITTED, LACK, REVISIONS, LIVE, QUERY_COUNT, MARKED, RANKED, REACH, LIVE_KEYS,
    CORE_LEAF, CORE_PLACE, CORE_ROWS, MOST_ROWS, SINCE,
) = range(32, 57)  # fmt: skip
STORE_SCALARS = 64

IDENTITY, CORE, FIRST_ROW = range(3)
"""The row that no value came to, the row of what some windows share, and the first of a record."""

FAN = 12
NODE_BITS = 5
NODE_WORDS = 1 << NODE_BITS
"""A node has slots, each of a time and a child, then its fields.

The child of a leaf is a row and whether it is marked. The time is that of the first row below.
"""
FILL, PARENT, ROWS, MARKS, FOLD, LEVEL, NEXT, CHANGED = range(2 * FAN, 2 * FAN + 8)
"""CHANGED is the last step that changed a row below."""
SLOT_BITS = 4
LAST_SLOT = (1 << SLOT_BITS) - 1
"""A place is a leaf and a slot of it; 0 is none."""
DIRTY_FLAG = 1
LEVEL_SHIFT = 1

# fields of a key: WAIT is FAR less its next due time; DROPPED counts the rows that are forgotten
ROOT, FIRST, LAST, DROPPED, WAIT, LISTED, KEY_FIELDS = 0, 1, 2, 3, 4, 5, 8
KEY_BITS = 3
IS_LISTED, IS_MET = 1, 2
"""Of a key that a step reports of: that it is in the list, and that its timer was met."""

# fields of a query
Q_KIND, Q_SIZE, Q_EVERY, Q_PHASE, Q_LEAST, Q_ID, Q_FIELDS = range(7)
COUNTED, ROLLING, MARKED_OUT = range(3)
"""Windows of a number of rows; of the time up to a row; from mark to mark."""

ALL, OLD, NEW = range(3)
"""Which rows of a window are folded: all, or those that came before this step, or with it."""

LOW_BITS = (1 << 32) - 1
MIXED = (1_000_003, 31, 7_919)
"""Factors of 32 bits of the start, the end and the name of a window in a hash: nothing wraps."""

# fields of a revision
V_NAME, V_START, V_END, V_UNTIL, V_NUMBER, V_FIELDS = range(6)

RECORD_NUMBERS = 1 << 20
"""The first number of a query in rows of results, above those of session stores."""
