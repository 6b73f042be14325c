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


class StepRows:
    """For each row of a step, or of its sessions: key, events, revision, and partials.

    They may be read when the engine keeps partials of other types, or fewer: the kernels that say
    what columns mean are those of the step.
    """

    def __init__(self, engine: "ColumnarEngine", begin: int, end: int) -> None:
        """Copy the rows of the last step."""
        arrays = engine.directory.arrays
        self.key: Ints = arrays[d.OUT_KEY][begin:end].copy()
        self.count: Ints = arrays[d.OUT_COUNT][begin:end].copy()
        self.revision: Ints = arrays[d.OUT_REVISION][begin:end].copy()
        self.parts: Columns = {
            kept.part: tuple([arrays[place][begin:end].copy() for place in kept.out])
            for kept in engine.parts
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

    def __len__(self) -> int:
        """How many rows there are."""
        return int(self.key.size)

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
        """Copy the windows, and their rows."""
        scalars, arrays = engine.scalars, engine.directory.arrays
        windows, n = int(scalars[d.WINDOWS]), int(scalars[d.SESSION_FROM])
        super().__init__(engine, 0, n)
        self._windows = [
            arrays[place][:windows].copy() for place in (d.DUE_QUERY, d.DUE_START, d.DUE_END)
        ]
        one_each = scalars[d.LAYOUT] == d.LANES
        self._first: Ints | None = None if one_each else arrays[d.DUE_ROW][:windows].copy()

    @cached_property
    def _rows_of_windows(self) -> Ints:
        """How many rows each window has."""
        return np.diff(np.append(self._first, len(self)))  # type: ignore[arg-type] # there are keys

    def _of_rows(self, field: int) -> Ints:
        column: Ints = self._windows[field]
        return column if self._first is None else np.repeat(column, self._rows_of_windows)

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
        """Copy the rows, and what sessions have besides."""
        begin, end = int(engine.scalars[d.SESSION_FROM]), int(engine.scalars[d.OUT])
        super().__init__(engine, begin, end)
        fields = engine.directory.arrays[d.SESSION_ROWS][: (end - begin) * d.R_FIELDS]
        self._fields: Ints = fields.astype(np.int64).reshape(-1, d.R_FIELDS)

    @property
    def store(self) -> Ints:
        """The number of the store of each row."""
        return self._fields[:, d.R_STORE]

    @property
    def start(self) -> Ints:
        """Where each session starts."""
        return self._fields[:, d.R_START]

    @property
    def end(self) -> Ints:
        """Where each session ends."""
        return self._fields[:, d.R_END]

    @property
    def kind(self) -> Ints:
        """Whether each row is retracted, new or updated."""
        return self._fields[:, d.R_KIND]
