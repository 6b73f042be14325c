"""Arrow tables in and out; beside `arrow_columns` the only module here that imports PyArrow."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from math import nan
from typing import TypeGuard

import numpy as np

from muntin.columnar.arguments import is_mapping
from muntin.columnar.arrow_columns import (
    ArrowColumn,
    ArrowTable,
    NumpyColumn,
    is_plain,
    number_array,
    viewed,
)
from muntin.columnar.durations import TimeUnit
from muntin.kernels.slicing.answer import Answer
from muntin.kernels.slicing.arrays import FARTHEST, LAST, LONGEST, Flags, Ints, column_of
from muntin.kernels.slicing.batch import Values, objects
from muntin.kernels.slicing.over import is_row
from muntin.spec.errors import InvalidInputError, UnsupportedError

pa = import_module("pyarrow")
ARROW_ERRORS = (ValueError, TypeError, NotImplementedError, OverflowError)
"""What Arrow raises of what it cannot read."""
FEW_ROWS = 1 << 14
"""Strings that Python converts before Arrow has imported pandas, which it looks for."""
TIMESTAMP_UNITS = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}
"""Nanoseconds of the units of timestamps."""
M4 = ("min", "max", "first", "last")
"""The fields of the result of the aggregate `m4`."""


@dataclass(frozen=True)
class DistinctKeys:
    """A column of keys: the distinct keys, and for each row the index of its key."""

    indices: Ints
    distinct: ArrowColumn


def is_table(value: object) -> TypeGuard[ArrowTable]:
    """Whether an object is an Arrow table."""
    return isinstance(value, pa.Table)


def table_of(table: object) -> ArrowTable:
    """Any object with the Arrow stream interface, or a dict of arrays, as an Arrow table."""
    if is_table(table):
        return table
    if is_mapping(table):
        return _table_of_columns(table)
    if not hasattr(table, "__arrow_c_stream__"):
        remedy = "; collect it first" if hasattr(table, "collect") else ""
        raise InvalidInputError(
            "a table must have the Arrow stream interface or be a dict of arrays, not "
            f"{type(table).__name__}{remedy}"
        )
    try:
        arrow: ArrowTable = pa.table(table)
    except ARROW_ERRORS as cause:
        if hasattr(table, "items"):  # of pandas: column by column, an error names row and column
            return _table_of_columns(dict(getattr(table, "items")()))  # noqa: B009 - it is not typed
        raise InvalidInputError(
            f"no table of named columns can be made of this {type(table).__name__}: {cause}"
        ) from cause
    return arrow


def _table_of_columns(columns: Mapping[object, object]) -> ArrowTable:
    """A table of columns of one length; an error names the column and the row."""
    arrays: dict[str, ArrowColumn] = {}
    for name, values in columns.items():
        if not isinstance(name, str):
            raise InvalidInputError(f"the name of a column must be a string, not {name!r}")
        try:
            arrays[name] = _array(values)
        except ARROW_ERRORS as cause:
            where = _failing_row(values)
            raise InvalidInputError(
                f"the column {name!r} cannot be read{where}: {cause}; make it an array of one type"
            ) from cause
    sizes = {name: len(array) for name, array in arrays.items()}
    if len(set(sizes.values())) > 1:
        shown = ", ".join(f"{name!r} has {size} rows" for name, size in sizes.items())
        raise InvalidInputError(
            f"the columns of a table have one length, and here {shown}: cut the longer, or fill "
            "the shorter with None"
        )
    return make_table(arrays)


def _array(values: object) -> ArrowColumn:
    if is_plain(values):
        return viewed(values)
    is_stream = hasattr(values, "__arrow_c_stream__")
    array: ArrowColumn = pa.chunked_array(values) if is_stream else pa.array(values)
    return array


def _converted(values: ArrowColumn, kind: object) -> ArrowColumn:
    """A column of a type; one of that type costs no import of Arrow's functions."""
    return values if values.type == kind else values.cast(kind)


def _failing_row(values: object) -> str:
    """The first row of a list up to which no array can be made."""
    values = getattr(values, "tolist", lambda: values)()
    if not is_row(values):
        return ""

    def fails(row: int) -> bool:
        try:
            _array(values[: row + 1])
        except ARROW_ERRORS:
            return True
        return False

    row = bisect_left(range(len(values)), 1, key=fails)
    return f" in row {row}" if row < len(values) else ""


def column(table: ArrowTable, name: str) -> ArrowColumn:
    """A column by its name, decoded and in one chunk."""
    names = table.column_names
    if names.count(name) != 1:
        there = ", ".join(names) or "none"
        raise InvalidInputError(f"there must be one column {name!r}; there are {there}")
    some = without_views(_without_empty_chunks(table.column(name)))
    one_chunk = some.chunks[0] if len(some.chunks) == 1 else some.combine_chunks()  # which copies
    is_encoded = pa.types.is_dictionary(one_chunk.type)
    return one_chunk.dictionary_decode() if is_encoded else one_chunk


def _without_empty_chunks(column: ArrowColumn) -> ArrowColumn:
    """A column without its empty chunks: Arrow cannot combine a sliced chunk with an empty one."""
    chunks = [chunk for chunk in column.chunks if len(chunk)]
    nonempty: ArrowColumn = pa.chunked_array(chunks, column.type)
    return nonempty


def without_views(column: ArrowColumn) -> ArrowColumn:
    """Text views, as Polars has them, as plain text: Arrow cannot take items of views."""
    plain = {str(pa.string_view()): pa.large_string(), str(pa.binary_view()): pa.large_binary()}
    if str(column.type) in plain:
        return column.cast(plain[str(column.type)])
    kind = plain.get(str(getattr(column.type, "value_type", None)))
    if not pa.types.is_dictionary(column.type) or kind is None:
        return column
    encode = pa.DictionaryArray.from_arrays
    chunks = [encode(chunk.indices, chunk.dictionary.cast(kind)) for chunk in column.chunks]
    decoded: ArrowColumn = pa.chunked_array([chunk.dictionary_decode() for chunk in chunks], kind)
    return decoded


def time_values(table: ArrowTable, name: str) -> Ints:
    """A time column, of integers or timestamps, as integers."""
    time_unit(table, name)
    values = column(table, name)
    if values.null_count:
        first = int(np.asarray(values.is_valid(), np.bool_).argmin())
        raise InvalidInputError(
            f"the time {name!r} is null in {values.null_count} of {len(values)} rows, first in row "
            f"{first}; leave them out"
        )
    try:
        times = number_array(_converted(values, pa.int64()), np.int64)
    except ValueError as cause:
        far = np.asarray(values) >= np.uint64(LAST)
        raise _far_time(name, values, far) from cause
    far = (times <= -FARTHEST) | (times >= FARTHEST)
    if far.any():
        raise _far_time(name, values, far)
    return times


def _far_time(name: str, values: ArrowColumn, far: Flags) -> UnsupportedError:
    row = int(far.argmax())
    (time,) = np.asarray(values)[row : row + 1].tolist()
    return UnsupportedError(
        f"the time {name!r} is {time} in row {row}, and must lie within {FARTHEST - 1} of 0, so "
        f"that windows fit into 64 bits; count from a later time, or in a greater unit"
    )


def time_unit(table: ArrowTable, name: str) -> TimeUnit:
    """The unit of a time column; refuse others than integers and timestamps."""
    if name not in table.column_names:
        raise InvalidInputError(
            f"there is no column {name!r}: name that of the times, as time='at'; there are "
            f"{', '.join(table.column_names) or 'none'}"
        )
    kind = column(table, name).type
    if pa.types.is_integer(kind):
        return TimeUnit(name)
    if pa.types.is_timestamp(kind):
        unit, zone = getattr(kind, "unit"), getattr(kind, "tz")  # noqa: B009 - Arrow is not typed
        return TimeUnit(name, TIMESTAMP_UNITS[unit], has_zone=zone is not None)
    where, reason = "", ""
    if pa.types.is_floating(kind):
        where = _first_nan(column(table, name))
        reason = (
            ": NaN and fractions have no place in the order of time; leave out rows without a time"
        )
    raise InvalidInputError(
        f"the time {name!r} must be integers or timestamps, not {kind}{where}{reason}; cast it"
    )


def _first_nan(values: ArrowColumn) -> str:
    is_nan = np.isnan(np.asarray(values.cast(pa.float64()).fill_null(0.0), np.float64))
    return f" (NaN in row {int(is_nan.argmax())})" if is_nan.any() else ""


def number_values(table: ArrowTable, name: str) -> Values:
    """A column of numbers with the flags of its valid rows."""
    values = column(table, name)
    kind = values.type
    if not pa.types.is_integer(kind) and not pa.types.is_floating(kind):
        raise UnsupportedError(
            f"the column {name!r} is of {kind}, which is no number; cast it to int64 or float64"
        )
    valid: Flags | None = None
    filled = values
    if values.null_count:
        valid = np.asarray(values.is_valid(), np.bool_)
        filled = values.fill_null(0)
    whole = pa.types.is_integer(kind)
    try:
        numbers = _converted(filled, pa.int64() if whole else pa.float64())
    except ValueError:  # unsigned, and beyond 2^63
        return Values(column_of(objects(filled.to_pylist())), valid)
    return Values(column_of(number_array(numbers, np.int64 if whole else np.float64)), valid)


def gap_values(table: ArrowTable, name: str, unit: TimeUnit) -> Values:
    """The session gap of each row; null means the gap of the window type."""
    kind = column(table, name).type
    if unit.nanoseconds is not None:
        table = make_table({name: _gaps_in_units(column(table, name), name, unit)})
    elif not pa.types.is_integer(kind):
        raise InvalidInputError(
            f"the gaps {name!r} must be integers, in the unit of the time {unit.column!r}, not "
            f"{kind}; cast it"
        )
    gaps = number_values(table, name)
    wrong = np.asarray((gaps.data < 1) | (gaps.data >= LONGEST), np.bool_)
    wrong &= True if gaps.valid is None else gaps.valid
    if wrong.any():
        row = int(wrong.argmax())
        raise InvalidInputError(
            f"the gap {name!r} is {gaps.data[row]} in row {row}, and must be greater than 0 and "
            f"less than {LONGEST}; leave it null where the window's own gap is right"
        )
    return gaps


def _gaps_in_units(values: ArrowColumn, name: str, unit: TimeUnit) -> ArrowColumn:
    """Gaps beside timestamps: durations, as integers in the unit of the timestamps."""
    units = {size: letters for letters, size in TIMESTAMP_UNITS.items()}
    own = pa.duration(units[unit.nanoseconds or 1])
    if not pa.types.is_duration(values.type):
        raise InvalidInputError(
            f"the gaps {name!r} must be durations, since the time {unit.column!r} is a timestamp, "
            f"not {values.type}; cast it, as to {own}"
        )
    try:
        return values.cast(own).cast(pa.int64())
    except ValueError as cause:
        raise InvalidInputError(
            f"the gaps {name!r} are finer than the time {unit.column!r}: {cause}; cast either"
        ) from cause


def mark_values(table: ArrowTable, name: str) -> Flags:
    """Flags of the rows that are punctuations; null means no."""
    values = column(table, name)
    if not pa.types.is_boolean(values.type):
        raise InvalidInputError(f"the marks {name!r} must be booleans, not {values.type}; cast it")
    return np.asarray(values.fill_null(False), np.bool_)  # noqa: FBT003 - as in Arrow


def distinct_keys(table: ArrowTable, name: str) -> DistinctKeys:
    """The distinct keys of a column; null is a key, and so is NaN; -0.0 is 0.0."""
    values = column(table, name)
    if pa.types.is_floating(values.type):
        values = _equal_floats(values)
    try:
        encoded = values.dictionary_encode("encode")
    except NotImplementedError as cause:
        raise UnsupportedError(
            f"the key {name!r} is of {values.type}, which cannot be hashed; take a field of it as "
            "the key, or cast it to a string"
        ) from cause
    return DistinctKeys(
        number_array(encoded.indices, np.int32).astype(np.int64), encoded.dictionary
    )


def _equal_floats(keys: ArrowColumn) -> ArrowColumn:
    """Floats with equal bits for equal keys, since Arrow compares bits."""
    compute = import_module("pyarrow.compute")
    positive = compute.add(keys.cast(pa.float64()), 0.0)
    same: ArrowColumn = compute.if_else(compute.is_nan(positive), nan, positive)
    return same.cast(keys.type)


def result_array(answer: Answer) -> ArrowColumn:
    """The values of windows as an Arrow array."""
    mask = None if answer.valid is None or answer.valid.all() else ~answer.valid
    arrays = [_plain_array(values, mask) for values in answer.columns]
    if len(arrays) == 1:
        return arrays[0]
    names = M4[: len(arrays)]
    nulls = None if mask is None else pa.array(mask)
    struct: ArrowColumn = pa.StructArray.from_arrays(arrays, names, mask=nulls)
    return struct


def _plain_array(values: object, mask: Flags | None) -> ArrowColumn:
    array: ArrowColumn
    if mask is None and is_plain(values):
        return viewed(values)
    try:
        array = pa.array(values, mask=mask)
    except OverflowError:
        filled = values if mask is None else np.where(mask, 0, column_of(values))
        wide = [Decimal(int(number)) for number in column_of(filled)]
        array = pa.array(wide, pa.decimal128(38), mask=mask)
    return array


TYPE_NAMES = {
    "bigint": "int64", "long": "int64", "int": "int32", "integer": "int32",
    "smallint": "int16", "tinyint": "int8", "boolean": "bool", "date": "date32",
}  # fmt: skip
"""Types of Spark's SQL that Arrow has under other names."""


def parse_type(kind: object, label: str) -> object:
    """An Arrow type, which may be written as Arrow or Spark's SQL names it."""
    if isinstance(kind, pa.DataType):
        return kind
    try:
        parsed: object = pa.type_for_alias(TYPE_NAMES.get(str(kind), str(kind)))
    except ValueError:
        raise InvalidInputError(
            f"aggregate {label!r}: {kind!r} is no type of values, such as 'double' or 'bigint', or "
            "an Arrow type"
        ) from None
    return parsed


def typed_values(answer: Answer, kind: object, label: str) -> ArrowColumn:
    """The values of windows as a column of a type; an error names the aggregate."""
    try:
        return _typed_array(answer, kind)
    except (TypeError, ValueError, OverflowError) as cause:
        raise InvalidInputError(
            f"a value of {label!r} does not fit into {kind}: {cause}"
        ) from cause


def values_like(answer: Answer, empty: ArrowColumn) -> ArrowColumn:
    """Python objects as a column of the type of an empty one; wider integers are decimals."""
    try:
        return _typed_array(answer, empty.type)
    except OverflowError:
        return result_array(answer)


def _typed_array(answer: Answer, kind: object) -> ArrowColumn:
    items: list[object] = answer.objects().tolist()
    if pa.types.is_floating(kind):
        items = [float(item) if isinstance(item, int | Fraction) else item for item in items]
    if pa.types.is_struct(kind):
        names = pa.schema(kind).names
        items = [dict(zip(names, x, strict=True)) if is_row(x) else x for x in items]
    array: ArrowColumn = pa.array(items, kind)
    return array


def bound_array(coordinates: Ints, unit: object, *, is_shown: bool) -> ArrowColumn:
    """Starts or ends as timestamps, if times are, or as integers; an open end is null."""
    if not is_shown:
        bounds = pa.nulls(coordinates.size, pa.int64())
    elif (coordinates == LAST).any():
        bounds = pa.array(coordinates, mask=coordinates == LAST)
    else:
        bounds = _array(coordinates)
    timestamps = unit is not None and pa.types.is_timestamp(unit)
    cast: ArrowColumn = bounds.cast(unit) if timestamps else bounds
    return cast


def numpy_values(values: ArrowColumn) -> NumpyColumn:
    """A column as a NumPy array; with nulls, of objects, since an integer may be no float."""
    if values.null_count and not pa.types.is_temporal(values.type):
        return objects(values.to_pylist())
    if pa.types.is_string(values.type) and len(values) < FEW_ROWS:
        return objects(values.to_pylist())
    chunks = getattr(values, "chunks", [values])
    if len(chunks) == 1 and values.type == pa.int64():
        return number_array(chunks[0], np.int64)
    if len(chunks) == 1 and values.type == pa.float64():
        return number_array(chunks[0], np.float64)
    return np.asarray(values)


def pandas_series(values: ArrowColumn) -> object:
    """A column as a series of pandas; integers with nulls keep their values, as `Int64`."""
    pandas = import_module("pandas")
    mapper = {pa.int64(): getattr(pandas, "Int64Dtype")()}  # noqa: B009 - it is not typed
    column: ArrowColumn = pa.chunked_array([values]) if hasattr(values, "buffers") else values
    return column.to_pandas(types_mapper=mapper.get if column.null_count else None)


def make_table(columns: Mapping[str, object]) -> ArrowTable:
    """A table of named columns."""
    table: ArrowTable = pa.table(columns)
    return table


def concat_tables(tables: Sequence[ArrowTable]) -> ArrowTable:
    """All tables as one; integers become floats where other tables have floats."""
    table: ArrowTable = pa.concat_tables(tables, promote_options="permissive")
    return table
