"""Rows of results as columns that their reader owns; the rest is made of them when it is read."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import AnyArray
from muntin.columnar.engine.kernel_language import Ints
from muntin.columnar.engine.partials.conversion import fields_of, words
from muntin.columnar.engine.partials.values.log_readers import log_rows
from muntin.kernels.slicing.arrays import Fields, column_of
from muntin.kernels.slicing.parts import Count, Part

if TYPE_CHECKING:
    from muntin.columnar.engine.engine import ColumnarEngine

Columns = Mapping[Part, tuple[AnyArray, ...]]
MOST_COLUMNS = 5
"""Of a part."""
NOTHING: Ints = np.zeros(0, np.int64)


class StepRows:
    """For each row of a step, or of its sessions: key, events, revision, and partials.

    A column is copied when it is first read, or before the next step overwrites it; results that
    have no reference left by then cost nothing. They may be read when the engine keeps partials of
    other types, or fewer: the kernels that say what columns mean are those of the step.
    """

    def __init__(self, engine: "ColumnarEngine", begin: int, end: int) -> None:
        """Know where the rows of the last step lie."""
        arrays = engine.directory.arrays
        self._rows = slice(begin, end)
        self._fields = arrays[d.OUT_KEY], arrays[d.OUT_COUNT], arrays[d.OUT_REVISION]
        self._parts: Columns = {
            kept.part: tuple([arrays[place] for place in kept.out]) for kept in engine.parts
        }
        self._kernels = {kept.part: kept.kernels for kept in engine.parts}
        self._tables = {
            kept.part: [codes.values if codes else None for codes in kept.codes]
            for kept in engine.parts
        }
        self._logs = {
            reader: log_rows(kept, reader, *(words(column_of(c)) for c in self.parts[kept.part]))
            for kept in engine.parts
            for reader in kept.readers
            if kept.log and end > begin
        }

    def own(self) -> None:
        """Copy all columns that were not read."""
        _ = self.key, self.count, self.revision, self.parts
        self._fields, self._parts = (NOTHING,) * 3, {}

    @cached_property
    def key(self) -> Ints:
        """The number of the key of each row."""
        return self._fields[0][self._rows].copy()

    @cached_property
    def count(self) -> Ints:
        """How many events each row holds."""
        return self._fields[1][self._rows].copy()

    @cached_property
    def revision(self) -> Ints:
        """The revision of each row."""
        return self._fields[2][self._rows].copy()

    @cached_property
    def parts(self) -> Columns:
        """The partials of each row."""
        return {
            part: tuple([column[self._rows].copy() for column in columns])
            for part, columns in self._parts.items()
        }

    def __len__(self) -> int:
        """How many rows there are."""
        return self._rows.stop - self._rows.start

    def fields(self, part: Part) -> Fields:
        """The columns of a part as `Form.finish` takes them; of one that no value came to, none."""
        if part in self._logs:
            return self._logs[part].fields()
        if part in self.parts:
            columns = [*map(column_of, self.parts[part])]
            return fields_of(self._kernels[part], part, columns, self._tables[part])
        if isinstance(part, Count):
            return (column_of(self.count),)
        none = column_of(np.zeros(len(self), np.int64))
        return (none,) * MOST_COLUMNS


class WindowRows(StepRows):
    """Rows of windows in time: those of a window lie together."""

    def __init__(self, engine: "ColumnarEngine") -> None:
        """Know where the windows lie, and their rows."""
        scalars, arrays = engine.scalars, engine.directory.arrays
        super().__init__(engine, 0, int(scalars[d.SESSION_FROM]))
        self._due = arrays[d.DUE_QUERY], arrays[d.DUE_START], arrays[d.DUE_END], arrays[d.DUE_ROW]
        self._n, self._one_each = int(scalars[d.WINDOWS]), scalars[d.LAYOUT] == d.LANES

    def own(self) -> None:
        """Copy all columns that were not read."""
        super().own()
        _ = self._windows
        self._due = (NOTHING,) * 4

    @cached_property
    def _windows(self) -> tuple[Ints, ...]:
        """Query, start, end and first row of each window."""
        return tuple([column[: self._n].copy() for column in self._due])

    @cached_property
    def _rows_of_windows(self) -> Ints:
        """How many rows each window has."""
        return np.diff(np.append(self._windows[-1], len(self)))

    def _of_rows(self, field: int) -> Ints:
        column = self._windows[field]
        return column if self._one_each else np.repeat(column, self._rows_of_windows)

    @cached_property
    def query(self) -> Ints:
        """The number of the query of each row."""
        return self._of_rows(0)

    @cached_property
    def start(self) -> Ints:
        """The start of the window of each row."""
        return self._of_rows(1)

    @cached_property
    def end(self) -> Ints:
        """The end of the window of each row."""
        return self._of_rows(2)

    @property
    def kind(self) -> Ints:
        """Whether each row is new or updated."""
        return np.where(self.revision == 0, d.NEW, d.UPDATED)


class SessionRows(StepRows):
    """Rows of sessions, in no order."""

    def __init__(self, engine: "ColumnarEngine") -> None:
        """Know where the rows lie, and what sessions have besides."""
        begin, end = int(engine.scalars[d.SESSION_FROM]), int(engine.scalars[d.OUT])
        super().__init__(engine, begin, end)
        self._sessions = engine.directory.arrays[d.SESSION_ROWS]

    def own(self) -> None:
        """Copy all columns that were not read."""
        super().own()
        _ = self._of_sessions
        self._sessions = NOTHING

    @cached_property
    def _of_sessions(self) -> Ints:
        """Store, start, end and kind of each row."""
        fields = self._sessions[: len(self) * d.R_FIELDS]
        return fields.copy().reshape(-1, d.R_FIELDS)

    @property
    def store(self) -> Ints:
        """The number of the store of each row."""
        return self._of_sessions[:, d.R_STORE]

    @property
    def start(self) -> Ints:
        """Where each session starts."""
        return self._of_sessions[:, d.R_START]

    @property
    def end(self) -> Ints:
        """Where each session ends."""
        return self._of_sessions[:, d.R_END]

    @property
    def kind(self) -> Ints:
        """Whether each row is retracted, new or updated."""
        return self._of_sessions[:, d.R_KIND]
