"""How many B-trees there are, counted without building any."""

from collections import Counter

Sizes = Counter[int]
"""For each number of keys, how many trees have it."""


def joined(some: Sizes, others: Sizes) -> Sizes:
    """Count the pairs of trees, by the keys of both."""
    sizes: Sizes = Counter()
    for few, trees in some.items():
        for more, again in others.items():
            sizes[few + more] += trees * again
    return sizes


def nodes_over(below: Sizes, least: int, most: int) -> Sizes:
    """Count the trees whose root has from `least` to `most` of these as its children."""
    sizes: Sizes = Counter()
    rows: Sizes = Counter({0: 1})
    for arity in range(1, most + 1):
        rows = joined(rows, below)
        if arity >= least:
            sizes.update({keys + arity - 1: trees for keys, trees in rows.items()})
    return sizes


def b_trees(min_arity: int, most_keys: int) -> int:
    """Return how many shapes the size invariant allows with at most so many keys (S2, S3).

    >>> [b_trees(2, keys) for keys in (3, 6, 10, 14, 20)]
    [5, 16, 113, 846, 21758]
    """
    total = min(most_keys, 2 * min_arity - 1) + 1
    below: Sizes = Counter(range(min_arity - 1, 2 * min_arity))
    while below:
        roots = nodes_over(below, 2, 2 * min_arity)
        total += sum(trees for keys, trees in roots.items() if keys <= most_keys)
        below = nodes_over(below, min_arity, 2 * min_arity)
        below = Counter({keys: n for keys, n in below.items() if keys <= most_keys})
    return total
