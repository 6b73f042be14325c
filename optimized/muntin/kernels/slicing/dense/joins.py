"""Kernels for partials of several numbers, whatever joins them: of slices, cells, and ranges.

Events are taken one by one, in the order in which they came: of two that are as good the first one
stays. A source for `muntin.kernels.compiler.specialization`.
"""

from muntin.kernels.compiler.kernel_api import A, Column, Ints, combine, kernel, load_one, store_one


@kernel
def take_each(found: Ints, values: Column[A], partials: Column[A]) -> None:
    """Join the partials of events to those of slices, or of cells."""
    for i in range(len(found)):
        at = int(found[i])
        store_one(partials, at, combine(load_one(partials, at), load_one(values, i)))


@kernel
def plant(  # noqa: PLR0913, PLR0917 - each argument of a kernel is a number or an array
    copies: Column[A], copied: int, tree: Column[A], half: int, first: int, last: int
) -> None:
    """Set leaves of a flat tree, each of which has so many copies, and the nodes above them."""
    for at in range(first, last):
        leaf = load_one(copies, copied * at)
        for k in range(1, copied):
            leaf = combine(leaf, load_one(copies, copied * at + k))
        store_one(tree, half + at, leaf)
    low, high = (half + first) >> 1, (half + last - 1) >> 1
    while low >= 1:
        for node in range(low, high + 1):
            store_one(tree, node, combine(load_one(tree, 2 * node), load_one(tree, 2 * node + 1)))
        low, high = low >> 1, high >> 1


@kernel
def fold(tree: Column[A], half: int, lo: Ints, hi: Ints, out: Column[A]) -> None:
    """Fold ranges of slices; where no node is due, the identity is read, which is at place 0."""
    for i in range(len(lo)):
        low, high = int(lo[i]) + half, int(hi[i]) + half
        left, right = load_one(tree, 0), load_one(tree, 0)
        while low < high:
            left = combine(left, load_one(tree, low * (low & 1)))
            right = combine(load_one(tree, (high - 1) * (high & 1)), right)
            low, high = (low + 1) >> 1, high >> 1
        store_one(out, i, combine(left, right))
