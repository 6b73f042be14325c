"""The partials that an engine keeps, their places in the spaces of rows, and a table of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.partials.kernels import PartKernels, ValueType, filled
from muntin.columnar.engine.partials.promotion import RowSpace
from muntin.columnar.engine.partials.values.value_codes import ValueCodes
from muntin.columnar.engine.partials.values.value_log import ValueLog, log_room
from muntin.columnar.engine.records.placement import admit_records, place_records
from muntin.columnar.engine.records.report import report_records
from muntin.columnar.engine.records.store import RecordStore
from muntin.columnar.engine.sessions.emission import report_sessions
from muntin.columnar.engine.sessions.layout import STORE_PLACES
from muntin.columnar.engine.sessions.placement import admit_sessions, place_sessions
from muntin.columnar.engine.sessions.store import SessionStore
from muntin.kernels.slicing.parts import Part

if TYPE_CHECKING:
    from muntin.columnar.engine.kernel_language import Ints

SESSION_SCALARS = (d.ADMIT_SESSIONS, d.PLACE_SESSIONS, d.REPORT_SESSIONS)
RECORD_SCALARS = (d.ADMIT_RECORDS, d.PLACE_RECORDS, d.REPORT_RECORDS)
RECORD_KERNELS = (admit_records, place_records, report_records)
SESSION_KERNELS = (admit_sessions, place_sessions, report_sessions)


@dataclass
class KeptPart:
    """A part, the kernels for its type, and its places."""

    part: Part
    kernels: PartKernels
    source: int
    second: int = d.TIMES
    time: int = d.TIMES
    types: tuple[ValueType, ...] = ()
    codes: tuple[ValueCodes | None, ...] = ()
    is_empty: bool = True  # no value came
    log: ValueLog | None = None
    readers: list[Part] = field(default_factory=list[Part])
    cells: list[int] = field(default_factory=list[int])
    out: list[int] = field(default_factory=list[int])
    tree: list[int] = field(default_factory=list[int])

    def empty_columns(self, directory: Directory, places: Sequence[int], rows: int) -> None:
        """Put columns that no value came to to some places."""
        for place, identity in zip(places, self.kernels.identity, strict=True):
            directory.put(place, filled(rows, identity))


class PartTable:
    """The partials of a state, in cells and in sessions."""

    def __init__(self) -> None:
        """Start without partials."""
        self.directory = Directory()
        self.scalars: Ints = np.zeros(d.SCALAR_COUNT, np.int64)
        self.directory.put(d.SCALARS, self.scalars)
        self.parts: list[KeptPart] = []
        self.stores: list[SessionStore] = []
        self.records: RecordStore | None = None
        self.spaces: list[RowSpace] = []
        self.pending = RowSpace(self._count_pending)

    def add_part(self, kept: KeptPart) -> None:
        """Keep a partial, of rows that no value came to."""
        if kept.kernels.is_log:
            in_order = bool(kept.kernels.flags & d.ORDERED)
            kept.log = ValueLog(self.directory, is_ordered=in_order)
        self.parts.append(kept)
        self.renew_columns(kept)
        self.list_parts()
        self._list_columns()

    def remove_part(self, kept: KeptPart) -> None:
        """Keep a partial no more."""
        self.parts.remove(kept)
        pending = self.pending.places.pop(kept.part, [])
        for place in (*kept.cells, *kept.out, *kept.tree, *pending):
            self.directory.put(place, np.zeros(0, np.int64))
        if kept.log:
            kept.log.close()
        self.list_parts()
        for store in self.stores:
            store.remove_part(kept.part)
        if self.records:
            self.records.remove_part(kept.part)
        self._list_columns()

    def _list_columns(self) -> None:
        for store in self.stores:
            store.list_columns(self.parts)
        if self.records:
            self.records.list_columns(self.parts)

    def renew_columns(self, kept: KeptPart) -> None:
        """Give a partial columns that no value came to."""
        rows, identity = self.directory.arrays[d.ROW_COUNT].size, kept.kernels.identity
        kept.cells[:] = [self.directory.add(filled(rows, one)) for one in identity]
        if self.scalars[d.MODE] == d.DISCARDS and kept.part not in self.pending.places:
            pending = self.directory.arrays[d.PENDING_ORDER].size + 1
            places = [self.directory.add(filled(pending, one)) for one in identity]
            self.pending.places[kept.part] = places
        self.renew_results(kept)

    def _count_pending(self) -> "Ints":
        """The events of each row for what came behind the reported time."""
        counts: Ints = np.zeros(self.directory.arrays[d.PENDING_ORDER].size + 1, np.int64)
        counts[1 : 1 + int(self.scalars[d.DIRTY_CELLS])] = 1
        return counts

    def renew_results(self, kept: KeptPart) -> None:
        """Give a partial columns for results, and for what is folded from its cells anew."""
        add, put, identity = self.directory.add, self.directory.put, kept.kernels.identity
        tree = self.directory.arrays[d.COUNT_BEFORE].size * (1 if kept.kernels.prefix else 2)
        for places, size in ((kept.out, self.directory.arrays[d.OUT_KEY].size), (kept.tree, tree)):
            for place in places:
                put(place, np.zeros(0, np.int64))
            places[:] = [add(filled(size, one)) for one in identity]
        self.scalars[d.PREFIXED] = 0

    def set_time(self, kept: KeptPart, place: int) -> None:
        """Say which times a partial reads."""
        kept.time = place
        at = self.parts.index(kept) * d.P_FIELDS + d.P_TIME
        self.directory.arrays[d.PARTS][at] = place

    def list_parts(self) -> None:
        """Write the table of the partials."""
        table = np.zeros((len(self.parts), d.P_FIELDS), np.int64)
        summed: list[int] = []
        for row, kept in zip(table, self.parts, strict=True):
            k = kept.kernels
            row[d.P_ADD], row[d.P_MERGE], row[d.P_COPY] = (
                k.add.address,
                k.merge.address,
                k.copy.address,
            )
            if k.prefix and k.fold:
                row[d.P_PREFIX], row[d.P_RANGE] = k.prefix.address, k.fold.address
            row[d.P_SOURCE], row[d.P_SECOND], row[d.P_TIME] = kept.source, kept.second, kept.time
            row[d.P_CELLS], row[d.P_OUT], row[d.P_TREE] = kept.cells[0], kept.out[0], kept.tree[0]
            row[d.P_COLUMNS], row[d.P_FLAGS] = len(kept.cells), k.flags
            if kept.log:
                row[d.P_LOG], row[d.P_ROOM] = kept.log.base, log_room.address
            row[d.P_PENDING] = self.pending.places.get(kept.part, [0])[0]
            if k.degree:
                summed += [kept.source, k.degree]
        self.directory.put(d.PARTS, table.reshape(-1))
        self.directory.put(d.SUMMED, np.array(summed, np.int64))
        held = self.directory.arrays[d.SUM_BOUND]
        bounds = np.full(len(summed), float(held[: held.size // 2].max(initial=0)))
        self.directory.put(d.SUM_BOUND, bounds)
        s = self.scalars
        s[d.PART_COUNT], s[d.SUMMED_COUNT] = len(self.parts), len(summed) // 2
        s[d.LANE_BITS] = 0 if any(kept.kernels.flags & d.ORDERED for kept in self.parts) else 3
        s[d.TREE_PARTS] = sum(1 for kept in self.parts if not kept.kernels.prefix)

    def add_store(self, store: SessionStore) -> None:
        """Keep the sessions of a gap."""
        self.stores.append(store)
        store.list_columns(self.parts)
        space = RowSpace(store.counts, store.places, lambda: store.list_columns(self.parts))
        self.spaces.append(space)
        self._list_stores()

    def add_records(self, records: RecordStore) -> None:
        """Keep a row for each event."""
        self.records, s = records, self.scalars
        records.list_columns(self.parts)
        note = self._list_columns
        self.spaces.append(RowSpace(records.counts, records.places, note))
        s[d.RECORD_STORE] = records.base
        for scalar, kernel in zip(RECORD_SCALARS, RECORD_KERNELS, strict=True):
            s[scalar] = kernel.address

    def remove_store(self, number: int) -> None:
        """Keep the sessions of a store no more; those after it move up."""
        store = self.stores.pop(number)
        self.spaces = [space for space in self.spaces if space.places is not store.places]
        for place in range(store.base, store.base + STORE_PLACES):
            self.directory.put(place, np.zeros(0, np.int64))
        for part in [*store.places]:
            store.remove_part(part)
        self._list_stores()

    def _list_stores(self) -> None:
        s, bases = self.scalars, [store.base for store in self.stores]
        self.directory.put(d.STORES, np.array(bases, np.int64))
        s[d.STORE_COUNT], s[d.STORE_AT] = len(bases), 0
        for scalar, kernel in zip(SESSION_SCALARS, SESSION_KERNELS, strict=True):
            s[scalar] = kernel.address

    def add_source(self, dtype: np.dtype[np.generic]) -> int:
        """Give a column of values a place."""
        return self.directory.add(np.zeros(0, dtype))
