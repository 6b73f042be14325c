"""Combines of whole columns of partials, and folds of ranges of one, from left to right."""

from muntin.kernels.compiler.kernel_api import A, Column, Ints, combine, kernel, load_one, store_one


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
