"""Values that raise when an algorithm does anything but combine them.

An `OpaqueWord` can be combined by its monoid, and nothing else: every operator, truth test, print,
hash and comparison raises. The lint (`lint.py`) covers what no class can forbid: `is`,
`isinstance`, `type` and `id`. Only tests read the letters inside.
"""

from typing import NoReturn

from muntin.spec.algebra.monoid import Monoid, Word


class LeakError(AssertionError):
    """An algorithm has inspected a value."""


class OpaqueWord:
    """A word that only its monoid can combine."""

    __slots__ = ("__word",)

    def __init__(self, word: Word) -> None:
        """Hide a word."""
        self.__word = word

    def _leak(self, *_: object, **__: object) -> NoReturn:
        raise LeakError("an algorithm has inspected a value")

    def combine(self, right: "OpaqueWord") -> "OpaqueWord":
        """Concatenate two hidden words."""
        return OpaqueWord(self.reveal() + right.reveal())

    def reveal(self) -> Word:
        """The hidden word, for tests only."""
        return self.__word

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = _leak
    __bool__ = __len__ = __iter__ = __contains__ = __getitem__ = __call__ = _leak
    __add__ = __radd__ = __sub__ = __mul__ = __neg__ = __invert__ = __or__ = __and__ = _leak
    __int__ = __float__ = __index__ = __round__ = __abs__ = _leak
    __str__ = __repr__ = __format__ = __reduce__ = __reduce_ex__ = _leak
    __copy__ = __deepcopy__ = _leak


OPAQUE: Monoid[OpaqueWord] = Monoid(OpaqueWord(()), OpaqueWord.combine)
