"""Three operators, one of each cost: those of section 5.1 of [Tangwongsan19].

Values are drawn from a pool, so that large windows of large values fit in memory. Logarithms are
rounded to 20 binary digits: so their sums are exact, and answers can be compared by `==`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from random import Random
from typing import Generic, TypeVar

from muntin.spec.algebra.monoid import FREE, Monoid, Word

A = TypeVar("A")

POOL = 1021  # prime, so that evenly spaced times meet every value
BITS = 2**14
HASHES = 4
ROUNDING = 2.0**20


@dataclass(frozen=True)
class BenchmarkMonoid(Generic[A]):
    """A monoid, the lifted values of a stream, and the largest window to measure."""

    name: str
    monoid: Monoid[A]
    pool: Sequence[A]
    largest: int

    def at(self, time: int) -> A:
        """The value that arrives with this time."""
        return self.pool[time % len(self.pool)]


Mean = tuple[int, float]

RANDOM = Random(2019)  # noqa: S311 nothing secret

SUM: BenchmarkMonoid[int] = BenchmarkMonoid(
    "sum",
    Monoid(0, lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a - b),
    [RANDOM.randrange(1, 1000) for _ in range(POOL)],
    2**20,
)


def _add(a: Mean, b: Mean) -> Mean:
    return a[0] + b[0], a[1] + b[1]


def _subtract(a: Mean, b: Mean) -> Mean:
    return a[0] - b[0], a[1] - b[1]


GEOMEAN: BenchmarkMonoid[Mean] = BenchmarkMonoid(
    "geomean",
    Monoid((0, 0.0), _add, _subtract, _subtract),
    [(1, round(log(RANDOM.uniform(1, 1000)) * ROUNDING) / ROUNDING) for _ in range(POOL)],
    2**20,
)


def _filter() -> int:
    """A Bloom filter of one item: a bitset with a few of its bits set."""
    filled = 1 << BITS  # one bit more, so that all are of the same length
    for _ in range(HASHES):
        filled |= 1 << RANDOM.randrange(BITS)
    return filled


BLOOM: BenchmarkMonoid[int] = BenchmarkMonoid(
    "bloom", Monoid(0, lambda a, b: a | b), [_filter() for _ in range(POOL)], 2**17
)

WORDS: BenchmarkMonoid[Word] = BenchmarkMonoid(
    "words", FREE, [(letter,) for letter in range(POOL)], 2**10
)
"""For tests: the answers show in which order values were combined."""
