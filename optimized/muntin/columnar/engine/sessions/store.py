"""The sessions of one gap, as Python sees them: their arrays, and what makes those larger."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import FAR, Directory
from muntin.columnar.engine.kernel_language import Ints
from muntin.columnar.engine.partials.kernels import PartKernels, filled
from muntin.columnar.engine.sessions import layout as s
from muntin.columnar.engine.sessions.timers import BUCKETS, CHUNK, CHUNK_WORDS
from muntin.kernels.slicing.parts import Part

LEAST_ROWS = 64
UNITS_OF_GAP = 16
"""How many buckets of the finest wheel a gap takes, at least."""


class ListedPart(Protocol):
    """What a store needs of a part of the engine."""

    @property
    def part(self) -> Part:
        """The part."""
        ...

    @property
    def kernels(self) -> PartKernels:
        """Its kernels."""
        ...


class SessionStore:
    """Sessions of one gap, of the events after one time."""

    def __init__(
        self,
        directory: Directory,
        gap: int,
        since: int = -FAR,
        *,
        adjoining: bool = False,
        closing: int = 0,
    ) -> None:
        """Start without sessions; `adjoining` ones merge, and they are reported a time later."""
        self.directory = directory
        self.places: dict[Part, list[int]] = {}
        self.old: dict[Part, list[int]] = {}
        self.kernels: dict[Part, PartKernels] = {}
        self.scalars: Ints = np.zeros(s.STORE_SCALARS, np.int64)
        self.base = directory.add(self.scalars)
        for _ in range(s.STORE_PLACES - 1):
            directory.add(np.zeros(0, np.int64))
        state = self.scalars
        state[s.GAP], state[s.SINCE], state[s.ADJOIN] = gap, since, adjoining
        engine = directory.arrays[d.SCALARS]
        state[s.WAIT] = max(0, closing) if engine[d.MODE] == d.FINAL else closing
        state[s.LINGER] = max(0, closing, int(adjoining and not engine[d.BY_WINDOW]))
        state[s.SHIFT] = max(0, (gap // UNITS_OF_GAP).bit_length() - 1)
        state[s.TOP], state[s.CHUNK_TOP], state[s.NEXT_DUE] = s.FIRST_ROW, 1, FAR
        directory.put(self.base + s.AT_BUCKETS, np.zeros(BUCKETS, np.int64))
        self.grow_rows(LEAST_ROWS)
        directory.put(self.base + s.AT_HEADS, np.zeros(16, np.int64))

    @property
    def rows(self) -> Ints:
        """The fields of each row."""
        rows: Ints = self.directory.arrays[self.base + s.AT_ROWS].astype(np.int64, copy=False)
        return rows.reshape(-1, s.ROW_FIELDS)

    def list_columns(self, kept: Sequence[ListedPart]) -> None:
        """Give parts columns that have none, or whose kernels are others now."""
        add, places = self.directory.add, list[int]()
        rows = self.directory.arrays[self.base + s.AT_FREE].size
        changes = self.directory.arrays[self.base + s.AT_CHANGED].size // s.C_FIELDS
        for one in kept:
            identity = one.kernels.identity
            if one.part not in self.places:
                self.places[one.part] = [add(filled(rows, value)) for value in identity]
            if self.kernels.get(one.part) is not one.kernels:
                self.kernels[one.part] = one.kernels
                old = rows if self.discards else changes
                self.old[one.part] = [add(filled(old, value)) for value in identity]
            places += [self.places[one.part][0], self.old[one.part][0]]
        self.directory.put(self.base + s.AT_COLUMNS, np.array(places, np.int64))
        self.renew_pending()

    @property
    def discards(self) -> bool:
        """Whether updates emit what was not emitted: then `old` has that of each row."""
        return bool(self.directory.arrays[d.SCALARS][d.MODE] == d.DISCARDS)

    def renew_pending(self) -> None:
        """Between steps: what is pending of a session is all, or else is not read."""
        if self.discards:
            arrays = self.directory.arrays
            for part, places in self.places.items():
                for place, old in zip(places, self.old[part], strict=True):
                    arrays[old][:] = arrays[place]

    def remove_part(self, part: Part) -> None:
        """Keep a part no more."""
        for place in (*self.places.pop(part), *self.old.pop(part)):
            self.directory.put(place, np.zeros(0, np.int64))
        del self.kernels[part]

    def counts(self) -> Ints:
        """How many events each row holds."""
        return np.where(self.rows[:, s.STATE] & s.GONE, 0, self.rows[:, s.COUNT])

    def make_room(self, n: int, keys: int, *, own_gaps: bool) -> None:
        """Make room for whatever a batch may do."""
        state, grow, arrays = self.scalars, self.directory.grow, self.directory.arrays
        live, base = int(state[s.LIVE]), self.base
        capacity = arrays[base + s.AT_FREE].size
        need = n + min(n, live // 16) + 1 - (int(state[s.FREE]) + capacity - int(state[s.TOP]))
        if need > 0:
            self.grow_rows(1 << (capacity + need - 1).bit_length())
        grow(base + s.AT_HEADS, 1 << (max(keys, 1) - 1).bit_length())
        many = live + n if own_gaps or state[s.MIXED] else 2 * n
        grow(base + s.AT_NEW, 1 << (n - 1).bit_length())
        grow(base + s.AT_MERGED, 2 << (many - 1).bit_length())
        kept = 1 << min(many, int(state[s.REPORTS])).bit_length()
        grow(base + s.AT_CHANGED, s.C_FIELDS * kept)
        if not self.discards:
            self._grow_columns(self.old, kept)

    def grow_rows(self, rows: int) -> None:
        """Have a number of rows, and timers for each."""
        grow, base = self.directory.grow, self.base
        grow(base + s.AT_ROWS, rows * s.ROW_FIELDS)
        grow(base + s.AT_FREE, rows)
        grow(base + s.AT_CHUNKS, chunk_words(rows))
        self._grow_columns(self.places, rows)
        if self.discards:
            self._grow_columns(self.old, rows)

    def _grow_columns(self, columns: Mapping[Part, list[int]], rows: int) -> None:
        for part, places in columns.items():
            for place, value in zip(places, self.kernels[part].identity, strict=True):
                self.directory.grow(place, rows, value)

    @property
    def live(self) -> int:
        """How many sessions there are."""
        return int(self.scalars[s.LIVE])

    @property
    def room(self) -> int:
        """How many rows there are, whether they hold sessions or not."""
        return self.directory.arrays[self.base + s.AT_FREE].size

    def has_session(self, keys: int) -> NDArray[np.bool_]:
        """Which of the numbers of keys have a session."""
        held = np.zeros(keys, np.bool_)
        heads = self.directory.arrays[self.base + s.AT_HEADS][:keys]
        held[: heads.size] = heads != 0
        return held


def chunk_words(rows: int) -> int:
    """Words of chunks for the timers of rows, two each; in each bucket one chunk is not full."""
    timers = 2 * rows
    return CHUNK_WORDS * (timers // CHUNK + min(timers, BUCKETS) + 4)
