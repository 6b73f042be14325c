"""A kernel that sorts places by codes, digit by digit: stable, and linear in their number."""

import numpy as np

from muntin.kernels.compiler.jit import kernel
from muntin.kernels.slicing.arrays import Ints
from muntin.kernels.slicing.dense.placing import Places

DIGIT = 11
"""Bits that are sorted by at once: so many counters stay in the nearest cache."""


def by_code(codes: Ints, places: Places) -> Places:
    """Return places in the order of their codes, which are none below 0; both are written over.

    >>> by_code(np.array([5, 1, 4096]), np.array([0, 1, 2], np.uint32)).tolist()
    [1, 0, 2]
    """
    counts: Ints = np.empty(1 << DIGIT, np.int64)
    others = np.empty_like(codes), np.empty_like(places)
    for shift in range(0, int(codes.max(initial=0)).bit_length(), DIGIT):
        sort_digit(codes, places, shift, counts, *others)
        (codes, places), others = others, (codes, places)
    return places


@kernel
def sort_digit(  # noqa: PLR0913, PLR0917 - each argument of a kernel is a number or an array
    codes: Ints, places: Places, shift: int, counts: Ints, other: Ints, moved: Places
) -> None:
    """Sort by one digit."""
    mask = len(counts) - 1
    counts[:] = 0
    for i in range(len(codes)):
        counts[(codes[i] >> shift) & mask] += 1
    total = 0
    for digit in range(len(counts)):
        total, counts[digit] = total + counts[digit], total
    for i in range(len(codes)):
        digit = (codes[i] >> shift) & mask
        at = counts[digit]
        other[at], moved[at] = codes[i], places[i]
        counts[digit] = at + 1
