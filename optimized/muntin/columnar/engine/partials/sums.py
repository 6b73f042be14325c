"""Sums: of integers, of integers in two limbs, and of floats. A null counts as 0.

A limb holds 32 bits of each term, the last one all that is left, so that the sums of limbs are
plain sums of integers: they are merged and subtracted as those, and carried when they are added to.
"""

from typing import TypeVar

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import (
    Floats,
    Ints,
    PartPhase,
    floats,
    inlined,
    ints,
    outlined,
    reordered,
)
from muntin.columnar.engine.partials.columns import part_field
from muntin.columnar.engine.timeline import U

Column = TypeVar("Column", Ints, Floats)
LIMB = 32
LOW_BITS = (1 << LIMB) - 1


@reordered
def limb_totals(values: Ints, times: Ints, low: int, high: int) -> tuple[int, int]:
    """The sums of the limbs of the integers whose times lie in an interval."""
    lower = upper = 0
    for i in range(len(values)):
        value = values[i] if (times[i] >= low) & (times[i] < high) else 0
        lower += value & LOW_BITS
        upper += value >> LIMB
    return lower, upper


@reordered
def total(values: Column, zero: float) -> float:
    """The sum of values, in vectors."""
    result = zero
    for i in range(len(values)):
        result += values[i]
    return result


@reordered
def total_between(values: Column, zero: float, times: Ints, low: int, high: int) -> float:
    """The sum of the values whose times lie in an interval, in vectors."""
    result = zero
    for i in range(len(values)):
        result += values[i] if (times[i] >= low) & (times[i] < high) else zero
    return result


@outlined
def add_values(t: Directory, values: Column, sums: Column, zero: float) -> int:
    """Add the values of a batch to the rows where they were placed."""
    times, placed = ints(t, d.TIMES), ints(t, d.PLACED)
    begins, ends, rows = ints(t, d.ENTRY_BEGIN), ints(t, d.ENTRY_END), ints(t, d.ENTRY_ROW)
    lows, highs = ints(t, d.ENTRY_LOW), ints(t, d.ENTRY_HIGH)
    for e in range(ints(t, d.SCALARS)[d.ENTRIES]):
        begin, end, row = begins[e], ends[e], rows[e]
        run, low = values[begin:end], lows[e]
        if row < 0:
            for i in range(begin, end):
                sums[U(placed[U(i)])] += values[U(i)]
        elif low == -d.FAR:
            sums[row] += total(run, zero)
        else:
            sums[row] += total_between(run, zero, times[begin:end], low, highs[e])
    return 0


@PartPhase
def add_int_sum(t: Directory, part: int, to: int, origin: int) -> int:
    """Add integers to sums."""
    return add_values(t, ints(t, part_field(t, part, d.P_SOURCE)), ints(t, to), 0)


@PartPhase
def add_float_sum(t: Directory, part: int, to: int, origin: int) -> int:
    """Add floats to sums."""
    return add_values(t, floats(t, part_field(t, part, d.P_SOURCE)), floats(t, to), 0.0)


@inlined
def add_limbs(lower: Ints, upper: Ints, row: int, low: int, high: int) -> None:
    """Add the sums of limbs to a row, and carry."""
    low += lower[row]
    lower[row] = low & LOW_BITS
    upper[row] += high + (low >> LIMB)


@PartPhase
def add_wide_sum(t: Directory, part: int, to: int, origin: int) -> int:
    """Add integers to sums in two limbs."""
    times, lower, upper, placed = ints(t, d.TIMES), ints(t, to), ints(t, to + 1), ints(t, d.PLACED)
    values = ints(t, part_field(t, part, d.P_SOURCE))
    begins, ends, rows = ints(t, d.ENTRY_BEGIN), ints(t, d.ENTRY_END), ints(t, d.ENTRY_ROW)
    lows, highs = ints(t, d.ENTRY_LOW), ints(t, d.ENTRY_HIGH)
    for e in range(ints(t, d.SCALARS)[d.ENTRIES]):
        begin, end, row = begins[e], ends[e], rows[e]
        if row < 0:
            for i in range(begin, end):
                add_limbs(lower, upper, placed[i], values[i] & LOW_BITS, values[i] >> LIMB)
        else:
            low, high = limb_totals(values[begin:end], times[begin:end], lows[e], highs[e])
            add_limbs(lower, upper, row, low, high)
    return 0


@PartPhase
def merge_float_sum(t: Directory, part: int, to: int, origin: int) -> int:
    """Merge pairs of sums."""
    froms, tos = ints(t, d.MERGE_FROM), ints(t, d.MERGE_TO)
    sums, others = floats(t, to), floats(t, origin)
    for i in range(ints(t, d.SCALARS)[d.MERGES]):
        sums[tos[i]] += others[froms[i]]
    return 0
