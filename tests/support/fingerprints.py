"""Words as numbers: straight lines modulo a prime, which differ all but surely where words do.

Compiled code holds numbers only, so it cannot run over words. A letter is a random line, a word the
composition of its letters' lines: a polynomial in the drawn numbers, in which the k-th letter is
multiplied by k - 1 slopes. So two different words of at most n letters have the same line with a
probability of about n / 2**31 (Schwartz and Zippel).
"""

from hashlib import blake2b

from muntin.conformance.machines.structure_machine import Alphabet
from muntin.kernels.compiler.numeric_aggregate import Kind, NumericAggregate
from muntin.spec.algebra.monoid import Monoid, Word

PRIME = 2**31 - 1


def letter(number: int) -> Word:
    """The line of a letter: its slope, and its height at 0."""
    digest = blake2b(number.to_bytes(8, "big"), digest_size=16).digest()
    return tuple(int.from_bytes(digest[k : k + 8], "big") % PRIME for k in (0, 8))


def lift(slope: int, height: int) -> tuple[int, int]:
    """Lift two columns to a line."""
    return (slope, height)


def compose(x: tuple[int, int], y: tuple[int, int]) -> tuple[int, int]:
    """Compose two lines."""
    return (x[0] * y[0] % PRIME, (x[0] * y[1] + x[1]) % PRIME)


def lower(x: tuple[int, int]) -> tuple[int, int]:
    """Lower to slope and height."""
    return x


IDENTITY = (1, 0)
KINDS: tuple[Kind, ...] = ("int", "int")
FINGERPRINTS = NumericAggregate("fingerprints", KINDS, KINDS, IDENTITY, lift, compose, lower, KINDS)


def _compose(x: Word, y: Word) -> Word:
    return compose((x[0], x[1]), (y[0], y[1]))


LINES = Alphabet(Monoid(IDENTITY, _compose), letter)


def _united(x: Word, y: Word) -> Word:
    return tuple(sorted((*x, *y)))


def add(x: tuple[int, int], y: tuple[int, int]) -> tuple[int, int]:
    """Add two pairs of numbers."""
    return ((x[0] + y[0]) % PRIME, (x[1] + y[1]) % PRIME)


def _added(x: Word, y: Word) -> Word:
    return add((x[0], x[1]), (y[0], y[1]))


def _single(number: int) -> Word:
    return (number,)


BAGS = Alphabet(Monoid((), _united), _single)
"""The free commutative monoid: words whose letters have no order."""
BAG_FINGERPRINTS = NumericAggregate(
    "bag fingerprints", KINDS, KINDS, (0, 0), lift, add, lower, KINDS, commutative=True
)
"""Bags as sums of random numbers, which differ all but surely where bags do."""
SUMS = Alphabet(Monoid((0, 0), _added), letter)
