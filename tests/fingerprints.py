"""Words as numbers: matrices modulo a prime, in which different words are all but surely different.

What is compiled holds numbers only, so it cannot be run over words. A letter is a random matrix;
that two given words of at most n letters have the same product has a chance of some n / 2**31 for
each of four entries. The order of letters shows, and so does a letter that is missing or twice.
"""

from hashlib import blake2b

from muntin.conformance.structure_machine import Alphabet
from muntin.kernels.summary import Kind, Summary
from muntin.spec.monoid import Monoid, Word

PRIME = 2**31 - 1


def letter(number: int) -> Word:
    """Return the matrix of a letter."""
    digest = blake2b(number.to_bytes(8, "big"), digest_size=32).digest()
    entries = [int.from_bytes(digest[k : k + 8], "big") % PRIME for k in range(0, 32, 8)]
    return tuple(entries)


def lift(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    """Lift four columns to a matrix."""
    return (a, b, c, d)


def multiply(
    x: tuple[int, int, int, int], y: tuple[int, int, int, int]
) -> tuple[int, int, int, int]:
    """Multiply matrices."""
    return (
        (x[0] * y[0] + x[1] * y[2]) % PRIME,
        (x[0] * y[1] + x[1] * y[3]) % PRIME,
        (x[2] * y[0] + x[3] * y[2]) % PRIME,
        (x[2] * y[1] + x[3] * y[3]) % PRIME,
    )


def entries(x: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Lower to the entries."""
    return x


ONE = (1, 0, 0, 1)
FOUR: tuple[Kind, ...] = ("int", "int", "int", "int")
FINGERPRINTS = Summary("fingerprints", FOUR, FOUR, ONE, lift, multiply, entries, FOUR)


def _product(x: Word, y: Word) -> Word:
    return multiply((x[0], x[1], x[2], x[3]), (y[0], y[1], y[2], y[3]))


MATRICES = Alphabet(Monoid(ONE, _product), letter)
