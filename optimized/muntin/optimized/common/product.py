"""Several aggregates on one window: a product of monoids is a monoid, so one tree serves them all.

Window, order and structure are kept once; only combines are paid for each aggregate.
"""

from collections.abc import Sequence
from typing import TypeVar

from muntin.spec.algebra.monoid import Monoid

A = TypeVar("A")
B = TypeVar("B")


def pair(first: Monoid[A], second: Monoid[B]) -> Monoid[tuple[A, B]]:
    """Return the monoid that combines pairs component by component; pairs nest.

    >>> pair(Monoid(0, int.__add__), Monoid("", str.__add__)).fold([(1, "a"), (2, "b")])
    (3, 'ab')
    """
    return Monoid(
        (first.identity, second.identity),
        lambda a, b: (first.combine(a[0], b[0]), second.combine(a[1], b[1])),
    )


def product(monoids: Sequence[Monoid[A]]) -> Monoid[tuple[A, ...]]:
    """Return the monoid that combines tuples component by component.

    >>> product([Monoid(0, int.__add__), Monoid(0, max)]).fold([(1, 1), (5, 5), (2, 2)])
    (8, 5)
    """
    return Monoid(
        tuple(monoid.identity for monoid in monoids),
        lambda a, b: tuple(m.combine(x, y) for m, x, y in zip(monoids, a, b, strict=True)),
    )
