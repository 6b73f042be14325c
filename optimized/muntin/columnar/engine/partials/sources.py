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
from muntin.columnar.engine.partials.conversion import Encode
from muntin.columnar.engine.partials.custom import custom_kernels, input_columns
from muntin.columnar.engine.partials.kernels import (
    CODED,
    DTYPES,
    TYPES_OF_OBJECTS,
    VALUE_COLUMNS,
    PartKernels,
    ValueType,
    kernels_for,
)
from muntin.columnar.engine.partials.objects import check_values
from muntin.columnar.engine.partials.part_table import KeptPart
from muntin.columnar.engine.partials.promotion import (
    compact_log,
    keep_counts,
    promote,
    spaces_of,
)
from muntin.columnar.engine.partials.values.log_readers import WordFormat, word_format
from muntin.columnar.engine.partials.values.saved_columns import restored_columns
from muntin.columnar.engine.partials.values.value_codes import ValueCodes, moved
from muntin.columnar.engine.partials.values.value_log import ValueLog
from muntin.kernels.slicing.arrays import column_of
from muntin.kernels.slicing.batch import Source, Values, objects
from muntin.kernels.slicing.choice import Choice, Product, put_away
from muntin.kernels.slicing.custom_part import Custom
from muntin.kernels.slicing.parts import Count, Part
from muntin.spec.algebra.values import Number
from muntin.spec.errors import InvalidInputError, UnsupportedError

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
        self.read: list[Part] = []
        self.parts: list[Part] = []
        self.kept: dict[Part, KeptPart] = {}
        self.places: dict[tuple[Source, ValueType], int] = {}
        self.times: dict[tuple[Source, ...], int] = {}
        self.codes: dict[tuple[Source, ValueType], ValueCodes] = {}
        self._encoded: dict[tuple[Source, ValueType], Ints] = {}
        self._usual: list[tuple[Source, np.dtype[np.generic] | None, int]] = []
        self.arithmetic = set[Source]()
        self.floats, self.huge = set[Source](), set[Source]()
        self.add(parts)

    @property
    def sources(self) -> set[Source]:
        """The columns that are read."""
        return {source for part in self.parts for source in part.sources}

    def add(self, parts: Iterable[Part]) -> None:
        """Keep more parts, from the next batch on."""
        self._list([*self.read, *parts])

    def retain(self, parts: Sequence[Part]) -> None:
        """Keep no other parts than these."""
        self._list([part for part in self.read if part in parts])
        for part in [*self.kept]:
            if part not in self.parts:
                self.engine.remove_part(self.kept.pop(part))

    def _list(self, parts: Iterable[Part]) -> None:
        self._usual = []
        self.read = [*dict.fromkeys(parts)]
        self.parts = [*dict.fromkeys(part.stored for part in self.read)]
        for kept in self.kept.values():
            kept.readers = self._readers(kept.part)

    def _readers(self, stored: Part) -> list[Part]:
        return [part for part in self.read if part.stored == stored]

    def bind(self, columns: Columns, time: Ints) -> None:
        """Bind the columns of a batch, whose times are bound; only then the step may run."""
        if not time.size or self._bind_unchanged(columns):
            return
        self._prepare(columns)
        for source, value_type in self._columns_read():
            pair = source, value_type
            is_coded = pair in self._encoded
            column = self._encoded[pair] if is_coded else _column(columns[source], value_type)
            self._put(self._place(source, value_type), column)
        for kept in self.kept.values():
            if isinstance(kept.part, Custom):
                for k, numbers in enumerate(input_columns(kept.part, columns)):
                    self._put(kept.source + k, numbers)
            self._bind_times(kept, columns, time)
            kept.is_empty &= not _some(columns[kept.part.source]).size
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
            plain = not isinstance(kept.part, Custom) and {*kept.types} <= {"int", "wide", "float"}
            if kept.time != d.TIMES or not plain:
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
        """Refuse what is no number, and integers beyond all floats among floats."""
        floats, huge = dict[Source, int](), dict[Source, int]()
        for source in self.arithmetic & columns.keys():
            data, valid = columns[source]
            rows = np.arange(data.size) if valid is None else np.flatnonzero(valid)
            if data.dtype == np.float64 and rows.size:
                floats[source] = int(rows[0])
            elif data.dtype == np.object_:
                for row, item in zip(rows.tolist(), data[rows].tolist(), strict=True):
                    if isinstance(item, float):
                        floats.setdefault(source, row)
                    elif _is_beyond_floats(item):
                        huge.setdefault(source, row)
                    elif isinstance(item, bool) or not isinstance(item, Number):
                        raise InvalidInputError(
                            f"{item!r} is not a number; it is in row {row} of "
                            f"{_column_name(source)}: convert it, or leave it null"
                        )
        for source in (self.floats | {*floats}) & (self.huge | {*huge}):
            row = max(floats.get(source, -1), huge.get(source, -1))
            raise OverflowError(f"{_column_name(source)}, as of row {row}")  # the operator wraps it
        self.floats, self.huge = self.floats | {*floats}, self.huge | {*huge}

    def _prepare(self, columns: Columns) -> None:
        """Have partials of the types that a batch needs, and counts where it brings nulls."""
        changes: list[tuple[Part, ValueTypes, PartKernels]] = []
        coded = dict[tuple[Source, ValueType], None]()
        for part in self.parts:
            kept = self.kept.get(part)
            if isinstance(part, Custom):
                input_columns(part, columns)  # which refuses what is no number of its kind
            if isinstance(part, Count) or (kept and isinstance(part, Custom)):
                continue
            types = types_for(part, kept.types if kept else (), columns)
            check_values(part, part.source, columns[part.source])
            if kept is None or types != kept.types:
                changes.append((part, types, _kernels(part, types)))
            for pair in zip(part.sources, types, strict=False):
                if pair[1] in CODED:
                    coded[pair] = None
        self._check_arithmetic(columns)
        self._encode_columns(columns, coded)
        for part, types, kernels in changes:
            self._change(part, types, kernels)
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
        codes = tuple(
            self._codes_of(source, one) if one in CODED else None
            for source, one in zip(part.sources, types, strict=False)
        )
        if part in self.kept:
            kept = self.kept[part]
            encoders = self._encoders(kept, codes)
            if kept.log:
                self._convert_log(kept, types, codes)
            promote(self.engine, kept, kernels, encoders)
            kept.source, kept.second, kept.types = places[0], places[-1], types
            kept.codes = codes
            self.engine.list_parts()
        else:
            kept = KeptPart(part, kernels, places[0], places[-1], types=types, codes=codes)
            kept.readers = self._readers(part)
            self.kept[part] = kept
            self.engine.add_part(kept)

    # ------------------------------------------------------------ codes

    def _codes_of(self, source: Source, value_type: ValueType) -> ValueCodes:
        pair = source, value_type
        if pair not in self.codes:
            self.codes[pair] = ValueCodes(source, is_ordered=value_type == "rank")
        return self.codes[pair]

    def _encode_columns(
        self, columns: Columns, coded: Mapping[tuple[Source, ValueType], None]
    ) -> None:
        """Find the codes of the values of a batch: whatever is to be compared is compared now."""
        self._encoded = {}
        for source, value_type in coded:
            codes = self._codes_of(source, value_type)
            if codes.size > codes.limit:
                self._retain_codes(codes)
            numbers = [one for one in self._ranked(source) if one.types[0] not in CODED]
            if value_type == "rank" and any(not one.is_empty for one in numbers):
                codes.order = float
            self._encoded[source, value_type] = self._encode(codes, columns[source])

    def _ranked(self, source: Source) -> list[KeptPart]:
        """The partials of a column that keep its values in their order."""
        return [
            kept
            for kept in self.kept.values()
            if kept.part.source == source
            and TYPES_OF_OBJECTS.get(type(kept.part), ("object",))[0] == "rank"
        ]

    def _encode(self, codes: ValueCodes, values: Values) -> Ints:
        """The codes of values; if others got new ones meanwhile, all that holds those follows."""
        column = codes.encode(values)
        if codes.moves:
            self._follow(codes)
        return column

    def _follow(self, codes: ValueCodes) -> None:
        arrays, moves = self.engine.directory.arrays, codes.moves
        codes.moves = []
        for pair, column in self._encoded.items():
            if self.codes[pair] is codes:
                self._encoded[pair] = moved(column, moves)
        for place in self._coded_places(codes):
            arrays[place][:] = moved(arrays[place], moves)
        for log in self._coded_logs(codes):
            log.values[:] = moved(log.values, moves)
        self.engine.scalars[d.PREFIXED] = 0

    def _coded_places(self, codes: ValueCodes) -> list[int]:
        """The columns of rows that hold codes."""
        return [
            space.places[kept.part][column]
            for kept in self.kept.values()
            for column, own in zip(_value_columns(kept.part), kept.codes, strict=False)
            if own is codes
            for space in spaces_of(self.engine)
            if kept.part in space.places
        ]

    def _coded_logs(self, codes: ValueCodes) -> list[ValueLog]:
        return [kept.log for kept in self.kept.values() if kept.log and kept.codes[0] is codes]

    def _retain_codes(self, codes: ValueCodes) -> None:
        """Forget the values that no row has."""
        self.engine.release_rows()
        for kept in self.kept.values():
            if kept.log and kept.codes[0] is codes:
                compact_log(self.engine, kept)
        held = [self.engine.directory.arrays[place] for place in self._coded_places(codes)]
        held += [log.values for log in self._coded_logs(codes)]
        codes.retain(np.unique(np.concatenate(held)).tolist() if held else [])

    def _encoders(self, kept: KeptPart, codes: Sequence[ValueCodes | None]) -> list[Encode | None]:
        """What gives codes to the values that rows hold and that had none."""
        had = kept.codes or (None,) * len(codes)
        return [
            self._encoder(own) if own and not before else None
            for own, before in zip(codes, had, strict=True)
        ]

    def _encoder(self, codes: ValueCodes) -> Encode:
        return lambda items: self._encode(codes, Values(column_of(objects(items))))

    def _convert_log(
        self, kept: KeptPart, types: ValueTypes, codes: Sequence[ValueCodes | None]
    ) -> None:
        log, old = kept.log, word_format(kept)
        new = WordFormat(types[0], old.is_ordered, {})
        if log is None or old.value_type == new.value_type:
            return
        encode = self._encoder(codes[0]) if codes[0] else list[int]
        compact_log(self.engine, kept)
        log.values[:] = new.words(old.column(log.values).tolist(), encode)  # type: ignore[arg-type] # of codes

    def restore(self, part: Part, types: ValueTypes) -> KeptPart:
        """Keep a part of types that a state had."""
        if isinstance(part, Count):
            self._count(part)
        else:
            self._change(part, types, _kernels(part, types))
        return self.kept[part]

    def restored(self, kept: KeptPart, columns: Sequence[AnyArray]) -> list[AnyArray]:
        """The columns of rows of a part, of what a snapshot has; ValueError if it is none."""
        encoders = [self._encoder(codes) if codes else None for codes in kept.codes]
        return restored_columns(kept, columns, encoders or [None])

    def _count(self, part: Count) -> None:
        if part not in self.kept:
            self.kept[part] = keep_counts(self.engine, part)

    def _columns_read(self) -> set[tuple[Source, ValueType]]:
        return {
            (source, _column_type(value_type))
            for kept in self.kept.values()
            for source, value_type in zip(kept.part.sources, kept.types, strict=False)
        }

    def _place(self, source: Source, value_type: ValueType) -> int:
        key = source, _column_type(value_type)
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


def _value_columns(part: Part) -> tuple[int, ...]:
    return VALUE_COLUMNS.get(type(part), ())


def _column_name(source: Source) -> str:
    return "the values" if source is None else f"the column {source!r}"


def _is_beyond_floats(item: object) -> bool:
    return isinstance(item, int) and abs(item) > MOST_FLOAT


def _column_type(value_type: ValueType) -> ValueType:
    """The type of the column that values of a type are read from."""
    return "int" if value_type == "wide" else value_type


def types_for(part: Part, held: ValueTypes, columns: Columns) -> ValueTypes:
    """The types of the columns of a part, of which it held some and now others come."""
    if isinstance(part, Custom):
        return ()
    before: tuple[ValueType | None, ...] = held or (None,) * len(part.sources)
    of_objects = TYPES_OF_OBJECTS.get(type(part), ("object",))
    types: ValueTypes = tuple(
        wider_type(one, columns[source], other)
        for one, source, other in zip(before, part.sources, of_objects, strict=True)
    )
    return ("float",) if isinstance(part, Product) and types == ("int",) else types


def wider_type(held: ValueType | None, values: Values, of_objects: ValueType) -> ValueType:
    """The type for a column of which there were values and now others come."""
    dtype = values.data.dtype
    came: ValueType = "float" if dtype == np.float64 else "int" if dtype == np.int64 else of_objects
    if held is None:
        return came
    if held == of_objects or (values.valid is not None and not values.valid.any()):
        return held
    if came == "int":
        return held
    return of_objects if held == "wide" else came


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
