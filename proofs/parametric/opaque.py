"""Values and times that show when an algorithm does more with them than it may.

An `Opaque` can be combined by its monoid, and nothing else: whatever Python may do with a value by
an operator, a truth test, a print, a hash or a comparison raises. What no class can forbid, `is`,
`isinstance`, `type` and `id`, is for the lint (`lint.py`). The letters inside are revealed to the
test alone.
"""

from typing import NoReturn

from muntin.spec.algebra.monoid import Monoid, Word


class LeakError(AssertionError):
    """An algorithm has looked into a value."""


class OpaqueWord:
    """A word in a box."""

    __slots__ = ("__word",)

    def __init__(self, word: Word) -> None:
        """Put a word into a box."""
        self.__word = word

    def _leak(self, *_: object, **__: object) -> NoReturn:
        raise LeakError("an algorithm has looked into a value")

    def combine(self, right: "OpaqueWord") -> "OpaqueWord":
        """Both words, one after the other, in a box."""
        return OpaqueWord(self.reveal() + right.reveal())

    def reveal(self) -> Word:
        """The word in the box: for tests."""
        return self.__word

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = _leak
    __bool__ = __len__ = __iter__ = __contains__ = __getitem__ = __call__ = _leak
    __add__ = __radd__ = __sub__ = __mul__ = __neg__ = __invert__ = __or__ = __and__ = _leak
    __int__ = __float__ = __index__ = __round__ = __abs__ = _leak
    __str__ = __repr__ = __format__ = __reduce__ = __reduce_ex__ = _leak
    __copy__ = __deepcopy__ = _leak


OPAQUE: Monoid[OpaqueWord] = Monoid(OpaqueWord(()), OpaqueWord.combine)
