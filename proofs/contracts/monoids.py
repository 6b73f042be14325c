"""Laws of the monoids of the catalogue, and the values of their folds, for all integers.

The laws alone do not distinguish an arg-max of the first of a tie from one of the last, so each
extreme is also compared with its definition on lists. Floats obey no such laws; they are tested
within bounds.
"""

from collections import Counter
from typing import TypeVar

from muntin.spec.algebra.catalogue import (
    ADD,
    FIRST,
    LAST,
    MAX,
    MIN,
    MULTISET,
    SEQUENCE,
    SET,
    Extreme,
    Multiset,
)
from muntin.spec.algebra.monoid import FREE, Monoid, Word, product
from muntin.spec.algebra.values import sort_key

A = TypeVar("A")

M4 = product(MIN, MAX, FIRST, LAST)
MEAN, SPREAD = product(ADD, ADD), product(ADD, ADD, ADD)
WORDS, NESTED = product(FREE, FREE), product(MEAN, SPREAD)


def is_lawful(monoid: Monoid[A], a: A, b: A, c: A) -> bool:
    """Whether these three values obey associativity and the identity."""
    combine, identity = monoid.combine, monoid.identity
    return combine(combine(a, b), c) == combine(a, combine(b, c)) and combine(
        identity, a
    ) == a == combine(a, identity)


def inverts(monoid: Monoid[A], a: A, b: A) -> bool:
    """Whether both inverses undo a combine, each on its side."""
    assert monoid.invert is not None
    assert monoid.invert_first is not None
    total = monoid.combine(a, b)
    return monoid.invert(total, b) == a and monoid.invert_first(total, a) == b


def extreme_of(key: int | None, value: int) -> Extreme | None:
    """The partial of one value; of no value, if the key is None."""
    return None if key is None else Extreme(key, value)


def multiset(items: Word) -> Multiset:
    """The multiset of some integers."""
    return Counter(map(sort_key, items))


def sums_are_a_group(a: int, b: int, c: int) -> None:
    """A1: sum and count."""

    assert is_lawful(ADD, a, b, c)
    assert inverts(ADD, a, b)


def words_are_a_monoid(a: int, b: int, c: int) -> None:
    """A3: the free monoid, collect and concat, for words of up to three letters."""
    assert 0 <= a <= 3
    assert 0 <= b <= 3
    assert 0 <= c <= 3

    first, second, third = (1, 2, 3)[:a], (4, 5, 6)[:b], (7, 8, 9)[:c]
    assert is_lawful(FREE, first, second, third)
    assert is_lawful(SEQUENCE, first, second, third)
    assert inverts(FREE, first, second)
    assert inverts(SEQUENCE, first, second)


def first_and_last_are_monoids(a: int | None, b: int | None, c: int | None) -> None:
    """A1: first and last, of windows that may be empty."""

    assert is_lawful(FIRST, extreme_of(a, 1), extreme_of(b, 2), extreme_of(c, 3))
    assert is_lawful(LAST, extreme_of(a, 1), extreme_of(b, 2), extreme_of(c, 3))


def extremes_are_monoids(a: int | None, b: int | None, c: int | None) -> None:
    """A1: min, max, their arguments and their counts, of windows that may be empty."""

    assert is_lawful(MIN, extreme_of(a, 1), extreme_of(b, 2), extreme_of(c, 3))
    assert is_lawful(MAX, extreme_of(a, 1), extreme_of(b, 2), extreme_of(c, 3))


def multisets_are_a_group(a: int, b: int, c: int) -> None:
    """A1: median and percentiles."""
    assert 0 <= a <= 2
    assert 0 <= b <= 2
    assert 0 <= c <= 2

    assert is_lawful(MULTISET, multiset((a,)), multiset((b,)), multiset((c, a)))
    assert inverts(MULTISET, multiset((a, c)), multiset((b,)))


def sets_are_a_monoid(a: int, b: int, c: int) -> None:
    """A1: distinct."""

    assert is_lawful(SET, (a,), (b,), (c,))


def products_of_monoids_are_monoids(a: int, b: int, c: int) -> None:
    """A1: mean, spread, and several aggregates on one window."""

    assert is_lawful(MEAN, (1, a), (1, b), (1, c))
    assert inverts(MEAN, (1, a), (1, b))
    assert is_lawful(SPREAD, (a, b, c), (b, c, a), (c, a, b))
    assert is_lawful(WORDS, ((a,), (b,)), ((b,), (c,)), ((c,), (a,)))
    assert inverts(WORDS, ((a,), (b,)), ((b,), (c,)))
    assert is_lawful(NESTED, ((1, a), (1, b, c)), ((1, b), (1, c, a)), ((1, c), (1, a, b)))


def m4_is_a_monoid(a: int, b: int, c: int) -> None:
    """A1: min, max, first and last at once."""

    first, second, third = ((extreme_of(x, x),) * 4 for x in (a, b, c))
    assert is_lawful(M4, first, second, third)


def the_argument_of_an_extreme_is_the_first_of_a_tie(a: int, b: int, c: int) -> None:
    """A2: arg-max and arg-min are those of the list."""

    parts = [Extreme(a, "a"), Extreme(b, "b"), Extreme(c, "c")]
    most, least = MAX.fold(parts), MIN.fold(parts)
    named = {"a": a, "b": b, "c": c}
    assert most is not None
    assert least is not None
    assert most.value == max(named, key=lambda name: named[name])
    assert least.value == min(named, key=lambda name: named[name])


def an_extreme_is_counted(a: int, b: int, c: int) -> None:
    """A2: max-count and min-count are those of the list."""

    values = [a, b, c]
    parts = [Extreme(value, value) for value in values]
    most, least = MAX.fold(parts), MIN.fold(parts)
    assert most is not None
    assert least is not None
    assert most.n == values.count(max(values))
    assert least.n == values.count(min(values))


def m4_is_min_max_first_and_last(a: int, b: int, c: int) -> None:
    """A2: M4 is that of the list."""

    total = M4.fold([(extreme_of(x, x),) * 4 for x in (a, b, c)])
    assert [part.value for part in total if part] == [min(a, b, c), max(a, b, c), a, c]


def a_spread_is_that_of_its_definition(a: int, b: int, c: int) -> None:
    """A2: n times the squares less the square of the sum is the sum of squared differences."""

    n, total, squares = SPREAD.fold([(1, x, x * x) for x in (a, b, c)])
    differences = [(x - y) * (x - y) for x, y in ((a, b), (a, c), (b, c))]
    assert n * squares - total * total == sum(differences)
