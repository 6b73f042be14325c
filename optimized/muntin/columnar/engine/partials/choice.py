"""Arg-min and arg-max: the best value, what it brings, and its time; ties go to the earliest.

The time of a row that brings a null is put away, farther from 0 than any time of an event.
"""

# An item of an array at an item of another is an array to pyright, so:
# pyright: reportArgumentType=false

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import PartPhase, inlined, ints, words
from muntin.columnar.engine.partials.columns import part_field
from muntin.columnar.engine.partials.extremes import LEAST, MOST, best_between, rank_of

AWAY = d.FAR + 1


@inlined
def moment_of(time: int) -> int:
    """The time of a row, if it was put away too."""
    if time > d.FAR:
        return time - AWAY
    return time + AWAY if time < -d.FAR else time


@inlined
def is_chosen(rank: int, time: int, held: int, held_time: int) -> bool:
    """Whether a value is chosen before the one that a row has."""
    if time == d.FAR:
        return False
    if held_time == d.FAR:
        return True
    if rank == held:
        return moment_of(time) < moment_of(held_time)
    return rank > held


@PartPhase
def add_choice(t: Directory, part: int, to: int, origin: int) -> int:
    """Keep the best value of each row and of those that come to it, with what it brings."""
    moments, times = ints(t, d.TIMES), ints(t, part_field(t, part, d.P_TIME))
    values, brought = (
        words(t, part_field(t, part, d.P_SOURCE)),
        words(t, part_field(t, part, d.P_SECOND)),
    )
    keys, payloads, stamps = words(t, to), words(t, to + 1), ints(t, to + 2)
    flags = part_field(t, part, d.P_FLAGS)
    fold, flip = MOST if flags & d.REAL else 0, 0 if flags & d.UPWARD else -1
    begins, ends, rows = ints(t, d.ENTRY_BEGIN), ints(t, d.ENTRY_END), ints(t, d.ENTRY_ROW)
    lows, highs, placed = ints(t, d.ENTRY_LOW), ints(t, d.ENTRY_HIGH), ints(t, d.PLACED)
    for e in range(ints(t, d.SCALARS)[d.ENTRIES]):
        begin, end, row = begins[e], ends[e], rows[e]
        if row >= 0 and stamps[row] != d.FAR:
            held = rank_of(keys[row], fold, flip)
            some, its = values[begin:end], moments[begin:end]
            if best_between(some, its, lows[e], highs[e], fold, flip, LEAST) < held:
                continue
        for i in range(begin, end):
            if (moments[i] < lows[e]) | (moments[i] >= highs[e]):
                continue
            at = row if row >= 0 else placed[i]
            rank, held = rank_of(values[i], fold, flip), rank_of(keys[at], fold, flip)
            if is_chosen(rank, times[i], held, stamps[at]):
                keys[at], payloads[at], stamps[at] = values[i], brought[i], times[i]
    return 0


@PartPhase
def merge_choice(t: Directory, part: int, to: int, origin: int) -> int:
    """Keep what is chosen of both rows of each pair; of equals, what the origin has came first."""
    froms, tos, flags = ints(t, d.MERGE_FROM), ints(t, d.MERGE_TO), part_field(t, part, d.P_FLAGS)
    keys, payloads, stamps = words(t, to), words(t, to + 1), ints(t, to + 2)
    others, brought, times = words(t, origin), words(t, origin + 1), ints(t, origin + 2)
    fold, flip = MOST if flags & d.REAL else 0, 0 if flags & d.UPWARD else -1
    for i in range(ints(t, d.SCALARS)[d.MERGES]):
        row, origin_row = tos[i], froms[i]
        rank, held = rank_of(others[origin_row], fold, flip), rank_of(keys[row], fold, flip)
        if not is_chosen(held, stamps[row], rank, times[origin_row]):
            keys[row], payloads[row] = others[origin_row], brought[origin_row]
            stamps[row] = times[origin_row]
    return 0
