"""How lines leave the stateful processor: to the bit, with nulls apart from NaN."""

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

from muntin.spark.execution.arrow import Table, batches
from muntin.spark.streaming.output_transport import PACKED, to_pandas, transport_schema, unpacking

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
    """Return the schema of some columns."""
    return StructType([StructField(name, kind) for name, (kind, _) in columns.items()])


def lines_of(columns: Columns) -> Table:
    """Return columns as one batch."""
    (found,) = batches({name: held for name, (_, held) in columns.items()}, schema_of(columns))
    return found


def through_spark(said: object, schema: StructType) -> Table:
    """Return what Spark makes of a frame: a column of structs, whose fields are the columns."""
    whole = StructType([StructField("_0", transport_schema(schema))])
    as_spark = {"timezone": "UTC", "arrow_cast": True, "assign_cols_by_name": True}
    held = conversion.convert([said], whole, **as_spark).column(0)
    found: Table = import_module("pyarrow").RecordBatch.from_struct_array(held)
    return found


def test_plain_columns_stay_as_they_are() -> None:
    schema = schema_of(COLUMNS)
    found = through_spark(to_pandas(schema, lines_of(COLUMNS)), schema)
    for name, (_, held) in COLUMNS.items():
        mine = found.column(name).to_pylist()
        if name == "real":
            first = mine.pop(0), held[0]
            assert all(isinstance(one, float) and isnan(one) for one in first)
            held = held[1:]  # noqa: PLW2901 - NaN is unlike itself
        assert repr(mine) == repr(held)


@pytest.mark.parametrize("more", [(ArrayType(LongType()), [[1], None, []])])
def test_other_columns_are_packed(more: tuple[DataType, list[object]]) -> None:
    columns: Columns = {**COLUMNS, "real": (DoubleType(), [0.5, None, -0.0]), "many": more}
    schema = schema_of(columns)
    assert transport_schema(schema) == PACKED
    (found,) = unpacking([through_spark(to_pandas(schema, lines_of(columns)), schema)])
    assert found == lines_of(columns)
