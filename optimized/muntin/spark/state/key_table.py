"""The table of the keys of a columnar bucket as bytes. Task after the shuffle."""

from pyspark.sql.types import StructField, StructType

from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import (
    ArrowBatch,
    arrow_schema,
    from_ipc_bytes,
    ipc,
    pa,
    to_ipc_bytes,
)

WITHOUT_SCHEMA = b"\0"
"""The first byte of a table without a schema; no IPC stream begins with it."""


def key_schema(plan: AggregationPlan) -> object:
    """The Arrow schema that Spark has for the key columns."""
    return arrow_schema(StructType([StructField(name, plan.types[name]) for name in plan.keys]))


def encode_keys(plan: AggregationPlan, keys: ArrowBatch) -> bytes:
    """Leave the schema out if `decode_keys` can infer it: it takes more room than most keys."""
    if keys.schema != key_schema(plan):
        return to_ipc_bytes(keys)
    batch: bytes = getattr(keys, "serialize")().to_pybytes()  # noqa: B009 - Arrow is not typed
    return WITHOUT_SCHEMA + batch


def decode_keys(plan: AggregationPlan, data: bytes) -> ArrowBatch:
    """The table of keys that `encode_keys` encoded."""
    if data[:1] != WITHOUT_SCHEMA:
        return from_ipc_bytes(data)[0]
    batch = pa.py_buffer(data)[len(WITHOUT_SCHEMA) :]
    keys: ArrowBatch = ipc.read_record_batch(batch, key_schema(plan))
    return keys
