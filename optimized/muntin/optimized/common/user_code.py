"""Checks of queries and of what the user's functions return.

A partial that cannot be combined is refused with the event that brings it, not with the next one.
An event that begins a slice costs no combine. So the first partial of each type is combined with
the identity; where that is of another type, as None is, also with itself, for many a combine
returns its other argument if one is None. A partial of a new type is most often a mistake of the
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
MAX_KNOWN_COMBINES = 1024
"""Types to remember, over all monoids; to check one once more does no harm."""

TYPE_ERRORS = (TypeError, AttributeError, IndexError)
"""What Python raises where a value is of another type than a combine accepts. Anything else that a
combine raises on a partial and itself may be right: perhaps it accepts no event twice."""

KNOWN_COMBINES: dict[tuple[int, type], object] = {}
"""The combines, by their id and the type of partial that they were checked on. The functions
themselves are kept, because an id is unique only as long as its object exists."""


def check_combinable(monoid: Monoid[A], partial: A) -> A:
    """The partial if it can be combined; else raise what the combine raises on it.

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
    key = id(monoid.combine), type(partial)
    if key not in KNOWN_COMBINES:
        total = monoid.combine(monoid.identity, partial)
        if type(monoid.identity) is not type(partial) and total is not NotImplemented:
            total = _combine_with_itself(monoid, partial)
        if total is NotImplemented:
            raise TypeError("combine returned NotImplemented")  # as int.__add__ does
        if len(KNOWN_COMBINES) >= MAX_KNOWN_COMBINES:
            KNOWN_COMBINES.clear()
        KNOWN_COMBINES[key] = monoid.combine
    return partial


def _combine_with_itself(monoid: Monoid[A], partial: A) -> A:
    """A partial combined with itself; the partial alone, if the combine rejects that pair."""
    try:
        return monoid.combine(partial, partial)
    except TYPE_ERRORS:
        raise
    except Exception:  # noqa: BLE001 - whatever the user's combine raises
        return partial


def combine_checked(monoid: Monoid[A], left: A, right: A) -> A:
    """Both partials combined, if the result can be combined again; the left one can.

    >>> combine_checked(Monoid("", lambda a, b: a + b if len(b) < 3 else None), "ab", "cde")
    Traceback (most recent call last):
        ...
    TypeError: combine returned None, which cannot be combined again
    """
    total = monoid.combine(left, right)
    return total if type(total) is type(left) else check_result(monoid, total, left)


def fold_checked(monoid: Monoid[A], parts: Sequence[A]) -> A:
    """The fold of one or more partials, if it can be combined again."""
    return check_result(monoid, reduce(monoid.combine, parts), parts[0])


def check_result(monoid: Monoid[A], total: A, example: A) -> A:
    """A result of the combine, if it can be combined again like the example, a valid partial."""
    if type(total) is type(example):
        return total
    try:
        return check_combinable(monoid, total)
    except Exception as cause:
        raise TypeError(f"combine returned {total!r}, which cannot be combined again") from cause


def check_query(query: Query) -> None:
    """Refuse an object that is no query, or whose name, window or aggregate is of another type.

    >>> from muntin.spec.algebra.catalogue import named
    >>> check_query(Query("q", 5, named("sum")))
    Traceback (most recent call last):
        ...
    muntin.spec.errors.InvalidInputError: query 'q': its window must be a WindowType, not 5
    """
    if not isinstance(query, Query):  # pyright: ignore[reportUnnecessaryIsInstance] - untyped
        raise InvalidInputError(f"add() takes a Query, not {query!r}")
    fields: list[tuple[str, object, type, str]] = [
        ("name", query.id, str, "a text"),
        ("window", query.window, WindowType, "a WindowType"),
        ("aggregate", query.aggregate, Aggregate, "an Aggregate"),
    ]
    for name, field_value, required, noun in fields:
        if not isinstance(field_value, required):
            message = f"its {name} must be {noun}, not {field_value!r}"
            raise InvalidInputError(f"query {query.id!r}: {message}")


def user_code_error(query: Query, where: object, cause: Exception) -> MuntinError:
    """The error of the specification for code of a query that fails with this cause."""

    def fail() -> MuntinError:
        raise cause

    return query.call_user_code(f"{where}", fail)
