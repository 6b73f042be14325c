"""Steps of plain arrays: nothing is converted or looked at twice, and one compiled call is made.

It serves operators of one engine, whose values so far were integers or floats without nulls. What
does not fit is refused before anything has changed, and goes the longer way.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.engine import ColumnarEngine
from muntin.columnar.engine.kernel_language import COMPILED, Ints
from muntin.columnar.engine_group import EngineGroup
from muntin.kernels.slicing.arrays import FIRST, clock
from muntin.kernels.slicing.batch import Source
from muntin.kernels.slicing.moment import Clock
from muntin.kernels.slicing.over import is_record
from muntin.spec.stream import END


class StreamState(NamedTuple):
    """What an operator knows of the stream: the clock, the latest time, how many events came."""

    clock: Clock
    seen: float
    arrivals: int


INTEGERS, FLOATS = np.dtype(np.int64), np.dtype(np.float64)
NOTHING = np.zeros(0, np.int64)
PLAIN = (8,)
"""The strides of a column of words that lie one after the other."""


class FastPath:
    """One engine, and the columns that it reads of each batch."""

    def __init__(
        self,
        group: EngineGroup,
        engine: ColumnarEngine,
        sources: Sequence[tuple[Source, str, int]],
        state: "StreamState",
        *,
        keyed: bool,
    ) -> None:
        """Bind columns by the addresses of their objects."""
        self.group, self._engine, self.keyed = group, engine, keyed
        self._columns = [
            (source, place, FLOATS if kind == "float" else INTEGERS)
            for source, kind, place in sources
        ]
        s = engine.scalars
        s[d.SEEN], s[d.ARRIVED], s[d.REACHED] = (
            clock(state.seen),
            state.arrivals,
            state.clock.reached,
        )
        places = [d.TIMES, *([d.KEYS] if keyed else []), *(place for _, place, _ in self._columns)]
        self._places = places
        engine.bind_places(places)
        engine.scalars[d.KEYING] = d.HASHED if keyed else d.NO_KEYS
        engine.scalars[d.OWN_GAPS] = engine.scalars[d.ACCEPTED] = 0
        engine.renew_key_numbers()
        self._bound, self._arrays = engine.bound, engine.directory.arrays
        self._numberings = engine.numberings

    def step(self, times: object, values: object, keys: object, watermark: int) -> bool:
        """Take in a step, if its columns are plain arrays of the types that came before."""
        if type(times) is not np.ndarray or times.dtype is not INTEGERS or times.strides != PLAIN:
            return False
        n = len(times)
        self._bind(0, d.TIMES, times)
        nth = 1
        if self.keyed:
            if not _is_plain(keys, INTEGERS, n):
                return False
            self._bind(1, d.KEYS, keys)
            nth = 2
        elif keys is not None:
            return False
        for source, place, dtype in self._columns:
            column = values if source is None else _named(values, source)
            if not _is_plain(column, dtype, n):
                return False
            self._bind(nth, place, column)
            nth += 1
        was_accepted = self._engine.step(n, watermark)
        for place in self._places:
            self._arrays[place] = NOTHING  # what is given is not held on to
        return was_accepted

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
        and column.strides == PLAIN
        and len(column) == n
    )


def _named(values: object, source: Source) -> object:
    return values.get(source) if is_record(values) and isinstance(source, str) else None
