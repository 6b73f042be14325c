"""Columns of whole numbers, as narrow as their range allows while they travel.

Many span little: the times of a micro-batch, the numbers of things. What travels is how far each is
above the least, and beside the columns how they were.
"""

import json

import numpy as np

from muntin.spark.execution.arrow import Column, Table, column, names_of, pa, plain

WIDTHS = (np.uint8, np.uint16, np.uint32)
LEAST, SCHEMA = b"least", b"schema"
ipc = pa.ipc


def encode_narrow(batch: Table) -> Table:
    """Return a batch with narrow columns."""
    columns, least = dict[str, object](), dict[str, int]()
    for name in names_of(batch):
        columns[name] = found = column(batch, name)
        if is_whole(found) and len(found) and not found.null_count:
            numbers = np.asarray(plain(found).cast(pa.int64()), np.int64)
            low, extent = int(numbers.min()), int(numbers.max()) - int(numbers.min())
            fitting = [width for width in WIDTHS if extent <= np.iinfo(width).max]
            if fitting:
                columns[name], least[name] = pa.array((numbers - low).astype(fitting[0])), low
    whole: bytes = getattr(batch.schema, "serialize")().to_pybytes()  # noqa: B009 - Arrow is not typed
    known = {SCHEMA: whole, LEAST: json.dumps(least).encode()}
    narrow: Table = pa.RecordBatch.from_pydict(columns, metadata=known)
    return narrow


def decode_narrow(batch: Table) -> Table:
    """Return a batch with its columns as they were."""
    known: dict[bytes, bytes] = getattr(batch.schema, "metadata")  # noqa: B009 - the same
    schema, least = ipc.read_schema(pa.py_buffer(known[SCHEMA])), json.loads(known[LEAST])
    columns = {
        name: _as_it_was(one, least[name], schema.field(name).type) if name in least else one
        for name, one in ((name, column(batch, name)) for name in names_of(batch))
    }
    found: Table = pa.RecordBatch.from_pydict(columns)
    return found


def is_whole(one: Column) -> bool:
    """Whether a column holds integers, or clocks, which count something."""
    kind, types = one.type, pa.types
    return bool(types.is_integer(kind) or types.is_timestamp(kind) or types.is_date32(kind))


def _as_it_was(one: Column, least: int, kind: object) -> object:
    numbers = pa.array(np.asarray(one).astype(np.int64) + least)
    return (numbers.cast(pa.int32()) if pa.types.is_date32(kind) else numbers).cast(kind)
