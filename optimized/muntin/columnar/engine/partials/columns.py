"""What many partials share: copies of rows, sums of integers and their prefixes, counts."""

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import (
    Ints,
    PartPhase,
    inlined,
    ints,
    outlined,
    reordered,
)
from muntin.columnar.engine.timeline import U


@inlined
def part_field(t: Directory, part: int, field: int) -> int:
    """A pointer or a place of a part."""
    return ints(t, d.PARTS)[part * d.P_FIELDS + field]


@PartPhase
def copy_columns(t: Directory, part: int, to: int, origin: int) -> int:
    """Copy rows to other rows, of whatever type."""
    froms, tos, n = ints(t, d.COPY_FROM), ints(t, d.COPY_TO), ints(t, d.SCALARS)[d.COPIES]
    for column in range(part_field(t, part, d.P_COLUMNS)):
        target, source = ints(t, to + column), ints(t, origin + column)
        if n and ints(t, d.SCALARS)[d.ADJACENT]:
            copy_range(target[tos[0] : tos[0] + n], source[froms[0] : froms[0] + n])
        else:
            for i in range(n):
                target[U(tos[i])] = source[U(froms[i])]
    return 0


@outlined
def copy_range(target: Ints, source: Ints) -> int:
    """Copy rows that lie together."""
    for i in range(len(target)):
        target[i] = source[i]
    return 0


@outlined
def add_range(target: Ints, source: Ints) -> int:
    """Add rows that lie together."""
    for i in range(len(target)):
        target[i] += source[i]
    return 0


@PartPhase
def merge_int_sums(t: Directory, part: int, to: int, origin: int) -> int:
    """Merge pairs of rows of integers, by addition."""
    froms, tos, n = ints(t, d.MERGE_FROM), ints(t, d.MERGE_TO), ints(t, d.SCALARS)[d.MERGES]
    for column in range(part_field(t, part, d.P_COLUMNS)):
        target, source = ints(t, to + column), ints(t, origin + column)
        if n and ints(t, d.SCALARS)[d.ADJACENT]:
            add_range(target[tos[0] : tos[0] + n], source[froms[0] : froms[0] + n])
        else:
            for i in range(n):
                target[U(tos[i])] += source[U(froms[i])]
    return 0


@PartPhase
def prefix_int_sums(t: Directory, part: int, first: int, last: int) -> int:
    """Sum the lanes of slices up; a wrap undoes itself."""
    units, cells = ints(t, d.UNIT), part_field(t, part, d.P_CELLS)
    for column in range(part_field(t, part, d.P_COLUMNS)):
        prefix, sums = ints(t, part_field(t, part, d.P_TREE) + column), ints(t, cells + column)
        for s in range(first, last):
            row = 4 * units[s]
            prefix[s + 1] = prefix[s] + sums[row] + sums[row + 1] + sums[row + 2] + sums[row + 3]
    return 0


@PartPhase
def range_int_sums(t: Directory, part: int, first: int, last: int) -> int:
    """Subtract prefixes: the sums of windows that are due."""
    lows, highs, out = ints(t, d.DUE_LOW), ints(t, d.DUE_HIGH), part_field(t, part, d.P_OUT)
    for column in range(part_field(t, part, d.P_COLUMNS)):
        prefix, sums = ints(t, part_field(t, part, d.P_TREE) + column), ints(t, out + column)
        for row in range(first, last):
            sums[row] = prefix[highs[row]] - prefix[lows[row]]
    return 0


@reordered
def count_between(times: Ints, low: int, high: int) -> int:
    """How many times lie in an interval."""
    n = 0
    for i in range(len(times)):
        n += int((times[i] >= low) & (times[i] < high))
    return n


@PartPhase
def add_count(t: Directory, part: int, to: int, origin: int) -> int:
    """Count the rows that have a value."""
    times, counts, placed = ints(t, part_field(t, part, d.P_TIME)), ints(t, to), ints(t, d.PLACED)
    begins, ends, rows = ints(t, d.ENTRY_BEGIN), ints(t, d.ENTRY_END), ints(t, d.ENTRY_ROW)
    lows, highs = ints(t, d.ENTRY_LOW), ints(t, d.ENTRY_HIGH)
    for e in range(ints(t, d.SCALARS)[d.ENTRIES]):
        begin, end, row = begins[e], ends[e], rows[e]
        if row < 0:
            for i in range(begin, end):
                counts[placed[i]] += int(times[i] < d.FAR)
        else:
            counts[row] += count_between(times[begin:end], lows[e], highs[e])
    return 0
