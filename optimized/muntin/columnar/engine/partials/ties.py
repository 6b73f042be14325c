"""The least or the greatest value, and how many values are as good; integers or floats."""

# An item of an array at an item of another is an array to pyright, so:
# pyright: reportArgumentType=false

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import Ints, PartPhase, inlined, ints, words
from muntin.columnar.engine.partials.columns import part_field
from muntin.columnar.engine.partials.extremes import MOST, rank_of


@inlined
def join_ties(bests: Ints, ties: Ints, row: int, word: int, n: int, fold: int, flip: int) -> None:
    """Join a value that came n times to what a row has."""
    rank, held = rank_of(word, fold, flip), rank_of(bests[row], fold, flip)
    if ties[row] == 0 or rank > held:
        bests[row], ties[row] = word, n
    elif rank == held:
        ties[row] += n


@PartPhase
def add_ties(t: Directory, part: int, to: int, origin: int) -> int:
    """Keep the best of each row and of the values that come to it, and count it."""
    times, values = (
        ints(t, part_field(t, part, d.P_TIME)),
        words(t, part_field(t, part, d.P_SOURCE)),
    )
    bests, ties, flags = words(t, to), ints(t, to + 1), part_field(t, part, d.P_FLAGS)
    fold, flip = MOST if flags & d.REAL else 0, 0 if flags & d.UPWARD else -1
    begins, ends, rows = ints(t, d.ENTRY_BEGIN), ints(t, d.ENTRY_END), ints(t, d.ENTRY_ROW)
    lows, highs, placed = ints(t, d.ENTRY_LOW), ints(t, d.ENTRY_HIGH), ints(t, d.PLACED)
    for e in range(ints(t, d.SCALARS)[d.ENTRIES]):
        for i in range(begins[e], ends[e]):
            if (times[i] >= lows[e]) & (times[i] < highs[e]):
                row = rows[e] if rows[e] >= 0 else placed[i]
                join_ties(bests, ties, row, values[i], 1, fold, flip)
    return 0


@PartPhase
def merge_ties(t: Directory, part: int, to: int, origin: int) -> int:
    """Keep the best of both rows of each pair."""
    froms, tos, flags = ints(t, d.MERGE_FROM), ints(t, d.MERGE_TO), part_field(t, part, d.P_FLAGS)
    bests, ties, others, counts = (
        words(t, to),
        ints(t, to + 1),
        words(t, origin),
        ints(t, origin + 1),
    )
    fold, flip = MOST if flags & d.REAL else 0, 0 if flags & d.UPWARD else -1
    for i in range(ints(t, d.SCALARS)[d.MERGES]):
        if counts[froms[i]]:
            join_ties(bests, ties, tos[i], others[froms[i]], counts[froms[i]], fold, flip)
    return 0
