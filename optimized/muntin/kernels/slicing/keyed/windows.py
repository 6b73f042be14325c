"""The kernel that finds the windows of many keys, each at its first cell."""

import numpy as np
from numpy.typing import NDArray

from muntin.kernels.compiler.jit import kernel
from muntin.kernels.slicing.arrays import Ints

Rows = NDArray[np.int64]


@kernel
def windows_of(  # noqa: PLR0913, PLR0917 - each argument of a kernel is a number or an array
    windows: Rows,
    after: int,
    upto: int,
    since: int,
    edges: Ints,
    keys: Ints,
    slices: Ints,
    fresh: Ints,
    out: Rows,
) -> int:
    """Write the windows that end after one time and not after another, and hold what is fresh.

    Cells are in the order of their keys and slices; fresh counts events before each. A row of
    windows is size, slide, and some end. A row that is written is: which, start, end, first cell,
    cell after the last, how many fresh events. A window is found at its first cell: it holds that
    cell, and not the one before of the same key.
    """
    found = 0
    for which in range(len(windows)):
        size, slide, hi = windows[which, 0], windows[which, 1], 0
        for lo in range(len(keys)):
            low = edges[slices[lo]]
            least = max(low, after)
            if lo and keys[lo] == keys[lo - 1]:
                least = max(least, edges[slices[lo - 1]] + size)
            most = min(upto, low + size)
            end = least + 1 + (windows[which, 2] - least - 1) % slide
            hi = max(hi, lo)
            while end <= most:
                while hi < len(keys) and keys[hi] == keys[lo] and edges[slices[hi]] < end:
                    hi += 1
                more = fresh[hi] - fresh[lo]
                if more and end - size > since:
                    if found < len(out):
                        out[found, 0], out[found, 1], out[found, 2] = which, end - size, end
                        out[found, 3], out[found, 4], out[found, 5] = lo, hi, more
                    found += 1
                end += slide
    return found
