"""Kernels for events that are nearly in order: whole blocks are added up in registers.

A run is a stretch of blocks in one slice, or one block in few slices: then it is read once for
each of them, and what lies in another is left out. That is cheaper than to go from event to event.
"""

from muntin.kernels.compiler.jit import fastmath_kernel, inlined, kernel
from muntin.kernels.slicing.arrays import Ints
from muntin.kernels.slicing.dense.placing import Numbers, Places

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
