"""The whole state of an object: as plain data, to compare two objects, and as a copy.

No field is selected by hand, so none can be forgotten: every attribute and every element of
everything that the object holds takes part, and an object that is held twice is recognised as one.
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
"""A word in cells that must not be read: every combine with it gives a wrong value."""


class Unread(int):
    """A number that raises when it is compared or calculated with."""

    def _fail(self, other: object) -> NoReturn:
        raise AssertionError(f"an unreadable number was compared with {other!r}")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __sub__ = __add__ = _fail
    __hash__ = int.__hash__


UNREAD = Unread()

CONSTANTS = (
    *(int, str, float, bytes, type(None), range),
    *(type, GenericAlias, FunctionType, BuiltinFunctionType),
)
OUTSIDE = (Meter,)
"""Meters only count, so they are no part of a state."""


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
    """A property of each type, computed once."""

    def __init__(self, compute: Callable[[type], T]) -> None:
        """Start empty, with the function that computes the property."""
        self._compute = compute

    def __missing__(self, kind: type) -> T:
        """Compute the property of a new type."""
        value = self[kind] = self._compute(kind)
        return value


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
"""Whether objects of a type are immutable: constants and frozen dataclasses."""

SLOTS = TypeCache(_slots)
"""The names of the slots of a type, but for Python's own."""


def is_fixed(thing: object) -> bool:
    """Whether an object is immutable."""
    return FIXED[type(thing)]


def attributes(thing: object) -> dict[str, object]:
    """The attributes in the dictionary of an object."""
    own: dict[str, object] = getattr(thing, "__dict__", {})
    return own


def fields(thing: object) -> list[str]:
    """The names of all attributes that are set."""
    slots = [name for name in SLOTS[type(thing)] if hasattr(thing, name)]
    own = [name for name in attributes(thing) if not name.startswith("__")]  # not __orig_class__
    return [*slots, *sorted(own)]


def tuple_like(like: tuple[object, ...], parts: Iterable[object]) -> object:
    """A tuple of the same type, perhaps a named tuple."""
    make: Callable[[Iterable[object]], object] = getattr(type(like), "_make", tuple)
    return make(parts)


class FormWalk:
    """One walk over everything that an object holds."""

    def __init__(self, times: Mapping[int, str], letters: Mapping[int, str | None]) -> None:
        """Start a walk that renames these integers and these characters of strings."""
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
        if (number := self._seen.get(id(thing))) is not None:
            return FormWalk, number
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
    """The whole state of an object as plain data, with integers and characters renamed.

    >>> shared = [1]
    >>> object_form([shared, shared]) == object_form([[1], [1]])
    False
    >>> object_form([2, "b"]) == object_form([2, "b"])
    True
    """
    return FormWalk(times, letters).form(thing)


Copies = dict[int, object]
"""The copies of this walk, each by the identity of its original."""


def _twin(thing: object, copies: Copies) -> object:
    copy = COPIERS[type(thing)]
    if not copy:
        return thing
    twin = copies.get(id(thing))
    return copy(thing, copies) if twin is None else twin


def _copier(kind: type) -> Callable[[object, Copies], object] | None:
    """The function that copies objects of a type; None if they need no copy."""
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


def _twin_of_tuple(thing: object, copies: Copies) -> object:
    assert is_tuple(thing)
    parts = [_twin(part, copies) for part in thing]
    if all(map(is_, parts, thing)):
        return thing
    return tuple_like(thing, parts)


def _twin_of_frozenset(thing: object, copies: Copies) -> object:
    assert is_set(thing)
    parts = {part: _twin(part, copies) for part in thing}
    if all(twin is part for part, twin in parts.items()):
        return thing
    return frozenset(parts.values())


def _twin_of_method(thing: object, copies: Copies) -> object:
    assert isinstance(thing, MethodType)
    return MethodType(thing.__func__, _twin(thing.__self__, copies))


def _twin_of_array(thing: object, copies: Copies) -> object:
    """Copy an array; what an array of objects holds is fixed."""
    assert is_array(thing)
    twin = copies[id(thing)] = thing.copy()
    return twin


def _twin_of_container(thing: object, copies: Copies) -> object:
    twin = copies[id(thing)] = type(thing).__new__(type(thing))
    if (is_list(thing) and is_list(twin)) or (is_deque(thing) and is_deque(twin)):
        twin.extend([_twin(part, copies) for part in thing])
    elif is_set(thing) and is_set(twin):
        twin.update([_twin(part, copies) for part in thing])
    return twin


def _twin_of_dict(thing: object, copies: Copies) -> object:
    twin = copies[id(thing)] = type(thing).__new__(type(thing))
    assert is_dict(thing)
    assert is_dict(twin)
    for key, value in thing.items():
        twin[_twin(key, copies)] = _twin(value, copies)
    return twin


def _twin_of_object(thing: object, copies: Copies) -> object:
    twin = copies[id(thing)] = object.__new__(type(thing))
    for name in SLOTS[type(thing)]:
        if hasattr(thing, name):
            object.__setattr__(twin, name, _twin(getattr(thing, name), copies))
    if own := attributes(thing):
        target = attributes(twin)
        for name, value in own.items():
            target[name] = _twin(value, copies)
    return twin


def fork(thing: T) -> T:
    """A copy that shares only immutable parts with the object.

    >>> letters = {"a": [1]}
    >>> fork(letters)["a"].append(2)
    >>> letters
    {'a': [1]}
    """
    twin = _twin(thing, {})
    assert isinstance(twin, type(thing))
    return twin
