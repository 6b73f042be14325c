"""Kernels over whole columns of partials: lift and lower, combine, fold ranges, scan windows.

Sources for `muntin.kernels.compiler.specialization`.
"""

from muntin.kernels.compiler.kernel_api import (
    A,
    Column,
    Columns,
    Ints,
    combine,
    kernel,
    lift_at,
    load_one,
    lower_at,
    store_one,
)


@kernel
def lift_all(columns: Columns, out: Column[tuple[float, ...]]) -> None:
    """Lift each row."""
    for at in range(len(out)):
        store_one(out, at, lift_at(columns, at))


@kernel
def lower_all(partials: Column[tuple[float, ...]], columns: Columns) -> None:
    """Lower each partial."""
    for at in range(len(partials)):
        lower_at(columns, at, load_one(partials, at))


@kernel
def combine_each(left: Column[A], right: Column[A], out: Column[A]) -> None:
    """Combine the partials of each row."""
    for at in range(len(out)):
        store_one(out, at, combine(load_one(left, at), load_one(right, at)))


@kernel
def fold_each(values: Column[A], firsts: Ints, lasts: Ints, out: Column[A]) -> None:
    """Fold each range; of an empty one nothing is written."""
    for k in range(len(firsts)):
        if firsts[k] < lasts[k]:
            total = load_one(values, firsts[k])
            for at in range(firsts[k] + 1, lasts[k]):
                total = combine(total, load_one(values, at))
            store_one(out, k, total)


@kernel
def fold_windows(
    values: Column[A], bounds: tuple[Ints, Ints], out: Column[A], suffix: Column[A]
) -> None:
    """Fold values[first:last] for each pair of bounds; nothing is written for an empty one.

    Two-Stacks as a scan: positions never fall, so each value joins a prefix once and a suffix once,
    at most 2 combines a value and 1 a window, as in van Herk's algorithm for equal sizes.
    """
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
