"""The frame of a snapshot: magic, format, version of muntin, checksum, compressed body.

The checksum covers the whole frame, and finds every change of up to four bytes in a row.
"""

import zlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from struct import Struct
from typing import NamedTuple

from muntin.snapshot.errors import SnapshotError

MAGIC = b"\x89muntin\n"
"""Its first byte is no text, and its last would be changed by a transfer as text."""

FORMAT = 1
"""The version of the form. It goes up when equal bytes would mean something else."""

REMEDY = "restore it with the version of muntin that wrote it"

HEADER = Struct("<HBQQ")  # format, length of the version, of the body, of the body when inflated
CHECKSUM = Struct("<I")


class Envelope(NamedTuple):
    """What a snapshot says of itself, and its body."""

    format: int
    muntin_version: str
    body: bytes


@cache
def installed_version() -> str:
    """Return the version of muntin."""
    try:
        return version("muntin")
    except PackageNotFoundError:
        return "(not installed)"


def pack_envelope(frame: Envelope) -> bytes:
    """Return a frame as bytes."""
    muntin, packed = frame.muntin_version.encode(), zlib.compress(frame.body, 6)
    head = HEADER.pack(frame.format, len(muntin), len(packed), len(frame.body))
    whole = MAGIC + head + muntin + packed
    return whole + CHECKSUM.pack(zlib.crc32(whole))


def unpack_envelope(data: bytes, expected: int = FORMAT, remedy: str = REMEDY) -> Envelope:
    """Return the frame in these bytes, or say what is wrong with them."""
    start = len(MAGIC) + HEADER.size
    if data[: len(MAGIC)] != MAGIC[: len(data)] or not data:
        raise SnapshotError(f"this is no snapshot of muntin: it begins with {data[:8]!r}")
    if len(data) < start:
        raise SnapshotError(f"the snapshot is damaged: it ends after {len(data)} bytes")
    stated: tuple[int, int, int, int] = HEADER.unpack_from(data, len(MAGIC))
    made_by, named, packed, inflated = stated
    if made_by != expected:
        raise SnapshotError(
            f"the snapshot is of format {made_by}; this version of muntin, {installed_version()}, "
            f"reads format {expected} only: {remedy}"
        )
    length = start + named + packed + CHECKSUM.size
    if len(data) != length:
        raise SnapshotError(f"the snapshot is damaged: {len(data)} bytes, where it says {length}")
    if CHECKSUM.pack(zlib.crc32(data[: -CHECKSUM.size])) != data[-CHECKSUM.size :]:
        raise SnapshotError("the snapshot is damaged: its checksum is wrong")
    body = _decompressed(data[start + named : -CHECKSUM.size], inflated)
    return Envelope(made_by, data[start : start + named].decode("utf-8", "replace"), body)


def _decompressed(packed: bytes, length: int) -> bytes:
    """Inflate no more than was promised."""
    stream = zlib.decompressobj()
    try:
        body = stream.decompress(packed, length + 1)
    except (zlib.error, OverflowError) as cause:
        raise SnapshotError(f"the snapshot is damaged: {cause}") from cause
    if len(body) != length or not stream.eof or stream.unused_data:
        raise SnapshotError("the snapshot is damaged: its body has another length than it says")
    return body
