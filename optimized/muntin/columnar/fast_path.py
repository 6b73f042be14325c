"""Steps of plain arrays: nothing is converted or looked at twice, and one compiled call is made.

It serves operators of one engine. Values that are not plain, such as columns with nulls or of
another type than before, are converted and bound for their step; late rows are left out of it. What
does not fit is refused before anything has changed, and goes the longer way.
"""

from collections.abc import Mapping
from typing import NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import FARTHEST
from muntin.columnar.engine.engine import ColumnarEngine
from muntin.columnar.engine.kernel_language import COMPILED, Ints
from muntin.columnar.engine.partials.sources import SourceColumns
from muntin.columnar.engine_group import EngineGroup
from muntin.kernels.slicing.arrays import FIRST, NONE, clock
from muntin.kernels.slicing.batch import Source, Values
from muntin.kernels.slicing.columns_in import source_values
from muntin.kernels.slicing.moment import Clock
from muntin.kernels.slicing.over import is_record
from muntin.spec.errors import MuntinError
from muntin.spec.stream import END


class StreamState(NamedTuple):
    """What an operator knows of the stream: the clock, the latest time, how many events came."""

    clock: Clock
    seen: float
    arrivals: int


INTEGERS, FLOATS = np.dtype(np.int64), np.dtype(np.float64)
PlainColumn = tuple[Source, int, np.dtype[np.float64] | np.dtype[np.int64]]
"""Where values come from, their place in the directory, and their type."""
PLAIN = (8,)
"""The strides of a column of words that lie one after the other."""


class FastPath:
    """One engine, and the columns that it reads of each batch."""

    def __init__(
        self,
        group: EngineGroup,
        engine: ColumnarEngine,
        sources: SourceColumns,
        state: "StreamState",
        *,
        keyed: bool,
    ) -> None:
        """Bind columns by the addresses of their objects."""
        self.group, self._engine, self._sources, self.keyed = group, engine, sources, keyed
        self.late: Ints = NONE
        s = engine.scalars
        s[d.SEEN], s[d.ARRIVED], s[d.REACHED] = (
            clock(state.seen),
            state.arrivals,
            state.clock.reached,
        )
        engine.scalars[d.KEYING] = d.HASHED if keyed else d.NO_KEYS
        for scalar in (d.OWN_GAPS, d.OWN_MARKS, d.ACCEPTED):
            engine.scalars[scalar] = 0
        engine.renew_key_numbers()
        self._find_columns()
        self._arrays, self._numberings = engine.directory.arrays, engine.numberings

    def _find_columns(self) -> None:
        """Find the columns that can be bound as they come: none, until the next step has shown."""
        plain = self._sources.plain()
        self._columns: list[PlainColumn] | None = None
        if plain is not None:
            self._columns = [
                (source, place, FLOATS if kind == "float" else INTEGERS)
                for source, kind, place in plain
            ]
        values = [place for _, place, _ in self._columns or ()]
        self._places = [d.TIMES, *([d.KEYS] if self.keyed else []), *values]
        self._engine.bind_places(self._places)
        self._bound = self._engine.bound

    def step(self, times: object, values: object, keys: object, watermark: int) -> bool:
        """Take in a step, if its times and keys are plain arrays; `late` says which rows are."""
        n = len(times) if type(times) is np.ndarray and times.ndim else 0
        if not _is_plain(times, INTEGERS, n):
            return False
        if not _is_plain(keys, INTEGERS, n) if self.keyed else keys is not None:
            return False
        column = keys if _is_plain(keys, INTEGERS, n) else None
        if self.late.size:
            self.late = NONE
        if not self._bind_plain(values, n) and not self._bind_converted(values, times):
            return False
        if self._run(times, column, watermark):
            return True
        return self._take_timely(times, values, column, watermark)

    def _run(self, times: Ints, keys: Ints | None, watermark: int) -> bool:
        """Run a step whose values are bound."""
        self._bind(0, d.TIMES, times)
        if keys is not None:
            self._bind(1, d.KEYS, keys)
        was_accepted = self._engine.step(times.size, watermark)
        for place in self._places:
            self._arrays[place] = NONE  # what is given is not held on to
        if self._engine.bound_places:
            self._engine.unbind()
            self._find_columns()
        return was_accepted

    def _bind_plain(self, values: object, n: int) -> bool:
        """Bind values that are plain arrays of the types that came before."""
        if self._columns is None:
            return False
        nth = 1 + self.keyed
        for source, place, dtype in self._columns:
            column = values if source is None else _named(values, source)
            if not _is_plain(column, dtype, n):
                return False
            self._bind(nth, place, column)
            nth += 1
        return True

    def _bind_converted(self, values: object, times: Ints) -> bool:
        """Convert values to what the engine reads, and bind them, unless something is refused."""
        try:
            return self._bind_columns(self._converted(values, times.size), times)
        except (MuntinError, OverflowError):
            return False  # the longer way says so, too

    def _converted(self, values: object, n: int) -> dict[Source, Values]:
        return {source: source_values(values, source, n) for source in self._sources.sources}

    def _bind_columns(self, columns: Mapping[Source, Values], times: Ints) -> bool:
        if self._columns:
            self._bound[2 * (1 + self.keyed) + 1 :: 2] = 0
        self._engine.make_batch_room(times.size)
        self._sources.bind(columns, times)
        return True

    def _take_timely(self, times: Ints, values: object, keys: Ints | None, watermark: int) -> bool:
        """Take in a step without its late rows, if these are why it was refused."""
        if self._engine.scalars[d.BY_WINDOW]:
            return False  # which rows are late depends on windows
        is_late = times < self._engine.scalars[d.LIMIT]
        if not is_late.any() or times.min() <= -FARTHEST or times.max() >= FARTHEST:
            return False
        timely = np.flatnonzero(~is_late)
        columns = self._converted(values, times.size)
        picked = {source: column.picked(timely) for source, column in columns.items()}
        moments = times[timely]
        self._bind_columns(picked, moments)
        if not self._run(moments, None if keys is None else keys[timely], watermark):
            return False
        self.late = np.flatnonzero(is_late)
        return True

    def _bind(self, nth: int, place: int, column: Ints) -> None:
        if COMPILED:
            self._bound[2 * nth + 1] = id(column)
        self._arrays[place] = column

    @property
    def state(self) -> StreamState:
        """What is known of the stream now."""
        s = self._engine.scalars
        seen = int(s[d.SEEN])
        now = Clock(int(s[d.WATERMARK]), int(s[d.REACHED]), int(s[d.LIMIT]))
        return StreamState(now, -END if seen == FIRST else seen, int(s[d.ARRIVED]))

    @property
    def keys(self) -> NDArray[np.int64]:
        """The keys by number."""
        known: NDArray[np.int64] = self._engine.directory.arrays[d.KEY_OF].astype(
            np.int64, copy=False
        )
        return known[: int(self._engine.scalars[d.KEY_COUNT])]

    @property
    def is_renumbered(self) -> bool:
        """Whether keys have other numbers now than at the start."""
        return self._engine.numberings != self._numberings

    @property
    def is_silent(self) -> bool:
        """Whether the last step emitted nothing."""
        return not self._engine.scalars[d.OUT]


def _is_plain(column: object, dtype: np.dtype[np.generic], n: int) -> TypeGuard[Ints]:
    return (
        type(column) is np.ndarray
        and column.dtype is dtype
        and (column.strides == PLAIN or column.shape == NONE.shape)
        and len(column) == n
    )


def _named(values: object, source: Source) -> object:
    return values.get(source) if is_record(values) and isinstance(source, str) else None
