"""Folds of windows over a column that is in order: Two-Stacks, as a scan.

Windows are given by places that never fall, so that each value joins a prefix once and a suffix
once: at most 2 combines a value and 1 a window, as van Herk's algorithm has it for equal sizes.
"""

from muntin.kernels.compiler.kernel_api import A, Column, Ints, combine, kernel, load_one, store_one


@kernel
def fold_windows(
    values: Column[A], bounds: tuple[Ints, Ints], out: Column[A], suffix: Column[A]
) -> None:
    """Fold values[first:last] for each pair of bounds; of an empty one nothing is written."""
    firsts, lasts = bounds
    cut = back = 0  # suffix folds are of values before the cut, the total of those from there on
    total = load_one(suffix, 0)
    for k in range(len(firsts)):
        first, last = firsts[k], lasts[k]
        if first >= cut and first < last:
            cut = back = last
            total = load_one(values, last - 1)
            store_one(suffix, last - 1, total)
            for at in range(last - 2, first - 1, -1):
                total = combine(load_one(values, at), total)
                store_one(suffix, at, total)
        while back < last:
            value = load_one(values, back)
            total = combine(total, value) if back > cut else value
            back += 1
        if first < last:
            answer = load_one(suffix, first)
            store_one(out, k, combine(answer, total) if back > cut else answer)
