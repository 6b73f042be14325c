"""The engine: arrays, what grows them, and a step."""

from collections.abc import Sequence

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.cells import BLOCK
from muntin.columnar.engine.directory import FAR, AnyArray
from muntin.columnar.engine.kernel_language import Ints
from muntin.columnar.engine.layout import best_layout, set_layout
from muntin.columnar.engine.partials.part_table import KeptPart, PartTable
from muntin.columnar.engine.partials.promotion import widen
from muntin.columnar.engine.plan import Period, Reach
from muntin.columnar.engine.release import LEAST_WORK, fill_keys, give_back
from muntin.columnar.engine.results import SessionRows, WindowRows
from muntin.columnar.engine.step import REPORTS, release_slices, run_step
from muntin.columnar.engine.timetable import Timetable

MODES = {"accumulate-retract": 0, "accumulate": 1, "final": d.FINAL}

REFUSED = (d.DONE, d.IS_LATE, d.FAR_TIME)
"""Codes after which a step is not run again."""

SLICE_ARRAYS = (
    d.UNIT, d.LAST_UNIT, d.CELLS, d.INDEX_AT, d.INDEX_BITS, d.FRESH, d.COUNT_BEFORE,
    d.DIRTY_SLICE, d.DIRTY_BEFORE,
)  # fmt: skip
MOVED = (d.UNIT, d.LAST_UNIT, d.CELLS, d.INDEX_AT, d.INDEX_BITS)
REVISION_ARRAYS = (d.REVISION_END, d.REVISION_KEY, d.REVISION)
DUE_ARRAYS = (
    d.DUE_QUERY, d.DUE_START, d.DUE_END, d.DUE_LOW, d.DUE_HIGH, d.DUE_KIND, d.DUE_ROW,
)  # fmt: skip


class ColumnarEngine(PartTable):
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
        super().__init__()
        self.rows = [list(row) for row in rows]
        self.reach = Reach(np.array(rows, np.int64).reshape(-1, d.Q_FIELDS))
        s = self.scalars
        s[d.WATERMARK] = s[d.LIMIT] = s[d.BEFORE] = s[d.BEFORE_LIMIT] = s[d.GIVEN] = -FAR
        s[d.LATENESS], s[d.MODE], s[d.SINCE] = lateness, MODES[mode], since
        s[d.QUERY_COUNT], s[d.DUE] = len(rows), FAR
        s[d.LANE_BITS], s[d.WORK_LIMIT] = 3, LEAST_WORK
        self.timetable = Timetable(periods) if rows else None
        self._spare: list[int] = []
        self.batch_room = self.numberings = 0
        self.bound_places: set[int] = set()
        self._start()

    def _start(self) -> None:
        put, s = self.directory.put, self.scalars
        put(d.QUERIES, np.array(self.rows, np.int64).reshape(-1))
        self._row_room = 256
        put(d.FREE_INDEX, np.zeros(64, np.int64))
        for place in (d.COPY_FROM, d.COPY_TO, d.MERGE_FROM, d.MERGE_TO):
            put(place, np.zeros(2048, np.int64))
        put(d.KEY_SLOT, np.zeros(256, np.int64))
        for place in REVISION_ARRAYS:
            put(place, np.zeros(256, np.int64))
        for place in (d.OUT_KEY, d.OUT_COUNT, d.OUT_REVISION, *DUE_ARRAYS):
            put(place, np.zeros(64, np.int64))
        put(d.SESSION_ROWS, np.zeros(64 * d.R_FIELDS, np.int64))
        put(d.OUT_ROW, np.zeros(64, np.int64))
        s[d.KEY_BITS] = 9
        put(d.KEY_TABLE, np.zeros(2 << 9, np.int64))
        put(d.KEY_OF, np.zeros(1 << 9, np.int64))
        s[d.INDEX_GUESS] = 4
        self.make_batch_room(1024)
        if self.timetable:
            s[d.UNIT_ROWS], s[d.TOP_UNIT], s[d.UNITS] = 4, 1, 64
            self.directory.grow(d.ROW_COUNT, 256)
            self.directory.grow(d.NEXT_UNIT, 64)
            self.slice_room = 0
            self._set_queries()
            self.lay_edges()

    def _set_queries(self) -> None:
        """The next end of each query after the time that was reported."""
        s, q = self.scalars, self.directory.arrays[d.QUERIES].reshape(-1, d.Q_FIELDS)
        upto = int(s[d.LIMIT] if s[d.MODE] == d.FINAL else s[d.WATERMARK])
        step, phase = q[:, d.Q_STEP], q[:, d.Q_PHASE]
        q[:, d.Q_NEXT] = upto + 1 + (phase - upto - 1) % step
        s[d.DUE] = q[:, d.Q_NEXT].min()

    # ------------------------------------------------------------ keys and columns

    def list_keys(self, keys: Ints, known: int) -> None:
        """Know keys by their numbers, of which some were known: the engine numbers what follows."""
        n = known + keys.size
        self.directory.grow(d.KEY_OF, 1 << n.bit_length())
        self.directory.arrays[d.KEY_OF][known:n] = keys
        self.scalars[d.KEY_COUNT] = n
        if not self._widen_key_table(0):
            fill_keys(self.directory, known)

    def renew_key_numbers(self) -> None:
        """Have a column of its own for numbers of keys: another may be bound."""
        self.directory.put(d.KEY_ID, np.zeros(self.batch_room, np.int64))

    def _widen_key_table(self, n: int) -> bool:
        """Have room for more keys; whether the table was made anew."""
        s, directory, keys = self.scalars, self.directory, int(self.scalars[d.KEY_COUNT])
        if 3 * (keys + n) <= 2 << int(s[d.KEY_BITS]):
            return False
        s[d.KEY_BITS] = (3 * (keys + n) // 2).bit_length()
        directory.put(d.KEY_TABLE, np.zeros(2 << int(s[d.KEY_BITS]), np.int64))
        directory.grow(d.KEY_OF, 1 << int(s[d.KEY_BITS]))
        fill_keys(directory, 0)
        return True

    def bind_places(self, places: Sequence[int]) -> None:
        """Say which columns a batch has, in which order they are bound."""
        self.bound = np.zeros(2 * len(places), np.int64)
        self.bound[::2] = places
        self.directory.put(d.BOUND, self.bound)
        self.scalars[d.BOUND_COUNT] = len(places)

    # ------------------------------------------------------------ room

    def make_batch_room(self, n: int) -> None:
        """Make room for the rows of a batch."""
        if n <= self.batch_room:
            return
        n = (n + 255) & ~255
        put, blocks = self.directory.put, n // 256
        for place in (d.BLOCK_LOW, d.BLOCK_HIGH):
            put(place, np.zeros(blocks, np.int64))
        for place in (d.ENTRY_BEGIN, d.ENTRY_END, d.ENTRY_ROW, d.ENTRY_LOW, d.ENTRY_HIGH):
            put(place, np.zeros(10 * blocks + 1, np.int64))
        put(d.PLACED, np.zeros(n, np.int64))
        self.batch_room = n
        if self.scalars[d.KEYING] == d.HASHED:
            self.renew_key_numbers()

    def lay_edges(self, origin: Ints | None = None) -> None:
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
        edges = np.full(self.slice_room + 3, FAR, np.int64)
        edges[: n + 1] = table.edges
        put(d.EDGES, edges)
        blank = np.ones(self.slice_room, np.bool_)
        blank[:n] = table.blank
        table.edges, table.blank = edges[: n + 1], blank[:n]  # of a size that does not waver
        if origin is not None:
            self._move(origin)
        blanks = (
            np.flatnonzero(table.blank[:-1]) if table.blank[-1] else np.flatnonzero(table.blank)
        )
        first = int(blanks[-1]) + 1 if blanks.size else 0
        last = n - 1 if table.blank[-1] else n
        s[d.SLICES], s[d.COVER_LOW] = last, edges[first]
        low, high = int(edges[first]), int(edges[last])
        shift = 0
        if last > first:
            shift = max(0, ((high - low) // (8 * (last - first))).bit_length() - 1)
            stretches = _stretches(edges[first : last + 1], first, shift)
            self.directory.grow(d.LOOKUP, 1 << (stretches.size - 1).bit_length())
            self.directory.arrays[d.LOOKUP][: stretches.size] = stretches
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
        size = (self.slice_room + 2) * (1 if kept.kernels.prefix else 2)
        kept.empty_columns(self.directory, kept.tree, size)

    def _extend(self, times: Ints) -> None:
        """Cut edges for the times of a batch."""
        if self.timetable is None:
            raise AssertionError
        self._drop_slices()
        self._suit()
        self.timetable.look_ahead(int(self.scalars[d.SLICES] - self.scalars[d.RELEASED]))
        origin = self.timetable.cut(self._extremes(times))
        if origin is not None:
            self.lay_edges(origin)
        self.scalars[d.CUT_CHECKED] = 1

    def _suit(self) -> None:
        """Take the layout that suits the cells, and size indexes by those that there are."""
        s, cells = self.scalars, self.directory.arrays[d.CELLS][: int(self.scalars[d.SEALED])]
        if s[d.LAYOUT] == d.LANES:
            return
        layout = best_layout(self)
        if layout != s[d.LAYOUT]:
            set_layout(self, layout)
        used = cells[cells > 0][-8:]
        if used.size:
            s[d.INDEX_GUESS] = max(4, (int(used.mean()) * 7 // 4).bit_length())

    def _extremes(self, times: Ints) -> Ints:
        """The times of blocks that reach into blank slices; of short blocks in one the extremes."""
        arrays, table = self.directory.arrays, self.timetable
        if table is None:
            raise AssertionError
        blocks = (times.size + 255) // 256
        low, high = arrays[d.BLOCK_LOW][:blocks], arrays[d.BLOCK_HIGH][:blocks]
        first, last = (np.searchsorted(table.edges, one, "right") - 1 for one in (low, high))
        blanks = np.append(0, np.cumsum(table.blank))
        some = blanks[last + 1] > blanks[first]
        short = (first == last) & (high - low <= table.margin)
        chosen = np.flatnonzero(some & ~short).tolist()
        inner = [times[256 * block : 256 * block + 256] for block in chosen]
        return np.concatenate([low[some & short], high[some & short], *inner])

    def release_rows(self) -> int:
        """Give back the rows of slices that no window needs; how many such slices there are."""
        s, table = self.scalars, self.timetable
        limit = int(s[d.LIMIT])
        if table is None or limit <= -FAR:
            return 0
        horizon = min(self.reach.horizon(min(limit, FAR // 2)), limit)
        keep = min(int(np.searchsorted(table.edges, horizon, "right")) - 1, int(s[d.SEALED]))
        if keep > s[d.RELEASED]:
            s[d.NEED] = keep
            release_slices(self.directory)
        return keep

    def _drop_slices(self) -> None:
        """Forget slices that no window needs, if they are as many as the others."""
        s, table, keep = self.scalars, self.timetable, self.release_rows()
        if table is None or keep < 2 or 2 * keep < int(s[d.SLICES]):  # noqa: PLR2004 - two become one
            return
        kept = np.concatenate([[0], np.arange(keep, table.blank.size)])
        table.drop(keep)
        s[d.RELEASED] = 0
        self.lay_edges(kept)
        s[d.PREFIXED] = 0

    def _make_room(self) -> None:
        """More units of rows, or more room for hash indexes."""
        s, grow = self.scalars, self.directory.grow
        need, index = int(s[d.TOUCHED]), int(s[d.NEED])
        self.release_rows()
        self._suit()
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
        if s[d.KEYING] == d.HASHED:
            if directory.arrays[d.KEY_ID].size < n:
                self.renew_key_numbers()
            if self._widen_key_table(max(keys, BLOCK)):
                return
        if keys > directory.arrays[d.OUT_ROW].size:
            directory.grow(d.OUT_ROW, 1 << keys.bit_length())
        if self.timetable and keys > 1:
            wide = s[d.LAYOUT] == d.DENSE and keys > s[d.UNIT_ROWS]
            layout = best_layout(self)
            if layout != s[d.LAYOUT] or wide:
                set_layout(self, layout)

    def spare_places(self, n: int) -> list[int]:
        """Places for columns that are moved, in a row."""
        if n > len(self._spare):
            self._spare = [self.directory.add(np.zeros(0, np.int64)) for _ in range(n)]
        return self._spare[:n]

    # ------------------------------------------------------------ a step

    def bind(self, place: int, column: AnyArray) -> None:
        """Put a column of the batch to its place; it is contiguous."""
        self.directory.put(place, column)
        self.bound_places.add(place)

    def unbind(self) -> None:
        """Hold on to no column of the last batch."""
        for place in self.bound_places:
            self.directory.put(place, np.zeros(0, self.directory.arrays[place].dtype))
        self.bound_places.clear()

    def bind_batch(self, times: Ints, keys: Ints, n_keys: int, gaps: Ints | None) -> None:
        """Bind the columns of a batch that are no values; keys are numbers below a bound."""
        s = self.scalars
        self.make_batch_room(times.size)
        self.bind(d.TIMES, times)
        self.bind(d.KEY_ID, keys)
        s[d.KEYING], s[d.KEY_COUNT] = d.NUMBERED, max(n_keys, int(s[d.KEY_COUNT]))
        own = bool(self.stores) and gaps is not None and bool(gaps.any())
        s[d.OWN_GAPS] = own
        if own and gaps is not None:
            self.bind(d.GAPS, np.ascontiguousarray(gaps))
        s[d.BOUND_COUNT] = 0

    def set_clock(self, watermark: int, limit: int) -> None:
        """Start at a time: nothing was reported, since no event came."""
        s = self.scalars
        s[d.WATERMARK] = s[d.BEFORE] = watermark
        s[d.LIMIT] = s[d.BEFORE_LIMIT] = limit
        if self.timetable:
            self._set_queries()
            self.lay_edges()

    def remove_query(self, number: int) -> None:
        """Emit the windows of a query no more."""
        s, q = self.scalars, self.directory.arrays[d.QUERIES].reshape(-1, d.Q_FIELDS)
        kept = q[q[:, d.Q_ID] != number]
        self.directory.put(d.QUERIES, np.ascontiguousarray(kept.reshape(-1)))
        self.reach = Reach(kept)
        s[d.QUERY_COUNT] = len(kept)
        s[d.DUE] = kept[:, d.Q_NEXT].min(initial=FAR)

    @property
    def live(self) -> int:
        """The rows of the state that hold events."""
        held = int(np.count_nonzero(self.directory.arrays[d.ROW_COUNT]))
        return held + sum(store.live for store in self.stores)

    def step(self, n: int, watermark: int) -> bool:
        """Run a step of the columns that are bound; or take nothing, if rows are late or far."""
        if n > self.batch_room:
            self.make_batch_room(n)
        code = run_step(self.directory, n, watermark)
        done = code == d.DONE or self._go_on(code, n, watermark)
        if self.directory.failure:
            failure, self.directory.failure = self.directory.failure, None
            raise failure
        return done

    def _go_on(self, code: int, n: int, watermark: int) -> bool:
        s = self.scalars
        s[d.CUT_CHECKED] = 0
        while code not in REFUSED:
            self._serve(code)
            code = run_step(self.directory, n, watermark)
        s[d.CUT_CHECKED] = 0
        return code == d.DONE

    def _serve(self, code: int) -> None:
        s = self.scalars
        if code == d.EXTEND:
            self._extend(self.directory.arrays[d.TIMES][: int(s[d.N])])
        elif code == d.RELAY:
            self._relay()
        elif code == d.ROOM:
            self._make_room()
        elif code == d.LATE_ROOM:
            for place in (d.DIRTY_CELL_SLICE, d.DIRTY_CELL_KEY, d.DIRTY_ORDER):
                self.directory.grow(place, 2 * int(s[d.NEED]))
        elif code == d.MORE_WINDOWS:
            for place in DUE_ARRAYS:
                self.directory.grow(place, 2 * int(s[d.NEED]))
        elif code == d.SESSION_ROOM:
            n, keys = int(s[d.N]), int(s[d.KEY_COUNT])
            self.stores[int(s[d.STORE_AT])].make_room(n, keys, own_gaps=bool(s[d.OWN_GAPS]))
        elif code == d.MORE_OUTPUT:
            self._more_output(int(s[d.NEED]))
        elif code == d.TIDY:
            give_back(self)
        elif code == d.WIDEN:
            widen(self, int(s[d.OVERFLOWING]))
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
        self.set_revisions([arrays[place][live] for place in REVISION_ARRAYS], need)

    def set_revisions(self, columns: Sequence[Ints], need: int) -> None:
        """Enter ends, keys and revisions into a table that has room for more."""
        ends, keys, numbers = columns
        size = 1 << (4 * (ends.size + need) + 64).bit_length()
        spread = np.uint64(0x9E3779B97F4A7C15)
        hashed = (ends * 1_000_003 + keys).astype(np.uint64) * spread >> np.uint64(24)
        tables = [[0] * size for _ in REVISION_ARRAYS]
        for first, *row in zip(
            (hashed & np.uint64(size - 1)).tolist(), ends.tolist(), keys.tolist(), numbers.tolist(),
            strict=True,
        ):  # fmt: skip
            slot = first
            while tables[-1][slot]:
                slot = (slot + 1) & (size - 1)
            for table, value in zip(tables, row, strict=True):
                table[slot] = value
        for place, table in zip(REVISION_ARRAYS, tables, strict=True):
            self.directory.put(place, np.array(table, np.int64))
        self.scalars[d.REVISIONS] = ends.size

    def take(self) -> WindowRows:
        """The rows of the last step that are of windows."""
        return WindowRows(self)

    def take_sessions(self) -> SessionRows:
        """The rows of the last step that are of sessions."""
        return SessionRows(self)


def _stretches(edges: Ints, first: int, shift: int) -> Ints:
    """The slice at the beginning of each stretch of 2^shift times."""
    distance = edges.astype(np.uint64) - edges[:1].astype(np.uint64)  # up to 2^63
    beyond = (distance + np.uint64((1 << shift) - 1) >> np.uint64(shift)).astype(np.int64)
    beyond[-1] = (int(distance[-1]) >> shift) + 1
    return np.repeat(np.arange(first, first + edges.size - 1), np.diff(beyond))
