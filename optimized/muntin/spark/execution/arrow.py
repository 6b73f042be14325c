"""Arrow in and out of the workers: columns as arrays, keys as numbers, results as batches."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Protocol

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql.types import DataType, StructField, StructType

from muntin.columnar.embedding import (
    FARTHEST,
    ArrowColumn,
    Ints,
    KeyNumbers,
    Values,
    column_of,
    number_keys,
)
from muntin.spec.errors import InvalidInputError

pa = import_module("pyarrow")
compute = import_module("pyarrow.compute")
spark_types = import_module("pyspark.sql.pandas.types")

ROWS = 2**16
"""The rows of a result batch, at most."""


Work = Callable[[Iterable["ArrowBatch"]], Iterator[object]]
"""The function that a worker applies to the batches of a partition."""


class ArrowBatch(Protocol):
    """The members of an Arrow table or batch that workers use."""

    num_rows: int
    column_names: list[str]
    schema: object

    def column(self, name: str, /) -> ArrowColumn: ...  # noqa: D102 - as in Arrow
    def slice(self, offset: int, length: int, /) -> "ArrowBatch": ...  # noqa: D102 - the same
    def cast(self, schema: object, /) -> "ArrowBatch": ...  # noqa: D102 - the same
    def rename_columns(self, names: Sequence[str], /) -> "ArrowBatch": ...  # noqa: D102 - the same
    def combine_chunks(self) -> "ArrowBatch": ...  # noqa: D102 - the same, of a table
    def to_batches(self) -> "list[ArrowBatch]": ...  # noqa: D102 - the same


record_batch: Callable[..., ArrowBatch] = pa.RecordBatch.from_pydict


def table(parts: Sequence[ArrowBatch]) -> ArrowBatch:
    """Batches and tables as one table, each column in one chunk."""
    split = (part.to_batches() if isinstance(part, pa.Table) else [part] for part in parts)
    flat = [batch for batches_of_part in split for batch in batches_of_part]
    joined: ArrowBatch = pa.Table.from_batches(flat, schema=parts[0].schema).combine_chunks()
    return joined


def picked(of: ArrowBatch, names: Sequence[str], positions: Ints) -> ArrowBatch:
    """Some columns of some rows."""
    empty = pa.nulls(positions.size)  # a table without columns would forget how many rows it has
    columns = {name: column(of, name).take(positions) for name in names} or {"": empty}
    return record_batch(columns)


def as_typed(of: ArrowBatch, like: ArrowBatch) -> ArrowBatch:
    """A table with the types of another: timestamps may have been in another time zone.

    >>> zones = ("UTC", "Europe/Berlin")
    >>> a, b = (pa.table({"k": pa.array([7], pa.timestamp("us", zone))}) for zone in zones)
    >>> as_typed(a, b).equals(b)
    True
    """
    return table([of]).cast(like.schema)


def column(of: ArrowBatch, name: str) -> ArrowColumn:
    """A column in one chunk."""
    values: ArrowColumn = of.column(name)
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    return values


def plain(values: ArrowColumn) -> ArrowColumn:
    """Timestamps and dates as integers, and other columns as they are."""
    kind = values.type
    if pa.types.is_timestamp(kind):
        return values.cast(pa.int64())
    return values.cast(pa.int32()).cast(pa.int64()) if pa.types.is_date32(kind) else values


def times(of: ArrowBatch, name: str) -> Ints:
    """The column of time as integers; it has no nulls."""
    values = column(of, name)
    if values.null_count:
        raise InvalidInputError(
            f"the time {name!r} is null in {values.null_count} of {len(values)} rows: leave them "
            "out of the input, or say bad_rows='skip' to have them counted and left out"
        )
    return np.asarray(plain(values).cast(pa.int64()), np.int64)


def near_times(of: ArrowBatch, name: str) -> Ints:
    """The column of time; none is farther from 0 than the columnar engine accepts."""
    values = times(of, name)
    for time in (values.min(), values.max()) if values.size else ():
        if not -FARTHEST < time < FARTHEST:
            raise InvalidInputError(
                f"the time {name!r} is {time}; it must lie within {FARTHEST - 1} of 0, so that "
                "windows have room: leave such rows out of the input"
            )
    return values


def numbers(of: ArrowBatch, name: str) -> Values:
    """A column of numbers or times, and which of them are not null."""
    values = plain(column(of, name))
    cast = values.cast(pa.float64() if pa.types.is_floating(values.type) else pa.int64())
    if not values.null_count:
        return Values(column_of(cast))
    return Values(column_of(cast.fill_null(0)), np.asarray(values.is_valid(), np.bool_))


def objects(of: ArrowBatch, name: str) -> list[object]:
    """A column as Python objects; timestamps and dates are integers."""
    return [*plain(column(of, name)).to_pylist()]


def keys(of: ArrowBatch, names: Sequence[str]) -> KeyNumbers:
    """Number the keys of a table as they come; null is a key like any other, and so is NaN."""
    codes = [_codes(column(of, name)) for name in names] if of.num_rows else []
    return number_keys(codes, of.num_rows)


def _codes(values: ArrowColumn) -> tuple[Ints, int]:
    encoded = compute.dictionary_encode(values, null_encoding="encode")
    return np.asarray(encoded.indices, np.int64), len(encoded.dictionary)


def batches(columns: Mapping[str, object], schema: StructType) -> Iterator[ArrowBatch]:
    """Columns as batches of a schema."""
    cast = [_cast(columns[field.name], field) for field in schema.fields]
    joined = pa.Table.from_arrays(cast, schema=arrow_schema(schema))
    yield from joined.to_batches(max_chunksize=ROWS)


def _cast(values: object, field: StructField) -> object:
    kind = arrow_type(field.dataType)
    try:
        cast = getattr(values, "cast", None)
        if cast and pa.types.is_date32(kind) and getattr(values, "type", None) == pa.int64():
            return cast(pa.int32()).cast(kind)  # Arrow has no other cast from 64 bits to days
        return cast(kind) if cast else typed(values, field.dataType)
    except (pa.lib.ArrowException, OverflowError) as cause:
        raise InvalidInputError(
            f"a value of {field.name!r} does not fit into {field.dataType.simpleString()}: {cause}"
        ) from cause


def typed(items: object, kind: DataType) -> ArrowColumn:
    """Python objects as a column; integers become timestamps and dates."""
    target = arrow_type(kind)
    if pa.types.is_timestamp(target):
        return pa.array(items, pa.int64()).cast(target)  # type: ignore[no-any-return]  # Arrow is not typed
    if pa.types.is_date32(target):
        return pa.array(items, pa.int32()).cast(target)  # type: ignore[no-any-return]  # the same
    return pa.array(items, target)  # type: ignore[no-any-return]  # the same


def arrow_schema(schema: StructType) -> object:
    """The schema of batches that Spark sends and accepts."""
    return spark_types.to_arrow_schema(schema, timezone="UTC")


def arrow_type(kind: DataType) -> object:
    """The type of a column that Spark sends and accepts."""
    return spark_types.to_arrow_type(kind, timezone="UTC")


def mapped(df: DataFrame, work: Work, schema: StructType) -> DataFrame:
    """The batches of each partition as workers transform them.

    To workers columns are sent by number: Spark reads a dot in a name as a field of a struct.
    """
    names = df.columns

    def renamed(partition: Iterable[ArrowBatch]) -> Iterator[object]:
        return work(batch.rename_columns(names) for batch in partition)

    numbered = df.toDF(*map(str, range(len(names))))
    result: DataFrame = getattr(numbered, "mapInArrow")(renamed, schema)  # noqa: B009 - it is half typed
    return result


ipc = import_module("pyarrow.ipc")


def to_ipc_bytes(batch: ArrowBatch) -> bytes:
    """A batch, or a table, as an IPC stream with its schema."""
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, batch.schema) as stream:
        stream.write(batch)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def from_ipc_bytes(data: bytes, begin: int = 0) -> list[ArrowBatch]:
    """The batches of an IPC stream that begins at this byte."""
    with ipc.open_stream(pa.py_buffer(data)[begin:]) as stream:
        batches: list[ArrowBatch] = list(stream)
    return batches
