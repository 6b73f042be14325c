"""Arrow in and out of the workers: columns as arrays, keys as numbers, answers as batches."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from typing import Protocol

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql.types import DataType, StructField, StructType

from muntin.kernels.slicing.arrays import FARTHEST, Ints, column_of
from muntin.kernels.slicing.batch import Values
from muntin.spec.errors import InvalidInputError

pa = import_module("pyarrow")
compute = import_module("pyarrow.compute")
spark_types = import_module("pyspark.sql.pandas.types")

ROWS = 2**16
"""Rows of a batch that is answered."""


Work = Callable[[Iterable["Table"]], Iterator[object]]
"""What a worker does to the batches of a partition."""


class Column(Protocol):
    """What is used here of an Arrow array."""

    type: object
    null_count: int

    def __len__(self) -> int: ...  # noqa: D105, RUF100 - as of a list
    def cast(self, kind: object, /) -> "Column": ...  # noqa: D102 - as in Arrow
    def take(self, places: object, /) -> "Column": ...  # noqa: D102 - the same
    def fill_null(self, value: object, /) -> "Column": ...  # noqa: D102 - the same
    def is_valid(self) -> "Column": ...  # noqa: D102 - the same
    def to_pylist(self) -> list[object]: ...  # noqa: D102 - the same


class Table(Protocol):
    """What is used here of an Arrow table or batch."""

    num_rows: int
    schema: object

    def column(self, name: str, /) -> Column: ...  # noqa: D102 - as in Arrow
    def slice(self, offset: int, length: int, /) -> "Table": ...  # noqa: D102 - the same
    def cast(self, schema: object, /) -> "Table": ...  # noqa: D102 - the same
    def rename_columns(self, names: Sequence[str], /) -> "Table": ...  # noqa: D102 - the same


def table(parts: Sequence[Table]) -> Table:
    """Return batches and tables as one table, each column in one piece."""
    flat = [
        batch for one in parts for batch in (pieces(one) if isinstance(one, pa.Table) else [one])
    ]
    found: Table = pa.Table.from_batches(flat, schema=parts[0].schema).combine_chunks()
    return found


def picked(of: Table, names: Sequence[str], places: Ints) -> Table:
    """Return some columns of some rows."""
    empty = pa.nulls(places.size)  # a table without columns would forget how many rows it has
    columns = {name: column(of, name).take(places) for name in names} or {"": empty}
    found: Table = pa.RecordBatch.from_pydict(columns)
    return found


def as_typed(of: Table, like: Table) -> Table:
    """Return a table with the types of another: clocks may have been in another time zone.

    >>> zones = ("UTC", "Europe/Berlin")
    >>> a, b = (pa.table({"k": pa.array([7], pa.timestamp("us", zone))}) for zone in zones)
    >>> as_typed(a, b).equals(b)
    True
    """
    found: Table = table([of]).cast(like.schema)
    return found


def pieces(whole: Table) -> list[Table]:
    """Return a table as batches."""
    found: list[Table] = getattr(whole, "to_batches")()  # noqa: B009 - Arrow is not typed
    return found


def column(of: Table, name: str) -> Column:
    """Return a column in one piece."""
    found: Column = of.column(name)
    if isinstance(found, pa.ChunkedArray):
        found = getattr(found, "combine_chunks")()  # noqa: B009 - Arrow is not typed
    return found


def names_of(of: Table) -> list[str]:
    """Return the names of columns."""
    names: list[str] = getattr(of.schema, "names")  # noqa: B009 - Arrow is not typed
    return names


def plain(found: Column) -> Column:
    """Return clocks as integers, and other columns as they are."""
    kind = found.type
    if pa.types.is_timestamp(kind):
        return found.cast(pa.int64())
    return found.cast(pa.int32()).cast(pa.int64()) if pa.types.is_date32(kind) else found


def times(of: Table, name: str) -> Ints:
    """Return the column of time as integers; it has no nulls."""
    found = column(of, name)
    if found.null_count:
        raise InvalidInputError(
            f"the time {name!r} is null in {found.null_count} of {len(found)} rows: leave them out "
            "of what you aggregate, or say bad_rows='skip' to have them counted and left out"
        )
    return np.asarray(plain(found).cast(pa.int64()), np.int64)


def near_times(of: Table, name: str) -> Ints:
    """Return the column of time; none is farther from 0 than kernels take it either."""
    found = times(of, name)
    for one in (found.min(), found.max()) if found.size else ():
        if not -FARTHEST < one < FARTHEST:
            raise InvalidInputError(
                f"the time {name!r} is {one}; it must lie within {FARTHEST - 1} of 0, so that "
                "windows have room: leave such rows out of what you aggregate"
            )
    return found


def numbers(of: Table, name: str) -> Values:
    """Return a column of numbers or clocks, and which of them are not null."""
    found = plain(column(of, name))
    whole = found.cast(pa.float64() if pa.types.is_floating(found.type) else pa.int64())
    if not found.null_count:
        return Values(column_of(whole))
    return Values(column_of(whole.fill_null(0)), np.asarray(found.is_valid(), np.bool_))


def objects(of: Table, name: str) -> list[object]:
    """Return a column as plain objects; clocks are integers."""
    return plain(column(of, name)).to_pylist()


@dataclass(frozen=True)
class KeyNumbers:
    """For each row the number of its key, and for each key one row that has it."""

    number: Ints
    row: Ints


def keys(of: Table, names: Sequence[str]) -> KeyNumbers:
    """Number the keys of a table as they come; null is a key like any other, and so is NaN."""
    if not names or not of.num_rows:
        number = np.zeros(of.num_rows, np.int64)
        return KeyNumbers(number, number[:1])
    number, n = reduce(_beside, (_coded(column(of, name)) for name in names))
    row = np.empty(n, np.int64)
    row[number[::-1]] = np.arange(number.size - 1, -1, -1)
    if (np.diff(row) > 0).all():
        return KeyNumbers(number, row)
    order = np.argsort(row)
    return KeyNumbers(np.argsort(order)[number], row[order])


def _coded(found: Column) -> tuple[Ints, int]:
    encoded = compute.dictionary_encode(found, null_encoding="encode")
    return np.asarray(encoded.indices, np.int64), len(encoded.dictionary)


def _beside(a: tuple[Ints, int], b: tuple[Ints, int]) -> tuple[Ints, int]:
    """Number the pairs that there are."""
    known, number = np.unique(a[0] * b[1] + b[0], return_inverse=True)
    return np.asarray(number, np.int64), known.size


def batches(columns: Mapping[str, object], schema: StructType) -> Iterator[Table]:
    """Return columns as batches of a schema, a piece at a time."""
    cast = [_cast(columns[field.name], field) for field in schema.fields]
    whole = pa.Table.from_arrays(cast, schema=arrow_schema(schema))
    yield from whole.to_batches(max_chunksize=ROWS)


def _cast(one: object, field: StructField) -> object:
    kind = arrow_type(field.dataType)
    try:
        cast = getattr(one, "cast", None)
        if cast and pa.types.is_date32(kind) and getattr(one, "type", None) == pa.int64():
            return cast(pa.int32()).cast(kind)  # Arrow has no other way from 64 bits to days
        return cast(kind) if cast else typed(one, field.dataType)
    except (pa.lib.ArrowException, OverflowError) as cause:
        raise InvalidInputError(
            f"a value of {field.name!r} does not fit into {field.dataType.simpleString()}: {cause}"
        ) from cause


def typed(items: object, kind: DataType) -> Column:
    """Return plain objects as a column; integers become clocks."""
    wanted = arrow_type(kind)
    if pa.types.is_timestamp(wanted):
        return pa.array(items, pa.int64()).cast(wanted)  # type: ignore[no-any-return]  # Arrow is not typed
    if pa.types.is_date32(wanted):
        return pa.array(items, pa.int32()).cast(wanted)  # type: ignore[no-any-return]  # the same
    return pa.array(items, wanted)  # type: ignore[no-any-return]  # the same


def arrow_schema(schema: StructType) -> object:
    """Return the schema that Spark gives and takes."""
    return spark_types.to_arrow_schema(schema, timezone="UTC")


def arrow_type(kind: DataType) -> object:
    """Return the type of a column that Spark gives and takes."""
    return spark_types.to_arrow_type(kind, timezone="UTC")


def mapped(df: DataFrame, work: Work, schema: StructType) -> DataFrame:
    """Return what workers make of the batches of each partition.

    On the way columns go by number: Spark takes a dot in a name for a field of a struct.
    """
    names = df.columns

    def renamed(given: Iterable[Table]) -> Iterator[object]:
        return work(batch.rename_columns(names) for batch in given)

    numbered = df.toDF(*map(str, range(len(names))))
    found: DataFrame = getattr(numbered, "mapInArrow")(renamed, schema)  # noqa: B009 - it is half typed
    return found
