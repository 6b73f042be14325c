"""The columns of values of a batch, where the kernels of partials read them.

Until the first null a partial reads the times of the batch. With nulls in its column it reads
times of its own, in which a null lies at FAR; and only from then on values are counted, since
before there are as many as events. What a batch needs that the state has not, it gets before
the step: partials of another type, or columns of counts. Whatever is refused is refused first.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import AnyArray
from muntin.columnar.engine.engine import ColumnarEngine
from muntin.columnar.engine.kernel_language import Ints
from muntin.columnar.engine.partials.custom import custom_kernels, input_columns
from muntin.columnar.engine.partials.kernels import DTYPES, PartKernels, ValueType, kernels_for
from muntin.columnar.engine.partials.objects import check_values
from muntin.columnar.engine.partials.part_table import KeptPart
from muntin.columnar.engine.partials.promotion import keep_counts, promote
from muntin.kernels.slicing.batch import Source, Values
from muntin.kernels.slicing.choice import Choice, put_away
from muntin.kernels.slicing.custom_part import Custom
from muntin.kernels.slicing.parts import Count, Part
from muntin.spec.errors import UnsupportedError

ValueTypes = tuple[ValueType, ...]
Columns = Mapping[Source, Values]
MOST_FLOAT = int(np.finfo(np.float64).max)
STRIDES = (8,)
"""Of a column that is contiguous."""


class SourceColumns:
    """The parts of an engine, and the places of the columns that they read."""

    def __init__(self, engine: ColumnarEngine, parts: Iterable[Part]) -> None:
        """Keep nothing before the first values come: they say of which type."""
        self.engine = engine
        self.parts: list[Part] = []
        self.kept: dict[Part, KeptPart] = {}
        self.places: dict[tuple[Source, ValueType], int] = {}
        self.times: dict[tuple[Source, ...], int] = {}
        self._usual: list[tuple[Source, np.dtype[np.generic] | None, int]] = []
        self.arithmetic = set[Source]()
        self._floats, self._huge = set[Source](), set[Source]()
        self.add(parts)

    @property
    def sources(self) -> set[Source]:
        """The columns that are read."""
        return {source for part in self.parts for source in part.sources}

    def add(self, parts: Iterable[Part]) -> None:
        """Keep more parts, from the next batch on."""
        self._usual = []
        self.parts += [part for part in dict.fromkeys(parts) if part not in self.parts]

    def retain(self, parts: Sequence[Part]) -> None:
        """Keep no other parts than these."""
        self._usual = []
        self.parts = [part for part in self.parts if part in parts]
        for part in [*self.kept]:
            if part not in parts:
                self.engine.remove_part(self.kept.pop(part))

    def bind(self, columns: Columns, time: Ints) -> None:
        """Bind the columns of a batch, whose times are bound; only then the step may run."""
        if not time.size or self._bind_unchanged(columns):
            return
        self._prepare(columns)
        pairs = self._columns_read()
        for source, value_type in pairs:
            self._put(self._place(source, value_type), _column(columns[source], value_type))
        for kept in self.kept.values():
            if isinstance(kept.part, Custom):
                for k, column in enumerate(input_columns(kept.part, columns)):
                    self._put(kept.source + k, column)
            self._bind_times(kept, columns, time)
        self._usual = self._columns_as_they_come()

    def _bind_unchanged(self, columns: Columns) -> bool:
        """Bind columns of the types that the last had, if neither had nulls: that is usual."""
        for source, dtype, _ in self._usual:
            data, valid = columns[source]
            if valid is not None or (dtype and (data.dtype != dtype or data.strides != STRIDES)):
                return False
        for source, dtype, place in self._usual:
            if dtype:
                self._put(place, columns[source].data)
        return bool(self._usual)

    def _columns_as_they_come(self) -> list[tuple[Source, np.dtype[np.generic] | None, int]]:
        """The columns, if no more is to be done than to bind them; those only counted no place."""
        for kept in self.kept.values():
            if kept.time != d.TIMES or "object" in kept.types or isinstance(kept.part, Custom):
                return []
        pairs = self._columns_read()
        if len(dict(pairs)) < len(pairs):  # one is read as integers and as floats
            return []
        types = dict(pairs)
        return [
            (source, np.dtype(DTYPES[types[source]]), self._place(source, types[source]))
            if source in types
            else (source, None, d.TIMES)
            for source in self.sources
        ]

    def plain(self) -> list[tuple[Source, ValueType, int]] | None:
        """The columns that are read, if plain arrays can be bound as they come: type and place."""
        columns: list[tuple[Source, ValueType, int]] = [
            (source, "float" if dtype == np.float64 else "int", place)
            for source, dtype, place in self._usual
            if dtype
        ]
        return columns if columns and len(columns) == len(self._usual) else None

    # ------------------------------------------------------------ types

    def _check_arithmetic(self, columns: Columns) -> None:
        """Refuse integers beyond all floats among floats, where both are added or subtracted."""
        floats, huge = set[Source](), set[Source]()
        for source in self.arithmetic & columns.keys():
            values = _some(columns[source])
            if values.dtype == np.float64 and values.size:
                floats.add(source)
            elif values.dtype == np.object_:
                items = values.tolist()
                floats |= {source} if any(isinstance(item, float) for item in items) else set()
                huge |= {source} if any(_is_beyond_floats(item) for item in items) else set()
        for source in (self._floats | floats) & (self._huge | huge):
            raise OverflowError(f"in the column {source!r}" if source is not None else "in values")
        self._floats, self._huge = self._floats | floats, self._huge | huge

    def _prepare(self, columns: Columns) -> None:
        """Have partials of the types that a batch needs, and counts where it brings nulls."""
        self._check_arithmetic(columns)
        changes: list[tuple[Part, ValueTypes, PartKernels]] = []
        orders: dict[Part, type | None] = {}
        for part in self.parts:
            kept = self.kept.get(part)
            if isinstance(part, Count) or (kept and isinstance(part, Custom)):
                continue
            types = types_for(part, kept.types if kept else (), columns)
            order = kept.order if kept else None
            orders[part] = check_values(part, _some(columns[part.source]), order)
            if kept is None or types != kept.types:
                changes.append((part, types, _kernels(part, types)))
        for part in self.parts:
            if isinstance(part, Custom):
                input_columns(part, columns)  # which refuses what is no number of its kind
        for part, types, kernels in changes:
            self._change(part, types, kernels)
        for part, order in orders.items():
            self.kept[part].order = order
        for part in self.parts:
            if isinstance(part, Count) and columns[part.source].valid is not None:
                self._count(part)

    def _change(self, part: Part, types: ValueTypes, kernels: PartKernels) -> None:
        if isinstance(part, Custom):
            kinds = part.summary.columns
            places = [self.engine.add_source(np.dtype(DTYPES[kind])) for kind in kinds]
        else:
            places = [
                self._place(source, one) for source, one in zip(part.sources, types, strict=True)
            ]
        if part in self.kept:
            kept = self.kept[part]
            kept.source, kept.second, kept.types = places[0], places[-1], types
            promote(self.engine, kept, kernels)
        else:
            kept = KeptPart(part, kernels, places[0], places[-1], types=types)
            self.kept[part] = kept
            self.engine.add_part(kept)

    def restore(self, part: Part, types: ValueTypes) -> KeptPart:
        """Keep a part of types that a state had."""
        if isinstance(part, Count):
            self._count(part)
        else:
            self._change(part, types, _kernels(part, types))
        return self.kept[part]

    def _count(self, part: Count) -> None:
        if part not in self.kept:
            self.kept[part] = keep_counts(self.engine, part)

    def _columns_read(self) -> set[tuple[Source, ValueType]]:
        return {
            (source, "int" if value_type == "wide" else value_type)
            for kept in self.kept.values()
            for source, value_type in zip(kept.part.sources, kept.types, strict=False)
        }

    def _place(self, source: Source, value_type: ValueType) -> int:
        key: tuple[Source, ValueType] = source, "int" if value_type == "wide" else value_type
        if key not in self.places:
            self.places[key] = self.engine.add_source(np.dtype(DTYPES[value_type]))
        return self.places[key]

    def _put(self, place: int, column: AnyArray) -> None:
        self.engine.bind(place, column)

    def _bind_times(self, kept: KeptPart, columns: Columns, time: Ints) -> None:
        part = kept.part
        each, place = [columns[source] for source in part.sources], d.TIMES
        if any(values.valid is not None for values in each):
            sources = part.sources
            if sources not in self.times:
                self.times[sources] = self.engine.add_source(np.dtype(np.int64))
            place = self.times[sources]
            moments = put_away(time, each[-1]) if isinstance(part, Choice) else time
            for values in each[:1] if isinstance(part, Choice) else each:
                if values.valid is not None:
                    moments = np.where(values.valid, moments, d.FAR)
            self._put(place, moments)
        if kept.time != place:
            self.engine.set_time(kept, place)


def _is_beyond_floats(item: object) -> bool:
    return isinstance(item, int) and abs(item) > MOST_FLOAT


def types_for(part: Part, held: ValueTypes, columns: Columns) -> ValueTypes:
    """The types of the columns of a part, of which it held some and now others come."""
    if isinstance(part, Custom):
        return ()
    before: tuple[ValueType | None, ...] = held or (None,) * len(part.sources)
    types: ValueTypes = tuple(
        wider_type(one, columns[source])
        for one, source in zip(before, part.sources, strict=True)
    )  # fmt: skip
    return tuple("object" for _ in types) if "object" in types else types


def wider_type(held: ValueType | None, values: Values) -> ValueType:
    """The type for a column of which there were values and now others come."""
    dtype = values.data.dtype
    came: ValueType = "float" if dtype == np.float64 else "int" if dtype == np.int64 else "object"
    if held is None:
        return came
    if held == "object" or (values.valid is not None and not values.valid.any()):
        return held
    if came == "int":
        return held
    return "object" if held == "wide" else came


def _kernels(part: Part, types: ValueTypes) -> PartKernels:
    if isinstance(part, Custom):
        return custom_kernels(part)
    kernels = kernels_for(part, *types)
    if kernels is None:
        raise UnsupportedError(f"there are no kernels of the partial {part}")
    return kernels


def _some(values: Values) -> AnyArray:
    """The values that are there."""
    return values.data if values.valid is None else values.data[values.valid]


def _column(values: Values, value_type: ValueType) -> AnyArray:
    data = values.data
    if values.valid is not None:
        data = np.where(values.valid, data, 0)
    return np.ascontiguousarray(data, DTYPES[value_type])
