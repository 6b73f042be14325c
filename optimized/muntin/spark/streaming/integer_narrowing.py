"""Frame-of-reference encoding of the shuffle: integer columns as narrow as their range.

Both tasks: encoded before the shuffle, decoded after it. Many columns span little, such as the
times of a micro-batch. A narrow column holds the differences from its least value; the metadata of
the batch holds these values and the schema.
"""

import json

import numpy as np

from muntin.spark.execution.arrow import ArrowArray, ArrowBatch, column, names_of, pa, plain
from muntin.spark.execution.arrow_ipc import ipc

WIDTHS = (np.uint8, np.uint16, np.uint32)
LEAST_KEY, SCHEMA_KEY = b"least", b"schema"


def encode_narrow(batch: ArrowBatch) -> ArrowBatch:
    """A batch whose integer columns without nulls are narrow."""
    columns, least = dict[str, object](), dict[str, int]()
    for name in names_of(batch):
        columns[name] = values = column(batch, name)
        if can_narrow(values) and len(values) and not values.null_count:
            numbers = np.asarray(plain(values).cast(pa.int64()), np.int64)
            low, extent = int(numbers.min()), int(numbers.max()) - int(numbers.min())
            widths = [width for width in WIDTHS if extent <= np.iinfo(width).max]
            if widths:
                columns[name], least[name] = pa.array((numbers - low).astype(widths[0])), low
    schema: bytes = getattr(batch.schema, "serialize")().to_pybytes()  # noqa: B009 - Arrow is not typed
    metadata = {SCHEMA_KEY: schema, LEAST_KEY: json.dumps(least).encode()}
    narrow: ArrowBatch = pa.RecordBatch.from_pydict(columns, metadata=metadata)
    return narrow


def decode_narrow(batch: ArrowBatch) -> ArrowBatch:
    """The batch that `encode_narrow` encoded."""
    metadata: dict[bytes, bytes] = getattr(batch.schema, "metadata")  # noqa: B009 - the same
    schema = ipc.read_schema(pa.py_buffer(metadata[SCHEMA_KEY]))
    least: dict[str, int] = json.loads(metadata[LEAST_KEY])
    columns = dict[str, object]()
    for name in names_of(batch):
        values = column(batch, name)
        columns[name] = (
            _widened(values, least[name], schema.field(name).type) if name in least else values
        )
    decoded: ArrowBatch = pa.RecordBatch.from_pydict(columns)
    return decoded


def can_narrow(values: ArrowArray) -> bool:
    """Whether a column holds integers, or times, which count a unit."""
    kind, types = values.type, pa.types
    return bool(types.is_integer(kind) or types.is_timestamp(kind) or types.is_date32(kind))


def _widened(values: ArrowArray, least: int, kind: object) -> object:
    numbers = pa.array(np.asarray(values).astype(np.int64) + least)
    return (numbers.cast(pa.int32()) if pa.types.is_date32(kind) else numbers).cast(kind)
