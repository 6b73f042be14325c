"""Kernels for events that are nearly in order: whole runs are added up in registers.

A run lasts as long as the greatest time so far stays in one slice. In it only what came late lies
in other slices: that is left out, and its places are returned.
"""

from muntin.kernels.jit import any_order, inlined, kernel, signed, trailing_zeros, unsigned
from muntin.kernels.slicing.arrays import Column, Ints
from muntin.kernels.slicing.blocks import BLOCK
from muntin.kernels.slicing.dense.placing import Numbers, Places


@kernel
def runs(  # noqa: PLR0913, PLR0917 - each argument of a kernel is a number or an array
    times: Ints,
    tops: Ints,
    table: Places,
    origin: int,
    shift: int,
    edges: Ints,
    begins: Ints,
    slices: Ints,
) -> int:
    """Write where runs begin, and their slices, and the end of the last; return how many."""
    found, i, n = 0, 0, len(times)
    while i < n:
        at = int(table[(times[i] - origin) >> shift])
        while times[i] >= edges[at + 1]:
            at += 1
        begins[found], slices[found] = i, at
        found += 1
        limit = edges[at + 1]
        while i < n and times[i] < limit:
            if i % BLOCK == 0 and tops[i // BLOCK] < limit:
                i = min(i + BLOCK, n)
            else:
                i += 1
    begins[found] = n
    return found


@kernel
def pick(values: Numbers, places: Places, out: Numbers) -> None:
    """Write the values at some places."""
    for i in range(len(places)):
        out[i] = values[places[i]]


@inlined
def clean(begin: int, end: int, low: int, bottoms: Ints) -> int:
    """Return the end of what is not below a time: begin, or that of some blocks on."""
    while begin < end and bottoms[begin // BLOCK] >= low:
        begin = min((begin // BLOCK + 1) * BLOCK, end)
    return begin


@kernel
def count_runs(  # noqa: PLR0913, PLR0917 - as above
    begins: Ints,
    slices: Ints,
    times: Ints,
    bottoms: Ints,
    edges: Ints,
    counts: Ints,
    rest: Places,
) -> int:
    """Count the events of runs; write the places of those left out, and return how many."""
    left = 0
    for run in range(len(slices)):
        low, begin, end, before = int(edges[slices[run]]), begins[run], begins[run + 1], left
        while begin < end:
            begin = clean(begin, end, low, bottoms)
            part = times[begin : min((begin // BLOCK + 1) * BLOCK, end)]
            late = unsigned(0)
            for i in range(len(part)):
                late |= unsigned(int(part[i] < low)) << unsigned(i)
            while late:
                rest[left] = begin + signed(trailing_zeros(late))
                late &= late - unsigned(1)
                left += 1
            begin += len(part)
        counts[4 * slices[run]] += end - begins[run] - (left - before)
    return left


@any_order
def add_runs(  # noqa: PLR0913, PLR0917 - as above
    begins: Ints,
    slices: Ints,
    times: Ints,
    bottoms: Ints,
    edges: Ints,
    values: Numbers,
    none: Numbers,
    sums: Numbers,
) -> None:
    """Add values to the sums of slices; none holds the identity."""
    zero = none[0]
    for run in range(len(slices)):
        low, begin, end = int(edges[slices[run]]), begins[run], begins[run + 1]
        total = sums[4 * slices[run]]
        while begin < end:
            upto = clean(begin, end, low, bottoms)
            part = values[begin:upto]
            for i in range(len(part)):
                total += part[i]
            part = values[upto : min((upto // BLOCK + 1) * BLOCK, end)]
            when = times[upto : upto + len(part)]
            for i in range(len(part)):
                total += part[i] if when[i] >= low else zero
            begin = upto + len(part)
        sums[4 * slices[run]] = total


@inlined
def lesser(now: float, new: float) -> float:
    """Return the lesser of two; NaN yields to any."""
    return now if (now <= new or new != new) else new  # noqa: PLR0124 - only NaN differs


@inlined
def greater(now: float, new: float) -> float:
    """Return the greater of two; any yields to NaN."""
    return now if (now >= new or now != now) else new  # noqa: PLR0124 - only NaN differs


@kernel
def lower_runs(  # noqa: PLR0913, PLR0917 - as above
    begins: Ints,
    slices: Ints,
    times: Ints,
    _: Ints,
    edges: Ints,
    values: Column,
    none: Column,
    least: Column,
) -> None:
    """Lower the least values of slices."""
    for run in range(len(slices)):
        at, low = 4 * int(slices[run]), edges[slices[run]]
        part, when = values[begins[run] : begins[run + 1]], times[begins[run] : begins[run + 1]]
        a, b, c, d = least[at], least[at + 1], least[at + 2], least[at + 3]
        for i in range(0, len(part) - 3, 4):
            a = lesser(a, part[i] if when[i] >= low else none[0])
            b = lesser(b, part[i + 1] if when[i + 1] >= low else none[0])
            c = lesser(c, part[i + 2] if when[i + 2] >= low else none[0])
            d = lesser(d, part[i + 3] if when[i + 3] >= low else none[0])
        for i in range(len(part) & ~3, len(part)):
            a = lesser(a, part[i] if when[i] >= low else none[0])
        least[at], least[at + 1], least[at + 2], least[at + 3] = a, b, c, d


@kernel
def lift_runs(  # noqa: PLR0913, PLR0917 - as above
    begins: Ints,
    slices: Ints,
    times: Ints,
    _: Ints,
    edges: Ints,
    values: Column,
    none: Column,
    greatest: Column,
) -> None:
    """Lift the greatest values of slices."""
    for run in range(len(slices)):
        at, low = 4 * int(slices[run]), edges[slices[run]]
        part, when = values[begins[run] : begins[run + 1]], times[begins[run] : begins[run + 1]]
        a, b, c, d = greatest[at], greatest[at + 1], greatest[at + 2], greatest[at + 3]
        for i in range(0, len(part) - 3, 4):
            a = greater(a, part[i] if when[i] >= low else none[0])
            b = greater(b, part[i + 1] if when[i + 1] >= low else none[0])
            c = greater(c, part[i + 2] if when[i + 2] >= low else none[0])
            d = greater(d, part[i + 3] if when[i + 3] >= low else none[0])
        for i in range(len(part) & ~3, len(part)):
            a = greater(a, part[i] if when[i] >= low else none[0])
        greatest[at], greatest[at + 1], greatest[at + 2], greatest[at + 3] = a, b, c, d
