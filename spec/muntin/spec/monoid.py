"""Monoids: the only algebra that every aggregation algorithm here relies on.

Definitions follow [Tangwongsan15], section 3.2, and [Tangwongsan19], section 2.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Generic, TypeVar

A = TypeVar("A")


@dataclass(frozen=True)
class Monoid(Generic[A]):
    """An associative operation with an identity, and perhaps its inverses (definition A1).

    combine(combine(x, y), z) = combine(x, combine(y, z)) and combine(identity, x) = x =
    combine(x, identity). Where there is `invert`, invert(combine(x, y), y) = x, as in
    [Tangwongsan15]; where there is `invert_first`, invert_first(combine(x, y), x) = y, which is
    what eviction of the oldest needs. A commutative monoid has both or neither.

    >>> Monoid(0, int.__add__).fold([1, 2, 3])
    6
    """

    identity: A
    combine: Callable[[A, A], A]
    invert: Callable[[A, A], A] | None = None
    invert_first: Callable[[A, A], A] | None = None

    def fold(self, items: Iterable[A]) -> A:
        """Combine the items from left to right (definition A2)."""
        return reduce(self.combine, items, self.identity)


Word = tuple[int, ...]
"""A value of the free monoid: a sequence of letters."""


def _concatenate(left: Word, right: Word) -> Word:
    return left + right


def _without_suffix(word: Word, suffix: Word) -> Word:
    return word[: len(word) - len(suffix)]


def _without_prefix(word: Word, prefix: Word) -> Word:
    return word[len(prefix) :]


FREE: Monoid[Word] = Monoid((), _concatenate, _without_suffix, _without_prefix)
"""Concatenation (definition A3). Algorithms that never look inside a value and agree here on
distinct letters agree in every monoid, since fold(word) is the image of the word."""
