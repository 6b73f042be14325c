"""The records of a group of queries, as Python sees them: their arrays, and what grows those."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from muntin.columnar.engine.directory import FAR, Directory
from muntin.columnar.engine.kernel_language import Ints
from muntin.columnar.engine.partials.kernels import PartKernels, filled
from muntin.columnar.engine.records import layout as r
from muntin.columnar.engine.sessions import layout as s
from muntin.columnar.engine.sessions.store import ListedPart, chunk_words
from muntin.columnar.engine.sessions.timers import BUCKETS
from muntin.kernels.slicing.parts import Part

LEAST_ROOM = 64
LEAST_REVISIONS = 256
UNITS_OF_SIZE = 64
"""How many buckets of the finest wheel of timers the shortest window takes, at least."""


class RecordStore:
    """The rows of each key, and the queries over them."""

    def __init__(
        self, directory: Directory, queries: Sequence[Sequence[int]], since: int = -FAR
    ) -> None:
        """Start without rows; windows in time begin after one."""
        self.directory = directory
        self.places: dict[Part, list[int]] = {}
        self.kernels: dict[Part, PartKernels] = {}
        self.scalars: Ints = np.zeros(r.STORE_SCALARS, np.int64)
        self.scalars[r.SINCE] = since
        self.base = directory.add(self.scalars)
        for _ in range(r.STORE_PLACES - 1):
            directory.add(np.zeros(0, np.int64))
        self.set_queries(np.array(queries, np.int64).reshape(-1, r.Q_FIELDS))
        self.clear()

    def clear(self) -> None:
        """Hold nothing."""
        state, put, base = self.scalars, self.directory.put, self.base
        state[: r.STEP + 1] = 0
        for field in (r.DIRTY, r.LATE, r.DUE_KEYS, r.PHASE, r.LINE, r.EMITTED, r.LACK):
            state[field] = 0
        for field in (r.FREE_ROWS, r.FREE_NODES, r.TALLEST, r.LIVE, r.LIVE_KEYS):
            state[field] = 0
        state[r.TOP_NODE] = state[s.CHUNK_TOP] = 1
        state[r.TOP_ROW] = r.FIRST_ROW
        state[s.SHIFT], state[s.NEXT_DUE] = self._shift, FAR
        for place in range(r.AT_NODES, r.AT_COLUMNS):
            if place not in (r.AT_QUERIES, r.AT_REVISIONS):
                put(base + place, np.zeros(0, np.int64))
        put(base + r.AT_BUCKETS, np.zeros(BUCKETS, np.int64))
        for part, kernels in self.kernels.items():
            for place, value in zip(self.places[part], kernels.identity, strict=True):
                put(place, filled(0, value))
        self.set_revisions(np.zeros((0, r.V_FIELDS), np.int64), 0)
        self.make_room(1, LEAST_ROOM, 16)

    def set_queries(self, rows: NDArray[np.int64]) -> None:
        """Report the windows of these queries."""
        state = self.scalars
        self.queries: Ints = rows
        self.directory.put(self.base + r.AT_QUERIES, np.ascontiguousarray(rows.reshape(-1)))
        kind, size, every = rows[:, r.Q_KIND], rows[:, r.Q_SIZE], rows[:, r.Q_EVERY]
        state[r.QUERY_COUNT] = len(rows)
        state[r.MARKED] = (kind == r.MARKED_OUT).any()
        state[r.RANKED] = ((kind == r.COUNTED) | (every > 1)).any()
        state[r.REACH] = size[kind == r.COUNTED].max(initial=0)
        times = size[kind == r.ROLLING]
        shortest = int(times.min()) if times.size else 1
        self._shift = max(0, (shortest // UNITS_OF_SIZE).bit_length() - 1)

    def remove_query(self, number: int) -> None:
        """Report the windows of a query no more; rows that only it needs go with those to come."""
        self.set_queries(self.queries[self.queries[:, r.Q_ID] != number])

    def list_columns(self, kept: Sequence[ListedPart]) -> None:
        """Give parts columns that have none, or whose kernels are others now."""
        rows = self.directory.arrays[self.base + r.AT_STEPS].size
        for one in kept:
            if one.part not in self.places:
                identity = one.kernels.identity
                self.places[one.part] = [self.directory.add(filled(rows, v)) for v in identity]
            self.kernels[one.part] = one.kernels
        places = [self.places[one.part][0] for one in kept]
        self.directory.put(self.base + r.AT_COLUMNS, np.array(places, np.int64))

    def remove_part(self, part: Part) -> None:
        """Keep a part no more."""
        for place in self.places.pop(part):
            self.directory.put(place, np.zeros(0, np.int64))
        del self.kernels[part]

    @property
    def nodes(self) -> Ints:
        """The words of each node."""
        nodes: Ints = self.directory.arrays[self.base + r.AT_NODES].astype(np.int64, copy=False)
        return nodes.reshape(-1, r.NODE_WORDS)

    @property
    def keys(self) -> Ints:
        """The fields of each key."""
        keys: Ints = self.directory.arrays[self.base + r.AT_KEYS].astype(np.int64, copy=False)
        return keys.reshape(-1, 1 << r.KEY_BITS)

    def counts(self) -> Ints:
        """How many events each row holds: one, or those of a node that has a fold."""
        steps: Ints = self.directory.arrays[self.base + r.AT_STEPS].astype(np.int64, copy=False)
        nodes = self.nodes[np.maximum(-steps, 0)]
        folded = np.where(nodes[:, r.PARENT] > 0, nodes[:, r.ROWS], 0)
        return np.where(steps < 0, folded, (steps > 0).astype(np.int64))

    def make_room(self, n: int, keys: int, nodes: int) -> None:
        """Make room for a batch of rows that takes a number of nodes."""
        state, grow, arrays = self.scalars, self.directory.grow, self.directory.arrays
        base = self.base
        grow(base + r.AT_KEYS, 1 << (max(keys, 1) - 1).bit_length() + r.KEY_BITS)
        grow(base + r.AT_DUE, 1 << (max(keys, 1) - 1).bit_length())
        room = arrays[base + r.AT_FREE_NODES].size
        lack = nodes - (int(state[r.FREE_NODES]) + room - int(state[r.TOP_NODE]))
        if lack > 0:
            room = 1 << (room + lack - 1).bit_length()
            grow(base + r.AT_NODES, room << r.NODE_BITS)
            grow(base + r.AT_FREE_NODES, room)
            grow(base + r.AT_DIRTY, room)
        rows = arrays[base + r.AT_STEPS].size
        lack = nodes + n - (int(state[r.FREE_ROWS]) + rows - int(state[r.TOP_ROW]))
        if lack > 0:
            rows = 1 << (rows + lack - 1).bit_length()
            grow(base + r.AT_STEPS, rows)
            grow(base + r.AT_FREE_ROWS, rows)
            for part, places in self.places.items():
                for place, value in zip(places, self.kernels[part].identity, strict=True):
                    grow(place, rows, value)
        for place in (r.AT_LATE, r.AT_SORTED):
            grow(base + place, 2 << (max(n, 1) - 1).bit_length())
        timers = int(state[s.TIMERS : s.TIMERS + 8].sum()) + n
        grow(base + r.AT_CHUNKS, 2 * chunk_words(timers))

    def set_revisions(self, rows: NDArray[np.int64], need: int) -> None:
        """Enter the revisions of windows into a table that has room for more."""
        size = max(LEAST_REVISIONS, 1 << (4 * (len(rows) + need)).bit_length())
        table = np.zeros((size, r.V_FIELDS), np.int64)
        name, start, end = (rows[:, field] for field in (r.V_NAME, r.V_START, r.V_END))
        mixed = (start & r.LOW_BITS) * r.MIXED[0] + (end & r.LOW_BITS) * r.MIXED[1]
        mixed += (name & r.LOW_BITS) * r.MIXED[2] + (name >> 32)
        hashed = mixed.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(24)
        first = (hashed & np.uint64(size - 1)).astype(np.int64)
        for row, slot in zip(rows, first.tolist(), strict=True):
            at = slot
            while table[at, r.V_NAME]:
                at = (at + 1) & (size - 1)
            table[at] = row
        self.directory.put(self.base + r.AT_REVISIONS, table.reshape(-1))
        self.scalars[r.REVISIONS] = len(rows)

    def live_revisions(self, limit: int) -> NDArray[np.int64]:
        """The revisions of windows that are not final."""
        table = self.directory.arrays[self.base + r.AT_REVISIONS].astype(np.int64, copy=False)
        rows = table.reshape(-1, r.V_FIELDS)
        kept = (rows[:, r.V_NAME] > 0) & (rows[:, r.V_NUMBER] > 0) & (rows[:, r.V_UNTIL] > limit)
        live: Ints = rows[kept].copy()
        return live

    def make_revision_room(self, need: int, limit: int) -> None:
        """Forget the revisions of windows that are final, and make room."""
        size = self.directory.arrays[self.base + r.AT_REVISIONS].size // r.V_FIELDS
        if 2 * (int(self.scalars[r.REVISIONS]) + need + 1) > size:
            self.set_revisions(self.live_revisions(limit), need)

    @property
    def live(self) -> int:
        """How many rows there are."""
        return int(self.scalars[r.LIVE])

    def take_most_rows(self) -> int:
        """How many rows were needed at once since this was called last."""
        most = int(self.scalars[r.MOST_ROWS])
        self.scalars[r.MOST_ROWS] = 0
        return most

    @property
    def room(self) -> int:
        """How many rows there is room for."""
        return self.directory.arrays[self.base + r.AT_STEPS].size

    def has_rows(self, keys: int) -> NDArray[np.bool_]:
        """Which of the numbers of keys have rows, or ranks that go on."""
        held = np.zeros(keys, np.bool_)
        fields = self.keys[:keys]
        some = fields[:, r.ROOT] > 0
        if self.scalars[r.RANKED]:
            some |= fields[:, r.DROPPED] > 0
        held[: some.size] = some
        return held
