"""The kernel that finds the windows to tell of: those that end, and those that have changed."""

import numpy as np
from numpy.typing import NDArray

from muntin.kernels.compiler.jit import inlined, kernel
from muntin.kernels.slicing.arrays import Ints
from muntin.kernels.slicing.dense.placing import Places

Rows = NDArray[np.int64]


@inlined
def slice_at(  # noqa: PLR0913, PLR0917 - each argument of a kernel is a number or an array
    time: int, table: Places, origin: int, shift: int, edges: Ints, n: int
) -> int:
    """Return the slice that begins at an edge; what is before or after all is cut off."""
    if time <= edges[0]:
        return 0
    if time >= edges[n]:
        return n
    at = int(table[(time - origin) >> shift])
    while edges[at] < time:
        at += 1
    return at


@kernel
def close(  # noqa: PLR0913, PLR0917 - as above
    windows: Rows,
    after: int,
    upto: int,
    since: int,
    table: Places,
    origin: int,
    shift: int,
    edges: Ints,
    n: int,
    sealed: Ints,
    out: Rows,
) -> int:
    """Write the windows that end after one time and not after another and hold an event.

    A row of windows is size, slide, and some end, such as the next. A row that is written is:
    which, start, end, first slice, slice after the last, how many events.
    """
    found = 0
    for which in range(len(windows)):
        size, slide, end = windows[which, 0], windows[which, 1], windows[which, 2]
        if end <= after or end > after + slide:
            end = after + 1 + (end - after - 1) % slide
        while end <= upto:
            lo = slice_at(end - size, table, origin, shift, edges, n)
            hi = slice_at(end, table, origin, shift, edges, n)
            held = sealed[hi] - sealed[lo]
            if held > 0 and end - size > since:
                if found < len(out):
                    out[found, 0], out[found, 1], out[found, 2] = which, end - size, end
                    out[found, 3], out[found, 4], out[found, 5] = lo, hi, held
                found += 1
            end += slide
        windows[which, 2] = end
    return found


@kernel
def reopen(  # noqa: PLR0913, PLR0917 - as above
    windows: Rows,
    after: int,
    upto: int,
    since: int,
    table: Places,
    origin: int,
    shift: int,
    edges: Ints,
    n: int,
    sealed: Ints,
    fresh: Ints,
    first: int,
    out: Rows,
) -> int:
    """Write the windows that ended before, and have got an event since; held is what was before.

    A window is looked at if it ends after one time and not after another.
    """
    found = 0
    for which in range(len(windows)):
        size, slide = windows[which, 0], windows[which, 1]
        end = after + 1 + (windows[which, 2] - after - 1) % slide
        while end <= upto:
            lo = max(slice_at(end - size, table, origin, shift, edges, n), first)
            hi = slice_at(end, table, origin, shift, edges, n)
            if hi > lo and fresh[hi] > fresh[lo] and end - size > since:
                more = fresh[hi] - fresh[lo]
                lo = slice_at(end - size, table, origin, shift, edges, n)
                if found < len(out):
                    out[found, 0], out[found, 1], out[found, 2] = which, end - size, end
                    out[found, 3], out[found, 4] = lo, hi
                    out[found, 5] = sealed[hi] - sealed[lo] - more
                found += 1
            end += slide
    return found
