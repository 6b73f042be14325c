"""Values that are letters, used once, and aggregates that distinguish all words and bags."""

from typing import Self

from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import FREE, Monoid, Word


class Letter(int):
    """A small number that windows may look at, and a letter that is used once."""

    letter: int

    def __new__(cls, number: int, letter: int) -> Self:
        """Mark a number with a letter."""
        self = super().__new__(cls, number)
        self.letter = letter
        return self


def _word(value: object) -> Word:
    return (value.letter,) if isinstance(value, Letter) else ()


def _shuffled(left: Word, right: Word) -> Word:
    return tuple(sorted(left + right))


WORDS = Aggregate(
    "word", _word, FREE, lambda word: word, commutative=False, kind="holistic"
).erase_types()
"""The free monoid on events: agreement on it is agreement on every aggregate."""

BAGS = Aggregate(
    "bag", _word, Monoid[Word]((), _shuffled), lambda bag: bag, commutative=True, kind="holistic"
).erase_types()
"""The free commutative monoid on events: agreement on it is agreement on all that ignore order."""
