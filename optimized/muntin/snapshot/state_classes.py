"""Which classes a state may be made of, what they are called, and what fields they have.

They are those of muntin's own portions, as far as they are imported, and those that somebody has
registered. Nothing is imported because a snapshot names it.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from enum import Enum
from types import MemberDescriptorType
from typing import ClassVar, NamedTuple, TypeVar

from muntin.snapshot.containers import CONTAINERS
from muntin.snapshot.errors import SnapshotError
from muntin.snapshot.object_graph import SCALARS
from muntin.snapshot.value_types import VALUE_TYPES, value_type_by_name
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.dialect import Dialect
from muntin.spec.query import Query, Settings
from muntin.spec.windows.measure import Measure
from muntin.spec.windows.window import WindowType

T = TypeVar("T")

PORTIONS = ("spec", "reference", "optimized", "kernels", "spark")
"""Where operators live."""

EXTERNAL_TYPES = (Query, Settings, Aggregate, Monoid, WindowType, Measure, Dialect)
"""What is given to an operator, and is never state."""

BUILTIN_TYPES: dict[str, type[object]] = {one.__name__: one for one in (*SCALARS, *CONTAINERS)}
IGNORED_FIELDS = ("__orig_class__",)
"""What `typing` leaves on an instance of a generic class."""


class Constant:
    """What a module makes once under a name of its own, and a state refers to by that name."""


_registered: dict[str, type[object]] = {}


def register_state(cls: type[T]) -> type[T]:
    """Let states hold instances of a class of one's own: its fields are written by name."""
    _registered[qualified_name(cls)] = cls
    _class_infos.clear()
    return cls


def qualified_name(cls: type[object]) -> str:
    """Return the module and the name of a class."""
    return f"{cls.__module__}:{cls.__qualname__}"


def is_operator_module(module: str) -> bool:
    """Whether a module belongs to a portion where operators live."""
    return module.startswith("muntin.") and module.split(".", 2)[1] in PORTIONS


class CustomState(ABC):
    """An instance that says itself what its state is, since its attributes are no state."""

    @abstractmethod
    def state(self) -> dict[str, object]:
        """Return the fields of the state; what changes in a step is held by no other instance."""

    @abstractmethod
    def resume(self, fields: Mapping[str, object]) -> None:
        """Go on from the fields of a state; or raise, and stay as it was."""


class RecomputableState(CustomState):
    """An instance with lists that it can fill again as it goes: they are empty in its state."""

    cache_fields: ClassVar[tuple[str, ...]]

    def state(self) -> dict[str, object]:
        """Return its attributes."""
        return {**vars(self), **{name: list[object]() for name in self.cache_fields}}

    def resume(self, fields: Mapping[str, object]) -> None:
        """Take attributes over."""
        vars(self).update(fields)


class ClassInfo(NamedTuple):
    """What there is to know of a class."""

    is_state: bool  # whether instances may be part of a state, and are written field by field
    is_external: bool  # whether they are given to an operator, and referred to
    is_constant: bool  # whether a module may make one once, as a constant
    slots: dict[str, MemberDescriptorType]
    required_fields: tuple[str, ...] | None  # fields that instances must have, if the class tells


_class_infos: dict[type[object], ClassInfo] = {}


def class_info(cls: type[object]) -> ClassInfo:
    """Return what there is to know of a class."""
    if cls not in _class_infos:
        given, once = (
            issubclass(cls, EXTERNAL_TYPES),
            issubclass(cls, Enum | Constant) or cls is object,
        )
        state = _is_state(cls) and not (given or once)
        _class_infos[cls] = ClassInfo(
            state, given, given or once, _slots(cls), _required_fields(cls)
        )
    return _class_infos[cls]


def _is_state(cls: type[object]) -> bool:
    bases = {base for base in cls.__mro__ if base.__module__ == "builtins"} - {object}
    plain = bases <= {tuple} and (tuple not in bases or hasattr(cls, "_fields"))
    known = is_operator_module(cls.__module__) or qualified_name(cls) in _registered
    return known and plain and class_of(qualified_name(cls)) is cls


def _slots(cls: type[object]) -> dict[str, MemberDescriptorType]:
    return {
        name: slot
        for base in cls.__mro__
        for name, slot in vars(base).items()
        if isinstance(slot, MemberDescriptorType)
    }


def _required_fields(cls: type[object]) -> tuple[str, ...] | None:
    if _is_tuple(cls):
        names: tuple[str, ...] = getattr(cls, "_fields", ())
        return names
    if is_dataclass(cls):
        return tuple(sorted(field.name for field in dataclass_fields(cls)))
    return None


def _is_tuple(cls: type[object]) -> bool:
    return issubclass(cls, tuple)


def class_of(name: str) -> type[object] | None:
    """Return the class of this name, if a state may hold instances of it."""
    if name in _registered:
        return _registered[name]
    module, _, path = name.partition(":")
    found: object = sys.modules.get(module) if is_operator_module(module) else None
    for part in path.split("."):
        found = vars(found).get(part) if hasattr(found, "__dict__") else None
    return found if isinstance(found, type) and qualified_name(found) == name else None


def name_of_class(cls: type[object]) -> str | None:
    """Return what a class is called where a state holds the class itself, if it may."""
    if BUILTIN_TYPES.get(cls.__name__) is cls:
        return cls.__name__
    if cls in VALUE_TYPES:
        return f"value {VALUE_TYPES[cls].name}"
    return qualified_name(cls) if class_of(qualified_name(cls)) is cls else None


def class_by_name(name: str) -> type[object]:
    """Return the class that `name_of_class` calls so."""
    cls = value_type_by_name(name[6:]).cls if name.startswith("value ") else BUILTIN_TYPES.get(name)
    cls = cls or class_of(name)
    if cls is None:
        raise SnapshotError(
            f"the snapshot speaks of the class {name!r}, which is none that a state may hold here; "
            "import its module, or register it with muntin.snapshot.register_state"
        )
    return cls


def fields_of(whole: object) -> dict[str, object]:
    """Return the fields of an instance by name; a tuple keeps its order, all else is sorted."""
    if isinstance(whole, CustomState):
        return dict(sorted(whole.state().items()))
    known = class_info(type(whole))
    if _is_tuple(type(whole)):
        return {name: getattr(whole, name) for name in known.required_fields or ()}
    found = dict(_slot_values(whole)) if known.slots else {}
    found.update(getattr(whole, "__dict__", ()))
    return {name: found[name] for name in sorted(found) if name not in IGNORED_FIELDS}


def _slot_values(whole: object) -> Iterator[tuple[str, object]]:
    for name, slot in class_info(type(whole)).slots.items():
        try:
            yield name, slot.__get__(whole)
        except AttributeError:  # it has not been set
            continue


def set_fields(whole: object, fields: Mapping[str, object]) -> None:
    """Give an instance its fields, past whatever its class does when one is set."""
    if isinstance(whole, CustomState):
        whole.resume(fields)
        return
    slots = class_info(type(whole)).slots
    for name, value in fields.items():
        if name in slots:
            slots[name].__set__(whole, value)
        else:
            vars(whole)[name] = value
