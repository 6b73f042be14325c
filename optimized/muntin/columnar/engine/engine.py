"""The engine: arrays, what grows them, and a step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.cells import fill_key_table
from muntin.columnar.engine.compiling import Ints, Phase
from muntin.columnar.engine.directory import FAR, AnyArray, Directory
from muntin.columnar.engine.plan import PartKernels, Period, Reach, kernels_for
from muntin.columnar.engine.sessions.placing import admit_sessions, place_sessions
from muntin.columnar.engine.sessions.reporting import report_sessions
from muntin.columnar.engine.sessions.store import SessionRows, SessionStore
from muntin.columnar.engine.step import REPORTS, release_slices, run_step
from muntin.columnar.engine.timetable import Timetable
from muntin.kernels.slicing.parts import Part

MODES = {"accumulate-retract": 0, "accumulate": 1, "final": d.FINAL}
SMALL = 1024
"""Batches up to this size are copied: that is cheaper than to ask for addresses."""
UNIT = 64
"""Rows of a unit, where a slice has rows for the keys that came."""
fill_keys = Phase(fill_key_table)
SESSION_SCALARS = (d.ADMIT_SESSIONS, d.PLACE_SESSIONS, d.REPORT_SESSIONS)
SESSION_KERNELS = (admit_sessions, place_sessions, report_sessions)

SLICE_ARRAYS = (
    d.UNIT, d.LAST_UNIT, d.CELLS, d.INDEX_AT, d.INDEX_BITS, d.FRESH, d.COUNT_BEFORE,
    d.DIRTY_SLICE, d.DIRTY_BEFORE,
)  # fmt: skip
MOVED = (d.UNIT, d.LAST_UNIT, d.CELLS, d.INDEX_AT, d.INDEX_BITS)
DUE_ARRAYS = (
    d.DUE_QUERY, d.DUE_START, d.DUE_END, d.DUE_LOW, d.DUE_HIGH, d.DUE_KIND, d.DUE_ROW,
)  # fmt: skip


@dataclass
class KeptPart:
    """A part, the kernels for its type, and its places."""

    part: Part
    kernels: PartKernels
    source: int
    cells: list[int] = field(default_factory=list[int])
    out: list[int] = field(default_factory=list[int])
    tree: list[int] = field(default_factory=list[int])


@dataclass(frozen=True)
class Rows:
    """Rows of results: windows, where each begins, and for each row key, events, revision, parts."""

    query: Ints
    start: Ints
    end: Ints
    key: Ints
    count: Ints
    revision: Ints
    parts: Mapping[Part, tuple[AnyArray, ...]]

    def __len__(self) -> int:
        """How many rows there are."""
        return int(self.key.size)


class Engine:
    """State and steps of queries that see the same events."""

    def __init__(
        self,
        rows: Sequence[Sequence[int]],
        periods: Sequence[Period],
        mode: str,
        lateness: int,
        since: int = -FAR,
    ) -> None:
        """Start without events."""
        self.directory = Directory()
        self.rows, self.reach = [list(row) for row in rows], Reach(rows)
        self.scalars: Ints = np.zeros(d.SCALAR_COUNT, np.int64)
        self.directory.put(d.SCALARS, self.scalars)
        s = self.scalars
        s[d.WATERMARK] = s[d.LIMIT] = s[d.BEFORE] = s[d.BEFORE_LIMIT] = s[d.GIVEN] = -FAR
        s[d.LATENESS], s[d.MODE], s[d.SINCE] = lateness, MODES[mode], since
        s[d.QUERY_COUNT], s[d.DUE] = len(rows), FAR
        self.parts: list[KeptPart] = []
        self.stores: list[SessionStore] = []
        self.buffers: dict[int, AnyArray] = {}
        self.timetable = Timetable(periods) if rows else None
        self._start()

    def _start(self) -> None:
        put, s = self.directory.put, self.scalars
        put(d.QUERIES, np.array(self.rows, np.int64).reshape(-1))
        self._row_room = 256
        put(d.FREE_INDEX, np.zeros(64, np.int64))
        for place in (d.COPY_FROM, d.COPY_TO, d.MERGE_FROM, d.MERGE_TO):
            put(place, np.zeros(4096, np.int64))
        put(d.KEY_SLOT, np.zeros(256, np.int64))
        for place in (d.REVISION_END, d.REVISION_KEY, d.REVISION):
            put(place, np.zeros(256, np.int64))
        for place in (d.OUT_KEY, d.OUT_COUNT, d.OUT_REVISION, *DUE_ARRAYS):
            put(place, np.zeros(64, np.int64))
        put(d.SESSION_ROWS, np.zeros(64 * d.R_FIELDS, np.int64))
        put(d.OUT_ROW, np.zeros(64, np.int64))
        s[d.KEY_BITS] = 7
        put(d.KEY_TABLE, np.zeros(2 << 7, np.int64))
        put(d.KEY_OF, np.zeros(1 << 7, np.int64))
        s[d.INDEX_GUESS] = 4
        self._batch_room(SMALL)
        if self.timetable:
            s[d.UNIT_ROWS], s[d.TOP_UNIT], s[d.UNITS] = 4, 1, 64
            self.directory.grow(d.ROW_COUNT, 256)
            self.directory.grow(d.NEXT_UNIT, 64)
            self.slice_room = 0
            self._set_queries()
            self._lay_edges()

    def _set_queries(self) -> None:
        """The next end of each query after the time that was reported."""
        s, q = self.scalars, self.directory.arrays[d.QUERIES].reshape(-1, d.Q_FIELDS)
        upto = int(s[d.LIMIT] if s[d.MODE] == d.FINAL else s[d.WATERMARK])
        step, phase = q[:, d.Q_STEP], q[:, d.Q_PHASE]
        q[:, d.Q_NEXT] = upto + 1 + (phase - upto - 1) % step
        s[d.DUE] = q[:, d.Q_NEXT].min()

    # ------------------------------------------------------------ parts

    def add_part(self, part: Part, dtype: np.dtype[np.generic], source: int) -> None:
        """Keep a partial of a column; before the first event."""
        kernels = kernels_for(part, dtype)
        if kernels is None:
            raise NotImplementedError(part)
        kept = KeptPart(part, kernels, source)
        add = self.directory.add
        rows = self.directory.arrays[d.ROW_COUNT].size
        out = self.directory.arrays[d.OUT_KEY].size
        for columns, size in ((kept.cells, rows), (kept.out, out)):
            columns += [add(_filled(size, identity)) for identity in kernels.identity]
        tree = self.directory.arrays[d.COUNT_BEFORE].size
        tree = tree if kernels.prefix else 2 * tree
        kept.tree += [add(_filled(tree, identity)) for identity in kernels.identity]
        self.parts.append(kept)
        self._list_parts()
        for store in self.stores:
            store.list_columns(self.parts)

    def _list_parts(self) -> None:
        table = np.zeros((len(self.parts), d.P_FIELDS), np.int64)
        summed: list[int] = []
        for row, kept in zip(table, self.parts, strict=True):
            k = kept.kernels
            row[d.P_ADD], row[d.P_MERGE], row[d.P_COPY] = k.add.address, k.merge.address, k.copy.address
            if k.prefix and k.fold:
                row[d.P_PREFIX], row[d.P_RANGE] = k.prefix.address, k.fold.address
            row[d.P_SOURCE] = kept.source
            row[d.P_CELLS], row[d.P_OUT], row[d.P_TREE] = kept.cells[0], kept.out[0], kept.tree[0]
            if k.degree:
                summed += [kept.source, k.degree]
        self.directory.put(d.PARTS, table.reshape(-1))
        self.directory.put(d.SUMMED, np.array(summed, np.int64))
        self.directory.put(d.SUM_BOUND, np.zeros(len(summed), np.float64))
        s = self.scalars
        s[d.PART_COUNT], s[d.SUMMED_COUNT] = len(self.parts), len(summed) // 2
        s[d.TREE_PARTS] = sum(1 for kept in self.parts if not kept.kernels.prefix)

    def add_store(self, store: SessionStore) -> None:
        """Keep the sessions of a gap."""
        self.stores.append(store)
        store.list_columns(self.parts)
        self._list_stores()

    def _list_stores(self) -> None:
        s, bases = self.scalars, [store.base for store in self.stores]
        self.directory.put(d.STORES, np.array(bases, np.int64))
        s[d.STORE_COUNT], s[d.STORE_AT] = len(bases), 0
        for scalar, kernel in zip(SESSION_SCALARS, SESSION_KERNELS, strict=True):
            s[scalar] = kernel.address

    def add_source(self, dtype: np.dtype[np.generic]) -> int:
        """Give a column of values a place."""
        buffer = np.zeros(SMALL, dtype)
        place = self.directory.add(buffer)
        self.buffers[place] = buffer
        return place

    # ------------------------------------------------------------ room

    def _batch_room(self, n: int) -> None:
        put, blocks = self.directory.put, (n + 255) // 256
        for place in (d.BLOCK_LOW, d.BLOCK_HIGH):
            put(place, np.zeros(blocks, np.int64))
        for place in (d.ENTRY_BEGIN, d.ENTRY_END, d.ENTRY_ROW, d.ENTRY_LOW, d.ENTRY_HIGH):
            put(place, np.zeros(10 * blocks + 1, np.int64))
        for place in (
            d.PLACED, d.KEY_ID, d.DIRTY_CELL_SLICE, d.DIRTY_CELL_KEY, d.DIRTY_ORDER,
        ):  # fmt: skip
            put(place, np.zeros(n, np.int64))
        self.batch_room = n
        for place in (d.TIMES, d.KEYS):
            self.buffers[place] = np.zeros(min(n, SMALL), np.int64)

    def _lay_edges(self, origin: Ints | None = None) -> None:
        """Write edges and the table of stretches; `origin` is the old slice of each new one."""
        table, s, put = self.timetable, self.scalars, self.directory.put
        if table is None:
            raise AssertionError
        n = table.blank.size
        if n + 2 > self.slice_room:
            self.slice_room = 1 << (n + 2).bit_length()
            for place in SLICE_ARRAYS:
                self.directory.grow(place, self.slice_room + 2)
            s[d.TREE_HALF] = self.slice_room
            for kept in self.parts:
                self._grow_tree(kept)
            s[d.PREFIXED] = 0
        edges = np.full(n + 3, FAR, np.int64)
        edges[: n + 1] = table.edges
        put(d.EDGES, edges)
        if origin is not None:
            self._move(origin)
        blanks = np.flatnonzero(table.blank[:-1]) if table.blank[-1] else np.flatnonzero(table.blank)
        first = int(blanks[-1]) + 1 if blanks.size else 0
        last = n - 1 if table.blank[-1] else n
        s[d.SLICES], s[d.COVER_LOW] = last, edges[first]
        low, high = int(edges[first]), int(edges[last])
        shift = 0
        if last > first:
            shift = max(0, ((high - low) // (8 * (last - first))).bit_length() - 1)
            starts = np.arange(low, high + (1 << shift), 1 << shift)
            put(d.LOOKUP, np.searchsorted(edges[: last + 1], starts, "right") - 1)
        s[d.LOOKUP_ORIGIN], s[d.LOOKUP_SHIFT] = low, shift
        reported = int(s[d.LIMIT] if s[d.MODE] == d.FINAL else s[d.WATERMARK])
        at = int(np.searchsorted(edges[: last + 1], reported, "right")) - 1
        s[d.SEALED] = min(max(at, 0), last)
        s[d.PREFIXED] = min(s[d.PREFIXED], s[d.SEALED])

    def _move(self, origin: Ints) -> None:
        """Move the content of slices; what is cut from a blank slice is empty."""
        first = np.ones(origin.size, np.bool_)
        first[1:] = origin[1:] != origin[:-1]
        for place in MOVED:
            array = self.directory.arrays[place]
            moved = np.where(first, array[origin], 0)
            array[:] = 0
            array[: moved.size] = moved
        changed = np.flatnonzero(origin != np.arange(origin.size))
        if changed.size:
            self.scalars[d.PREFIXED] = min(int(self.scalars[d.PREFIXED]), int(changed[0]))

    def _grow_tree(self, kept: KeptPart) -> None:
        size = self.slice_room + 2
        for place, identity in zip(kept.tree, kept.kernels.identity, strict=True):
            n = size if kept.kernels.prefix else 2 * size
            self.directory.put(place, _filled(n, identity))

    def _extend(self, times: Ints) -> None:
        """Cut edges for the times of a batch."""
        if self.timetable is None:
            raise AssertionError
        self._drop_slices()
        origin = self.timetable.cut(self._extremes(times))
        if origin is not None:
            self._lay_edges(origin)
        self.scalars[d.CUT_CHECKED] = 1

    def _extremes(self, times: Ints) -> Ints:
        """Times that are as far apart as those of a batch: of dense blocks the first and the last."""
        arrays, margin = self.directory.arrays, self.timetable.margin if self.timetable else 0
        blocks = (times.size + 255) // 256
        low, high = arrays[d.BLOCK_LOW][:blocks], arrays[d.BLOCK_HIGH][:blocks]
        wide = np.flatnonzero(high - low > margin).tolist()
        inner = [times[256 * block : 256 * block + 256] for block in wide]
        return np.concatenate([low, high, *inner])

    def _drop_slices(self) -> bool:
        """Forget slices that no window needs, if they are as many as the others."""
        s, table = self.scalars, self.timetable
        limit = int(s[d.LIMIT])
        if table is None or limit <= -FAR:
            return False
        horizon = self.reach.horizon(min(limit, FAR // 2))
        keep = min(int(np.searchsorted(table.edges, horizon, "right")) - 1, int(s[d.SEALED]))
        if keep < 2 or (2 * keep < int(s[d.SLICES]) and keep < 64):
            return False
        s[d.NEED] = keep
        release_slices(self.directory)
        kept = np.concatenate([[0], np.arange(keep, table.blank.size)])
        table.drop(keep)
        self._lay_edges(kept)
        s[d.PREFIXED] = 0
        return True

    def _make_room(self) -> None:
        """More units of rows, or more room for hash indexes."""
        s, grow = self.scalars, self.directory.grow
        need, index = int(s[d.TOUCHED]), int(s[d.NEED])
        if self._drop_slices():
            return
        free = int(s[d.FREE_UNITS] + s[d.UNITS] - s[d.TOP_UNIT])
        if free < need:
            units = max(2 * int(s[d.UNITS]), int(s[d.UNITS]) + need)
            self._row_columns(units * int(s[d.UNIT_ROWS]))
            grow(d.NEXT_UNIT, units)
            s[d.UNITS] = units
        if s[d.LAYOUT] == d.SPARSE and s[d.INDEX_TOP] + index > self.directory.arrays[d.INDEX].size:
            grow(d.INDEX, 2 * (int(s[d.INDEX_TOP]) + index))

    def _row_columns(self, rows: int) -> None:
        grow = self.directory.grow
        grow(d.ROW_COUNT, rows)
        if self.scalars[d.LAYOUT] == d.SPARSE:
            grow(d.ROW_KEY, rows)
        for kept in self.parts:
            for place, identity in zip(kept.cells, kept.kernels.identity, strict=True):
                grow(place, rows, identity)

    def _relay(self) -> None:
        """Room for more keys, and the layout that suits them."""
        s, directory = self.scalars, self.directory
        n, keys = int(s[d.N]), int(s[d.KEY_COUNT])
        if s[d.KEYING] == d.HASHED and 3 * (keys + n) > 2 << int(s[d.KEY_BITS]):
            s[d.KEY_BITS] = (3 * (keys + n) // 2).bit_length()
            directory.put(d.KEY_TABLE, np.zeros(2 << int(s[d.KEY_BITS]), np.int64))
            directory.grow(d.KEY_OF, 1 << int(s[d.KEY_BITS]))
            fill_keys(directory)
            return
        if keys > directory.arrays[d.OUT_ROW].size:
            directory.grow(d.OUT_ROW, 1 << keys.bit_length())
        if self.timetable and keys > 1 and s[d.LAYOUT] == d.LANES:
            self._set_layout(d.DENSE if keys <= 32 else d.SPARSE)
        elif self.timetable and s[d.LAYOUT] == d.DENSE and keys > s[d.UNIT_ROWS]:
            self._set_layout(d.DENSE if keys <= 64 else d.SPARSE)

    def _set_layout(self, layout: int) -> None:
        """Move all rows to another layout."""
        s, directory, table = self.scalars, self.directory, self.timetable
        if table is None:
            raise AssertionError
        old, width = int(s[d.LAYOUT]), int(s[d.UNIT_ROWS])
        slices = int(s[d.SLICES])
        units = directory.arrays[d.UNIT][:slices].copy()
        counts = directory.arrays[d.ROW_COUNT].copy()
        columns = [[directory.arrays[p].copy() for p in kept.cells] for kept in self.parts]
        new_width = UNIT
        # rows of each slice: (slice, key, old rows)
        moved: list[tuple[int, int, list[int]]] = []
        for at in np.flatnonzero(units).tolist():
            unit = int(units[at])
            lanes = [row for row in range(unit * width, unit * width + width) if counts[row]]
            if old == d.LANES:
                if lanes:
                    moved.append((at, 0, lanes))
            else:
                moved += [(at, row - unit * width, [row]) for row in lanes]
        s[d.LAYOUT], s[d.UNIT_ROWS], s[d.TOP_UNIT] = layout, new_width, 1
        s[d.FREE_UNIT] = s[d.FREE_UNITS] = 0
        occupied = sorted({at for at, _, _ in moved})
        s[d.UNITS] = 2 * (len(occupied) + 2)
        rows = int(s[d.UNITS]) * new_width
        directory.put(d.NEXT_UNIT, np.zeros(int(s[d.UNITS]), np.int64))
        directory.put(d.ROW_COUNT, np.zeros(rows, np.int64))
        directory.put(d.ROW_KEY, np.zeros(rows, np.int64))
        for kept in self.parts:
            for place, identity in zip(kept.cells, kept.kernels.identity, strict=True):
                directory.put(place, _filled(rows, identity))
        for place in MOVED:
            directory.arrays[place][:] = 0
        if directory.arrays[d.INDEX].size == 0:
            directory.put(d.INDEX, np.zeros(1 << 12, np.int64))
        unit_of = {at: i + 1 for i, at in enumerate(occupied)}
        s[d.TOP_UNIT] = len(occupied) + 1
        slot = dict.fromkeys(occupied, 0)
        spare = [directory.add(column) for each in columns for column in each]
        pairs_copy, pairs_merge = [], []
        for at, key, old_rows in moved:
            directory.arrays[d.UNIT][at] = directory.arrays[d.LAST_UNIT][at] = unit_of[at]
            offset = key if layout == d.DENSE else slot[at]
            slot[at] += 1
            row = unit_of[at] * new_width + offset
            directory.arrays[d.CELLS][at] += 1
            directory.arrays[d.ROW_KEY][row] = key
            directory.arrays[d.ROW_COUNT][row] = counts[old_rows].sum()
            pairs_copy.append((old_rows[0], row))
            pairs_merge += [(one, row) for one in old_rows[1:]]
        _apply_pairs(self, pairs_copy, pairs_merge, spare)
        if layout == d.SPARSE:
            from muntin.columnar.engine.index import rebuild_indexes

            rebuild_indexes(self)

    # ------------------------------------------------------------ a step

    def bind(self, place: int, column: AnyArray) -> None:
        """Put a column of the batch to its place."""
        n = column.size
        if n <= SMALL:
            buffer = self.buffers[place]
            buffer[:n] = column
            if self.directory.arrays[place] is not buffer:
                self.directory.put(place, buffer)
        else:
            self.directory.put(place, np.ascontiguousarray(column))

    def step(self, n: int, watermark: int) -> int:
        """Run a step of the columns that are bound; the number of rows of results."""
        s = self.scalars
        if n > self.batch_room:
            self._batch_room(1 << (n - 1).bit_length())
        s[d.N], s[d.GIVEN], s[d.CUT_CHECKED] = n, watermark, 0
        while code := run_step(self.directory):
            self._serve(code)
        return int(s[d.OUT])

    def _serve(self, code: int) -> None:
        s = self.scalars
        if code == d.EXTEND:
            self._extend(self.directory.arrays[d.TIMES][: int(s[d.N])])
        elif code == d.RELAY:
            self._relay()
        elif code == d.ROOM:
            self._make_room()
        elif code == d.MORE_WINDOWS:
            for place in DUE_ARRAYS:
                self.directory.grow(place, 2 * int(s[d.NEED]))
        elif code == d.SESSION_ROOM:
            n, keys = int(s[d.N]), int(s[d.KEY_COUNT])
            self.stores[s[d.STORE_AT]].make_room(n, keys, own_gaps=bool(s[d.OWN_GAPS]))
        elif code == d.MORE_OUTPUT:
            self._more_output(int(s[d.NEED]))
        else:
            raise NotImplementedError(code)

    def _more_output(self, need: int) -> None:
        s, grow = self.scalars, self.directory.grow
        room = 2 * (int(s[d.OUT]) + need)
        if s[d.PHASE] == REPORTS:
            grow(d.SESSION_ROWS, d.R_FIELDS * (room - 2 * int(s[d.SESSION_FROM])))
        for place in (d.OUT_KEY, d.OUT_COUNT, d.OUT_REVISION):
            grow(place, room)
        for kept in self.parts:
            for place in kept.out:
                grow(place, room)
        if 2 * (int(s[d.REVISIONS]) + need) > self.directory.arrays[d.REVISION].size:
            self._purge_revisions(need)

    def _purge_revisions(self, need: int) -> None:
        """Forget revisions of windows that are final, and make room."""
        s, arrays = self.scalars, self.directory.arrays
        live = (arrays[d.REVISION] > 0) & (arrays[d.REVISION_END] > s[d.BEFORE_LIMIT])
        ends, keys, numbers = (
            arrays[place][live].copy() for place in (d.REVISION_END, d.REVISION_KEY, d.REVISION)
        )
        size = 1 << (4 * (ends.size + need)).bit_length()
        spread = np.uint64(0x9E3779B97F4A7C15)
        hashed = (ends * 1_000_003 + keys).astype(np.uint64) * spread >> np.uint64(24)
        for place in (d.REVISION_END, d.REVISION_KEY, d.REVISION):
            self.directory.put(place, np.zeros(size, np.int64))
        table = self.directory.arrays
        for slot, end, key, number in zip(
            (hashed & np.uint64(size - 1)).tolist(), ends.tolist(), keys.tolist(), numbers.tolist(), strict=True
        ):
            while table[d.REVISION][slot]:
                slot = (slot + 1) & (size - 1)
            table[d.REVISION_END][slot], table[d.REVISION_KEY][slot] = end, key
            table[d.REVISION][slot] = number
        s[d.REVISIONS] = ends.size

    def take(self) -> Rows:
        """The rows of the last step."""
        s, arrays = self.scalars, self.directory.arrays
        windows, n = int(s[d.WINDOWS]), int(s[d.SESSION_FROM])
        first = arrays[d.DUE_ROW][:windows]
        each = np.diff(np.append(first, n))
        query, start, end = (
            np.repeat(arrays[place][:windows], each) for place in (d.DUE_QUERY, d.DUE_START, d.DUE_END)
        )
        key, count, revision = (
            arrays[place][:n].copy() for place in (d.OUT_KEY, d.OUT_COUNT, d.OUT_REVISION)
        )
        parts = {
            kept.part: tuple(arrays[place][:n].copy() for place in kept.out) for kept in self.parts
        }
        return Rows(query, start, end, key, count, revision, parts)


    def take_sessions(self) -> SessionRows:
        """The rows of the last step that are of sessions."""
        s, arrays = self.scalars, self.directory.arrays
        begin, end = int(s[d.SESSION_FROM]), int(s[d.OUT])
        n = (end - begin) * d.R_FIELDS
        own: Ints = arrays[d.SESSION_ROWS][:n].astype(np.int64).reshape(-1, d.R_FIELDS)
        key, count, revision = (
            arrays[place][begin:end].copy() for place in (d.OUT_KEY, d.OUT_COUNT, d.OUT_REVISION)
        )
        parts = {
            kept.part: tuple(arrays[place][begin:end].copy() for place in kept.out)
            for kept in self.parts
        }
        return SessionRows(own, key, count, revision, parts)


def _filled(size: int, identity: float) -> AnyArray:
    dtype = np.float64 if isinstance(identity, float) else np.int64
    return np.full(size, identity, dtype)


def _apply_pairs(engine: Engine, copies: list[tuple[int, int]], merges: list[tuple[int, int]], spare: list[int]) -> None:
    from muntin.columnar.engine.index import apply_pairs

    apply_pairs(engine, copies, merges, spare)
