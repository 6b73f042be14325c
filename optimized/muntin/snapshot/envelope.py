"""The envelope of a snapshot: magic, format, version of muntin, compressed body, checksum.

The checksum covers the whole envelope, and detects every change of up to four bytes in a row.
"""

import zlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from struct import Struct
from typing import NamedTuple

from muntin.snapshot.errors import SnapshotError, corrupt_snapshot

MAGIC = b"\x89muntin\n"
"""The first byte is not ASCII, and a transfer as text would change the last one."""

FORMAT = 1
"""The number of the format: raised when equal bytes mean something else."""

REMEDY = "restore it with the version of muntin that wrote it"

MAX_BYTES = 1 << 30
"""A snapshot that is larger when decompressed is refused, unless a limit is given."""

HEADER = Struct("<HBQQ")  # format; lengths of the version, of the body, of the decompressed body
CHECKSUM = Struct("<I")


class Envelope(NamedTuple):
    """The format and the version of muntin that wrote a snapshot, and its decompressed body."""

    format: int
    muntin_version: str
    body: bytes


@cache
def installed_version() -> str:
    """The installed version of muntin."""
    try:
        return version("muntin")
    except PackageNotFoundError:
        return "(not installed)"


def pack_envelope(envelope: Envelope) -> bytes:
    """An envelope as bytes."""
    version_text, packed = envelope.muntin_version.encode(), zlib.compress(envelope.body, 6)
    header = HEADER.pack(envelope.format, len(version_text), len(packed), len(envelope.body))
    data = MAGIC + header + version_text + packed
    return data + CHECKSUM.pack(zlib.crc32(data))


def unpack_envelope(
    data: bytes, expected: int = FORMAT, remedy: str = REMEDY, *, max_bytes: int = MAX_BYTES
) -> Envelope:
    """The envelope in these bytes, after all checks of lengths and checksum."""
    start = len(MAGIC) + HEADER.size
    if data[: len(MAGIC)] != MAGIC[: len(data)] or not data:
        raise SnapshotError(
            f"not a muntin snapshot: the first bytes are {data[:8]!r}, expected {MAGIC!r}; check "
            "which file was read"
        )
    if len(data) < start:
        raise corrupt_snapshot(f"{len(data)} bytes, expected at least {start} for the header")
    stated: tuple[int, int, int, int] = HEADER.unpack_from(data, len(MAGIC))
    number, version_size, body_size, inflated_size = stated
    if number != expected:
        raise SnapshotError(
            f"the snapshot has format {number}, expected {expected}, the only format that muntin "
            f"{installed_version()} reads; {remedy}"
        )
    length = start + version_size + body_size + CHECKSUM.size
    if len(data) != length:
        raise corrupt_snapshot(f"{len(data)} bytes, expected {length} by its header")
    checksum, written = zlib.crc32(data[: -CHECKSUM.size]), data[-CHECKSUM.size :]
    if CHECKSUM.pack(checksum) != written:
        raise corrupt_snapshot(
            f"CRC-32 of its bytes is {checksum:08x}, expected {written[::-1].hex()} as written"
        )
    if inflated_size > max_bytes:
        raise SnapshotError(
            f"the snapshot has {inflated_size} bytes when decompressed, more than the limit of "
            f"{max_bytes}; if you trust it, restore it with max_bytes={inflated_size}"
        )
    body = _decompressed(data[start + version_size : -CHECKSUM.size], inflated_size)
    return Envelope(number, data[start : start + version_size].decode("utf-8", "replace"), body)


def _decompressed(packed: bytes, length: int) -> bytes:
    """Decompress no more than the announced length."""
    stream = zlib.decompressobj()
    try:
        body = stream.decompress(packed, length + 1)
    except (zlib.error, OverflowError) as cause:
        raise corrupt_snapshot(f"its body cannot be decompressed ({cause})") from cause
    if len(body) != length or not stream.eof or stream.unused_data:
        raise corrupt_snapshot(
            f"its body does not decompress to the {length} bytes that its header announces"
        )
    return body
