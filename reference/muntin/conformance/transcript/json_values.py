"""Values as JSON, and back.

A tuple is a list, a fraction is a number, and the floats that JSON lacks are strings. So these
three texts cannot be values, and a list is always read as a tuple.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf, isfinite, isnan, nan
from types import MappingProxyType
from typing import TypeAlias, TypeGuard

from muntin.spec.algebra.values import as_float
from muntin.spec.stream import END

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

NOT_FINITE: Mapping[str, float] = MappingProxyType({"NaN": nan, "Infinity": inf, "-Infinity": -inf})
"""The strings for floats that JSON has no numbers for."""


class HashableObject(dict[str, object]):
    """A JSON object as a value: hashable, as values must be, and never changed."""

    def __hash__(self) -> int:  # type: ignore[override]  # a dict says None: it cannot
        """Hash the fields, in whatever order."""
        return hash(frozenset(self.items()))


def decode(json: Json) -> object:
    """The value that JSON stands for.

    >>> decode([1, "NaN", {"a": [2]}])
    (1, nan, {'a': (2,)})
    """
    match json:
        case str() if json in NOT_FINITE:
            return NOT_FINITE[json]
        case list():
            return tuple(decode(item) for item in json)
        case dict():
            return HashableObject({name: decode(item) for name, item in json.items()})
        case _:
            return json


def encode(value: object) -> Json:
    """A value as JSON.

    >>> encode((1, Fraction(6, 2), Fraction(1, 4), float("-inf")))
    [1, 3, 0.25, '-Infinity']
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float | Fraction):
        return _number(value)
    if _is_list(value):
        return [encode(item) for item in value]
    if _is_object(value):
        return {str(name): encode(item) for name, item in value.items()}
    return str(value)


def encode_coordinate(coordinate: float) -> Json:
    """The end of an interval, or a watermark, as JSON.

    >>> encode_coordinate(END)
    'end'
    """
    return "end" if coordinate == END else encode(coordinate)


def _number(value: float | Fraction) -> Json:
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Fraction) and value.denominator == 1:
        return value.numerator
    nearest = as_float(value)
    return nearest if isfinite(nearest) else _not_finite(nearest)


def _not_finite(value: float) -> str:
    return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, tuple | list)


def _is_object(value: object) -> TypeGuard[Mapping[object, object]]:
    return isinstance(value, Mapping)
