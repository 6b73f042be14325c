"""What cannot be combined is found out at the event that brings it, and not at the next one.

An event that begins a slice costs no combine. So the first partial of each type is tried on the
identity: that of another type than all before it is most often a mistake of the user's lift.
"""

from typing import NoReturn, TypeVar

from muntin.spec.monoid import Monoid

A = TypeVar("A")
MOST = 1024
"""So many types are remembered, over all monoids; it does no harm to try one once more."""

remembered: dict[tuple[int, type], object] = {}
"""The combines, by what they are and the type they were tried on. They are held: an id is unique
as long as its object is there."""


def tried(monoid: Monoid[A], partial: A) -> A:
    """Return a partial that can be combined, or raise what the combine raises on it.

    >>> tried(Monoid(0, int.__add__), 7)
    7
    >>> tried(Monoid("", lambda a, b: a + b), None)
    Traceback (most recent call last):
        ...
    TypeError: can only concatenate str (not "NoneType") to str
    """
    known = id(monoid.combine), type(partial)
    if known not in remembered:
        if monoid.combine(monoid.identity, partial) is NotImplemented:
            no_answer()
        if len(remembered) >= MOST:
            remembered.clear()
        remembered[known] = monoid.combine
    return partial


def no_answer() -> NoReturn:
    """Say that a combine has returned NotImplemented, as `int.__add__` does for what is no int."""
    raise TypeError("combine returned NotImplemented")
