"""All that an object is made of: as plain data, to tell whether two are the same, and as a copy.

Nothing is picked out by hand, so no field can be forgotten: every attribute and every element of
everything that the object holds takes part, and what is held twice is recognised as one.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import NoReturn, TypeGuard, TypeVar

from muntin.spec.cost import Meter

T = TypeVar("T")

Form = object
"""Nested tuples of constants; equal iff the objects are the same in every field."""

NO_NAMES: Mapping[int, str] = {}

BLOT = "\uffff"
"""A word that stands where nobody may read: whatever it is combined into is wrong."""


class Unread(int):
    """A number that nobody may look at."""

    def _looked_at(self, other: object) -> NoReturn:
        raise AssertionError(f"a number that means nothing was compared with {other!r}")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __sub__ = __add__ = _looked_at
    __hash__ = int.__hash__


UNREAD = Unread()

CONSTANTS = (int, str, float, bytes, type(None), type, FunctionType, BuiltinFunctionType, range)
OUTSIDE = (Meter,)
"""What counts and does nothing else is no part of a state."""


def is_list(thing: object) -> TypeGuard[list[object]]:
    """Whether it is a list."""
    return isinstance(thing, list)


def is_deque(thing: object) -> TypeGuard[deque[object]]:
    """Whether it is a deque."""
    return isinstance(thing, deque)


def is_tuple(thing: object) -> TypeGuard[tuple[object, ...]]:
    """Whether it is a tuple, perhaps with names."""
    return isinstance(thing, tuple)


def is_set(thing: object) -> TypeGuard[set[object]]:
    """Whether it is a set."""
    return isinstance(thing, set | frozenset)


def is_dict(thing: object) -> TypeGuard[dict[object, object]]:
    """Whether it is a dictionary."""
    return isinstance(thing, dict)


def is_fixed(thing: object) -> bool:
    """Whether nobody changes such an object: a constant or a frozen dataclass."""
    if isinstance(thing, (*CONSTANTS, *OUTSIDE)):
        return True
    parameters = getattr(type(thing), "__dataclass_params__", None)
    return bool(getattr(parameters, "frozen", False))


def fields(thing: object) -> list[str]:
    """Return the names of all attributes that hold something."""
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    held = [name for name in slots if hasattr(thing, name)]
    names = [*held, *sorted(getattr(thing, "__dict__", {}))]
    return [name for name in names if not name.startswith("__")]  # Python's own, as __orig_class__


def remade(like: tuple[object, ...], parts: Iterable[object]) -> object:
    """Return a tuple of the same kind, perhaps with names."""
    make: Callable[[Iterable[object]], object] = getattr(type(like), "_make", tuple)
    return make(parts)


class Walk:
    """One walk over all that an object holds."""

    def __init__(self, times: Mapping[int, str], letters: Mapping[int, str | None]) -> None:
        """Say by what names the walk calls integers and the characters of strings."""
        self._times, self._letters = times, letters
        self._seen: dict[int, int] = {}

    def form(self, thing: object) -> Form:
        """Return the object as plain data."""
        if isinstance(thing, CONSTANTS):
            return self._constant(thing)
        if isinstance(thing, OUTSIDE):
            return None
        if is_tuple(thing):
            return (type(thing), *map(self.form, thing))
        if isinstance(thing, MethodType):
            return self.form(thing.__self__), thing.__func__
        if id(thing) in self._seen:
            return Walk, self._seen[id(thing)]
        self._seen[id(thing)] = len(self._seen)
        return type(thing), *self._parts(thing)

    def _constant(self, thing: object) -> Form:
        if type(thing) is int:
            return self._times.get(thing, thing)
        if type(thing) is str:
            return thing.translate(self._letters)
        return Unread if isinstance(thing, Unread) else thing

    def _parts(self, thing: object) -> list[Form]:
        if is_list(thing) or is_deque(thing):
            return list(map(self.form, thing))
        if is_dict(thing):
            return [(self.form(key), self.form(value)) for key, value in thing.items()]
        if is_set(thing):
            return [frozenset(map(self.form, thing))]
        return [self.form(getattr(thing, name)) for name in fields(thing)]


def whole(
    thing: object,
    times: Mapping[int, str] = NO_NAMES,
    letters: Mapping[int, str | None] = NO_NAMES,
) -> Form:
    """Return all that an object is made of, with integers and characters renamed.

    >>> shared = [1]
    >>> whole([shared, shared]) == whole([[1], [1]]), whole([2, "b"]) == whole([2, "b"])
    (False, True)
    """
    return Walk(times, letters).form(thing)


def _twin(thing: object, made: dict[int, object]) -> object:
    if id(thing) in made:
        return made[id(thing)]
    if is_fixed(thing):
        return thing
    if is_tuple(thing):
        parts = [_twin(part, made) for part in thing]
        if all(part is one for part, one in zip(parts, thing, strict=True)):
            return thing
        return remade(thing, parts)
    if isinstance(thing, MethodType):
        return MethodType(thing.__func__, _twin(thing.__self__, made))
    twin = made[id(thing)] = type(thing).__new__(type(thing))
    if (is_list(thing) and is_list(twin)) or (is_deque(thing) and is_deque(twin)):
        twin.extend(_twin(part, made) for part in thing)
    elif is_dict(thing) and is_dict(twin):
        twin.update((_twin(key, made), _twin(value, made)) for key, value in thing.items())
    elif is_set(thing) and is_set(twin):
        twin.update(_twin(part, made) for part in thing)
    else:
        for name in fields(thing):
            object.__setattr__(twin, name, _twin(getattr(thing, name), made))
    return twin


def fork(thing: T) -> T:
    """Return a copy that shares with the object only what nobody changes.

    >>> held = {"a": [1]}
    >>> fork(held)["a"].append(2)
    >>> held
    {'a': [1]}
    """
    twin = _twin(thing, {})
    assert isinstance(twin, type(thing))
    return twin
