"""The shapes of B-trees, enumerated, and their number, counted without enumeration."""

from collections import Counter
from collections.abc import Iterator

from exhaustive.states.constructed_states import Shape

Sizes = Counter[int]
"""The number of trees for each number of keys."""


def pair_sizes(left: Sizes, right: Sizes) -> Sizes:
    """The number of pairs of trees, by the keys of both."""
    sizes: Sizes = Counter()
    for keys, trees in left.items():
        for other_keys, other_trees in right.items():
            sizes[keys + other_keys] += trees * other_trees
    return sizes


def tree_sizes_over(below: Sizes, least: int, most: int) -> Sizes:
    """The number of trees whose root has from `least` to `most` of these as its children."""
    sizes: Sizes = Counter()
    rows: Sizes = Counter({0: 1})
    for arity in range(1, most + 1):
        rows = pair_sizes(rows, below)
        if arity >= least:
            sizes.update({keys + arity - 1: trees for keys, trees in rows.items()})
    return sizes


def shape_count(min_arity: int, most_keys: int) -> int:
    """The number of shapes with at most `most_keys` keys that the size invariant allows (S2, S3).

    >>> [shape_count(2, keys) for keys in (3, 6, 10, 14, 20)]
    [5, 16, 113, 846, 21758]
    """
    total = min(most_keys, 2 * min_arity - 1) + 1
    below: Sizes = Counter(range(min_arity - 1, 2 * min_arity))
    while below:
        roots = tree_sizes_over(below, 2, 2 * min_arity)
        total += sum(trees for keys, trees in roots.items() if keys <= most_keys)
        below = tree_sizes_over(below, min_arity, 2 * min_arity)
        below = Counter({keys: n for keys, n in below.items() if keys <= most_keys})
    return total


SizedShape = tuple[int, Shape]
"""A shape with its number of keys."""


def trees_over(below: list[SizedShape], arities: range, most_keys: int) -> Iterator[SizedShape]:
    """Yield the trees whose root has some of these as its children, one of `arities` of them."""
    rows: list[tuple[int, tuple[Shape, ...]]] = [(-1, ())]
    for arity in range(1, arities.stop):
        rows = [
            (keys + 1 + more, (*children, child))
            for keys, children in rows
            for more, child in below
            if keys + 1 + more <= most_keys
        ]
        yield from rows if arity in arities else []


def every_shape(min_arity: int, most_keys: int) -> Iterator[Shape]:
    """Yield the shapes with at most `most_keys` keys that the size invariant allows.

    >>> list(every_shape(2, 3))
    [0, 1, 2, 3, (1, 1)]
    """
    yield from range(min(most_keys, 2 * min_arity - 1) + 1)
    below: list[SizedShape] = [(keys, keys) for keys in range(min_arity - 1, 2 * min_arity)]
    while below:
        yield from (shape for _, shape in trees_over(below, range(2, 2 * min_arity + 1), most_keys))
        below = list(trees_over(below, range(min_arity, 2 * min_arity + 1), most_keys))
