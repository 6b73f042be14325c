"""Words as one number each, as main.ml has them: lines modulo a prime, slope * prime + height.

Two words have the same number if they are the same, and otherwise with a probability of about their
length in 2 ** 31. Combines cost the same whatever the length of the words.
"""

from random import Random

from muntin.kernels.compiler.numeric_aggregate import Kind, NumericAggregate
from muntin.spec.algebra.monoid import Monoid

PRIME = 2**31 - 1
IDENTITY = PRIME
"""The line with slope 1 through 0."""


def compose(x: int, y: int) -> int:
    """The word x before the word y."""
    slope, height = divmod(x, PRIME)
    other_slope, other_height = divmod(y, PRIME)
    return slope * other_slope % PRIME * PRIME + (slope * other_height + height) % PRIME


def suffix_after(word: int, prefix: int) -> int:
    """What is left of a word when a prefix of it is taken off.

    >>> suffix_after(compose(3 * PRIME + 5, 7 * PRIME + 11), 3 * PRIME + 5) == 7 * PRIME + 11
    True
    """
    slope, height = divmod(prefix, PRIME)
    inverse = pow(slope, -1, PRIME)
    return inverse * (word // PRIME) % PRIME * PRIME + inverse * (word % PRIME - height) % PRIME


def letter(rng: Random) -> int:
    """A random line, which can be inverted."""
    return rng.randrange(1, PRIME) * PRIME + rng.randrange(PRIME)


class CountedWords:
    """The monoid of words, which counts its combines."""

    def __init__(self) -> None:
        """Start the count at zero."""
        self.combines = 0
        self.monoid = Monoid(IDENTITY, self._combine, None, suffix_after)

    def _combine(self, x: int, y: int) -> int:
        self.combines += 1
        return compose(x, y)

    def reset(self) -> int:
        """The combines since the last reset."""
        combines, self.combines = self.combines, 0
        return combines


def line(slope: int, height: int) -> tuple[int, int]:
    """The line of two columns."""
    return (slope, height)


def compose_lines(x: tuple[int, int], y: tuple[int, int]) -> tuple[int, int]:
    """The composition of two lines; a compiler reads it, so it calls nothing."""
    return (x[0] * y[0] % 2147483647, (x[0] * y[1] + x[1]) % 2147483647)


def lower(word: tuple[int, int]) -> tuple[int, int]:
    """The word itself."""
    return word


KINDS: tuple[Kind, ...] = ("int", "int")
LINES = NumericAggregate("lines", KINDS, KINDS, (1, 0), line, compose_lines, lower, KINDS)
"""The same words in two fields, for compiled kernels."""
