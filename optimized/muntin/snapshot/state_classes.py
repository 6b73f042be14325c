"""Classes whose instances states may hold: their names in snapshots and their fields.

These are the imported classes of muntin's own packages and the registered ones. Nothing is imported
because a snapshot names it.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from enum import Enum
from types import MemberDescriptorType
from typing import ClassVar, NamedTuple, TypeVar

from muntin.atomicity import GUARD_FIELDS
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

PORTIONS = ("spec", "reference", "optimized", "columnar", "kernels", "spark")
"""Packages of operators."""

EXTERNAL_TYPES = (Query, Settings, Aggregate, Monoid, WindowType, Measure, Dialect)
"""Types of external objects, which are never state."""

BUILTIN_TYPES: dict[str, type[object]] = {cls.__name__: cls for cls in (*SCALARS, *CONTAINERS)}
IGNORED_FIELDS = ("__orig_class__", *GUARD_FIELDS)
"""Attributes that `typing` adds to instances of generic classes, and those of guards."""


class Constant:
    """Base of objects that a module makes once, and that a state refers to by name."""


_registered: dict[str, type[object]] = {}


def register_state(cls: type[T]) -> type[T]:
    """Let states hold instances of a user's class; its fields are written by name."""
    _registered[qualified_name(cls)] = cls
    _class_infos.clear()
    return cls


def qualified_name(cls: type[object]) -> str:
    """Module and name of a class."""
    return f"{cls.__module__}:{cls.__qualname__}"


def is_operator_module(module: str) -> bool:
    """Whether a module belongs to a package of operators."""
    return module.startswith("muntin.") and module.split(".", 2)[1] in PORTIONS


class CustomState(ABC):
    """An instance whose state is not its attributes."""

    @abstractmethod
    def state(self) -> dict[str, object]:
        """The fields of the state; no other instance may hold a part that a step changes."""

    @abstractmethod
    def resume(self, fields: Mapping[str, object]) -> None:
        """Continue from the fields of a state; an error leaves the instance unchanged."""


class RecomputableState(CustomState):
    """An instance with cached lists that it can recompute: they are empty in its state."""

    cache_fields: ClassVar[tuple[str, ...]]

    def state(self) -> dict[str, object]:
        """All attributes, with the cached lists empty."""
        return {**vars(self), **{name: list[object]() for name in self.cache_fields}}

    def resume(self, fields: Mapping[str, object]) -> None:
        """Set all attributes."""
        vars(self).update(fields)


class ClassInfo(NamedTuple):
    """How instances of a class are written."""

    is_state: bool  # instances may be part of a state, and are written field by field
    is_external: bool  # instances are external objects, which are referred to
    is_constant: bool  # a module may make an instance once, as a constant
    slots: dict[str, MemberDescriptorType]
    required_fields: tuple[str, ...] | None  # fields that all instances have, if known


_class_infos: dict[type[object], ClassInfo] = {}


def class_info(cls: type[object]) -> ClassInfo:
    """How instances of a class are written (cached)."""
    if cls not in _class_infos:
        is_external = issubclass(cls, EXTERNAL_TYPES)
        is_constant = any((is_external, issubclass(cls, Enum | Constant), cls is object))
        is_state = _is_state(cls) and not is_constant
        fields, slots = _required_fields(cls), _slots(cls)
        _class_infos[cls] = ClassInfo(is_state, is_external, is_constant, slots, fields)
    return _class_infos[cls]


def _is_state(cls: type[object]) -> bool:
    bases = {base for base in cls.__mro__ if base.__module__ == "builtins"} - {object}
    plain = bases <= {tuple} and (tuple not in bases or hasattr(cls, "_fields"))
    registered = is_operator_module(cls.__module__) or qualified_name(cls) in _registered
    return registered and plain and class_of(qualified_name(cls)) is cls


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
    """The class of this name, if states may hold its instances."""
    if name in _registered:
        return _registered[name]
    module, _, path = name.partition(":")
    member: object = sys.modules.get(module) if is_operator_module(module) else None
    for part in path.split("."):
        member = vars(member).get(part) if hasattr(member, "__dict__") else None
    return member if isinstance(member, type) and qualified_name(member) == name else None


def name_of_class(cls: type[object]) -> str | None:
    """The name of a class that is itself part of a state, if states may refer to it."""
    if BUILTIN_TYPES.get(cls.__name__) is cls:
        return cls.__name__
    if cls in VALUE_TYPES:
        return f"value {VALUE_TYPES[cls].name}"
    return qualified_name(cls) if class_of(qualified_name(cls)) is cls else None


def class_by_name(name: str) -> type[object]:
    """The class that has this name by `name_of_class`."""
    cls = value_type_by_name(name[6:]).cls if name.startswith("value ") else BUILTIN_TYPES.get(name)
    cls = cls or class_of(name)
    if cls is None:
        raise SnapshotError(
            f"the snapshot refers to the class {name!r}, which is not imported or not registered; "
            "import its module, or register it with muntin.snapshot.register_state"
        )
    return cls


def fields_of(instance: object) -> dict[str, object]:
    """The fields of an instance by name: a tuple in its own order, others sorted."""
    if isinstance(instance, CustomState):
        return dict(sorted(instance.state().items()))
    info = class_info(type(instance))
    if _is_tuple(type(instance)):
        return {name: getattr(instance, name) for name in info.required_fields or ()}
    fields = dict(_slot_values(instance)) if info.slots else {}
    fields.update(getattr(instance, "__dict__", ()))
    return {name: fields[name] for name in sorted(fields) if name not in IGNORED_FIELDS}


def _slot_values(instance: object) -> Iterator[tuple[str, object]]:
    for name, slot in class_info(type(instance)).slots.items():
        try:
            yield name, slot.__get__(instance)
        except AttributeError:  # not set yet
            continue


def set_fields(instance: object, fields: Mapping[str, object]) -> None:
    """Set the fields of an instance without running code of its class."""
    if isinstance(instance, CustomState):
        instance.resume(fields)
        return
    slots = class_info(type(instance)).slots
    for name, value in fields.items():
        if name in slots:
            slots[name].__set__(instance, value)
        else:
            vars(instance)[name] = value
