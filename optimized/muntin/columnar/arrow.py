"""Arrow tables in and out: the only module that knows pyarrow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from math import nan
from typing import Protocol, TypeGuard

import numpy as np

from muntin.kernels.slicing.answer import Answer
from muntin.kernels.slicing.arrays import LAST, Flags, Ints, column_of
from muntin.kernels.slicing.batch import Values, objects
from muntin.spec.errors import InvalidInputError, UnsupportedError

M4 = ("min", "max", "first", "last")
"""The fields of a value that is a tuple."""


class Table(Protocol):
    """What is used here of a `pyarrow.Table`, and what every engine reads."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return a stream of its batches."""
        ...

    def to_pylist(self) -> list[dict[str, object]]:
        """Return its rows."""
        ...

    def append_column(self, name: str, column: object) -> "Table":
        """Return it with one column more."""
        ...


@dataclass(frozen=True)
class DistinctKeys:
    """A column of keys: which of the distinct ones each row has, and these."""

    indices: Ints
    distinct: "Column"


class Column(Protocol):
    """What is used here of an Arrow column."""

    type: object
    null_count: int
    chunks: "Sequence[Column]"
    indices: "Column"
    dictionary: "Column"

    def __len__(self) -> int:
        """Return how many items it has."""
        ...

    def to_pylist(self) -> list[int]:
        """Return its items, where they are integers."""
        ...

    def cast(self, kind: object) -> "Column":
        """Return it in another type."""
        ...

    def take(self, places: object) -> "Column":
        """Return some of its items."""
        ...

    def combine_chunks(self) -> "Column":
        """Return it in one piece."""
        ...


def is_table(thing: object) -> TypeGuard[Table]:
    """Whether this is a table of Arrow."""
    return isinstance(thing, import_module("pyarrow").Table)


def table_of(table: object) -> Table:
    """Return anything that has the Arrow stream interface, or named arrays, as an Arrow table."""
    pa = import_module("pyarrow")
    if is_table(table):
        return table
    streams = hasattr(table, "__arrow_c_stream__")
    if not streams and not isinstance(table, Mapping):
        kind = type(table).__name__
        raise InvalidInputError(
            f"a table must have the Arrow stream interface, or be a dict of arrays, not {kind}"
        )
    try:
        found: Table = pa.table(table)
    except (ValueError, TypeError, NotImplementedError, OverflowError) as cause:  # as Arrow raises
        raise InvalidInputError(f"no table can be made of this: {cause}") from cause
    return found


def column(table: Table, name: str) -> Column:
    """Return a column by its name, in one piece."""
    names: list[str] = getattr(table, "column_names")  # noqa: B009 - Arrow is not typed
    if names.count(name) != 1:
        raise InvalidInputError(f"there must be one column {name!r}; there are {', '.join(names)}")
    found = without_views(_without_empty_chunks(getattr(table, "column")(name))).combine_chunks()  # noqa: B009 - the same
    encoded = import_module("pyarrow").types.is_dictionary(found.type)
    return getattr(found, "dictionary_decode")() if encoded else found  # noqa: B009 - the same


def _without_empty_chunks(found: Column) -> Column:
    """Return a column without its empty chunks: Arrow combines no offset into nothing."""
    chunks = [one for one in found.chunks if len(one)]
    made: Column = import_module("pyarrow").chunked_array(chunks, found.type)
    return made


def without_views(found: Column) -> Column:
    """Return texts that are views, as Polars has them, as plain ones: Arrow can't pick of views."""
    pa = import_module("pyarrow")
    plain = {str(pa.string_view()): pa.large_string(), str(pa.binary_view()): pa.large_binary()}
    if str(found.type) in plain:
        return found.cast(plain[str(found.type)])
    kind = plain.get(str(getattr(found.type, "value_type", None)))
    if not pa.types.is_dictionary(found.type) or kind is None:
        return found
    made = pa.DictionaryArray.from_arrays
    chunks = [made(one.indices, one.dictionary.cast(kind)) for one in found.chunks]
    decoded: Column = pa.chunked_array([one.dictionary_decode() for one in chunks], kind)
    return decoded


def time_values(table: Table, name: str) -> Ints:
    """Return a column of integers or timestamps as numbers."""
    pa, found = import_module("pyarrow"), column(table, name)
    kind = found.type
    if not pa.types.is_integer(kind) and not pa.types.is_timestamp(kind):
        raise InvalidInputError(
            f"the time {name!r} must be integers or timestamps, not {kind}; cast it"
        )
    if found.null_count:
        raise InvalidInputError(f"the time {name!r} is null in {found.null_count} rows")
    try:
        return np.asarray(found.cast(pa.int64()), np.int64)
    except ValueError as cause:
        raise UnsupportedError(f"the time {name!r} does not fit into 64 bits: {cause}") from cause


def number_values(table: Table, name: str) -> Values:
    """Return a column of numbers, and which are not null."""
    pa, found = import_module("pyarrow"), column(table, name)
    kind = found.type
    if not pa.types.is_integer(kind) and not pa.types.is_floating(kind):
        raise UnsupportedError(
            f"the column {name!r} is of {kind}, which is no number; cast it to int64 or float64"
        )
    valid: Flags | None = None
    filled = found
    if found.null_count:
        valid = np.asarray(getattr(found, "is_valid")(), np.bool_)  # noqa: B009 - the same
        filled = getattr(found, "fill_null")(0)  # noqa: B009 - the same
    try:
        whole = filled.cast(pa.int64() if pa.types.is_integer(kind) else pa.float64())
    except ValueError:  # unsigned, and beyond 2^63
        return Values(column_of(objects(filled.to_pylist())), valid)
    return Values(column_of(whole), valid)


def gap_values(table: Table, name: str) -> Values:
    """Return a column of the gaps that rows bring; null is none."""
    found = number_values(table, name)
    if found.data.dtype == np.float64:
        raise InvalidInputError(f"the gaps {name!r} must be integers, in the unit of time; cast it")
    return found


def mark_values(table: Table, name: str) -> Flags:
    """Return a column that says which rows are punctuations; null is none."""
    found = column(table, name)
    if not import_module("pyarrow").types.is_boolean(found.type):
        raise InvalidInputError(f"the marks {name!r} must be booleans, not {found.type}; cast it")
    return np.asarray(getattr(found, "fill_null")(False), np.bool_)  # noqa: B009, FBT003 - Arrow is not typed


def distinct_keys(table: Table, name: str) -> DistinctKeys:
    """Return a column of keys; null is a key of its own, and so is NaN; -0.0 is 0.0."""
    found = column(table, name)
    if import_module("pyarrow").types.is_floating(found.type):
        found = _equal_floats(found)
    try:
        encoded = getattr(found, "dictionary_encode")("encode")  # noqa: B009 - the same
    except NotImplementedError as cause:
        raise UnsupportedError(f"the key {name!r} is of {found.type}: {cause}") from cause
    return DistinctKeys(np.asarray(encoded.indices, np.int64), encoded.dictionary)


def _equal_floats(found: Column) -> Column:
    """Return floats of which those that are one key have the same bits, as Arrow looks at bits."""
    compute, double = import_module("pyarrow.compute"), import_module("pyarrow").float64()
    positive = compute.add(found.cast(double), 0.0)
    same: Column = compute.if_else(compute.is_nan(positive), nan, positive)
    return same.cast(found.type)


def result_array(answer: Answer) -> object:
    """Return the values of windows as an Arrow column."""
    pa = import_module("pyarrow")
    mask = None if answer.valid is None else ~answer.valid
    each = [_plain_array(part, mask) for part in answer.columns]
    if len(each) == 1:
        return each[0]
    names = M4[: len(each)]
    return pa.StructArray.from_arrays(each, names, mask=None if mask is None else pa.array(mask))


def empty_like(column: object) -> object:
    """Return a column of the same type that holds nothing."""
    nothing: object = getattr(column, "slice")(0, 0)  # noqa: B009 - Arrow is not typed
    return nothing


def string_array(texts: Sequence[str]) -> object:
    """Return texts as an Arrow column, also if there are none."""
    pa = import_module("pyarrow")
    return pa.array(texts, pa.string())


TYPE_NAMES = {
    "bigint": "int64",
    "long": "int64",
    "int": "int32",
    "integer": "int32",
    "smallint": "int16",
    "tinyint": "int8",
    "boolean": "bool",
    "date": "date32",
}
"""Types of Spark's SQL that Arrow has under other names."""


def parse_type(kind: object, label: str) -> object:
    """An Arrow type, which may be written as Arrow or Spark's SQL names it."""
    pa = import_module("pyarrow")
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


def typed_values(answer: Answer, kind: object, label: str) -> object:
    """The values of windows as a column of a type, or say which aggregate has others."""
    try:
        return _typed_array(answer, kind)
    except (TypeError, ValueError, OverflowError) as cause:
        raise InvalidInputError(
            f"a value of {label!r} does not fit into {kind}: {cause}"
        ) from cause


def values_like(answer: Answer, empty: object) -> object:
    """Python objects as a column of the type of an empty one; wider integers are decimals."""
    try:
        return _typed_array(answer, getattr(empty, "type"))  # noqa: B009 - Arrow is not typed
    except OverflowError:
        return result_array(answer)


def _typed_array(answer: Answer, kind: object) -> object:
    pa = import_module("pyarrow")
    items = answer.objects().tolist()
    if pa.types.is_floating(kind):
        items = [float(item) if isinstance(item, int | Fraction) else item for item in items]
    if pa.types.is_struct(kind):
        names = [getattr(kind, "field")(i).name for i in range(getattr(kind, "num_fields"))]  # noqa: B009 - Arrow is not typed
        items = [
            dict(zip(names, item, strict=True)) if isinstance(item, tuple | list) else item
            for item in items
        ]
    made: object = pa.array(items, kind)
    return made


def _plain_array(part: object, mask: Flags | None) -> object:
    pa = import_module("pyarrow")
    try:
        return pa.array(part, mask=mask)
    except OverflowError:
        filled = part if mask is None else np.where(mask, 0, column_of(part))
        wide = [Decimal(int(number)) for number in column_of(filled)]
        return pa.array(wide, pa.decimal128(38), mask=mask)


def bound_array(coordinates: Ints, unit: object, *, is_shown: bool) -> object:
    """Starts or ends as timestamps, if times are, or as integers; no end is null."""
    pa = import_module("pyarrow")
    column = pa.array(coordinates) if is_shown else pa.nulls(coordinates.size, pa.int64())
    if is_shown and (coordinates == LAST).any():
        column = pa.array(coordinates, mask=coordinates == LAST)
    timestamps = unit is not None and pa.types.is_timestamp(unit)
    cast: object = column.cast(unit) if timestamps else column
    return cast


def make_table(columns: Mapping[str, object]) -> Table:
    """Return a table of columns."""
    found: Table = import_module("pyarrow").table(columns)
    return found


def concat_tables(tables: Sequence[Table]) -> Table:
    """Return tables as one, one below the other; integers become floats where others are."""
    found: Table = import_module("pyarrow").concat_tables(tables, promote_options="permissive")
    return found
