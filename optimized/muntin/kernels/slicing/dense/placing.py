"""Kernels that make slices, find the slice of each event, and add events to slices.

Every slice has four copies of each partial, for events in turn: the next addition does not wait
for the last one. A table takes a stretch of time to the slice at its beginning. Events nearly in
order are added up in registers by runs: a run is a stretch of blocks in one slice, or one block in
few slices, read once for each of them, without what lies in another. That is cheaper than to go
from event to event. Slices are sealed when the watermark has passed them; then ranges are folded.
"""

import numpy as np
from numpy.typing import NDArray

from muntin.kernels.compiler.jit import fastmath_kernel, inlined, kernel
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


@kernel
def freshen(counts: Ints, sealed: Ints, fresh: Ints, first: int, last: int) -> int:
    """Sum up how many events have come to sealed slices; return the first slice that has any."""
    found = last
    fresh[first] = 0
    for at in range(first, last):
        held = counts[4 * at] + counts[4 * at + 1] + counts[4 * at + 2] + counts[4 * at + 3]
        more = held - (sealed[at + 1] - sealed[at])
        if more and found == last:
            found = at
        fresh[at + 1] = fresh[at] + more
    return found


@kernel
def prefix(copies: Numbers, sums: Numbers, first: int, last: int) -> None:
    """Sum up slices from one on; only for integers, whose prefixes may be subtracted."""
    for at in range(first, last):
        whole = copies[4 * at] + copies[4 * at + 1] + copies[4 * at + 2] + copies[4 * at + 3]
        sums[at + 1] = sums[at] + whole


@kernel
def plant_sums(copies: Column, tree: Column, half: int, first: int, last: int) -> None:
    """Set leaves of a flat tree of sums, and the nodes above them."""
    for at in range(first, last):
        tree[half + at] = (copies[4 * at] + copies[4 * at + 1]) + (
            copies[4 * at + 2] + copies[4 * at + 3]
        )
    low, high = (half + first) >> 1, (half + last - 1) >> 1
    while low >= 1:
        for node in range(low, high + 1):
            tree[node] = tree[2 * node] + tree[2 * node + 1]
        low, high = low >> 1, high >> 1


@kernel
def fold_sums(tree: Column, half: int, lo: Ints, hi: Ints, out: Column) -> None:
    """Fold ranges of slices; where no node is due, the identity is read, which is at place 0."""
    for i in range(len(lo)):
        low, high, left, right = lo[i] + half, hi[i] + half, tree[0], tree[0]
        while low < high:
            left += tree[low * (low & 1)]
            right += tree[(high - 1) * (high & 1)]
            low, high = (low + 1) >> 1, high >> 1
        out[i] = left + right


SAMPLE = 8
"""One block of so many says whether it is worth while to look at all."""


@inlined
def slice_in(time: int, table: Places, origin: int, shift: int, edges: Ints) -> int:
    """Return the slice that holds a time."""
    at = int(table[(time - origin) >> shift])
    while time >= edges[at + 1]:
        at += 1
    return at


@inlined
def too_wide(  # noqa: PLR0913, PLR0917 - each argument of a kernel is a number or an array
    bottoms: Ints, tops: Ints, table: Places, origin: int, shift: int, edges: Ints, most: int
) -> bool:
    """Whether more than half of the blocks lie in too many slices, as far as a sample says."""
    wide = 0
    for block in range(0, len(bottoms), SAMPLE):
        first = slice_in(bottoms[block], table, origin, shift, edges)
        wide += int(slice_in(tops[block], table, origin, shift, edges) - first >= most)
    return 2 * wide * SAMPLE > len(bottoms) + SAMPLE


@kernel
def runs(  # noqa: PLR0913, PLR0917 - as above
    bottoms: Ints,
    tops: Ints,
    n: int,
    table: Places,
    origin: int,
    shift: int,
    edges: Ints,
    most: int,
    size: int,
    begins: Ints,
    ends: Ints,
    firsts: Ints,
    lasts: Ints,
    rest: Places,
) -> tuple[int, int]:
    """Write the runs of n events, and the places of all in blocks of too many slices.

    A block is of so many events. Return how many there are of runs and of places.
    """
    if too_wide(bottoms, tops, table, origin, shift, edges, most):
        return 0, n
    found, left = 0, 0
    for block in range(len(bottoms)):
        begin, end = block * size, min(block * size + size, n)
        first = slice_in(bottoms[block], table, origin, shift, edges)
        last = slice_in(tops[block], table, origin, shift, edges)
        if last - first >= most:
            for at in range(begin, end):
                rest[left] = at
                left += 1
            continue
        whole = first == last and found > 0 and ends[found - 1] == begin
        if whole and firsts[found - 1] == lasts[found - 1] == first:
            ends[found - 1] = end
        else:
            begins[found], ends[found], firsts[found], lasts[found] = begin, end, first, last
            found += 1
    return found, left


@kernel
def count_runs(  # noqa: PLR0913, PLR0917 - as above
    begins: Ints,
    ends: Ints,
    firsts: Ints,
    lasts: Ints,
    times: Ints,
    edges: Ints,
    counts: Ints,
) -> None:
    """Count the events of slices."""
    for run in range(len(begins)):
        if firsts[run] == lasts[run]:
            counts[4 * firsts[run]] += ends[run] - begins[run]
            continue
        when, before = times[begins[run] : ends[run]], 0
        for at in range(firsts[run], lasts[run]):
            high, held = edges[at + 1], 0
            for i in range(len(when)):
                held += int(when[i] < high)
            counts[4 * at] += held - before
            before = held
        counts[4 * lasts[run]] += len(when) - before


@fastmath_kernel
def add_runs(  # noqa: PLR0913, PLR0917 - as above
    begins: Ints,
    ends: Ints,
    firsts: Ints,
    lasts: Ints,
    times: Ints,
    edges: Ints,
    values: Numbers,
    none: Numbers,
    sums: Numbers,
) -> None:
    """Add values to the sums of slices; none holds the identity."""
    zero = none[0]
    for run in range(len(begins)):
        part, when = values[begins[run] : ends[run]], times[begins[run] : ends[run]]
        if firsts[run] == lasts[run]:
            total = zero
            for i in range(len(part)):
                total += part[i]
            sums[4 * firsts[run]] += total
        elif firsts[run] + 2 >= lasts[run]:
            at = firsts[run]
            one, two, first, second, third = edges[at + 1], edges[at + 2], zero, zero, zero
            for i in range(len(part)):
                first += part[i] if when[i] < one else zero
                second += part[i] if one <= when[i] < two else zero
                third += part[i] if two <= when[i] else zero
            sums[4 * at] += first
            sums[4 * at + 4] += second
            sums[4 * lasts[run]] += third
        else:
            for at in range(firsts[run], lasts[run] + 1):
                low, high, total = edges[at], edges[at + 1], zero
                for i in range(len(part)):
                    total += part[i] if low <= when[i] < high else zero
                sums[4 * at] += total


@fastmath_kernel
def warm(values: Numbers) -> float:
    """Read values once from end to end, which is the fastest way to bring them near."""
    total: float = values[0]
    for i in range(len(values)):
        total += values[i]
    return total
