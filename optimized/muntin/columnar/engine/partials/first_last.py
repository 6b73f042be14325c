"""The first and the last value, with their times, by one kernel; of any type.

Of two equal times the first that came is first, and the last that came is last: all of a cell lies
in one row, and values come to it as they arrive.
"""

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import Ints, PartPhase, inlined, ints, reordered, words
from muntin.columnar.engine.partials.columns import part_field


@reordered
def latest_between(times: Ints, low: int, high: int, flip: int) -> int:
    """The latest time in an interval, or the earliest with all bits inverted, in vectors."""
    best = -d.FAR - 1
    for i in range(len(times)):
        time = times[i] ^ flip if (times[i] >= low) & (times[i] < high) else -d.FAR - 1
        best = max(best, time)
    return best


@inlined
def place_between(times: Ints, begin: int, end: int, time: int, flip: int) -> int:
    """Where a time comes first, or where it comes last if `flip` is 0."""
    step = 1 if flip else -1
    i = begin if flip else end - 1
    while times[i] != time:
        i += step
    return i


@PartPhase
def add_first_last(t: Directory, part: int, to: int, origin: int) -> int:
    """Keep the time that is farther out, and its value."""
    times, values = (
        ints(t, part_field(t, part, d.P_TIME)),
        words(t, part_field(t, part, d.P_SOURCE)),
    )
    moments, kept = ints(t, to), words(t, to + 1)
    tie = part_field(t, part, d.P_FLAGS) & d.UPWARD
    flip = tie - 1
    begins, ends, rows = ints(t, d.ENTRY_BEGIN), ints(t, d.ENTRY_END), ints(t, d.ENTRY_ROW)
    lows, highs, placed = ints(t, d.ENTRY_LOW), ints(t, d.ENTRY_HIGH), ints(t, d.PLACED)
    for e in range(ints(t, d.SCALARS)[d.ENTRIES]):
        begin, end, row = begins[e], ends[e], rows[e]
        if row >= 0:
            best = latest_between(times[begin:end], lows[e], highs[e], flip)
            if best > -d.FAR - 1 and best + tie > moments[row] ^ flip:
                at = place_between(times, begin, end, best ^ flip, flip)
                moments[row], kept[row] = times[at], values[at]
        else:
            for i in range(begin, end):
                row = placed[i]
                if (times[i] < d.FAR) & ((times[i] ^ flip) + tie > moments[row] ^ flip):
                    moments[row], kept[row] = times[i], values[i]
    return 0


@PartPhase
def merge_first_last(t: Directory, part: int, to: int, origin: int) -> int:
    """Keep what is farther out; of equal times, what the origin has came first.

    Rows of equal times are those of two sessions that merge: what the target has of such a time
    came after the origin was closed, or it would lie there.
    """
    froms, tos, moments, kept = (
        ints(t, d.MERGE_FROM),
        ints(t, d.MERGE_TO),
        ints(t, to),
        words(t, to + 1),
    )
    others, values = ints(t, origin), words(t, origin + 1)
    tie = part_field(t, part, d.P_FLAGS) & d.UPWARD
    flip = tie - 1
    for i in range(ints(t, d.SCALARS)[d.MERGES]):
        row, origin_row = tos[i], froms[i]
        if (others[origin_row] ^ flip) + 1 - tie > moments[row] ^ flip:
            moments[row], kept[row] = others[origin_row], values[origin_row]
    return 0
