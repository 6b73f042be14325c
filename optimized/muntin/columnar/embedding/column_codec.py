"""Columns of a chunk as bytes: frame-of-reference and delta encoding, in byte planes.

Columns come back to the bit.
"""

from collections.abc import Sequence

import numpy as np

from muntin.kernels.slicing.arrays import Column, Ints, column_of, ints
from muntin.kernels.slicing.over import is_row
from muntin.snapshot import SnapshotError, decode, encode

REMEDY = "restore the state from a copy, or begin with a new one"
WORD_BYTES = 8
"""Bytes of an integer."""
MAX_PLANE_BITS = 56
"""Columns of a wider range are not encoded: differences up to here do not overflow."""
SHIFTED_COPY = "like"
EXACT_FLOAT_LIMIT = 2.0**53
"""Integral floats below it are distinct integers."""


def encode_columns(columns: Sequence[Column | Ints]) -> bytes:
    """Encode each column by itself, or as an earlier one and an offset.

    >>> columns = [np.array([7, 9]), np.array([0.5, 2])]
    >>> [column.tolist() for column in decode_columns(encode_columns(columns))]
    [[7, 9], [0.5, 2.0]]
    """
    encoded = (_shifted_copy(columns, i) or _encoded(each) for i, each in enumerate(columns))
    return encode([*encoded])


def _shifted_copy(columns: Sequence[Column | Ints], index: int) -> object:
    """The earlier column that differs from this one by a constant, and the constant; or None."""
    column = columns[index]
    if column.size and column.dtype == np.int64:
        for other_index, other in enumerate(columns[:index]):
            if other.dtype == np.int64 and other.size == column.size:
                offset = int(column[0]) - int(other[0])
                last_offset = int(column[-1]) - int(other[-1])
                likely = last_offset == offset and abs(offset) < 2**MAX_PLANE_BITS
                if likely and (column == other + offset).all():
                    return (SHIFTED_COPY, other_index, offset)
    return None


def _encoded(column: Column | Ints) -> object:
    """The differences from the least number in byte planes: bytes of one weight compress well.

    Integral floats are encoded as integers, which are shorter; an ascending column as its steps.
    """
    is_real = column.dtype == np.float64 and is_integral(column)
    if not column.size or not (is_real or column.dtype == np.int64):
        return column
    numbers: Ints = column.astype(np.int64)
    least, most = int(numbers.min()), int(numbers.max())
    if (most - least).bit_length() > MAX_PLANE_BITS:
        return column
    steps = np.diff(numbers, prepend=numbers[:1])
    low, high = int(steps.min()), int(steps.max())
    if high - low < most - least:
        return (*_byte_planes(steps, low, high), is_real, int(numbers[0]))
    return (*_byte_planes(numbers, least, most), is_real)


def _byte_planes(numbers: Ints, least: int, most: int) -> tuple[int, int, int, bytes]:
    """The least number, the bytes of a difference from it, the number of differences, and these."""
    width = ((most - least).bit_length() + 7) // 8
    if not width:
        return least, 0, numbers.size, b""
    planes = (numbers - least).astype("<u8").view(np.uint8).reshape(-1, WORD_BYTES)[:, :width]
    return least, width, numbers.size, planes.T.tobytes()


def is_integral(column: Column | Ints) -> bool:
    """Whether all floats are integers that come back to the bit: -0.0 does not.

    >>> columns = [7.0, -2.0], [0.5], [-0.0], [2.0**60], [np.nan]
    >>> [is_integral(np.array(column)) for column in columns]
    [True, False, False, False, False]
    """
    with np.errstate(invalid="ignore"):
        exact = (np.abs(column) < EXACT_FLOAT_LIMIT) & (np.trunc(column) == column)
    return bool(exact.all() and not np.signbit(column[column == 0]).any())


def decode_columns(data: bytes) -> list[Column]:
    """The columns that `encode_columns` encoded."""
    items = decode(data)
    if not is_row(items):
        raise damaged_chunk("holds no columns")
    columns = list[Column]()
    for item in items:
        match item:
            case (str() as tag, int() as index, int() as offset) if (
                tag == SHIFTED_COPY and 0 <= index < len(columns)
            ):
                columns.append(column_of(ints(columns[index]) + offset))
            case _:
                columns.append(_decoded(item))
    return columns


def _decoded(item: object) -> Column:
    match item:
        case np.ndarray():
            return column_of(item)
        case (int() as least, int() as width, int() as n, bytes() as planes, bool() as is_real):
            numbers = _from_byte_planes(least, width, n, planes)
        case (
            int() as least,
            int() as width,
            int() as n,
            bytes() as planes,
            bool() as is_real,
            int() as first,
        ):
            numbers = np.cumsum(_from_byte_planes(least, width, n, planes)) + first
        case _:
            raise damaged_chunk("holds no columns")
    return column_of(numbers.astype(np.float64) if is_real else numbers)


def _from_byte_planes(least: int, width: int, n: int, planes: bytes) -> Ints:
    if not width:
        return np.full(n, least, np.int64)
    words = np.zeros((n, WORD_BYTES), np.uint8)
    words[:, :width] = np.frombuffer(planes, np.uint8).reshape(width, n).T
    differences: Ints = words.view("<u8")[:, 0].astype(np.int64)
    return differences + least


def as_row(item: object) -> Sequence[object]:
    """A decoded item, which must be a row of several."""
    if is_row(item):
        return item
    raise damaged_chunk(f"holds {item!r}, where a row should be")


def as_texts(item: object) -> list[str]:
    """A decoded item, which must be a row of names."""
    return [str(name) for name in as_row(item)]


def as_integer(item: object) -> int:
    """A decoded item, which must be an integer."""
    if isinstance(item, int):
        return item
    raise damaged_chunk(f"holds {item!r}, where an integer should be")


def damaged_chunk(reason: str) -> SnapshotError:
    """The error for a chunk that can't be decoded."""
    return SnapshotError(f"the state is damaged: a chunk {reason}; {REMEDY}")
