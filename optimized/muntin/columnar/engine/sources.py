"""The columns of values of a batch, where the kernels of partials read them.

Until the first null a partial reads the times of the batch. With nulls in its column it reads
times of its own, in which a null lies at FAR; and only from then on values are counted, since
before there are as many as events. What a batch needs that the state has not, it gets before
the step: partials of another type, or columns of counts.
"""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.compiling import Ints
from muntin.columnar.engine.conversion import fields_of
from muntin.columnar.engine.directory import AnyArray
from muntin.columnar.engine.engine import Engine, KeptPart, Rows
from muntin.columnar.engine.partials.kernels import DTYPES, ValueType, kernels_for
from muntin.columnar.engine.promotion import keep_counts, promote
from muntin.kernels.slicing.arrays import Fields
from muntin.kernels.slicing.batch import Source, Values
from muntin.kernels.slicing.choice import Choice, put_away
from muntin.kernels.slicing.parts import Count, Part
from muntin.spec.errors import UnsupportedError

RANKS: Mapping[ValueType, int] = {"int": 0, "wide": 0, "float": 1, "object": 2}


class SourceColumns:
    """The parts of an engine, and the places of the columns that they read."""

    def __init__(self, engine: Engine, parts: Iterable[Part]) -> None:
        """Keep nothing before the first values come: they say of which type."""
        self.engine = engine
        self.parts: list[Part] = []
        self.types: dict[Source, ValueType] = {}
        self.places: dict[tuple[Source, ValueType], int] = {}
        self.times: dict[tuple[Source, ...], int] = {}
        self.nullable: set[Source] = set()
        self.add(parts)

    def add(self, parts: Iterable[Part]) -> None:
        """Keep more parts; those of known types from now on."""
        for part in dict.fromkeys(parts):
            if part in self.parts:
                continue
            self.parts.append(part)
            if all(source in self.types for source in part.sources):
                self._keep(part)

    def bind(self, columns: Mapping[Source, Values], time: Ints) -> None:
        """Bind the columns of a batch, whose times are bound; only then the step may run."""
        if not time.size:
            return
        needed = {source for part in self.parts for source in part.sources}
        self._suit({source: columns[source] for source in needed})
        for source in needed:
            self._bind_values(source, columns[source])
        for kept in self.engine.parts:
            self._bind_times(kept, columns, time)

    def folded(self, rows: Rows) -> dict[Part, Fields]:
        """The columns of results as `Form.finish` takes them."""
        kept = {one.part: one for one in self.engine.parts}
        return {
            part: fields_of(kept[part].kernels, part, rows.parts[part])
            if part in kept
            else fields_without_rows(part, rows)
            for part in self.parts
        }

    # ------------------------------------------------------------ types

    def _suit(self, columns: Mapping[Source, Values]) -> None:
        """Have partials of the types that a batch needs, and counts where it brings nulls."""
        types = dict(self.types)
        for source, values in columns.items():
            types[source] = wider_type(types.get(source), values)
        changed = {source for source, one in types.items() if one != self.types.get(source)}
        if changed:
            self._change(types, changed)
        for source, values in columns.items():
            if values.valid is not None and source not in self.nullable:
                self.nullable.add(source)
                if Count(source) in self.parts:
                    keep_counts(self.engine, Count(source), self._time_place((source,)))

    def _change(self, types: dict[Source, ValueType], changed: set[Source]) -> None:
        new = [source for source in changed if source not in self.types]
        promotions = [
            (kept, self._kernels(kept.part, types))
            for kept in self.engine.parts
            if not changed.isdisjoint(kept.part.sources) and not isinstance(kept.part, Count)
        ]
        self.types = types
        for kept, kernels in promotions:
            kept.source, kept.second = self._sources(kept.part)
            promote(self.engine, kept, kernels)
        for part in self.parts:
            if not set(part.sources).isdisjoint(new) and set(part.sources) <= set(types):
                self._keep(part)

    def _kernels(self, part: Part, types: Mapping[Source, ValueType]):
        kernels = kernels_for(part, *(types[source] for source in part.sources))
        if kernels is None:
            raise UnsupportedError(f"{part} has no kernels")
        return kernels

    def _keep(self, part: Part) -> None:
        if isinstance(part, Count):
            return
        kept = KeptPart(part, self._kernels(part, self.types), *self._sources(part))
        self.engine.add_part(kept)

    def _sources(self, part: Part) -> tuple[int, int]:
        places = [self._place(source) for source in part.sources]
        return places[0], places[-1]

    def _place(self, source: Source) -> int:
        key = source, self.types[source]
        if key not in self.places:
            self.places[key] = self.engine.add_source(np.dtype(DTYPES[key[1]]))
        return self.places[key]

    def _time_place(self, sources: tuple[Source, ...]) -> int:
        if sources not in self.times:
            self.times[sources] = self.engine.add_source(np.dtype(np.int64))
        return self.times[sources]

    # ------------------------------------------------------------ a batch

    def _bind_values(self, source: Source, values: Values) -> None:
        data: NDArray[np.generic] = values.data
        if values.valid is not None:
            data = np.where(values.valid, data, 0)
        column = np.ascontiguousarray(data, DTYPES[self.types[source]])
        self.engine.bind(self._place(source), column)

    def _bind_times(self, kept: KeptPart, columns: Mapping[Source, Values], time: Ints) -> None:
        each = [columns[source] for source in kept.part.sources]
        place = d.TIMES
        if any(values.valid is not None for values in each):
            place = self._time_place(kept.part.sources)
            moments = put_away(time, each[-1]) if isinstance(kept.part, Choice) else time
            valid = each[0].valid
            if valid is not None:
                moments = np.where(valid, moments, d.FAR)
            self.engine.bind(place, moments)
        if kept.time != place:
            self.engine.set_time(kept, place)


def wider_type(held: ValueType | None, values: Values) -> ValueType:
    """The type that a column needs, of which there are values and now others come."""
    dtype = values.data.dtype
    came: ValueType = "float" if dtype == np.float64 else "int" if dtype == np.int64 else "object"
    if held is None:
        return came
    if values.valid is not None and not values.valid.any():
        return held
    return came if RANKS[came] > RANKS[held] else held


def fields_without_rows(part: Part, rows: Rows) -> Fields:
    """What a part holds whose values are not counted, or never came."""
    if isinstance(part, Count):
        return (rows.count,)
    zeros: AnyArray = np.zeros(len(rows), np.int64)
    return (zeros, zeros, zeros)
