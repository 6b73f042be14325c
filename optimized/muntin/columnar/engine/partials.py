"""Kernels of partials: add a column to rows of the state, merge and copy rows, fold ranges."""

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.compiling import (
    Floats,
    Ints,
    PartPhase,
    floats,
    inlined,
    ints,
    reordered,
)
from muntin.columnar.engine.directory import Directory


@reordered
def int_total(values: Ints) -> int:
    """The sum of integers, in vectors."""
    total = 0
    for i in range(len(values)):
        total += values[i]
    return total


@reordered
def int_total_between(values: Ints, times: Ints, low: int, high: int) -> int:
    """The sum of the integers whose times lie in an interval, in vectors."""
    total = 0
    for i in range(len(values)):
        total += values[i] if (times[i] >= low) & (times[i] < high) else 0
    return total


@reordered
def float_total(values: Floats) -> float:
    """The sum of floats, in vectors."""
    total = 0.0
    for i in range(len(values)):
        total += values[i]
    return total


@reordered
def float_total_between(values: Floats, times: Ints, low: int, high: int) -> float:
    """The sum of the floats whose times lie in an interval, in vectors."""
    total = 0.0
    for i in range(len(values)):
        total += values[i] if (times[i] >= low) & (times[i] < high) else 0.0
    return total


@inlined
def part_field(t: Directory, part: int, field: int) -> int:
    """A pointer or a place of a part."""
    return ints(t, d.PARTS)[part * d.P_FIELDS + field]


@PartPhase
def add_int_sum(t: Directory, part: int, to: int, origin: int) -> int:
    """Add integers to sums."""
    scalars, times, sums = ints(t, d.SCALARS), ints(t, d.TIMES), ints(t, to)
    values, placed = ints(t, part_field(t, part, d.P_SOURCE)), ints(t, d.PLACED)
    begins, ends, rows = ints(t, d.ENTRY_BEGIN), ints(t, d.ENTRY_END), ints(t, d.ENTRY_ROW)
    lows, highs = ints(t, d.ENTRY_LOW), ints(t, d.ENTRY_HIGH)
    for e in range(scalars[d.ENTRIES]):
        begin, end, row = begins[e], ends[e], rows[e]
        if row < 0:
            for i in range(begin, end):
                sums[placed[i]] += values[i]
        elif lows[e] == -d.FAR:
            sums[row] += int_total(values[begin:end])
        else:
            sums[row] += int_total_between(values[begin:end], times[begin:end], lows[e], highs[e])
    return 0


@PartPhase
def add_float_sum(t: Directory, part: int, to: int, origin: int) -> int:
    """Add floats to sums."""
    scalars, times, sums = ints(t, d.SCALARS), ints(t, d.TIMES), floats(t, to)
    values, placed = floats(t, part_field(t, part, d.P_SOURCE)), ints(t, d.PLACED)
    begins, ends, rows = ints(t, d.ENTRY_BEGIN), ints(t, d.ENTRY_END), ints(t, d.ENTRY_ROW)
    lows, highs = ints(t, d.ENTRY_LOW), ints(t, d.ENTRY_HIGH)
    for e in range(scalars[d.ENTRIES]):
        begin, end, row = begins[e], ends[e], rows[e]
        if row < 0:
            for i in range(begin, end):
                sums[placed[i]] += values[i]
        elif lows[e] == -d.FAR:
            sums[row] += float_total(values[begin:end])
        else:
            sums[row] += float_total_between(values[begin:end], times[begin:end], lows[e], highs[e])
    return 0


@PartPhase
def merge_int_sum(t: Directory, part: int, to: int, origin: int) -> int:
    """Merge pairs of sums."""
    froms, tos, sums, others = ints(t, d.MERGE_FROM), ints(t, d.MERGE_TO), ints(t, to), ints(t, origin)
    for i in range(ints(t, d.SCALARS)[d.MERGES]):
        sums[tos[i]] += others[froms[i]]
    return 0


@PartPhase
def merge_float_sum(t: Directory, part: int, to: int, origin: int) -> int:
    """Merge pairs of sums."""
    froms, tos = ints(t, d.MERGE_FROM), ints(t, d.MERGE_TO)
    sums, others = floats(t, to), floats(t, origin)
    for i in range(ints(t, d.SCALARS)[d.MERGES]):
        sums[tos[i]] += others[froms[i]]
    return 0


@PartPhase
def copy_int(t: Directory, part: int, to: int, origin: int) -> int:
    """Copy integers of rows to other rows."""
    froms, tos, column, others = ints(t, d.COPY_FROM), ints(t, d.COPY_TO), ints(t, to), ints(t, origin)
    for i in range(ints(t, d.SCALARS)[d.COPIES]):
        column[tos[i]] = others[froms[i]]
    return 0


@PartPhase
def copy_float(t: Directory, part: int, to: int, origin: int) -> int:
    """Copy floats of rows to other rows."""
    froms, tos = ints(t, d.COPY_FROM), ints(t, d.COPY_TO)
    column, others = floats(t, to), floats(t, origin)
    for i in range(ints(t, d.SCALARS)[d.COPIES]):
        column[tos[i]] = others[froms[i]]
    return 0


@PartPhase
def prefix_int_sum(t: Directory, part: int, first: int, last: int) -> int:
    """Sum the lanes of slices up; a wrap undoes itself."""
    prefix, sums = ints(t, part_field(t, part, d.P_TREE)), ints(t, part_field(t, part, d.P_CELLS))
    units = ints(t, d.UNIT)
    for s in range(first, last):
        row = 4 * units[s]
        prefix[s + 1] = prefix[s] + sums[row] + sums[row + 1] + sums[row + 2] + sums[row + 3]
    return 0


@PartPhase
def range_int_sum(t: Directory, part: int, first: int, last: int) -> int:
    """Subtract prefixes: the sums of windows that are due."""
    prefix, out = ints(t, part_field(t, part, d.P_TREE)), ints(t, part_field(t, part, d.P_OUT))
    lows, highs = ints(t, d.DUE_LOW), ints(t, d.DUE_HIGH)
    for row in range(first, last):
        out[row] = prefix[highs[row]] - prefix[lows[row]]
    return 0
