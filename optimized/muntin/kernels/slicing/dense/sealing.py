"""Kernels that seal slices when the watermark has passed them, and fold ranges of them."""

from muntin.kernels.compiler.jit import kernel
from muntin.kernels.slicing.arrays import Column, Ints
from muntin.kernels.slicing.dense.placing import Numbers


@kernel
def freshen(counts: Ints, sealed: Ints, fresh: Ints, first: int, last: int) -> int:
    """Sum up how many events have come to sealed slices; return the first slice that has any."""
    found = last
    fresh[first] = 0
    for at in range(first, last):
        held = counts[4 * at] + counts[4 * at + 1] + counts[4 * at + 2] + counts[4 * at + 3]
        more = held - (sealed[at + 1] - sealed[at])
        if more and found == last:
            found = at
        fresh[at + 1] = fresh[at] + more
    return found


@kernel
def prefix(copies: Numbers, sums: Numbers, first: int, last: int) -> None:
    """Sum up slices from one on; only for integers, whose prefixes may be subtracted."""
    for at in range(first, last):
        whole = copies[4 * at] + copies[4 * at + 1] + copies[4 * at + 2] + copies[4 * at + 3]
        sums[at + 1] = sums[at] + whole


@kernel
def plant_sums(copies: Column, tree: Column, half: int, first: int, last: int) -> None:
    """Set leaves of a flat tree of sums, and the nodes above them."""
    for at in range(first, last):
        tree[half + at] = (copies[4 * at] + copies[4 * at + 1]) + (
            copies[4 * at + 2] + copies[4 * at + 3]
        )
    low, high = (half + first) >> 1, (half + last - 1) >> 1
    while low >= 1:
        for node in range(low, high + 1):
            tree[node] = tree[2 * node] + tree[2 * node + 1]
        low, high = low >> 1, high >> 1


@kernel
def fold_sums(tree: Column, half: int, lo: Ints, hi: Ints, out: Column) -> None:
    """Fold ranges of slices; where no node is due, the identity is read, which is at place 0."""
    for i in range(len(lo)):
        low, high, left, right = lo[i] + half, hi[i] + half, tree[0], tree[0]
        while low < high:
            left += tree[low * (low & 1)]
            right += tree[(high - 1) * (high & 1)]
            low, high = (low + 1) >> 1, high >> 1
        out[i] = left + right
