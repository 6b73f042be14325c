"""Kernels for the least and the greatest values of slices.

All that need it stand beside `lesser` and `greater`: Numba's cache knows of no other file.
"""

from muntin.kernels.compiler.jit import inlined, kernel
from muntin.kernels.slicing.arrays import Column, Ints
from muntin.kernels.slicing.dense.placing import Places


@inlined
def lesser(now: float, new: float) -> float:
    """Return the lesser of two; NaN yields to any."""
    return now if (now <= new or new != new) else new  # noqa: PLR0124 - only NaN differs


@inlined
def greater(now: float, new: float) -> float:
    """Return the greater of two; any yields to NaN."""
    return now if (now >= new or now != now) else new  # noqa: PLR0124 - only NaN differs


@kernel
def lower(found: Places, values: Column, least: Column) -> None:
    """Lower the least values of slices, which have four copies, for events in turn."""
    for i in range(len(found)):
        at = 4 * int(found[i]) + (i & 3)
        least[at] = lesser(least[at], values[i])


@kernel
def lift(found: Places, values: Column, greatest: Column) -> None:
    """Lift the greatest values of slices."""
    for i in range(len(found)):
        at = 4 * int(found[i]) + (i & 3)
        greatest[at] = greater(greatest[at], values[i])


@kernel
def lower_runs(  # noqa: PLR0913, PLR0917 - each argument of a kernel is a number or an array
    begins: Ints,
    ends: Ints,
    firsts: Ints,
    lasts: Ints,
    times: Ints,
    edges: Ints,
    values: Column,
    none: Column,
    least: Column,
) -> None:
    """Lower the least values of slices."""
    for run in range(len(begins)):
        part, when = values[begins[run] : ends[run]], times[begins[run] : ends[run]]
        for at in range(firsts[run], lasts[run] + 1):
            low, high, k = edges[at], edges[at + 1], 4 * at
            a, b, c, d = least[k], least[k + 1], least[k + 2], least[k + 3]
            for i in range(0, len(part) - 3, 4):
                a = lesser(a, part[i] if low <= when[i] < high else none[0])
                b = lesser(b, part[i + 1] if low <= when[i + 1] < high else none[0])
                c = lesser(c, part[i + 2] if low <= when[i + 2] < high else none[0])
                d = lesser(d, part[i + 3] if low <= when[i + 3] < high else none[0])
            for i in range(len(part) & ~3, len(part)):
                a = lesser(a, part[i] if low <= when[i] < high else none[0])
            least[k], least[k + 1], least[k + 2], least[k + 3] = a, b, c, d


@kernel
def lift_runs(  # noqa: PLR0913, PLR0917 - as above
    begins: Ints,
    ends: Ints,
    firsts: Ints,
    lasts: Ints,
    times: Ints,
    edges: Ints,
    values: Column,
    none: Column,
    greatest: Column,
) -> None:
    """Lift the greatest values of slices."""
    for run in range(len(begins)):
        part, when = values[begins[run] : ends[run]], times[begins[run] : ends[run]]
        for at in range(firsts[run], lasts[run] + 1):
            low, high, k = edges[at], edges[at + 1], 4 * at
            a, b, c, d = greatest[k], greatest[k + 1], greatest[k + 2], greatest[k + 3]
            for i in range(0, len(part) - 3, 4):
                a = greater(a, part[i] if low <= when[i] < high else none[0])
                b = greater(b, part[i + 1] if low <= when[i + 1] < high else none[0])
                c = greater(c, part[i + 2] if low <= when[i + 2] < high else none[0])
                d = greater(d, part[i + 3] if low <= when[i + 3] < high else none[0])
            for i in range(len(part) & ~3, len(part)):
                a = greater(a, part[i] if low <= when[i] < high else none[0])
            greatest[k], greatest[k + 1], greatest[k + 2], greatest[k + 3] = a, b, c, d
