"""Running totals: what FIFO structures keep of a sequence, as in [Tangwongsan21].

Invariants compare the lists that are kept with the totals computed here.
"""

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from muntin.spec.algebra.monoid import Monoid

A = TypeVar("A")


class Entry(NamedTuple, Generic[A]):
    """An item, and the total of its list up to it."""

    item: A
    total: A


def prefix_totals(monoid: Monoid[A], items: Sequence[A]) -> list[A]:
    """Return, for each item, the fold of the items up to it.

    >>> prefix_totals(Monoid("", str.__add__), "abc")
    ['a', 'ab', 'abc']
    """
    return [monoid.fold(items[: i + 1]) for i in range(len(items))]


def suffix_totals(monoid: Monoid[A], items: Sequence[A]) -> list[A]:
    """Return, for each item, the fold of the items from it on.

    >>> suffix_totals(Monoid("", str.__add__), "abc")
    ['abc', 'bc', 'c']
    """
    return [monoid.fold(items[i:]) for i in range(len(items))]
