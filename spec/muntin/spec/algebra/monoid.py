"""Monoids, the only algebra that the algorithms rely on [Tangwongsan15, Tangwongsan19]."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Generic, TypeVar

A = TypeVar("A")


@dataclass(frozen=True)
class Monoid(Generic[A]):
    """An associative operation with an identity, and perhaps inverses (definition A1).

    Where there is `invert`, invert(combine(x, y), y) = x [Tangwongsan15]. Where there is
    `invert_first`, invert_first(combine(x, y), x) = y: it takes off the oldest.

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

FREE: Monoid[Word] = Monoid(
    (),
    combine=lambda left, right: left + right,
    invert=lambda whole, part: whole[: len(whole) - len(part)],
    invert_first=lambda whole, part: whole[len(part) :],
)
"""Words under concatenation (definition A3). Algorithms that never look inside a value and agree
here on distinct letters agree in every monoid, since fold(word) is the image of the word."""
