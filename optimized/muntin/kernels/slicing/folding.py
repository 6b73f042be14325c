"""Folds of ranges of cells: all ranges at once, level by level of a flat tree [Tangwongsan15].

Float sums are folded too, never subtracted: a prefix that holds a huge value or an infinity would
spoil every later window. Only integers are summed by prefixes: there a wrap undoes itself.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from muntin.kernels.slicing.arrays import Column, Fields, Ints

Combine: TypeAlias = Callable[[Fields, Fields], Fields]


def by_prefix(column: Column, lo: Ints, hi: Ints) -> Column:
    """Return the sums of ranges as differences of prefix sums: for integers only."""
    sums = np.zeros(column.size + 1, column.dtype)
    np.cumsum(column, out=sums[1:])
    return np.asarray(sums[hi] - sums[lo])


def by_tree(combine: Combine, identity: Fields, fields: Fields, lo: Ints, hi: Ints) -> Fields:
    """Return the folds of ranges; each takes at most two nodes of a level.

    >>> concat = lambda a, b: (a[0] + b[0],)
    >>> letters = np.array(list("abcdefg"), np.object_)
    >>> ranges = np.array([0, 2, 3]), np.array([7, 5, 3])
    >>> by_tree(concat, (np.array([""], np.object_),), (letters,), *ranges)[0].tolist()
    ['abcdefg', 'cde', '']
    """
    left = tuple(np.repeat(one, lo.size) for one in identity)
    right = tuple(np.repeat(one, lo.size) for one in identity)
    if not lo.size:
        return left
    base = int(lo.min())
    level = tuple(column[base : int(hi.max())] for column in fields)
    low, high = lo - base, hi - base
    for nodes in _levels(combine, level):
        odd = np.flatnonzero((low & 1) & (low < high))
        _put(left, odd, combine(_of(left, odd), _of(nodes, low[odd])))
        low = low + (low & 1)
        odd = np.flatnonzero((high & 1) & (low < high))
        _put(right, odd, combine(_of(nodes, high[odd] - 1), _of(right, odd)))
        low, high = low >> 1, high >> 1
        if not (low < high).any():
            break
    return combine(left, right)


def _levels(combine: Combine, level: Fields) -> Iterator[Fields]:
    """Yield the levels of the tree from the leaves up, without what is no whole pair."""
    while True:
        yield level
        pairs = level[0].size // 2
        even = tuple(column[0 : 2 * pairs : 2] for column in level)
        level = combine(even, tuple(column[1 : 2 * pairs : 2] for column in level))


def _of(fields: Fields, at: Ints) -> Fields:
    return tuple(column[at] for column in fields)


def _put(fields: Fields, at: Ints, values: Fields) -> None:
    for column, new in zip(fields, values, strict=True):
        column[at] = new
