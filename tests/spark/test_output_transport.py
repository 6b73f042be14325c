"""How output rows leave the stateful processor: to the bit, with nulls distinct from NaN."""

from importlib import import_module
from math import isnan

import pytest
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from muntin.spark.execution.arrow import ArrowBatch, batches
from muntin.spark.streaming.output_rows import (
    IPC_SCHEMA,
    decode_payloads,
    to_pandas,
    transport_schema,
)

Columns = dict[str, tuple[DataType, list[object]]]
COLUMNS: Columns = {
    "a.b": (LongType(), [2**62 + 1, None, -(2**63)]),
    "real": (DoubleType(), [float("nan"), None, -0.0]),
    "text": (StringType(), ["x", None, ""]),
    "flag": (BooleanType(), [True, None, False]),
    "small": (IntegerType(), [1, None, -2]),
    "at": (TimestampType(), [-(2**62), None, 2**60]),
}
conversion = import_module("pyspark.sql.conversion").PandasToArrowConversion


def schema_of(columns: Columns) -> StructType:
    """The schema of these columns."""
    return StructType([StructField(name, kind) for name, (kind, _) in columns.items()])


def batch_of(columns: Columns) -> ArrowBatch:
    """The columns as one batch."""
    values = {name: items for name, (_, items) in columns.items()}
    (batch,) = batches(values, schema_of(columns))
    return batch


def through_spark(frame: object, schema: StructType) -> ArrowBatch:
    """What Spark makes of a frame: a column of structs, whose fields are the columns."""
    struct = StructType([StructField("_0", transport_schema(schema))])
    settings = {"timezone": "UTC", "arrow_cast": True, "assign_cols_by_name": True}
    structs = conversion.convert([frame], struct, **settings).column(0)
    batch: ArrowBatch = import_module("pyarrow").RecordBatch.from_struct_array(structs)
    return batch


def test_columns_of_simple_types_stay_as_they_are() -> None:
    schema = schema_of(COLUMNS)
    batch = through_spark(to_pandas(schema, batch_of(COLUMNS)), schema)
    for name, (_, expected) in COLUMNS.items():
        values = batch.column(name).to_pylist()
        if name == "real":
            first = values.pop(0), expected[0]
            assert all(isinstance(value, float) and isnan(value) for value in first)
            expected = expected[1:]  # noqa: PLW2901 - NaN is unlike itself
        assert repr(values) == repr(expected)


@pytest.mark.parametrize("more", [(ArrayType(LongType()), [[1], None, []])])
def test_other_columns_go_as_payloads(more: tuple[DataType, list[object]]) -> None:
    columns: Columns = {**COLUMNS, "real": (DoubleType(), [0.5, None, -0.0]), "many": more}
    schema = schema_of(columns)
    assert transport_schema(schema) == IPC_SCHEMA
    (batch,) = decode_payloads([through_spark(to_pandas(schema, batch_of(columns)), schema)])
    assert batch == batch_of(columns)
