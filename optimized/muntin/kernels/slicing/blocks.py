"""The least and the greatest time of each block of a batch: what is in order shows there."""

from typing import NamedTuple

import numpy as np

from muntin.kernels.compiler.jit import COMPILED, kernel
from muntin.kernels.slicing.arrays import FIRST, LAST, Ints, no_ints

BLOCK = 256
"""So many events are a block: fewer cost more for each, and more lie in more slices."""


class Blocks(NamedTuple):
    """The least and the greatest time of each block, and of all; LAST and FIRST of none."""

    bottoms: Ints
    tops: Ints
    least: int
    most: int


def blocks_of(times: Ints) -> Blocks:
    """Look at each time once.

    >>> blocks_of(np.array([3, 1, 2]))
    Blocks(bottoms=array([1]), tops=array([3]), least=1, most=3)
    """
    begins = np.arange(0, times.size, BLOCK)
    if not begins.size:
        return Blocks(no_ints(), no_ints(), LAST, FIRST)
    if COMPILED:
        bottoms, tops = np.empty_like(begins), np.empty_like(begins)
        least, most = survey(times, bottoms, tops)
        return Blocks(bottoms, tops, least, most)
    bottoms, tops = np.minimum.reduceat(times, begins), np.maximum.reduceat(times, begins)
    return Blocks(bottoms, tops, int(bottoms.min()), int(tops.max()))


@kernel
def survey(times: Ints, bottoms: Ints, tops: Ints) -> tuple[int, int]:
    """Write the least and the greatest time of each block; return the least and greatest of all."""
    least, most = times[0], times[0]
    for block in range(len(bottoms)):
        part = times[block * BLOCK : block * BLOCK + BLOCK]
        low, high = part[0], part[0]
        for i in range(len(part)):
            low, high = min(low, part[i]), max(high, part[i])
        bottoms[block], tops[block] = low, high
        least, most = min(least, low), max(most, high)
    return least, most
