"""Copies of a state in which one field is wrong: invariants that pin the field must notice.

Every number, flag and letter of the state is changed, every object that it refers to is replaced by
a copy, and every container loses an element; one change at a time.
"""

from collections.abc import Callable, Iterator
from functools import partial
from types import MethodType
from typing import NamedTuple, TypeVar

from exhaustive.object_state import (
    Unread,
    fields,
    fork,
    is_deque,
    is_dict,
    is_fixed,
    is_list,
    is_set,
    is_tuple,
    tuple_like,
)

T = TypeVar("T")


class Spot(NamedTuple):
    """A part of a state: its name, its value, and a function that replaces it."""

    name: str
    value: object
    put: Callable[[object], None]


def spots(name: str, thing: object, seen: set[int]) -> Iterator[Spot]:
    """Yield every part of an object, named by its class and its field."""
    if id(thing) in seen or is_fixed(thing):
        return
    seen.add(id(thing))
    for spot in _own(name, thing):
        yield spot
        yield from spots(spot.name, spot.value, seen)


def _own(name: str, thing: object) -> Iterator[Spot]:
    if is_list(thing) or is_deque(thing):
        for place, value in enumerate(thing):
            yield Spot(f"{name}[]", value, partial(thing.__setitem__, place))
    elif is_dict(thing):
        for key, value in thing.items():
            yield Spot(f"{name}[]", value, partial(thing.__setitem__, key))
    elif not is_set(thing):
        for field in fields(thing):
            name = f"{type(thing).__name__}.{field}"
            yield Spot(name, getattr(thing, field), partial(setattr, thing, field))


def wrong_values(value: object) -> Iterator[object]:
    """Yield values that might stand in place of a value."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int) and not isinstance(value, Unread):
        yield from (value + 1, value - 1)
    elif isinstance(value, str):
        yield value + "!"
    elif is_tuple(value):
        for place, part in enumerate(value):
            rests = value[:place], value[place + 1 :]
            yield from (tuple_like(value, (*rests[0], x, *rests[1])) for x in wrong_values(part))
    elif is_list(value) or is_deque(value):
        yield from [type(value)(list(value)[:-1])] if value else []
    elif is_dict(value):
        yield from [dict(list(value.items())[:-1])] if value else []
    elif is_set(value):
        yield from [set(list(value)[:-1])] if value else []
    elif not is_fixed(value) and not isinstance(value, MethodType):
        yield fork(value)


def corrupted_copies(thing: T) -> Iterator[tuple[str, T]]:
    """Yield copies of an object with one part wrong, each with the name of that part."""
    for index, spot in enumerate(list(spots("", thing, set()))):
        for choice in range(len(list(wrong_values(spot.value)))):
            copy = fork(thing)
            name, value, put = list(spots("", copy, set()))[index]
            put(list(wrong_values(value))[choice])
            yield name, copy
