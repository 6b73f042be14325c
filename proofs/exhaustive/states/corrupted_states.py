"""Copies of a state in which one field is wrong: a relation that pins the field has to notice.

Every number, flag and letter that the state holds is changed, every object that it refers to
replaced by a copy, and from every container something taken away; one at a time.
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
    """Something that a state holds: by what name, what it is, and how to put another there."""

    name: str
    value: object
    put: Callable[[object], None]


def spots(name: str, thing: object, seen: set[int]) -> Iterator[Spot]:
    """Yield everything that an object holds, by the name of its class and of the field."""
    if id(thing) in seen or is_fixed(thing):
        return
    seen.add(id(thing))
    for spot in _own(name, thing):
        yield spot
        yield from spots(spot.name, spot.value, seen)


def _own(name: str, thing: object) -> Iterator[Spot]:
    if is_list(thing) or is_deque(thing):
        for place, held in enumerate(thing):
            yield Spot(f"{name}[]", held, partial(thing.__setitem__, place))
    elif is_dict(thing):
        for key, held in thing.items():
            yield Spot(f"{name}[]", held, partial(thing.__setitem__, key))
    elif not is_set(thing):
        for field in fields(thing):
            name = f"{type(thing).__name__}.{field}"
            yield Spot(name, getattr(thing, field), partial(setattr, thing, field))


def wrong_values(held: object) -> Iterator[object]:
    """Yield what might stand there instead."""
    if isinstance(held, bool):
        yield not held
    elif isinstance(held, int) and not isinstance(held, Unread):
        yield from (held + 1, held - 1)
    elif isinstance(held, str):
        yield held + "!"
    elif is_tuple(held):
        for place, part in enumerate(held):
            rests = held[:place], held[place + 1 :]
            yield from (tuple_like(held, (*rests[0], x, *rests[1])) for x in wrong_values(part))
    elif is_list(held) or is_deque(held):
        yield from [type(held)(list(held)[:-1])] if held else []
    elif is_dict(held):
        yield from [dict(list(held.items())[:-1])] if held else []
    elif is_set(held):
        yield from [set(list(held)[:-1])] if held else []
    elif not is_fixed(held) and not isinstance(held, MethodType):
        yield fork(held)


def corrupted_copies(thing: T) -> Iterator[tuple[str, T]]:
    """Yield copies with one thing wrong, each with the name of what is wrong."""
    for nth, spot in enumerate(list(spots("", thing, set()))):
        for choice in range(len(list(wrong_values(spot.value)))):
            copy = fork(thing)
            name, held, put = list(spots("", copy, set()))[nth]
            put(list(wrong_values(held))[choice])
            yield name, copy
