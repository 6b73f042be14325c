"""Monoids, the only algebra that the algorithms rely on [Tangwongsan15, Tangwongsan19]."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Generic, TypeVar

A = TypeVar("A")
BinaryOperation = Callable[[A, A], A]


@dataclass(frozen=True)
class Monoid(Generic[A]):
    """An associative operation with an identity, and perhaps inverses (definition A1).

    Where there is `invert`, invert(combine(x, y), y) = x [Tangwongsan15]. Where there is
    `invert_first`, invert_first(combine(x, y), x) = y: it takes off the oldest.

    >>> Monoid(0, int.__add__).fold([1, 2, 3])
    6
    """

    identity: A
    combine: BinaryOperation[A]
    invert: BinaryOperation[A] | None = None
    invert_first: BinaryOperation[A] | None = None

    def fold(self, items: Iterable[A]) -> A:
        """Combine the items from left to right (definition A2)."""
        return reduce(self.combine, items, self.identity)


def product(*parts: Monoid[A]) -> Monoid[tuple[A, ...]]:
    """The monoid of tuples, component by component; it has an inverse if every part has.

    >>> product(Monoid(0, int.__add__), Monoid(0, max)).fold([(1, 1), (5, 5), (2, 2)])
    (8, 5)
    """

    def each(operations: tuple[BinaryOperation[A], ...]) -> BinaryOperation[tuple[A, ...]]:
        return lambda a, b: tuple(f(x, y) for f, x, y in zip(operations, a, b, strict=True))

    undo = tuple(part.invert for part in parts if part.invert)
    undo_first = tuple(part.invert_first for part in parts if part.invert_first)
    return Monoid(
        tuple(part.identity for part in parts),
        each(tuple(part.combine for part in parts)),
        each(undo) if len(undo) == len(parts) else None,
        each(undo_first) if len(undo_first) == len(parts) else None,
    )


Word = tuple[int, ...]

FREE: Monoid[Word] = Monoid(
    (),
    combine=lambda left, right: left + right,
    invert=lambda whole, part: whole[: len(whole) - len(part)],
    invert_first=lambda whole, part: whole[len(part) :],
)
"""Words under concatenation (definition A3). Algorithms that never look inside a value and agree
here on distinct letters agree in every monoid, since fold(word) is the image of the word."""
