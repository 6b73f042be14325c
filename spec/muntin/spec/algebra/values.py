"""Values: numbers, and the total order of all that has an order."""

from fractions import Fraction
from functools import cmp_to_key
from math import inf, isnan

from muntin.spec.errors import InvalidInputError

Number = int | float | Fraction


def number(value: object) -> Number:
    """The value, which must be a number; a boolean is none."""
    if isinstance(value, Number) and not isinstance(value, bool):
        return value
    raise InvalidInputError("it is not a number")


def as_float(value: Number) -> float:
    """The nearest float; beyond the floats, infinity."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def sort_key(value: object) -> tuple[type, bool, object]:
    """What orders a value: numbers share one order, in which NaN is the greatest."""
    nan = isinstance(value, float) and isnan(value)
    is_number = isinstance(value, Number) and not isinstance(value, bool)
    return (float if is_number else type(value), nan, None if nan else value)


def compare(left: object, right: object) -> int:
    """-1, 0 or 1 as left is less than, equal to or greater than right.

    >>> compare(float("nan"), float("inf"))
    1
    """
    x, y = sort_key(left), sort_key(right)
    try:
        signs = [sign for sign, holds in ((-1, x < y), (0, x == y), (1, x > y)) if holds]
    except TypeError:
        signs = []
    if len(signs) == 1:
        return signs[0]
    raise InvalidInputError(f"{left!r} and {right!r} have no order")


ORDER = cmp_to_key(compare)
"""The total order, as the key of a sort."""
