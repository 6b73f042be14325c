"""Keys of one or several columns as numbers, for operators that know keys by number."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from muntin.kernels.slicing.arrays import Ints


@dataclass(frozen=True)
class KeyNumbers:
    """For each row the number of its key, and for each key one row that has it."""

    number: Ints
    row: Ints


def number_keys(codes: Sequence[tuple[Ints, int]], rows: int) -> KeyNumbers:
    """Number keys as they come, given for each column the codes of its values and their count.

    >>> codes = np.array([0, 1, 0, 1])
    >>> number_keys([(codes, 2), (codes[::-1] // 2, 1)], 4).row.tolist()
    [0, 1]
    """
    if not codes or not rows:
        number = np.zeros(rows, np.int64)
        return KeyNumbers(number, number[:1])
    number, n = reduce(_number_pairs, codes)
    row = np.empty(n, np.int64)
    row[number[::-1]] = np.arange(number.size - 1, -1, -1)
    if (np.diff(row) > 0).all():
        return KeyNumbers(number, row)
    order = np.argsort(row)
    return KeyNumbers(np.argsort(order)[number], row[order])


def _number_pairs(a: tuple[Ints, int], b: tuple[Ints, int]) -> tuple[Ints, int]:
    """Number the pairs that occur, which are no more than rows."""
    pairs, number = np.unique(a[0] * b[1] + b[0], return_inverse=True)
    return np.asarray(number, np.int64), pairs.size
