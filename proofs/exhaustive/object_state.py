"""All that an object is made of: as plain data, to tell whether two are the same, and as a copy.

Nothing is picked out by hand, so no field can be forgotten: every attribute and every element of
everything that the object holds takes part, and what is held twice is recognised as one.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from operator import is_
from types import BuiltinFunctionType, FunctionType, GenericAlias, MethodType
from typing import NoReturn, TypeGuard, TypeVar

import numpy as np

from muntin.spec.cost import Meter

T = TypeVar("T")

ObjectForm = object
"""Nested tuples of constants; equal iff the objects are the same in every field."""

NO_NAMES: Mapping[int, str] = {}

BLOT = "\uffff"
"""A word that stands where nobody may read: whatever it is combined into is wrong."""


class Unread(int):
    """A number that nobody may look at."""

    def _fail(self, other: object) -> NoReturn:
        raise AssertionError(f"a number that means nothing was compared with {other!r}")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __sub__ = __add__ = _fail
    __hash__ = int.__hash__


UNREAD = Unread()

CONSTANTS = (
    *(int, str, float, bytes, type(None), range),
    *(type, GenericAlias, FunctionType, BuiltinFunctionType),
)
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


def is_array(thing: object) -> TypeGuard["np.ndarray[tuple[int, ...], np.dtype[np.generic]]"]:
    """Whether it is an array."""
    return isinstance(thing, np.ndarray)


class TypeCache(dict[type, T]):
    """What is known of each type, found out once."""

    def __init__(self, learn: Callable[[type], T]) -> None:
        """Say how it is found out."""
        self._learn = learn

    def __missing__(self, kind: type) -> T:
        """Find it out."""
        found = self[kind] = self._learn(kind)
        return found


def _is_fixed(kind: type) -> bool:
    parameters = getattr(kind, "__dataclass_params__", None)
    frozen = bool(getattr(parameters, "frozen", False))
    return frozen or issubclass(kind, (*CONSTANTS, *OUTSIDE))


def _slots(kind: type) -> list[str]:
    names = [name for base in kind.__mro__ for name in getattr(base, "__slots__", ())]
    return [name for name in names if not name.startswith("__")]


CONSTANT = TypeCache(lambda kind: issubclass(kind, CONSTANTS))
"""Whether objects of a type are constants."""

FIXED = TypeCache(_is_fixed)
"""Whether nobody changes objects of a type: constants and frozen dataclasses."""

SLOTS = TypeCache(_slots)
"""The names of the slots of a type, but for Python's own."""


def is_fixed(thing: object) -> bool:
    """Whether nobody changes such an object."""
    return FIXED[type(thing)]


def attributes(thing: object) -> dict[str, object]:
    """The attributes that are in no slot."""
    held: dict[str, object] = getattr(thing, "__dict__", {})
    return held


def fields(thing: object) -> list[str]:
    """The names of all attributes that hold something."""
    held = [name for name in SLOTS[type(thing)] if hasattr(thing, name)]
    own = [name for name in attributes(thing) if not name.startswith("__")]  # not __orig_class__
    return [*held, *sorted(own)]


def tuple_like(like: tuple[object, ...], parts: Iterable[object]) -> object:
    """A tuple of the same kind, perhaps with names."""
    make: Callable[[Iterable[object]], object] = getattr(type(like), "_make", tuple)
    return make(parts)


class FormWalk:
    """One walk over all that an object holds."""

    def __init__(self, times: Mapping[int, str], letters: Mapping[int, str | None]) -> None:
        """Say by what names the walk calls integers and the characters of strings."""
        self._times, self._letters = times, letters
        self._seen: dict[int, int] = {}

    def form(self, thing: object) -> ObjectForm:
        """The object as plain data."""
        if type(thing) is int:
            return self._times.get(thing, thing)
        if type(thing) is str:
            return thing.translate(self._letters)
        if CONSTANT[type(thing)]:
            return Unread if isinstance(thing, Unread) else thing
        return self._compound(thing)

    def _compound(self, thing: object) -> ObjectForm:
        if isinstance(thing, OUTSIDE):
            return None
        if is_tuple(thing):
            return (type(thing), *map(self.form, thing))
        if isinstance(thing, MethodType):
            return self.form(thing.__self__), thing.__func__
        if (known := self._seen.get(id(thing))) is not None:
            return FormWalk, known
        self._seen[id(thing)] = len(self._seen)
        return type(thing), *self._parts(thing)

    def _parts(self, thing: object) -> Iterable[ObjectForm]:
        if is_list(thing) or is_deque(thing):
            return map(self.form, thing)
        if is_array(thing):
            return [thing.dtype.str, thing.shape, *map(self.form, thing.ravel().tolist())]
        if is_dict(thing):
            return [(self.form(key), self.form(value)) for key, value in thing.items()]
        if is_set(thing):
            return [frozenset(map(self.form, thing))]
        return [self.form(getattr(thing, name)) for name in fields(thing)]


def object_form(
    thing: object,
    times: Mapping[int, str] = NO_NAMES,
    letters: Mapping[int, str | None] = NO_NAMES,
) -> ObjectForm:
    """All that an object is made of, with integers and characters renamed.

    >>> shared = [1]
    >>> whole([shared, shared]) == whole([[1], [1]]), whole([2, "b"]) == whole([2, "b"])
    (False, True)
    """
    return FormWalk(times, letters).form(thing)


Copies = dict[int, object]
"""The copies of this walk, each by the identity of its original."""


def _twin(thing: object, made: Copies) -> object:
    copy = COPIERS[type(thing)]
    if not copy:
        return thing
    known = made.get(id(thing))
    return copy(thing, made) if known is None else known


def _copier(kind: type) -> Callable[[object, Copies], object] | None:
    """Return what copies objects of a type; nothing, if they need no copy."""
    if FIXED[kind]:
        return None
    kinds: list[tuple[type, Callable[[object, Copies], object]]] = [
        (tuple, _twin_of_tuple),
        (MethodType, _twin_of_method),
        (np.ndarray, _twin_of_array),
        (dict, _twin_of_dict),
        (list, _twin_of_container),
        (deque, _twin_of_container),
        (set, _twin_of_container),
        (frozenset, _twin_of_frozenset),
    ]
    return next((copy for base, copy in kinds if issubclass(kind, base)), _twin_of_object)


COPIERS = TypeCache(_copier)


def _twin_of_tuple(thing: object, made: Copies) -> object:
    assert is_tuple(thing)
    parts = [_twin(part, made) for part in thing]
    if all(map(is_, parts, thing)):
        return thing
    return tuple_like(thing, parts)


def _twin_of_frozenset(thing: object, made: Copies) -> object:
    assert is_set(thing)
    parts = {one: _twin(one, made) for one in thing}
    if all(twin is one for one, twin in parts.items()):
        return thing
    return frozenset(parts.values())


def _twin_of_method(thing: object, made: Copies) -> object:
    assert isinstance(thing, MethodType)
    return MethodType(thing.__func__, _twin(thing.__self__, made))


def _twin_of_array(thing: object, made: Copies) -> object:
    """Copy an array; what an array of objects holds is fixed."""
    assert is_array(thing)
    twin = made[id(thing)] = thing.copy()
    return twin


def _twin_of_container(thing: object, made: Copies) -> object:
    twin = made[id(thing)] = type(thing).__new__(type(thing))
    if (is_list(thing) and is_list(twin)) or (is_deque(thing) and is_deque(twin)):
        twin.extend([_twin(part, made) for part in thing])
    elif is_set(thing) and is_set(twin):
        twin.update([_twin(part, made) for part in thing])
    return twin


def _twin_of_dict(thing: object, made: Copies) -> object:
    twin = made[id(thing)] = type(thing).__new__(type(thing))
    assert is_dict(thing)
    assert is_dict(twin)
    for key, value in thing.items():
        twin[_twin(key, made)] = _twin(value, made)
    return twin


def _twin_of_object(thing: object, made: Copies) -> object:
    twin = made[id(thing)] = object.__new__(type(thing))
    for name in SLOTS[type(thing)]:
        if hasattr(thing, name):
            object.__setattr__(twin, name, _twin(getattr(thing, name), made))
    if own := attributes(thing):
        held = attributes(twin)
        for name, value in own.items():
            held[name] = _twin(value, made)
    return twin


def fork(thing: T) -> T:
    """A copy that shares with the object only what nobody changes.

    >>> held = {"a": [1]}
    >>> fork(held)["a"].append(2)
    >>> held
    {'a': [1]}
    """
    twin = _twin(thing, {})
    assert isinstance(twin, type(thing))
    return twin
