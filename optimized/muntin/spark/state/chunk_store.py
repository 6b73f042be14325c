"""Chunks of a bucket's state: named bytes in Spark's map state, each with a checksum.

Task after the shuffle. The header of the bucket lists the checksums. An unchanged chunk is not
written again; a chunk that differs from its checksum is refused.
"""

import zlib
from collections.abc import Mapping
from typing import Protocol

from muntin.snapshot import SnapshotError
from muntin.spark.execution.arrow import pa

COMPRESSION = "zstd"
SIZE_BYTES = 8
"""A chunk begins with its uncompressed size in this many bytes."""
REMEDY = "restore the checkpoint from a copy, or begin with a new one"

Chunks = Mapping[str, bytes]
"""Uncompressed chunks by name."""


class ChunkStore(Protocol):
    """Where chunks are kept between micro-batches."""

    def get(self, name: str, /) -> bytes | None: ...  # noqa: D102 - as of the class below
    def put(self, name: str, chunk: bytes, /) -> None: ...  # noqa: D102 - the same
    def delete(self, name: str, /) -> None: ...  # noqa: D102 - the same


class MapState(Protocol):
    """The part of Spark's map state that is used here; its own types leave tuples open."""

    def getValue(self, key: tuple[object, ...], /) -> tuple[object, ...] | None: ...  # noqa: D102, N802 - Spark's name
    def updateValue(self, key: tuple[object, ...], value: tuple[object, ...], /) -> None: ...  # noqa: D102, N802 - the same
    def removeKey(self, key: tuple[object, ...], /) -> None: ...  # noqa: D102, N802 - the same


class MapStateChunkStore:
    """Chunks in a map state of Spark, by name."""

    def __init__(self, state: MapState) -> None:
        """Use the map state of the current key, which is a bucket."""
        self._state = state

    def get(self, name: str) -> bytes | None:
        """The chunk of this name, if there is one."""
        return stored_bytes(self._state.getValue((name,)))

    def put(self, name: str, chunk: bytes) -> None:
        """Write a chunk, in place of one of the same name."""
        self._state.updateValue((name,), (chunk,))

    def delete(self, name: str) -> None:
        """Delete a chunk."""
        self._state.removeKey((name,))


def stored_bytes(row: tuple[object, ...] | None) -> bytes | None:
    """The bytes in a row of Spark's state, if there is a row."""
    data = row[0] if row else None
    return bytes(data) if isinstance(data, bytes | bytearray) else None


def read_chunk(store: ChunkStore, name: str, checksum: int) -> bytes:
    """Read a chunk, and refuse one that is missing or has another checksum."""
    chunk = store.get(name)
    if chunk is None:
        raise damaged_state(f"the chunk {name!r} is missing")
    if (actual := zlib.crc32(chunk)) != checksum:
        raise damaged_state(f"the checksum of the chunk {name!r} is {actual}, not {checksum}")
    size = int.from_bytes(chunk[:SIZE_BYTES], "little")
    data: bytes = pa.decompress(chunk[SIZE_BYTES:], size, codec=COMPRESSION, asbytes=True)
    return data


def write_chunk(store: ChunkStore, name: str, data: bytes) -> int:
    """Compress and write a chunk, and return its checksum."""
    compressed: bytes = pa.compress(data, codec=COMPRESSION, asbytes=True)
    chunk = len(data).to_bytes(SIZE_BYTES, "little") + compressed
    store.put(name, chunk)
    return zlib.crc32(chunk)


def write_changed_chunks(
    store: ChunkStore, before: Chunks, checksums: Mapping[str, int], after: Chunks
) -> dict[str, int]:
    """Replace the chunks of before by those of after, and return their checksums.

    `checksums` lists the chunks in the store. An equal chunk is not written again.
    """
    for name in checksums.keys() - after.keys():
        store.delete(name)
    unchanged = {name for name in checksums if before[name] == after.get(name)}
    return {
        name: checksums[name] if name in unchanged else write_chunk(store, name, data)
        for name, data in after.items()
    }


def damaged_state(reason: str) -> SnapshotError:
    """The error for a state that can't be read."""
    return SnapshotError(f"the state of a bucket is damaged: {reason}; {REMEDY}")
