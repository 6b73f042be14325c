"""The engine: arrays, what grows them, and a step."""

from collections.abc import Sequence
from typing import TypeVar
from weakref import ref

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.cells import BLOCK
from muntin.columnar.engine.directory import FAR, AnyArray
from muntin.columnar.engine.emission import enter_revisions
from muntin.columnar.engine.kernel_language import ROLE, Ints
from muntin.columnar.engine.layout import best_layout, set_layout
from muntin.columnar.engine.partials.part_table import KeptPart, PartTable
from muntin.columnar.engine.partials.promotion import widen
from muntin.columnar.engine.plan import EngineEdges, Reach
from muntin.columnar.engine.release import (
    LEAST_WORK,
    drop_slices,
    fill_keys,
    give_back,
    release_rows,
)
from muntin.columnar.engine.results import SessionRows, StepRows, WindowRows
from muntin.columnar.engine.step import REPORTS, run_step
from muntin.columnar.engine.timetable import Timetable, stretches_of
from muntin.columnar.engine.windows import next_due
from muntin.spec.query import DEFAULTS, Settings

R = TypeVar("R", bound=StepRows)
MODES = {
    "accumulate-retract": d.RETRACTS, "accumulate": d.ACCUMULATES, "final": d.FINAL,
    "discard": d.DISCARDS,
}  # fmt: skip
LATE_UPDATES = {"immediate": d.AT_ONCE, "next_watermark": d.AT_WATERMARK, "none": d.NEVER}

REFUSED = (d.DONE, d.IS_LATE, d.FAR_TIME)
"""Codes after which a step is not run again."""

MANY_ROWS = 1 << 12
"""From this number on other threads run during a step; to let them costs more than few rows do."""

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
        edges: EngineEdges,
        settings: Settings = DEFAULTS,
    ) -> None:
        """Start without events."""
        super().__init__()
        self.rows = [list(row) for row in rows]
        self.reach = Reach(np.array(rows, np.int64).reshape(-1, d.Q_FIELDS))
        s, dialect = self.scalars, settings.dialect
        s[d.WATERMARK] = s[d.LIMIT] = s[d.BEFORE] = s[d.BEFORE_LIMIT] = -FAR
        s[d.REACHED] = s[d.SEEN] = -FAR
        s[d.LATENESS], s[d.MODE] = settings.allowed_lateness, MODES[settings.output]
        if dialect.lateness == "never":
            s[d.LATENESS] = -1
        s[d.BY_WINDOW] = dialect.lateness == "window"
        s[d.LATE_UPDATES] = LATE_UPDATES[dialect.late_update] if s[d.MODE] != d.FINAL else d.AT_ONCE
        s[d.EARLY] = min([0, *(row[d.Q_WAIT] - row[d.Q_CLOSES] for row in self.rows)])
        s[d.QUERY_COUNT], s[d.DUE] = len(rows), FAR
        s[d.LANE_BITS], s[d.WORK_LIMIT] = 3, LEAST_WORK
        self.spaces += [self.pending] if s[d.MODE] == d.DISCARDS else []
        self.timetable = Timetable(*edges) if rows else None
        self._spare: list[int] = []
        self.batch_room = self.numberings = self.kept_keys = 0
        self.bound_places: set[int] = set()
        self._unread: list[ref[StepRows]] = []
        self._start()

    def _start(self) -> None:
        put, s = self.directory.put, self.scalars
        put(d.QUERIES, np.array(self.rows, np.int64).reshape(-1))
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

    @property
    def reported(self) -> int:
        """The time up to which windows that are due were reported."""
        s = self.scalars
        return int(s[d.LIMIT] if s[d.MODE] == d.FINAL else s[d.WATERMARK])

    def _set_queries(self) -> None:
        """When the next window of each query is due after the time that was reported."""
        q, upto = self.directory.arrays[d.QUERIES].reshape(-1, d.Q_FIELDS), self.reported
        for row in q:
            row[d.Q_NEXT] = next_due(row, 0, min(upto + 1, FAR))
        self.scalars[d.DUE] = q[:, d.Q_NEXT].min(initial=FAR)

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
        last = n - 1 if table.blank[-1] else n
        wide = table.blank | (np.diff(table.edges) > table.widest)  # blank, or folded
        first = int(np.flatnonzero(wide[:last]).max(initial=-1)) + 1
        s[d.SLICES], s[d.COVER_LOW], s[d.RELEASE_AT] = last, edges[first], 0
        low, high = int(edges[first]), int(edges[last])
        shift = 0
        if last > first:
            shift = max(0, ((high - low) // (8 * (last - first))).bit_length() - 1)
            stretches = stretches_of(edges[first : last + 1], first, shift)
            self.directory.grow(d.LOOKUP, 1 << (stretches.size - 1).bit_length())
            self.directory.arrays[d.LOOKUP][: stretches.size] = stretches
        s[d.LOOKUP_ORIGIN], s[d.LOOKUP_SHIFT] = low, shift
        reported = self.reported - int(s[d.EARLY])
        at = int(np.searchsorted(edges[: last + 1], reported, "right")) - 1
        s[d.SEALED] = min(max(at, 0), last)
        s[d.PREFIXED] = min(s[d.PREFIXED], s[d.SEALED])

    def _move(self, origin: Ints) -> None:
        """Move the content of slices; what is cut from a blank slice is empty."""
        first = np.ones(origin.size, np.bool_)
        first[1:] = origin[1:] != origin[:-1]
        new_slice: Ints = np.zeros(int(origin[-1]) + 1, np.int64)
        new_slice[origin[first]] = np.flatnonzero(first)
        self.move_dirty(new_slice)
        for place in MOVED:
            array = self.directory.arrays[place]
            moved = np.where(first, array[origin], 0)
            array[:] = 0
            array[: moved.size] = moved
        changed = np.flatnonzero(origin != np.arange(origin.size))
        if changed.size:
            self.scalars[d.PREFIXED] = min(int(self.scalars[d.PREFIXED]), int(changed[0]))

    def move_dirty(self, new_slice: Ints) -> None:
        """Where updates wait for a watermark: say in which slices their events lie now."""
        s, arrays = self.scalars, self.directory.arrays
        if s[d.DIRTY_SLICES] == 0:
            return
        cells = arrays[d.DIRTY_CELL_SLICE][: int(s[d.DIRTY_CELLS])]
        cells[:] = new_slice[cells]
        old = arrays[d.DIRTY_SLICE][: int(s[d.DIRTY_SLICES])]
        counts = arrays[d.FRESH][old]
        arrays[d.FRESH][old] = 0
        np.add.at(arrays[d.FRESH], new_slice[old], counts)
        dirty = np.unique(new_slice[old])
        arrays[d.DIRTY_SLICE][: dirty.size] = dirty
        s[d.DIRTY_SLICES] = dirty.size

    def put_dirty(self, slices: Ints, keys: Ints) -> None:
        """Note the cells of events that came behind the reported time, one for each."""
        s, arrays = self.scalars, self.directory.arrays
        self.make_late_room(slices.size)
        arrays[d.DIRTY_CELL_SLICE][: slices.size] = slices
        arrays[d.DIRTY_CELL_KEY][: slices.size] = keys
        s[d.DIRTY_CELLS] = slices.size

    def _grow_tree(self, kept: KeptPart) -> None:
        size = (self.slice_room + 2) * (1 if kept.kernels.prefix else 2)
        kept.empty_columns(self.directory, kept.tree, size)

    def _extend(self, times: Ints) -> None:
        """Cut edges for the times of a batch."""
        if self.timetable is None:
            raise AssertionError
        drop_slices(self)
        self._suit()
        s = self.scalars
        span = int(s[d.HIGH] - s[d.LOW])
        self.timetable.look_ahead(int(s[d.SLICES] - s[d.RELEASED]), span)
        ends = (self.directory.arrays[place] for place in (d.BLOCK_LOW, d.BLOCK_HIGH))
        origin = self.timetable.cut(self.timetable.extremes(times, *ends))
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
        if used.size and layout == d.SPARSE:
            s[d.INDEX_GUESS] = max(4, (int(used.mean()) * 7 // 4).bit_length())

    def release_rows(self) -> int:
        """Give back the rows of slices that no window needs; how many such slices there are."""
        return release_rows(self.directory) if self.timetable else 0

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
            layout = best_layout(self, moving=bool(wide))
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

    def bind_batch(
        self, times: Ints, keys: Ints, n_keys: int, gaps: Ints | None, marks: Ints | None = None
    ) -> None:
        """Bind the columns of a batch that are no values; keys are numbers below a bound."""
        s = self.scalars
        self.make_batch_room(times.size)
        self.bind(d.TIMES, times)
        self.bind(d.KEY_ID, keys)
        s[d.KEYING], s[d.KEY_COUNT] = d.NUMBERED, max(n_keys, int(s[d.KEY_COUNT]))
        own = bool(self.stores) and gaps is not None and bool(gaps.any())
        s[d.OWN_GAPS], s[d.ACCEPTED] = own, 1
        if own and gaps is not None:
            self.bind(d.GAPS, np.ascontiguousarray(gaps))
        s[d.OWN_MARKS] = self.records is not None and marks is not None and bool(marks.any())
        if s[d.OWN_MARKS] and marks is not None:
            self.bind(d.MARKS, np.ascontiguousarray(marks, np.int64))
        s[d.BOUND_COUNT] = 0

    def set_clock(self, watermark: int, reached: int, limit: int) -> None:
        """Start at a time: nothing was reported, since no event came."""
        s = self.scalars
        s[d.WATERMARK] = s[d.BEFORE] = watermark
        s[d.LIMIT] = s[d.BEFORE_LIMIT] = limit
        s[d.REACHED] = reached
        if self.timetable:
            self._set_queries()
            self.lay_edges()

    def remove_query(self, number: int) -> None:
        """Emit the windows of a query no more."""
        s, q = self.scalars, self.directory.arrays[d.QUERIES].reshape(-1, d.Q_FIELDS)
        kept = q[q[:, d.Q_ID] != number]
        self.directory.put(d.QUERIES, np.ascontiguousarray(kept.reshape(-1)))
        s[d.QUERY_COUNT] = len(kept)
        s[d.DUE] = kept[:, d.Q_NEXT].min(initial=FAR)

    @property
    def live(self) -> int:
        """The rows of the state that hold events."""
        held = int(np.count_nonzero(self.directory.arrays[d.ROW_COUNT]))
        held += self.records.live if self.records else 0
        return held + sum(store.live for store in self.stores)

    def step(self, n: int, watermark: int) -> bool:
        """Run a step of the columns that are bound; or take nothing, if rows are late or far."""
        if self._unread:
            self._release_results()
        if n > self.batch_room:
            self.make_batch_room(n)
        many = n >= MANY_ROWS and ROLE.owns_states
        code = (run_step.call_threaded if many else run_step)(self.directory, n, watermark)
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
            many = n >= MANY_ROWS and ROLE.owns_states
            code = (run_step.call_threaded if many else run_step)(self.directory, n, watermark)
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
            self.make_late_room(2 * int(s[d.NEED]))
        elif code == d.MORE_WINDOWS:
            for place in DUE_ARRAYS:
                self.directory.grow(place, 2 * int(s[d.NEED]))
        elif code == d.SESSION_ROOM:
            n, keys = int(s[d.N]), int(s[d.KEY_COUNT])
            self.stores[int(s[d.STORE_AT])].make_room(n, keys, own_gaps=bool(s[d.OWN_GAPS]))
        elif code == d.RECORD_ROOM and self.records:
            self.records.make_room(int(s[d.N]), int(s[d.KEY_COUNT]), int(s[d.NEED]))
        elif code == d.MORE_OUTPUT:
            self._more_output(int(s[d.NEED]))
        elif code == d.MORE_REVISIONS:
            self.purge_revisions(int(s[d.NEED]))
        elif code == d.TIDY:
            give_back(self)
        elif code == d.WIDEN:
            widen(self, int(s[d.OVERFLOWING]))
        else:
            raise NotImplementedError(code)

    def make_late_room(self, n: int) -> None:
        """Make room for events that come behind the reported time."""
        for place in (d.DIRTY_CELL_SLICE, d.DIRTY_CELL_KEY, d.DIRTY_ORDER, d.PENDING_ORDER):
            self.directory.grow(place, n)
        for kept in self.parts:
            places = self.pending.places.get(kept.part, [])
            for place, identity in zip(places, kept.kernels.identity, strict=False):
                self.directory.grow(place, n + 1, identity)

    def _more_output(self, need: int) -> None:
        s, grow = self.scalars, self.directory.grow
        room = 2 * int(s[d.OUT]) + need + need // 4
        if self.records:
            self.records.make_revision_room(need, int(s[d.BEFORE_LIMIT]))
        if s[d.PHASE] >= REPORTS:
            grow(d.SESSION_ROWS, d.R_FIELDS * (room - int(s[d.SESSION_FROM])))
        outs = (place for kept in self.parts for place in kept.out)
        for place in (d.OUT_KEY, d.OUT_COUNT, d.OUT_REVISION, *outs):
            self.directory.extend(place, room, int(s[d.OUT]))

    def purge_revisions(self, need: int) -> None:
        """Forget revisions of windows that are final, and make room."""
        columns = [self.directory.arrays[place] for place in REVISION_ARRAYS]
        columns[-1] = np.where(columns[0] > self.scalars[d.BEFORE_LIMIT], columns[-1], 0)
        self.set_revisions(columns, need)

    def set_revisions(self, columns: Sequence[Ints], need: int) -> None:
        """Enter ends, names and revisions into a table that has room for more; 0 is none."""
        size = 1 << (4 * (int(np.count_nonzero(columns[-1])) + need) + 64).bit_length()
        spare = self.spare_places(len(columns))
        for place, origin, column in zip(REVISION_ARRAYS, spare, columns, strict=True):
            self.directory.put(origin, np.ascontiguousarray(column))
            self.directory.put(place, np.zeros(size, np.int64))
        enter_revisions(self.directory, spare[0])
        for origin in spare:
            self.directory.put(origin, np.zeros(0, np.int64))

    def take(self) -> WindowRows:
        """The rows of the last step that are of windows."""
        return self._keep_until_step(WindowRows(self))

    def take_sessions(self) -> SessionRows:
        """The rows of the last step that are of sessions."""
        return self._keep_until_step(SessionRows(self))

    def _keep_until_step(self, rows: R) -> R:
        self._unread.append(ref(rows))
        return rows

    def _release_results(self) -> None:
        """Give columns of their own to results of the last step that are still referenced."""
        for held in self._unread:
            rows = held()
            if rows is not None:
                rows.own()
        self._unread.clear()
