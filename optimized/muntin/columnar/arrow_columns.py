"""Columns of Arrow, and arrays as such columns and back without a copy.

The protocols list the methods of PyArrow that the engine calls. PyArrow has no types of its own,
and its stub package fails the strict checks here: most of its columns are `Any` or unknown.

`pyarrow.array` looks whether pandas knows what it is given, and imports pandas for that: a quarter
of a second, for which the first use of a process would wait. Arrays of numbers go around it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

pa = import_module("pyarrow")
Item = TypeVar("Item", bound=np.generic)
NumpyColumn: TypeAlias = NDArray[np.generic]
WORD_SIZES = {"i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (4, 8)}
"""Bytes of the numbers that Arrow and NumPy have alike, by kind."""
MOST_BYTES = 2**31
"""Bytes of all strings of a column from which on offsets have 64 bits."""


class ArrowTable(Protocol):
    """A `pyarrow.Table`, which every engine can read."""

    column_names: list[str]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...  # noqa: D105, RUF100 - of Arrow
    def column(self, name: str, /) -> "ArrowColumn": ...  # noqa: D102 - as in Arrow
    def append_column(self, name: str, column: object) -> "ArrowTable": ...  # noqa: D102 - the same
    def to_pylist(self) -> list[dict[str, object]]: ...  # noqa: D102 - the same


class ArrowColumn(Protocol):
    """A `pyarrow.ChunkedArray` or `pyarrow.Array`."""

    type: object
    null_count: int
    offset: int
    chunks: "Sequence[ArrowColumn]"
    indices: "ArrowColumn"
    dictionary: "ArrowColumn"

    def __len__(self) -> int: ...  # noqa: D105, RUF100 - as of a list
    def buffers(self) -> "Sequence[memoryview | None]": ...  # noqa: D102 - as in Arrow
    def cast(self, kind: object, /) -> "ArrowColumn": ...  # noqa: D102 - the same
    def combine_chunks(self) -> "ArrowColumn": ...  # noqa: D102 - the same
    def dictionary_decode(self) -> "ArrowColumn": ...  # noqa: D102 - the same
    def dictionary_encode(self, nulls: str, /) -> "ArrowColumn": ...  # noqa: D102 - the same
    def fill_null(self, value: object, /) -> "ArrowColumn": ...  # noqa: D102 - the same
    def is_valid(self) -> "ArrowColumn": ...  # noqa: D102 - the same
    def slice(self, offset: int, length: int, /) -> "ArrowColumn": ...  # noqa: D102 - the same
    def take(self, indices: object, /) -> "ArrowColumn": ...  # noqa: D102 - the same
    def to_pylist(self) -> list[int]: ...  # noqa: D102 - the same, of integers
    def to_pandas(self, *, types_mapper: object) -> object: ...  # noqa: D102 - as in Arrow


def is_plain(values: object) -> TypeGuard[NumpyColumn]:
    """Whether Arrow can read an array as it lies."""
    return (
        type(values) is np.ndarray
        and values.ndim == 1
        and values.dtype.kind in "iuf"
        and values.dtype.isnative
        and values.dtype.itemsize in WORD_SIZES[values.dtype.kind]
        and values.strides == (values.itemsize,)
    )


def viewed(values: NumpyColumn) -> ArrowColumn:
    """An array as a column without a copy; `pyarrow.array` would import pandas to look at it."""
    buffers = [None, pa.py_buffer(values)]
    array: ArrowColumn = pa.Array.from_buffers(
        pa.from_numpy_dtype(values.dtype), values.size, buffers
    )
    return array


def number_array(values: ArrowColumn, dtype: type[Item]) -> NDArray[Item]:
    """A column of numbers of this type without nulls as an array, without a copy."""
    buffer = values.buffers()[1] if len(values) else None
    if buffer is None or values.null_count:
        return np.asarray(values, dtype)
    size = np.dtype(dtype).itemsize
    array = np.frombuffer(buffer, dtype, len(values), values.offset * size)
    array.flags.writeable = False
    return array


def constant_strings(text: str, n: int) -> ArrowColumn:
    """A column of one string."""
    data = text.encode()
    offsets, array = np.arange(n + 1) * len(data), pa.StringArray.from_buffers
    if offsets[-1] >= MOST_BYTES:
        array = pa.LargeStringArray.from_buffers
    else:
        offsets = offsets.astype(np.int32)
    strings: ArrowColumn = array(n, pa.py_buffer(offsets), pa.py_buffer(data * n))
    return strings
