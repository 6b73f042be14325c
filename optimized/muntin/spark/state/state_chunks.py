"""States by pieces: columns as bytes, as short as their numbers allow, each piece with a checksum.

What is kept of a bucket is many pieces under names, and a list of their checksums. A piece that
did not change is not written anew; one that is not as the list says is refused.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from muntin.kernels.slicing.arrays import Column, Ints, column_of, ints
from muntin.kernels.slicing.ordering import ordered
from muntin.kernels.slicing.over import is_row
from muntin.snapshot import SnapshotError, decode, encode
from muntin.spark.execution.arrow import pa

CODEC = "zstd"
LENGTH = 8
"""Bytes of a number; and those before a compressed piece that say how long it was."""
FITS = 56
"""Bits of what has planes: steps of such numbers wrap nowhere."""
LIKE = "like"
EXACT = 2.0**53
"""Whole floats below it are integers, each another."""

Chunks = Mapping[str, bytes]
"""What is kept, by name."""


class ChunkStore(Protocol):
    """Where pieces are kept between micro-batches."""

    def get(self, name: str, /) -> bytes | None:
        """Return a piece."""
        ...

    def write_chunk(self, name: str, piece: bytes, /) -> None:
        """Keep a piece."""
        ...

    def drop(self, name: str, /) -> None:
        """Keep a piece no more."""
        ...


def read_chunk(shelf: ChunkStore, name: str, check: int) -> bytes:
    """Return a piece, if it is the one that was kept."""
    found = shelf.get(name)
    if found is None:
        raise SnapshotError(f"the state of a bucket is damaged: there is no piece {name!r}")
    if zlib.crc32(found) != check:
        raise SnapshotError(
            f"the state of a bucket is damaged: the checksum of the piece {name!r} is wrong"
        )
    data: bytes = pa.decompress(
        found[LENGTH:], int.from_bytes(found[:LENGTH], "little"), codec=CODEC, asbytes=True
    )
    return data


def write_chunk(shelf: ChunkStore, name: str, data: bytes) -> int:
    """Keep a piece, and return its checksum."""
    packed: bytes = pa.compress(data, codec=CODEC, asbytes=True)
    piece = len(data).to_bytes(LENGTH, "little") + packed
    shelf.write_chunk(name, piece)
    return zlib.crc32(piece)


def write_changed(
    shelf: ChunkStore, before: Chunks, checks: Mapping[str, int], after: Chunks
) -> dict[str, int]:
    """Keep pieces in the place of others, and return their checksums; what is equal stays."""
    for name in checks.keys() - after.keys():
        shelf.drop(name)
    same = {name for name in checks if before[name] == after.get(name)}
    return {
        name: checks[name] if name in same else write_chunk(shelf, name, data)
        for name, data in after.items()
    }


def packed_columns(columns: Sequence[Column | Ints]) -> bytes:
    """Return columns as bytes.

    >>> [one.tolist() for one in columns_in(packed_columns([np.array([7, 9]), np.array([0.5, 2])]))]
    [[7, 9], [0.5, 2.0]]
    """
    return encode([_like(columns, nth) or _packed(one) for nth, one in enumerate(columns)])


def _like(columns: Sequence[Column | Ints], nth: int) -> object:
    """Return which column before this one it is like, and how far above it; None if it is not."""
    one = columns[nth]
    if one.size and one.dtype == np.int64:
        for place, other in enumerate(columns[:nth]):
            if other.dtype == np.int64 and other.size == one.size:
                apart = int(one[0]) - int(other[0])
                likely = int(one[-1]) - int(other[-1]) == apart and abs(apart) < 2**FITS
                if likely and (one == other + apart).all():
                    return (LIKE, place, apart)
    return None


def _packed(column: Column | Ints) -> object:
    """Return what is above the least number, byte by byte: those of one weight compress together.

    Floats that are whole are kept as integers, which are shorter; and what climbs, as its steps.
    """
    real = column.dtype == np.float64 and whole(column)
    if not column.size or not (real or column.dtype == np.int64):
        return column
    numbers: Ints = column.astype(np.int64)
    least, most = int(numbers.min()), int(numbers.max())
    if (most - least).bit_length() > FITS:
        return column
    steps = np.diff(numbers, prepend=numbers[:1])
    low, high = int(steps.min()), int(steps.max())
    if high - low < most - least:
        return (*_planes(steps, low, high), real, int(numbers[0]))
    return (*_planes(numbers, least, most), real)


def _planes(numbers: Ints, least: int, most: int) -> tuple[int, int, int, bytes]:
    """Return the least number, how many bytes the others take above it, how many, and these."""
    width = ((most - least).bit_length() + 7) // 8
    if not width:
        return least, 0, numbers.size, b""
    planes = (numbers - least).astype("<u8").view(np.uint8).reshape(-1, LENGTH)[:, :width]
    return least, width, numbers.size, planes.T.tobytes()


def whole(column: Column | Ints) -> bool:
    """Whether floats are integers, each of which is one float: -0.0 is none.

    >>> [whole(np.array(one)) for one in ([7.0, -2.0], [0.5], [-0.0], [2.0**60], [np.nan])]
    [True, False, False, False, False]
    """
    with np.errstate(invalid="ignore"):
        same = (np.abs(column) < EXACT) & (np.trunc(column) == column)
    return bool(same.all() and not np.signbit(column[column == 0]).any())


def columns_in(data: bytes) -> list[Column]:
    """Return the columns in bytes."""
    held = decode(data)
    if not is_row(held):
        raise damaged("holds no columns")
    found = list[Column]()
    for one in held:
        match one:
            case (str() as word, int() as place, int() as apart) if (
                word == LIKE and 0 <= place < len(found)
            ):
                found.append(column_of(ints(found[place]) + apart))
            case _:
                found.append(_column(one))
    return found


def row(one: object) -> Sequence[object]:
    """Return several values that were kept."""
    if is_row(one):
        return one
    raise damaged(f"holds {one!r}, where several should be")


def texts(one: object) -> list[str]:
    """Return names that were kept."""
    return [str(each) for each in row(one)]


def number(one: object) -> int:
    """Return an integer that was kept."""
    if isinstance(one, int):
        return one
    raise damaged(f"holds {one!r}, where an integer should be")


def damaged(why: str) -> SnapshotError:
    """Return the error of a piece that can't be read."""
    return SnapshotError(f"the state of a bucket is damaged: a piece {why}")


def _column(one: object) -> Column:
    match one:
        case np.ndarray():
            return column_of(one)
        case (int() as least, int() as width, int() as n, bytes() as planes, bool() as real):
            found = _above(least, width, n, planes)
        case (
            int() as least,
            int() as width,
            int() as n,
            bytes() as planes,
            bool() as real,
            int() as first,
        ):
            found = np.cumsum(_above(least, width, n, planes)) + first
        case _:
            raise damaged("holds no columns")
    return column_of(found.astype(np.float64) if real else found)


def _above(least: int, width: int, n: int, planes: bytes) -> Ints:
    if not width:
        return np.full(n, least, np.int64)
    numbers = np.zeros((n, LENGTH), np.uint8)
    numbers[:, :width] = np.frombuffer(planes, np.uint8).reshape(width, n).T
    found: Ints = numbers.view("<u8")[:, 0].astype(np.int64)
    return found + least


def partition_by_time(
    columns: Sequence[Column | Ints], time: Ints, span: int
) -> Iterator[tuple[int, list[Column | Ints]]]:
    """Cut columns, of which the first is that of keys, into stretches of time.

    In one they are by time and key: so they climb.
    """
    if not time.size:
        return
    nth = time // span if span else np.zeros_like(time)
    order = ordered(time - int(time.min()), ints(columns[0]))
    begins = np.flatnonzero(np.diff(nth[order], prepend=nth[order[:1]] - 1))
    for part in np.split(order, begins[1:]):
        if part.size:
            yield int(nth[part[0]]), [column[part] for column in columns]


def chunk_span(time: Ints, size: int, before: int) -> int:
    """Return the stretch of time of a piece, a power of two: pieces are neither small nor many.

    The one before is kept while it will do. What is small is one piece; that is a stretch of 0.
    """
    if size < ENOUGH or not time.size:
        return 0
    extent = int(time.max()) - int(time.min()) + 1
    pieces = max(1, min(MOST, size // ENOUGH))
    if before and extent <= 4 * pieces * before and pieces * before <= 4 * extent + 4 * before:
        return before
    return 1 << min(62, (extent // pieces).bit_length())


MOST = 8
"""So many pieces hold the cells of a group, or a few times as many."""
ENOUGH = 2**17
"""So many bytes, before they are packed, are enough for a piece."""
