"""Output rows of a bucket, results of windows and late rows, and how they leave the processor.

It must hand pandas frames to Spark. Columns of simple types go as Arrow columns in a frame, to the
bit and with their nulls; timestamps go as integers. Rows with other columns, such as lists or the
rows that were late, go as IPC payloads. The task after the shuffle writes them; the driver adds a
decoding step to the query.
"""

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql import types as t

from muntin.columnar.embedding import KeyNumbers, is_record
from muntin.spark.call.aggregate_arguments import FLOATING_TYPES, INTEGER_TYPES
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution import arrow
from muntin.spark.execution.arrow import ArrowBatch, pa
from muntin.spark.execution.evaluation import rows_of_results
from muntin.spark.execution.repartition import quoted
from muntin.spark.execution.result_rows import result_batches
from muntin.spark.state.state_header import Key
from muntin.spec.query import Result
from muntin.spec.stream import Event

LATE = "late"


def window_rows(
    plan: AggregationPlan, results: Sequence[tuple[Key, Result]]
) -> Iterator[ArrowBatch]:
    """Rows of windows, each with its key."""
    numbers: dict[Key, int] = {}
    numbered = [(numbers.setdefault(key, len(numbers)), result) for key, result in results]
    places = np.arange(len(numbers))
    keys = _key_columns(plan, list(numbers))
    return result_batches(plan, rows_of_results(plan, numbered), keys, KeyNumbers(places, places))


def _key_columns(plan: AggregationPlan, keys: Sequence[Key]) -> ArrowBatch:
    """Keys as columns of their own types."""
    columns = {
        name: arrow.typed([key[i] for key in keys], plan.types[name])
        for i, name in enumerate(plan.keys)
    }
    return arrow.record_batch(columns or {"": pa.nulls(len(keys))})


def late_event_rows(
    plan: AggregationPlan, late: Sequence[tuple[Key, Event]]
) -> Iterator[ArrowBatch]:
    """Late events, each with its key, as rows of the kind `late`."""
    if not late:
        return iter(())
    keys, events = _key_columns(plan, [key for key, _ in late]), [event for _, event in late]
    start = arrow.typed([event.time for event in events], plan.types[plan.time])
    return _late(plan, keys, start, _event_structs(plan, events) if plan.late == "rows" else None)


def late_rows(plan: AggregationPlan, late: ArrowBatch) -> Iterator[ArrowBatch]:
    """Late input rows as rows of the kind `late`."""
    names = plan.row().names
    columns = [arrow.column(late, name) for name in names]
    rows = pa.StructArray.from_arrays(columns, names) if plan.late == "rows" else None
    return _late(plan, late, arrow.column(late, plan.time), rows)


def _late(
    plan: AggregationPlan, keys: ArrowBatch, start: object, rows: object
) -> Iterator[ArrowBatch]:
    """Late rows start at their times, and have no end, value or revision."""
    schema, n = plan.schema(), keys.num_rows
    columns: dict[str, object] = {field.name: pa.nulls(n) for field in schema.fields}
    columns |= {name: arrow.column(keys, name) for name in plan.keys}
    columns |= {"start": start, "kind": pa.repeat(LATE, n)}
    return arrow.batches(columns if rows is None else columns | {"late": rows}, schema)


def _event_structs(plan: AggregationPlan, events: Sequence[Event]) -> object:
    names, fields = plan.values, plan.row().fields
    values = [event.value for event in events]
    if plan.has_single_value_column and names:
        values = [{names[0]: value} for value in values]
    records = [{**value} if is_record(value) else {} for value in values]
    rows = [{plan.time: e.time} | row for e, row in zip(events, records, strict=True)]
    columns = [arrow.typed([row[f.name] for row in rows], f.dataType) for f in fields]
    return pa.StructArray.from_arrays(columns, [field.name for field in fields])


SIMPLE_TYPES = (*INTEGER_TYPES, *FLOATING_TYPES, t.BooleanType, t.StringType, t.TimestampType)
IPC_SCHEMA = t.StructType([t.StructField("payload", t.BinaryType())])
pandas = import_module("pandas")


def transport_schema(schema: t.StructType) -> t.StructType:
    """The columns by which rows of a schema leave the processor."""
    if not all(isinstance(field.dataType, SIMPLE_TYPES) for field in schema.fields):
        return IPC_SCHEMA
    fields = (
        t.StructField(field.name, t.LongType()) if _is_timestamp(field) else field
        for field in schema.fields
    )
    return t.StructType([*fields])


def to_pandas(schema: t.StructType, rows: ArrowBatch) -> object:
    """Rows as the frame that Spark expects. Task after the shuffle."""
    transport = transport_schema(schema)
    if transport == IPC_SCHEMA:
        return pandas.DataFrame({"payload": [arrow.to_ipc_bytes(rows)]})
    columns = {name: arrow.plain(arrow.column(rows, name)) for name in transport.names}
    arrays = {name: pandas.arrays.ArrowExtensionArray(values) for name, values in columns.items()}
    return pandas.DataFrame(arrays)


def from_transport(output: DataFrame, schema: t.StructType) -> DataFrame:
    """The rows of what left the processor. Driver."""
    if transport_schema(schema) == IPC_SCHEMA:
        return arrow.mapped(output, decode_payloads, schema)
    return output.select(*map(_with_timestamp, quoted(schema.names), schema.fields))


def _with_timestamp(values: Column, field: t.StructField) -> Column:
    return f.timestamp_micros(values).alias(field.name) if _is_timestamp(field) else values


def _is_timestamp(field: t.StructField) -> bool:
    return isinstance(field.dataType, t.TimestampType)


def decode_payloads(partition: Iterable[ArrowBatch]) -> Iterator[object]:
    """The batches in IPC payloads."""
    for batch in partition:
        for payload in batch.column("payload").to_pylist():
            if isinstance(payload, bytes):
                yield from arrow.from_ipc_bytes(payload)
