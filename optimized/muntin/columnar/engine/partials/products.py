"""Products of numbers, as one from 1 to 2 and a power of two, so that none passes all floats.

Each factor is rounded once, and the root of a product of n has the n-th part of its error.
"""

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import (
    Floats,
    Ints,
    PartPhase,
    floats,
    inlined,
    ints,
    words,
)
from muntin.columnar.engine.partials.columns import part_field

MANTISSA = (1 << 52) - 1
BIAS = 1023
FAR_POWER = 1000
HUGE, TINY = 2.0**FAR_POWER, 2.0**-FAR_POWER


@inlined
def join_product(
    products: Floats, bits: Ints, powers: Ints, row: int, factor: float, power: int
) -> None:
    """Multiply what a row has by a number; `bits` are those of the products."""
    if factor < TINY:
        factor, power = factor * HUGE, power - FAR_POWER
    elif factor > HUGE:
        factor, power = factor * TINY, power + FAR_POWER
    products[row] *= factor
    word = bits[row]
    powers[row] += power + (word >> 52) - BIAS
    bits[row] = word & MANTISSA | BIAS << 52


@PartPhase
def add_product(t: Directory, part: int, to: int, origin: int) -> int:
    """Count values, those that are not finite, and zeros; multiply the others."""
    times, values = (
        ints(t, part_field(t, part, d.P_TIME)),
        floats(t, part_field(t, part, d.P_SOURCE)),
    )
    held, odd, zeros = ints(t, to), ints(t, to + 1), ints(t, to + 2)
    products, bits, powers = floats(t, to + 3), words(t, to + 3), ints(t, to + 4)
    placed = ints(t, d.PLACED)
    begins, ends, rows = ints(t, d.ENTRY_BEGIN), ints(t, d.ENTRY_END), ints(t, d.ENTRY_ROW)
    lows, highs = ints(t, d.ENTRY_LOW), ints(t, d.ENTRY_HIGH)
    for e in range(ints(t, d.SCALARS)[d.ENTRIES]):
        for i in range(begins[e], ends[e]):
            if (times[i] < lows[e]) | (times[i] >= highs[e]):
                continue
            row, value = rows[e] if rows[e] >= 0 else placed[i], values[i]
            held[row] += 1
            if value - value != 0:
                odd[row] += 1
            elif value == 0:
                zeros[row] += 1
            else:
                join_product(products, bits, powers, row, value, 0)
    return 0


@PartPhase
def merge_products(t: Directory, part: int, to: int, origin: int) -> int:
    """Merge pairs of rows."""
    froms, tos = ints(t, d.MERGE_FROM), ints(t, d.MERGE_TO)
    products, bits, powers = floats(t, to + 3), words(t, to + 3), ints(t, to + 4)
    others, more = floats(t, origin + 3), ints(t, origin + 4)
    merges = ints(t, d.SCALARS)[d.MERGES]
    for column in range(3):
        target, source = ints(t, to + column), ints(t, origin + column)
        for i in range(merges):
            target[tos[i]] += source[froms[i]]
    for i in range(merges):
        factor, power = float(others[froms[i]]), int(more[froms[i]])
        join_product(products, bits, powers, tos[i], factor, power)
    return 0
