"""What cannot be combined is found out at the event that brings it, and not at the next one.

An event that begins a slice costs no combine. So the first partial of each type is tried on the
identity; where that is of another type, as None is, also on itself, for many a combine returns
whatever meets None. A partial of another type than all before it is most often a mistake of the
user's lift, or of a combine that forgets to return.
"""

from collections.abc import Sequence
from functools import reduce
from typing import TypeVar

from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.errors import InvalidInputError, MuntinError
from muntin.spec.query import Query
from muntin.spec.windows.window import WindowType

A = TypeVar("A")
MOST = 1024
"""So many types are remembered, over all monoids; it does no harm to try one once more."""

MISTYPED = (TypeError, AttributeError, IndexError)
"""What Python raises where a value is of another type than a combine takes. Anything else that it
raises on a partial and itself may be right: perhaps it takes no event twice."""

KNOWN_COMBINES: dict[tuple[int, type], object] = {}
"""The combines, by what they are and the type they were tried on. They are held: an id is unique
as long as its object is there."""

NEEDED: tuple[tuple[str, type, str], ...] = (
    ("name", str, "a text"),
    ("window", WindowType, "a WindowType"),
    ("aggregate", Aggregate, "an Aggregate"),
)


def check_combinable(monoid: Monoid[A], partial: A) -> A:
    """Return a partial that can be combined, or raise what the combine raises on it.

    >>> check_combinable(Monoid(0, int.__add__), 7)
    7
    >>> check_combinable(Monoid("", lambda a, b: a + b), None)
    Traceback (most recent call last):
        ...
    TypeError: can only concatenate str (not "NoneType") to str
    >>> check_combinable(Monoid(None, lambda a, b: (a[0], b[1]) if a and b else a or b), 7)
    Traceback (most recent call last):
        ...
    TypeError: 'int' object is not subscriptable
    """
    known = id(monoid.combine), type(partial)
    if known not in KNOWN_COMBINES:
        total = monoid.combine(monoid.identity, partial)
        if type(monoid.identity) is not type(partial) and total is not NotImplemented:
            total = _doubled(monoid, partial)
        if total is NotImplemented:
            raise TypeError("combine returned NotImplemented")  # as int.__add__ does
        if len(KNOWN_COMBINES) >= MOST:
            KNOWN_COMBINES.clear()
        KNOWN_COMBINES[known] = monoid.combine
    return partial


def _doubled(monoid: Monoid[A], partial: A) -> A:
    """Return what a partial gives with itself; the partial alone, where that is not to be had."""
    try:
        return monoid.combine(partial, partial)
    except MISTYPED:
        raise
    except Exception:  # noqa: BLE001 - whatever the user's combine raises
        return partial


def combine_checked(monoid: Monoid[A], one: A, other: A) -> A:
    """Return what the first partial, which can be combined, gives with the other.

    >>> combine_checked(Monoid("", lambda a, b: a + b if len(b) < 3 else None), "ab", "cde")
    Traceback (most recent call last):
        ...
    TypeError: what was combined is None, and can be combined no more
    """
    total = monoid.combine(one, other)
    return total if type(total) is type(one) else check_result(monoid, total, one)


def fold_checked(monoid: Monoid[A], parts: Sequence[A]) -> A:
    """Return what partials give together, at least one."""
    return check_result(monoid, reduce(monoid.combine, parts), parts[0])


def check_result(monoid: Monoid[A], total: A, known: A) -> A:
    """Return what the monoid has made of what can be combined, or say that it can't be."""
    if type(total) is type(known):
        return total
    try:
        return check_combinable(monoid, total)
    except Exception as cause:
        raise TypeError(f"what was combined is {total!r}, and can be combined no more") from cause


def check_query(query: Query) -> None:
    """Refuse what is no query, and a query whose name, window or aggregate is none.

    >>> from muntin.spec.algebra.catalogue import named
    >>> check_query(Query("q", 5, named("sum")))
    Traceback (most recent call last):
        ...
    muntin.spec.errors.InvalidInputError: query 'q': its window must be a WindowType, not 5
    """
    if not isinstance(query, Query):  # pyright: ignore[reportUnnecessaryIsInstance] - untyped
        raise InvalidInputError(f"what is asked is a Query, not {query!r}")
    given: list[object] = [query.id, query.window, query.aggregate]
    for one, (what, needed, words) in zip(given, NEEDED, strict=True):
        if not isinstance(one, needed):
            message = f"its {what} must be {words}, not {one!r}"
            raise InvalidInputError(f"query {query.id!r}: {message}")


def blame(query: Query, where: object, cause: Exception) -> MuntinError:
    """Raise what the specification raises when a query's code fails there with this cause."""

    def again() -> MuntinError:
        raise cause

    return query.guarded(f"{where}", again)
