"""Arrays of one type, and the bounds of time on 64 bits."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from muntin.spec.errors import UnsupportedError
from muntin.spec.stream import END

Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Objects: TypeAlias = NDArray[np.object_]
Column: TypeAlias = NDArray[np.float64]
"""Values: of int64, float64 or objects. No type of NumPy says so and can be computed with."""

Which: TypeAlias = Ints | Flags
"""What picks items: their places, or a mask."""
Fields: TypeAlias = tuple[Column, ...]
"""The columns of one part: a partial aggregate for each cell."""

LAST = 2**62
"""What END is on columns. Times lie strictly between FIRST and LAST, so that no sum wraps."""
FIRST = -LAST
LONGEST = 2**60
"""The bound of sizes, slides, gaps and lateness."""
FARTHEST = LAST - LONGEST
"""The bound of times of events: windows that hold them begin after FIRST and end before LAST."""

NONE: Ints = np.empty(0, np.int64)


def clock(time: float, what: str = "the watermark") -> int:
    """Return a watermark, limit or end as a number of 64 bits; END lies at a bound.

    >>> clock(END) == LAST, clock(-END) == FIRST, clock(7)
    (True, True, 7)
    """
    if time == END:
        return LAST
    return FIRST if time == -END else within(int(time), what, LAST)


def within(value: int, what: str, bound: int) -> int:
    """Refuse a number that may not fit into 64 bits when another is added to it.

    >>> within(2**62, "the time of an event", LAST)
    Traceback (most recent call last):
        ...
    muntin.spec.errors.UnsupportedError: the time of an event is 4611686018427387904; on columns...
    """
    if -bound < value < bound:
        return value
    raise UnsupportedError(
        f"{what} is {value}; on columns it must lie within {bound - 1} of 0: take a greater unit "
        "of time, or a shorter window"
    )


def ints(values: object) -> Ints:
    """Return integers as an array."""
    return np.asarray(values, np.int64)


def constant(value: int, n: int) -> Ints:
    """Return a column of one number, that takes no room and can't be written to.

    >>> constant(7, 3).tolist(), varies(constant(7, 3)), varies(ints([7, 8]))
    ([7, 7, 7], False, True)
    """
    column: Ints = np.ndarray((n,), np.int64, np.array([value]), 0, (0,))
    column.flags.writeable = False
    return column


def varies(column: Ints) -> bool:
    """Whether not all numbers of a column are the same."""
    return column.strides != (0,) and column.size > 0 and bool((column != column[0]).any())


def column_of(values: object) -> Column:
    """Return an array as a column of values."""
    return np.asarray(values)


def spread(counts: Ints) -> tuple[Ints, Ints]:
    """Return, for each item of consecutive groups of these sizes, its group and its place in it.

    >>> [part.tolist() for part in spread(ints([2, 0, 3]))]
    [[0, 0, 2, 2, 2], [0, 1, 0, 1, 2]]
    """
    group = np.repeat(np.arange(counts.size), counts)
    return group, np.arange(group.size) - np.repeat(np.cumsum(counts) - counts, counts)


def climb(counts: Ints) -> Ints:
    """Return the sums of all prefixes, the empty one first.

    >>> climb(ints([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    sums = np.zeros(counts.size + 1, np.int64)
    np.cumsum(counts, out=sums[1:])
    return sums


def no_ints() -> Ints:
    """Return an empty column, for fields of dataclasses."""
    return NONE


def packed(fields: Fields) -> Column:
    """Return columns as one.

    >>> packed((np.array([1, 2]), np.array([0.5, 1.5]))).tolist()
    [(1, 0.5), (2, 1.5)]
    """
    if len(fields) == 1:
        return fields[0]
    kinds = [(f"f{k}", column.dtype) for k, column in enumerate(fields)]
    records = np.empty(fields[0].size, np.dtype(kinds))
    for k, column in enumerate(fields):
        records[f"f{k}"] = column
    return column_of(records)
