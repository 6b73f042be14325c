"""Kernels that make slices, find the slice of each event, and add events to slices.

Every slice has four copies of each partial, for events in turn: the next addition does not wait
for the last one. A table takes a stretch of time to the slice at its beginning.
"""

import numpy as np
from numpy.typing import NDArray

from muntin.kernels.compiler.jit import inlined, kernel
from muntin.kernels.slicing.arrays import Column, Ints

Bytes = NDArray[np.uint8]
Numbers = Column | Ints
Places = NDArray[np.uint32]


@kernel
def mark(grid: Bytes, first: int, unit: int, periods: Ints, phases: Ints) -> None:
    """Mark the edges in a grid of units of time that begins at the first."""
    for p in range(len(periods)):
        at = (phases[p] - first) % periods[p] // unit
        stride = periods[p] // unit
        while at < len(grid):
            grid[at] = 1
            at += stride


@kernel
def collect(grid: Bytes, first: int, unit: int, edges: Ints, n: int) -> int:
    """Append what is marked to the edges, of which there are n; return how many there are now.

    What comes after them is written over once: to ask whether a unit is marked takes longer.
    """
    last = edges[len(edges) - 1]
    for i in range(len(grid)):
        edges[n] = first + i * unit
        n += int(grid[i])
    edges[n] = last
    return n


@kernel
def strew(begin: int, upto: int, periods: Ints, phases: Ints, out: Ints) -> int:
    """Write the edges of each period after one time and up to another; return how many."""
    n = 0
    for p in range(len(periods)):
        at = begin + 1 + (phases[p] - begin - 1) % periods[p]
        while at <= upto:
            out[n] = at
            n += 1
            at += periods[p]
    return n


@kernel
def append(found: Ints, edges: Ints, n: int) -> int:
    """Append what rises to the edges, of which the last is at n; return the place of the last.

    What comes after them is written over once, as above.
    """
    last = edges[len(edges) - 1]
    for i in range(len(found)):
        edges[n + 1] = found[i]
        n += int(found[i] > edges[n])
    edges[n + 1] = last
    return n


@kernel
def tabulate(  # noqa: PLR0913, PLR0917 - each argument of a kernel is a number or an array
    table: Places, begin: int, end: int, origin: int, shift: int, edges: Ints, at: int, n: int
) -> None:
    """Fill a part of the table: the slice at the beginning of each stretch, from a known one on.

    Each of the n edges is counted where the next stretch begins; then these counts are summed up.
    """
    table[begin:end] = 0
    for edge in range(at + 1, n + 1):
        stretch = (edges[edge] - origin + (1 << shift) - 1) >> shift
        if stretch < end:
            table[stretch] += 1
    for stretch in range(begin, end):
        at += int(table[stretch])
        table[stretch] = at


@inlined
def slice_of(time: int, table: Places, origin: int, shift: int, edges: Ints) -> int:
    """Return the slice that holds a time, as an index without a sign."""
    at = np.uint64(table[np.uint64((time - origin) >> shift)])
    while time >= edges[at + np.uint64(1)]:
        at += np.uint64(1)
    return at  # type: ignore[return-value] # an integer, to a kernel


@kernel
def place(  # noqa: PLR0913, PLR0917 - as above
    times: Ints, table: Places, origin: int, shift: int, edges: Ints, found: Places
) -> None:
    """Find the slice of each event."""
    for i in range(len(times)):
        found[i] = slice_of(times[i], table, origin, shift, edges)


@kernel
def place_and_add(  # noqa: PLR0913, PLR0917 - as above
    times: Ints,
    table: Places,
    origin: int,
    shift: int,
    edges: Ints,
    found: Places,
    counts: Ints,
    values: Numbers,
    sums: Numbers,
) -> None:
    """Find slices, count events, add values: while one waits, the others go on.

    Where nobody asks which slices they are, there is no place to write them to.
    """
    whole, asked = len(times) & ~3, len(found) > 0
    for i in range(0, len(times) - 3, 4):
        for k in range(4):
            at = slice_of(times[i + k], table, origin, shift, edges)
            if asked:
                found[i + k] = at
            counts[at * np.uint64(4) + np.uint64(k)] += 1
            sums[at * np.uint64(4) + np.uint64(k)] += values[i + k]
    for i in range(whole, len(times)):
        at = slice_of(times[i], table, origin, shift, edges)
        if asked:
            found[i] = at
        counts[at * np.uint64(4)] += 1
        sums[at * np.uint64(4)] += values[i]


@kernel
def count(found: Places, counts: Ints) -> None:
    """Count the events of slices."""
    whole = len(found) & ~3
    for i in range(0, whole, 4):
        counts[np.uint64(found[i]) * np.uint64(4)] += 1
        counts[np.uint64(found[i + 1]) * np.uint64(4) + np.uint64(1)] += 1
        counts[np.uint64(found[i + 2]) * np.uint64(4) + np.uint64(2)] += 1
        counts[np.uint64(found[i + 3]) * np.uint64(4) + np.uint64(3)] += 1
    for i in range(whole, len(found)):
        counts[np.uint64(found[i]) * np.uint64(4)] += 1


@kernel
def add(found: Places, values: Numbers, sums: Numbers) -> None:
    """Add values to the sums of slices."""
    whole = len(found) & ~3
    for i in range(0, whole, 4):
        sums[np.uint64(found[i]) * np.uint64(4)] += values[i]
        sums[np.uint64(found[i + 1]) * np.uint64(4) + np.uint64(1)] += values[i + 1]
        sums[np.uint64(found[i + 2]) * np.uint64(4) + np.uint64(2)] += values[i + 2]
        sums[np.uint64(found[i + 3]) * np.uint64(4) + np.uint64(3)] += values[i + 3]
    for i in range(whole, len(found)):
        sums[np.uint64(found[i]) * np.uint64(4)] += values[i]
