"""The table of the keys of a bucket as bytes: without its schema, where that is as Spark has it."""

from pyspark.sql.types import StructField, StructType

from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import Table, arrow_schema, pa
from muntin.spark.streaming.shuffle_payload import read, written

BARE = b"\0"
"""What bytes without a schema begin with; no Arrow stream does."""
ipc = pa.ipc


def schema_of(plan: AggregationPlan) -> object:
    """Return the schema that Spark has for keys."""
    return arrow_schema(StructType([StructField(name, plan.types[name]) for name in plan.keys]))


def packed_keys(plan: AggregationPlan, keys: Table) -> bytes:
    """Return a table of keys as bytes."""
    if keys.schema != schema_of(plan):
        return written(keys)
    bare: bytes = getattr(keys, "serialize")().to_pybytes()  # noqa: B009 - Arrow is not typed
    return BARE + bare


def keys_in(plan: AggregationPlan, data: bytes) -> Table:
    """Return the table of keys in bytes."""
    if data[:1] != BARE:
        return read(data)[0]
    found: Table = ipc.read_record_batch(pa.py_buffer(data)[len(BARE) :], schema_of(plan))
    return found
