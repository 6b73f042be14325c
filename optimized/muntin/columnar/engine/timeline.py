"""The slice of a time: a table of stretches for the newest slices, a binary search for the rest."""

import numpy as np

from muntin.columnar.engine.kernel_language import Ints, inlined, outlined

U = np.uint64
ONE = np.uint64(1)


@outlined
def search_slice(time: int, edges: Ints, slices: int) -> int:
    """The slice of a time among all slices."""
    low, high = 0, slices
    while high - low > 1:
        middle = (low + high) >> 1
        if edges[middle] <= time:
            low = middle
        else:
            high = middle
    return low


@inlined
def slice_of(time: int, edges: Ints, lookup: Ints, origin: int, shift: int, slices: int) -> int:
    """The slice of a time that the edges cover."""
    if time < origin:
        return search_slice(time, edges, slices)
    s = U(lookup[U(time - origin >> shift)])
    while time >= edges[s + ONE]:
        s += ONE
    return np.int64(s)  # type: ignore[return-value] # an integer to kernels


@outlined
def slice_at(time: int, edges: Ints, lookup: Ints, origin: int, shift: int, slices: int) -> int:
    """The slice that begins at an edge, or the bound of the slices that is nearest."""
    if time <= edges[0]:
        return 0
    if time >= edges[slices]:
        return slices
    return slice_of(time, edges, lookup, origin, shift, slices)
