"""The directory: where the arrays of the state lie, and the names of the places."""

import numpy as np
from numpy.typing import NDArray

from muntin.columnar.engine.kernel_language import DIRECTORIES, Ints

AnyArray = NDArray[np.generic]
"""Of int64, float64 or objects."""

FARTHEST = (1 << 62) - (1 << 60)
"""The bound of times of events."""
FAR = 1 << 62
"""Beyond all times; a kernel adds to it only what cannot wrap."""
NO_LAST = FAR - 1
"""When the last window of a query is due that has no last one."""

(
    # the scalars and the batch
    SCALARS, TIMES, KEYS, GAPS, BLOCK_LOW, BLOCK_HIGH,
    # where the rows of a batch go: runs of rows that go to one row of the state, or each to its own
    ENTRY_BEGIN, ENTRY_END, ENTRY_ROW, ENTRY_LOW, ENTRY_HIGH, PLACED,
    # the timeline
    EDGES, LOOKUP,
    # slices: first and last unit of rows, cells, hash index
    UNIT, LAST_UNIT, CELLS, INDEX_AT, INDEX_BITS, FRESH, COUNT_BEFORE,
    # rows: events, key; units: the next of a chain; the hash indexes, free ones by size
    ROW_COUNT, ROW_KEY, NEXT_UNIT, INDEX, FREE_INDEX,
    # keys: hash table, and the keys by number
    KEY_TABLE, KEY_OF, KEY_ID, KEY_SLOT, OUT_ROW,
    # queries
    QUERIES,
    # what came behind the reported time: slices, and cells
    DIRTY_SLICE, DIRTY_BEFORE, DIRTY_CELL_SLICE, DIRTY_CELL_KEY, DIRTY_ORDER, PENDING_ORDER,
    # windows that are due or changed
    DUE_QUERY, DUE_START, DUE_END, DUE_LOW, DUE_HIGH, DUE_KIND, DUE_ROW,
    # rows of results
    OUT_KEY, OUT_COUNT, OUT_REVISION,
    # pairs of rows: to be copied, to be merged
    COPY_FROM, COPY_TO, MERGE_FROM, MERGE_TO,
    # revisions of windows that were updated
    REVISION_END, REVISION_KEY, REVISION,
    # parts: pointers and places; columns of integers that are summed, and bounds of their sums
    PARTS, SUMMED, SUM_BOUND,
    # columns of the batch that are bound: place, and object or 0
    BOUND,
    # sessions: the first place of each store, and what their rows of results have besides
    STORES, SESSION_ROWS,
    # which rows of a batch are marks
    MARKS,
) = range(62)  # fmt: skip
KERNEL_PLACES = MARKS + 1
"""Places that have the address of a kernel instead of an array."""
(
    ADMIT, PLACE_LANES, PLACE_DENSE, PLACE_SPARSE, NUMBER_KEYS, FIND_WINDOWS, FIND_CHANGED,
    SORT_DIRTY_CELLS, SEAL_LANES, GROW_TREE, EMIT_LANES, FOLD_TREES, EMIT_CELLS, EMIT_CHANGED,
    PLACE_PENDING, EMIT_PENDING, REPLACE_PENDING, RELEASE_SLICES, PLACES,
) = range(KERNEL_PLACES, KERNEL_PLACES + 19)  # fmt: skip

(
    N, LOW, HIGH, WATERMARK, LIMIT, LATENESS, BEFORE, BEFORE_LIMIT, EARLY, MODE, PHASE,
    KEYING, KEY_COUNT, KEY_BITS, LAYOUT, UNIT_ROWS, TOP_UNIT, UNITS, FREE_UNIT, FREE_UNITS,
    INDEX_TOP, INDEX_GUESS, SLICES, SEALED, COVER_LOW, LOOKUP_ORIGIN, LOOKUP_SHIFT, CUT_CHECKED,
    ENTRIES, DIRTY_SLICES, DIRTY_CELLS, WINDOWS, WINDOW_AT, OUT, COPIES, MERGES,
    REVISIONS, DUE, PART_COUNT, PREFIXED, NEED, QUERY_COUNT, TREE_PARTS, TREE_HALF, SUMMED_COUNT,
    TOUCHED, OVERFLOWING, BOUND_COUNT, RELEASED, STORE_COUNT, STORE_AT, OWN_GAPS, SESSION_FROM,
    ADMIT_SESSIONS, PLACE_SESSIONS, REPORT_SESSIONS, SEEN, ARRIVED, REACHED, LANE_BITS,
    WORK, WORK_LIMIT, CHANGED, BY_WINDOW, ACCEPTED, LATE_UPDATES, RELEASE_AT, ADJACENT, MOST_OUT,
    MOST_UNITS,
) = range(70)  # fmt: skip
RECORD_STORE, OWN_MARKS, ADMIT_RECORDS, PLACE_RECORDS, REPORT_RECORDS = range(80, 85)
"""The first place of the store of records or 0, whether a batch has marks, and kernels."""
SCALAR_COUNT = 96

(
    DONE, IS_LATE, EXTEND, RELAY, ROOM, WIDEN, MORE_WINDOWS, MORE_OUTPUT, SESSION_ROOM, FAR_TIME,
    LATE_ROOM, TIDY, MORE_REVISIONS, RECORD_ROOM,
) = range(14)  # fmt: skip
"""What a step says: done, or what Python must do before the same step is run again."""

NO_KEYS, NUMBERED, HASHED = range(3)
"""Whether rows have one key, numbers of keys, or keys that the step numbers."""

LANES, DENSE, SPARSE = range(3)
"""How rows lie: four lanes for one key; a row for each key; chunks of rows, and a hash index."""

RETRACTS, ACCUMULATES, FINAL, DISCARDS = range(4)
AT_ONCE, AT_WATERMARK, NEVER = range(3)
"""When updates of windows that were reported are emitted."""
RETRACTED, NEW, UPDATED = range(3)

# fields of a query: a window [start, end) holds the times in [start + OPENS, end + CLOSES), is due
# at end + WAIT, and final when the limit is FINAL_WAIT later; it is due between FIRST and LAST
(
    Q_KIND, Q_SIZE, Q_STEP, Q_PHASE, Q_ORIGIN, Q_NEXT, Q_FOUND, Q_ID, Q_OPENS, Q_CLOSES, Q_WAIT,
    Q_FINAL_WAIT, Q_FIRST, Q_LAST, Q_SINCE, Q_TURN, Q_FIELDS,
) = range(17)  # fmt: skip
SLIDING, CUMULATE, FIXED_START = range(3)
"""Where windows start: a size before their end, where their pane does, or all at one time."""

# fields of a part
(
    P_ADD, P_MERGE, P_COPY, P_PREFIX, P_RANGE, P_SOURCE, P_SECOND, P_TIME, P_CELLS, P_OUT, P_TREE,
    P_COLUMNS, P_FLAGS, P_LOG, P_ROOM, P_PENDING, P_FIELDS,
) = range(17)  # fmt: skip

UPWARD, REAL, ORDERED = 1, 2, 4
"""Flags of a part: what is greater, or later, wins; what is compared are floats;
of equal times the part knows which came first, so a cell must be one row."""

# fields of a row of results for a session
R_STORE, R_START, R_END, R_KIND, R_FIELDS = range(5)


class Directory:
    """The arrays of a state, alive, and the table of their addresses."""

    def __init__(self) -> None:
        """Start with empty arrays; `failure` is what a kernel that is a function has raised."""
        self.arrays: list[Ints] = [np.zeros(0, np.int64) for _ in range(PLACES)]
        self.table: Ints = np.zeros((PLACES, 2), np.int64)
        self.address = int(self.table.ctypes.data)
        self.failure: BaseException | None = None
        DIRECTORIES[self.address] = self

    def add(self, array: AnyArray) -> int:
        """Give an array a new place."""
        place = len(self.arrays)
        self.arrays.append(array)  # type: ignore[arg-type] # as in `put`
        if place >= len(self.table):
            table: Ints = np.zeros((2 * place, 2), np.int64)
            table[:place] = self.table[:place]
            self.table, self.address = table, int(table.ctypes.data)
            DIRECTORIES[self.address] = self
        self.put(place, array)
        return place

    def put(self, place: int, array: AnyArray) -> None:
        """Put an array to a place; it must not be a view that is soon gone."""
        self.arrays[place] = array  # type: ignore[assignment] # most are of integers
        self.table[place, 0] = array.__array_interface__["data"][0]
        self.table[place, 1] = array.size

    def extend(self, place: int, size: int, used: int) -> None:
        """Make an array larger; only its first items are read before they are written."""
        old = self.arrays[place]
        if size > old.size:
            longer = np.empty(size, old.dtype)
            longer[:used] = old[:used]
            self.put(place, longer)

    def grow(self, place: int, size: int, fill: float | AnyArray = 0) -> None:
        """Make an array larger, and fill what is new."""
        old = self.arrays[place]
        if size <= old.size:
            return
        zeros = old.dtype != np.object_ and not fill  # memory comes as zeros: no page is touched
        grown = np.zeros(size, old.dtype) if zeros else np.full(size, fill, old.dtype)
        grown[: old.size] = old
        self.put(place, grown)
