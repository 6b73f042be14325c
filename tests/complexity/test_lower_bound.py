"""Theorem 1 and Lemma 8 of [Tangwongsan19]: no structure can do better than log(1 + d)."""

from functools import total_ordering
from itertools import permutations
from math import factorial, log2
from random import Random

import pytest

from muntin.optimized.btree import btree
from muntin.optimized.btree.fiba import Fiba
from muntin.spec.algebra.monoid import Monoid

FIRST: Monoid[int | None] = Monoid(None, lambda left, right: right if left is None else left)
"""Folds a window to its oldest value: the reduction of Theorem 1 sorts with it."""


def displaced(order: tuple[int, ...], place: int) -> int:
    """The out-of-order distance of one element: how many before it are greater."""
    return sum(earlier > order[place] for earlier in order[:place])


def count(size: int, distance: int) -> int:
    """Lemma 8: how many permutations there are with all distances at most this."""
    return int(factorial(distance) * (distance + 1) ** (size - distance))


@pytest.mark.parametrize("size", range(8))
def test_lemma_8_counts_the_permutations(size: int) -> None:
    worst = [
        max((displaced(order, place) for place in range(size)), default=0)
        for order in permutations(range(size))
    ]
    for distance in range(size + 1):
        assert sum(most <= distance for most in worst) == count(size, distance)


@total_ordering
class Weighed(int):
    """A time that counts how often it is compared."""

    comparisons = 0

    def __lt__(self, other: int) -> bool:
        Weighed.comparisons += 1
        return int(self) < int(other)

    def __eq__(self, other: object) -> bool:
        Weighed.comparisons += 1
        return isinstance(other, int) and int(self) == int(other)

    def __hash__(self) -> int:
        return hash(int(self))


def comparisons_to_sort(order: list[int], min_arity: int) -> int:
    """Sort by m inserts, m queries and m evicts, and count the comparisons of times."""
    tree: Fiba[int | None] = Fiba(FIRST, None, min_arity)
    Weighed.comparisons = 0
    for time in order:
        tree.insert(Weighed(time), time)
    spent = Weighed.comparisons
    output: list[int | None] = []
    for _ in order:
        oldest = tree.query()
        output.append(oldest)
        tree.evict(Weighed(oldest or 0))
    assert output == sorted(order)
    return spent


@pytest.fixture(autouse=True)
def weighed_times_are_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    def accept(value: int, _: str) -> int:
        return value

    monkeypatch.setattr(btree, "integer", accept)


@pytest.mark.parametrize("distance", [0, 1, 2, 5])
def test_some_permutation_needs_as_many_comparisons_as_theorem_1_says(distance: int) -> None:
    size = 6
    worst = max(
        comparisons_to_sort(list(order), 2)
        for order in permutations(range(size))
        if all(displaced(order, place) <= distance for place in range(size))
    )
    assert worst >= log2(count(size, distance))


def displaced_at_random(size: int, distance: int) -> list[int]:
    """A permutation drawn evenly from those of Lemma 8, built as in its proof."""
    random = Random(size)  # noqa: S311 nothing secret
    order: list[int] = []
    for element in reversed(range(size)):
        order.insert(random.randint(0, min(len(order), distance)), element)
    return order


@pytest.mark.parametrize("min_arity", [2, 4])
def test_fiba_is_within_a_constant_of_the_lower_bound_at_every_distance(min_arity: int) -> None:
    size = 2000
    for distance in (0, 1, 3, 15, 63, 255, 1023):
        spent = comparisons_to_sort(displaced_at_random(size, distance), min_arity)
        least = log2(count(size, distance))
        assert spent >= least
        assert spent <= 5 * least + 8 * size
