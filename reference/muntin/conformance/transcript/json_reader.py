"""Values as JSON, and back; strict reading: each node knows its path, and each error names it.

A tuple is a list, a fraction is a number, and the floats that JSON lacks are strings. So these
three texts cannot be values, and a list is always read as a tuple.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite, isinf, isnan, nan
from types import MappingProxyType
from typing import NoReturn, TypeAlias, TypeGuard, TypeVar

from muntin.spec.algebra.values import as_float
from muntin.spec.errors import InvalidInputError
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


T = TypeVar("T", bound=str)

MAX_DEPTH = 100
MAX_DIGITS = 4300
"""What Python converts from text, unless it is set otherwise; `t` and `v` may have as many."""
NESTED_TOO_DEEP = f"lists and objects are nested more than {MAX_DEPTH} deep, which is the limit"

MAX_EXCERPT_LENGTH = 60
"""How many characters of an invalid value a message shows."""


class TranscriptError(InvalidInputError):
    """A transcript that does not follow the format."""


def excerpt(value: Json) -> str:
    """JSON short enough for a message.

    >>> excerpt({"t": 1.5, "v": None})
    '{"t": 1.5, "v": null}'
    """
    text = json.dumps(value)
    return text if len(text) <= MAX_EXCERPT_LENGTH else f"{text[: MAX_EXCERPT_LENGTH - 3]}..."


@dataclass(frozen=True)
class JsonNode:
    """A part of a document, and its path.

    >>> JsonNode({"t": 1.5}, "events[0]").fields(["t"])["t"].integer()
    Traceback (most recent call last):
        ...
    muntin.conformance.transcript.json_reader.TranscriptError: events[0].t must be an integer, ...
    """

    value: Json
    path: str = ""

    def type_error(self, be: str) -> TranscriptError:
        """The error that this part is not what it must be."""
        return TranscriptError(f"{self.where} must be {be}, not {excerpt(self.value)}")

    def error(self, what: object) -> TranscriptError:
        """An error about this part."""
        return TranscriptError(f"{self.where}: {what}")

    @property
    def where(self) -> str:
        """The path, in words where it is empty."""
        return self.path or "the transcript"

    def integer(self, least: int | None = None) -> int:
        """The value, which must be an integer."""
        if type(self.value) is not int:
            raise self.type_error("an integer")
        if least is not None and self.value < least:
            raise self.type_error(f"at least {least}")
        return self.value

    def number(self) -> float:
        """The value, which must be a number."""
        if type(self.value) is not int and type(self.value) is not float:
            raise self.type_error("a number")
        return self.value

    def text(self) -> str:
        """The value, which must be a string."""
        if not isinstance(self.value, str):
            raise self.type_error("a string")
        return self.value

    def flag(self) -> bool:
        """The value, which must be a boolean."""
        if not isinstance(self.value, bool):
            raise self.type_error("true or false")
        return self.value

    def one_of(self, options: Sequence[T]) -> T:
        """The value, which must be one of the options."""
        for option in options:
            if self.value == option:
                return option
        raise self.type_error(f"one of {', '.join(options)}")

    def items(self) -> "list[JsonNode]":
        """The items of a list."""
        if not isinstance(self.value, list):
            raise self.type_error("a list")
        return [JsonNode(item, f"{self.path}[{i}]") for i, item in enumerate(self.value)]

    def members(self) -> "dict[str, JsonNode]":
        """The members of an object, whatever their names."""
        if not isinstance(self.value, dict):
            raise self.type_error("an object")
        prefix = f"{self.path}." if self.path else ""
        return {name: JsonNode(item, f"{prefix}{name}") for name, item in self.value.items()}

    def fields(self, needed: Collection[str], more: Collection[str] = ()) -> "dict[str, JsonNode]":
        """The members of an object that has all the needed fields and no unknown one."""
        members = self.members()
        for name in members:
            if name not in needed and name not in more:
                known = ", ".join([*needed, *more])
                raise self.error(f"there is no field {excerpt(name)}; the fields are {known}")
        for name in needed:
            if name not in members:
                raise self.error(f'the field "{name}" is missing')
        return members


def load(text: str | bytes) -> JsonNode:
    """Read JSON as the standard has it: no name twice, no NaN, nothing beyond the floats.

    >>> load('{"t": 1, "t": 2}')
    Traceback (most recent call last):
        ...
    muntin.conformance.transcript.json_reader.TranscriptError: this is not JSON: the name "t"...
    """
    try:
        decoded = text if isinstance(text, str) else text.decode()
        value: Json = json.loads(
            decoded,
            object_pairs_hook=_once_each,
            parse_constant=_refuse,
            parse_float=_float,
            parse_int=_integer,
        )
    except TranscriptError:
        raise
    except RecursionError as cause:
        raise TranscriptError(NESTED_TOO_DEEP) from cause
    except ValueError as cause:
        raise TranscriptError(f"this is not JSON: {cause}") from cause
    _check_depth(value)
    return JsonNode(value)


def _check_depth(value: Json) -> None:
    """Refuse what is nested so deeply that a recursive reader could not read it."""
    level: list[Json] = [value]
    for _ in range(MAX_DEPTH):
        lists = [item for item in level if isinstance(item, list)]
        objects = [item for item in level if isinstance(item, dict)]
        level = [part for item in lists for part in item]
        level += [part for item in objects for part in item.values()]
        if not level:
            return
    raise TranscriptError(NESTED_TOO_DEEP)


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise TranscriptError(f"the integer {text[:20]}... has over {MAX_DIGITS} digits, the limit")
    return int(text)


def _once_each(pairs: Iterable[tuple[str, Json]]) -> dict[str, Json]:
    members: dict[str, Json] = {}
    for name, value in pairs:
        if name in members:
            raise ValueError(f"the name {excerpt(name)} occurs twice in one object")
        members[name] = value
    return members


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f'{constant} is no number in JSON; as a value, write "{constant}"')


def _float(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise ValueError(f'the number {text} is beyond the floats; as a value, write "Infinity"')
    return number
