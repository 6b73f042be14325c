"""How output rows leave the stateful processor, which must hand pandas frames to Spark.

Columns of simple types go as Arrow columns in a frame, to the bit and with their nulls; timestamps
go as integers. Rows with other columns, such as lists or the rows that were late, go as IPC
payloads. The task after the shuffle writes them; the driver adds a decoding step to the query.
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
from muntin.spark.execution.arrow import ArrowBatch, Work, column, mapped, plain
from muntin.spark.execution.arrow_ipc import from_ipc_bytes, to_ipc_bytes
from muntin.spark.execution.repartition import quoted

SIMPLE_TYPES = (*INTEGER_TYPES, *FLOATING_TYPES, BooleanType, StringType, TimestampType)
IPC_SCHEMA = StructType([StructField("payload", BinaryType())])
pandas = import_module("pandas")


def transport_schema(schema: StructType) -> StructType:
    """The columns by which rows of a schema leave the processor."""
    if not all(isinstance(field.dataType, SIMPLE_TYPES) for field in schema.fields):
        return IPC_SCHEMA
    timestamps = {
        field.name for field in schema.fields if isinstance(field.dataType, TimestampType)
    }
    return StructType(
        [
            StructField(name, LongType()) if name in timestamps else schema[name]
            for name in schema.names
        ]
    )


def to_pandas(schema: StructType, rows: ArrowBatch) -> object:
    """Rows as the frame that Spark expects. Task after the shuffle."""
    transport = transport_schema(schema)
    if transport == IPC_SCHEMA:
        return pandas.DataFrame({"payload": [to_ipc_bytes(rows)]})
    columns = {name: plain(column(rows, name)) for name in transport.names}
    arrays = {name: pandas.arrays.ArrowExtensionArray(values) for name, values in columns.items()}
    return pandas.DataFrame(arrays)


def from_transport(output: DataFrame, schema: StructType) -> DataFrame:
    """The rows of what left the processor. Driver."""
    if transport_schema(schema) == IPC_SCHEMA:
        return mapped(output, DECODE_TASK, schema)
    return output.select(*map(_with_timestamp, quoted(schema.names), schema.fields))


def _with_timestamp(values: Column, field: StructField) -> Column:
    is_timestamp = isinstance(field.dataType, TimestampType)
    return f.timestamp_micros(values).alias(field.name) if is_timestamp else values


def decode_payloads(partition: Iterable[ArrowBatch]) -> Iterator[object]:
    """The batches in IPC payloads."""
    for batch in partition:
        for payload in batch.column("payload").to_pylist():
            if isinstance(payload, bytes):
                yield from from_ipc_bytes(payload)


DECODE_TASK: Work = decode_payloads
