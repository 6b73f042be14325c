"""How lines leave the stateful processor: as columns, or packed.

What Spark takes from it goes through pandas. There columns that Arrow holds stay as they are, to
the bit and with their nulls, if they are plain; clocks go as integers. Lines with other columns,
such as lists or the rows that were late, are packed, and a worker has to unpack them.
"""

from collections.abc import Iterable, Iterator
from importlib import import_module

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from muntin.spark.call.aggregate_arguments import FLOATING_TYPES, INTEGER_TYPES
from muntin.spark.execution.arrow import Table, Work, column, mapped, plain
from muntin.spark.execution.repartition import quoted
from muntin.spark.streaming.shuffle_payload import read, written

PLAIN = (*INTEGER_TYPES, *FLOATING_TYPES, BooleanType, StringType, TimestampType)
PACKED = StructType([StructField("payload", BinaryType())])
pandas = import_module("pandas")


def transport_schema(schema: StructType) -> StructType:
    """Return the columns by which lines of a schema leave."""
    if not all(isinstance(field.dataType, PLAIN) for field in schema.fields):
        return PACKED
    clocks = {one.name for one in schema.fields if isinstance(one.dataType, TimestampType)}
    return StructType(
        [StructField(n, LongType()) if n in clocks else schema[n] for n in schema.names]
    )


def to_pandas(schema: StructType, lines: Table) -> object:
    """Return lines as Spark takes them."""
    left = transport_schema(schema)
    if left == PACKED:
        return pandas.DataFrame({"payload": [written(lines)]})
    held = {name: plain(column(lines, name)) for name in left.names}
    held = {name: pandas.arrays.ArrowExtensionArray(one) for name, one in held.items()}
    return pandas.DataFrame(held)


def from_transport(said: DataFrame, schema: StructType) -> DataFrame:
    """Return the lines of what left."""
    if transport_schema(schema) == PACKED:
        return mapped(said, UNPACKING, schema)
    return said.select(*map(_as_it_was, quoted(schema.names), schema.fields))


def _as_it_was(one: Column, field: StructField) -> Column:
    clock = isinstance(field.dataType, TimestampType)
    return f.timestamp_micros(one).alias(field.name) if clock else one


def unpacking(given: Iterable[Table]) -> Iterator[object]:
    """Yield the batches in payloads."""
    for batch in given:
        for payload in batch.column("payload").to_pylist():
            if isinstance(payload, bytes):
                yield from read(payload)


UNPACKING: Work = unpacking
