"""Arrow's IPC stream format: the batches of payloads, output rows and tables of keys as bytes."""

from importlib import import_module

from muntin.spark.execution.arrow import ArrowBatch, pa

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
