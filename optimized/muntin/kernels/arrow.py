"""Arrow tables in and out: the only module that knows pyarrow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from typing import Protocol

import numpy as np

from muntin.kernels.slicing.answer import Answer
from muntin.kernels.slicing.arrays import Flags, Ints, column_of
from muntin.kernels.slicing.batch import Values
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
class Keys:
    """A column of keys: which of the distinct ones each row has, and these."""

    places: Ints
    distinct: "Column"


class Column(Protocol):
    """What is used here of an Arrow column."""

    type: object
    null_count: int

    def cast(self, kind: object) -> "Column":
        """Return it in another type."""
        ...

    def take(self, places: object) -> "Column":
        """Return some of its items."""
        ...


def table_of(table: object) -> Table:
    """Return anything that has the Arrow stream interface, or named arrays, as an Arrow table."""
    pa = import_module("pyarrow")
    streams = hasattr(table, "__arrow_c_stream__")
    if not streams and not isinstance(table, Mapping):
        kind = type(table).__name__
        raise InvalidInputError(
            f"a table must have the Arrow stream interface, or be a dict of arrays, not {kind}"
        )
    try:
        found: Table = pa.table(table)
    except (ValueError, TypeError) as cause:  # what Arrow raises is one of these
        raise InvalidInputError(f"no table can be made of this: {cause}") from cause
    return found


def column(table: Table, name: str) -> Column:
    """Return a column by its name, in one piece."""
    names: list[str] = getattr(table, "column_names")  # noqa: B009 - Arrow is not typed
    if names.count(name) != 1:
        raise InvalidInputError(f"there must be one column {name!r}; there are {', '.join(names)}")
    found: Column = getattr(table, "column")(name).combine_chunks()  # noqa: B009 - the same
    encoded = import_module("pyarrow").types.is_dictionary(found.type)
    return getattr(found, "dictionary_decode")() if encoded else found  # noqa: B009 - the same


def times(table: Table, name: str) -> Ints:
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


def numbers(table: Table, name: str) -> Values:
    """Return a column of numbers, and which are not null."""
    pa, found = import_module("pyarrow"), column(table, name)
    kind = found.type
    if not pa.types.is_integer(kind) and not pa.types.is_floating(kind):
        raise UnsupportedError(
            f"the column {name!r} is of {kind}, which is no number; cast it to int64 or float64"
        )
    wanted = pa.int64() if pa.types.is_integer(kind) else pa.float64()
    try:
        whole = found.cast(wanted)
    except ValueError as cause:
        raise UnsupportedError(f"the column {name!r} does not fit into 64 bits: {cause}") from cause
    if not found.null_count:
        return Values(column_of(whole))
    valid: Flags = np.asarray(getattr(found, "is_valid")(), np.bool_)  # noqa: B009 - the same
    return Values(column_of(getattr(whole, "fill_null")(0)), valid)  # noqa: B009 - the same


def keys(table: Table, name: str) -> Keys:
    """Return a column of keys; null is a key of its own."""
    found = column(table, name)
    try:
        encoded = getattr(found, "dictionary_encode")("encode")  # noqa: B009 - the same
    except NotImplementedError as cause:
        raise UnsupportedError(f"the key {name!r} is of {found.type}: {cause}") from cause
    return Keys(np.asarray(encoded.indices, np.int64), encoded.dictionary)


def values(answer: Answer) -> object:
    """Return the values of windows as an Arrow column."""
    pa = import_module("pyarrow")
    mask = None if answer.valid is None else ~answer.valid
    each = [_plain(part, mask) for part in answer.columns]
    if len(each) == 1:
        return each[0]
    names = M4[: len(each)]
    return pa.StructArray.from_arrays(each, names, mask=None if mask is None else pa.array(mask))


def strings(texts: Sequence[str]) -> object:
    """Return texts as an Arrow column, also if there are none."""
    pa = import_module("pyarrow")
    return pa.array(texts, pa.string())


def _plain(part: object, mask: Flags | None) -> object:
    pa = import_module("pyarrow")
    try:
        return pa.array(part, mask=mask)
    except OverflowError:
        wide = [Decimal(int(number)) for number in np.asarray(part)]
        return pa.array(wide, pa.decimal128(38), mask=mask)


def built(columns: Mapping[str, object], casts: Mapping[str, object]) -> Table:
    """Return a table of columns, some of them cast."""
    pa = import_module("pyarrow")
    made = {
        name: pa.array(one).cast(casts[name]) if name in casts else one
        for name, one in columns.items()
    }
    found: Table = pa.table(made)
    return found


def below(tables: Sequence[Table]) -> Table:
    """Return tables as one, one below the other; integers become floats where others are."""
    found: Table = import_module("pyarrow").concat_tables(tables, promote_options="permissive")
    return found
