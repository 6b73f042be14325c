"""The least and the greatest value, integers or floats, by one kernel.

Values are compared as integers: the bits of floats are put into the order of their values, NaN last
and both zeros as one, and for the least value all bits are inverted. Both are undone to store a
value.
"""

# An item of an array at an item of another is an array to pyright, so:
# pyright: reportArgumentType=false

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import Ints, PartPhase, inlined, ints, reordered, words
from muntin.columnar.engine.partials.columns import part_field

MOST = (1 << 63) - 1
LEAST = -MOST - 1
INFINITY_BITS = 0x7FF << 52
NAN_BITS = INFINITY_BITS + (1 << 51)


@inlined
def rank_of(word: int, fold: int, flip: int) -> int:
    """What a value is compared by: `fold` is 0 for integers, MOST for floats; `flip` is 0 or -1."""
    if fold:
        word = NAN_BITS if word & fold > INFINITY_BITS else word if word & fold else 0
    return word ^ (word >> 63 & fold) ^ flip


@inlined
def word_of(rank: int, fold: int, flip: int) -> int:
    """The value that has a rank."""
    rank ^= flip
    return rank ^ (rank >> 63 & fold)


@reordered
def best_between(
    values: Ints, times: Ints, low: int, high: int, fold: int, flip: int, best: int
) -> int:
    """The best of a rank and the ranks of the values whose times lie in an interval, in vectors."""
    for i in range(len(values)):
        rank = rank_of(values[i], fold, flip)
        rank = rank if (times[i] >= low) & (times[i] < high) else LEAST
        best = max(best, rank)
    return best


@PartPhase
def add_extreme(t: Directory, part: int, to: int, origin: int) -> int:
    """Keep the best of each row and of the values that come to it."""
    times, bests = ints(t, part_field(t, part, d.P_TIME)), words(t, to)
    values, flags = words(t, part_field(t, part, d.P_SOURCE)), part_field(t, part, d.P_FLAGS)
    fold, flip = MOST if flags & d.REAL else 0, 0 if flags & d.UPWARD else -1
    begins, ends, rows = ints(t, d.ENTRY_BEGIN), ints(t, d.ENTRY_END), ints(t, d.ENTRY_ROW)
    lows, highs, placed = ints(t, d.ENTRY_LOW), ints(t, d.ENTRY_HIGH), ints(t, d.PLACED)
    for e in range(ints(t, d.SCALARS)[d.ENTRIES]):
        begin, end, row = begins[e], ends[e], rows[e]
        if row >= 0:
            best = rank_of(bests[row], fold, flip)
            some, moments = values[begin:end], times[begin:end]
            best = best_between(some, moments, lows[e], highs[e], fold, flip, best)
            bests[row] = word_of(best, fold, flip)
        else:
            for i in range(begin, end):
                rank = rank_of(values[i], fold, flip)
                if (times[i] < d.FAR) & (rank > rank_of(bests[placed[i]], fold, flip)):
                    bests[placed[i]] = word_of(rank, fold, flip)
    return 0


@PartPhase
def merge_extreme(t: Directory, part: int, to: int, origin: int) -> int:
    """Keep the best of both rows of each pair."""
    froms, tos, bests, others = (
        ints(t, d.MERGE_FROM),
        ints(t, d.MERGE_TO),
        words(t, to),
        words(t, origin),
    )
    flags = part_field(t, part, d.P_FLAGS)
    fold, flip = MOST if flags & d.REAL else 0, 0 if flags & d.UPWARD else -1
    for i in range(ints(t, d.SCALARS)[d.MERGES]):
        word = others[froms[i]]
        if rank_of(word, fold, flip) > rank_of(bests[tos[i]], fold, flip):
            bests[tos[i]] = word
    return 0
