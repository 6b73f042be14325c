"""The order of cells and events: by numbers of keys, and by times."""

import numpy as np

from muntin.kernels.slicing.arrays import Ints
from muntin.kernels.slicing.cells import SAFE

BITS = 16
"""Numbers of so many bits are sorted by counting."""
DIGITS = 3
"""Numbers of more such digits are sorted by comparing."""


def ordered(key: Ints, slot: Ints, unit: int = 1) -> Ints:
    """Return the order by key and slot; what came first stays first.

    All slots are multiples of the unit apart.

    >>> ordered(np.array([1, 0, 1, 0]), np.array([5, 7, -5, 7]), 2).tolist()
    [1, 3, 2, 0]
    """
    if not key.size:
        return np.zeros_like(key)
    least, n = int(slot.min()), int(key.max()) + 1
    span = (int(slot.max()) - least) // unit + 1
    if n * span > SAFE:
        return np.lexsort((slot, key))
    rank = (slot - least) // unit if unit > 1 else slot - least
    return by_digits(key * span + rank, (n * span).bit_length())


def by_digits(code: Ints, bits: int) -> Ints:
    """Return the order of numbers of so many bits: digit by digit, the last one first.

    >>> by_digits(np.array([2**20, 5, 2**20 + 1, 5]), 21).tolist()
    [1, 3, 0, 2]
    """
    if bits > DIGITS * BITS:
        return np.argsort(code, kind="stable")
    order = np.argsort(code.astype(np.uint16), kind="stable")
    for shift in range(BITS, bits, BITS):
        digit = (code[order] >> shift).astype(np.uint16)
        order = order[np.argsort(digit, kind="stable")]
    return order


def beginnings(key: Ints, slot: Ints) -> Ints:
    """Return where runs of the same key and slot begin.

    >>> beginnings(np.array([0, 0, 1, 1]), np.array([5, 5, 5, 7])).tolist()
    [0, 2, 3]
    """
    begins = np.ones(key.size, np.bool_)
    begins[1:] = (key[1:] != key[:-1]) | (slot[1:] != slot[:-1])
    return np.flatnonzero(begins)
