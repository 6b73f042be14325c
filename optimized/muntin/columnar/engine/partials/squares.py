"""What variances are made of: of integers exact sums, of floats means and deviations [Chan83].

Integers: how many, their sum, and the sum of their squares; where these may pass 64 bits, in two
and in four limbs. Floats: how many, the mean, and the sum of the squares of deviations from it.
"""

# An item of an array at an item of another is an array to pyright, so:
# pyright: reportArgumentType=false

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
from muntin.columnar.engine.partials.columns import count_between, part_field
from muntin.columnar.engine.partials.sums import (
    LIMB,
    LOW_BITS,
    add_limbs,
    total_between,
)

BLOCK = 256
WIDE_COLUMNS = 7


@reordered
def int_powers(values: Ints, times: Ints, low: int, high: int) -> tuple[int, int, int]:
    """How many integers lie in an interval, their sum, and that of their squares, in vectors."""
    n = total = squares = 0
    for i in range(len(values)):
        inside = (times[i] >= low) & (times[i] < high)
        value = values[i] if inside else 0
        n += int(inside)
        total += value
        squares += value * value
    return n, total, squares


@PartPhase
def add_int_squares(t: Directory, part: int, to: int, origin: int) -> int:
    """Add integers to counts, sums, and sums of squares."""
    times, values = ints(t, part_field(t, part, d.P_TIME)), ints(t, part_field(t, part, d.P_SOURCE))
    held, sums, squares = ints(t, to), ints(t, to + 1), ints(t, to + 2)
    begins, ends, rows = ints(t, d.ENTRY_BEGIN), ints(t, d.ENTRY_END), ints(t, d.ENTRY_ROW)
    lows, highs, placed = ints(t, d.ENTRY_LOW), ints(t, d.ENTRY_HIGH), ints(t, d.PLACED)
    for e in range(ints(t, d.SCALARS)[d.ENTRIES]):
        begin, end, row = begins[e], ends[e], rows[e]
        if row < 0:
            for i in range(begin, end):
                row, value = placed[i], values[i]
                held[row] += int(times[i] < d.FAR)
                sums[row] += value
                squares[row] += value * value
        else:
            n, a, b = int_powers(values[begin:end], times[begin:end], lows[e], highs[e])
            held[row] += n
            sums[row] += a
            squares[row] += b
    return 0


@outlined
def add_wide_square(t: Directory, to: int, row: int, value: int) -> int:
    """Add an integer to a sum of two limbs, and its square to one of four."""
    add_limbs(ints(t, to + 1), ints(t, to + 2), row, value & LOW_BITS, value >> LIMB)
    lower, upper = value & LOW_BITS, value >> LIMB
    if value < 0:  # of the distance from 0, which may be 2^63, the limbs are not negative
        lower, upper = (-value) & LOW_BITS, (-value) >> LIMB & LOW_BITS
    own, cross, top = lower * lower, lower * upper, upper * upper
    limbs = (
        own & LOW_BITS,
        (own >> LIMB & LOW_BITS) + 2 * (cross & LOW_BITS),
        2 * (cross >> LIMB & LOW_BITS) + (top & LOW_BITS),
        top >> LIMB & LOW_BITS,
    )
    carry = 0
    for k in range(3):
        column = ints(t, to + 3 + k)
        total = column[row] + limbs[k] + carry
        column[row], carry = total & LOW_BITS, total >> LIMB
    ints(t, to + 6)[row] += limbs[3] + carry
    return 0


@PartPhase
def add_wide_squares(t: Directory, part: int, to: int, origin: int) -> int:
    """Add integers to counts, and to sums and sums of squares in limbs."""
    times, values = ints(t, part_field(t, part, d.P_TIME)), ints(t, part_field(t, part, d.P_SOURCE))
    begins, ends, rows = ints(t, d.ENTRY_BEGIN), ints(t, d.ENTRY_END), ints(t, d.ENTRY_ROW)
    lows, highs, placed = ints(t, d.ENTRY_LOW), ints(t, d.ENTRY_HIGH), ints(t, d.PLACED)
    held = ints(t, to)
    for e in range(ints(t, d.SCALARS)[d.ENTRIES]):
        for i in range(begins[e], ends[e]):
            row = rows[e] if rows[e] >= 0 else placed[i]
            if (times[i] >= lows[e]) & (times[i] < highs[e]):
                held[row] += 1
                add_wide_square(t, to, row, values[i])
    return 0


@reordered
def deviation_between(values: Floats, times: Ints, low: int, high: int, mean: float) -> float:
    """The sum of squares of deviations from a mean, in vectors."""
    total = 0.0
    for i in range(len(values)):
        deviation = values[i] - mean
        total += deviation * deviation if (times[i] >= low) & (times[i] < high) else 0.0
    return total


@inlined
def join_spread(
    held: Ints, means: Floats, spreads: Floats, row: int, n: int, mean: float, spread: float
) -> None:
    """Join some values to those of a row, by how many there are, their mean and their spread."""
    before = held[row]
    if before == 0:
        held[row], means[row], spreads[row] = n, mean, spread
        return
    share, deviation = n / (before + n), mean - means[row]
    held[row] = before + n
    means[row] += deviation * share
    spreads[row] += spread + deviation * deviation * share * before


@PartPhase
def add_float_squares(t: Directory, part: int, to: int, origin: int) -> int:
    """Join floats to counts, means and deviations: runs block by block, so few quotients."""
    times = ints(t, part_field(t, part, d.P_TIME))
    values, placed = floats(t, part_field(t, part, d.P_SOURCE)), ints(t, d.PLACED)
    held, means, spreads = ints(t, to), floats(t, to + 1), floats(t, to + 2)
    begins, ends, rows = ints(t, d.ENTRY_BEGIN), ints(t, d.ENTRY_END), ints(t, d.ENTRY_ROW)
    lows, highs = ints(t, d.ENTRY_LOW), ints(t, d.ENTRY_HIGH)
    for e in range(ints(t, d.SCALARS)[d.ENTRIES]):
        low, high, row = lows[e], highs[e], rows[e]
        for begin in range(begins[e], ends[e], BLOCK):
            end = min(begin + BLOCK, ends[e])
            some, moments = values[begin:end], times[begin:end]
            n, total = 0, 0.0
            if row >= 0:
                n = count_between(moments, low, high)
                total = total_between(some, 0.0, moments, low, high)
            if n and total - total == 0:
                spread = deviation_between(some, moments, low, high, total / n)
                join_spread(held, means, spreads, row, n, total / n, spread)
            elif n or row < 0:  # each by itself, also where the sum passes all floats
                for i in range(begin, end):
                    if (times[i] >= low) & (times[i] < high):
                        value, to_row = values[i], row if row >= 0 else placed[i]
                        join_spread(held, means, spreads, to_row, 1, value, value - value)
    return 0


@PartPhase
def merge_float_squares(t: Directory, part: int, to: int, origin: int) -> int:
    """Merge pairs of counts, means and deviations."""
    froms, tos = ints(t, d.MERGE_FROM), ints(t, d.MERGE_TO)
    held, means, spreads = ints(t, to), floats(t, to + 1), floats(t, to + 2)
    others, other_means = ints(t, origin), floats(t, origin + 1)
    other_spreads = floats(t, origin + 2)
    for i in range(ints(t, d.SCALARS)[d.MERGES]):
        row, n = froms[i], others[froms[i]]
        if n:
            join_spread(held, means, spreads, tos[i], n, other_means[row], other_spreads[row])
    return 0
