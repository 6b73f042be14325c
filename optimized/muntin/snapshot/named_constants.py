"""What is made once by a module of muntin, and is told by identity: TIME, COUNT, enums, sentinels.

A constant goes by the name that it has in a module; where several have imported it, in the one
that defines its class, else in the specification, else in the first in the alphabet.
"""

import sys
from abc import ABCMeta
from collections.abc import Mapping
from enum import Enum
from types import FunctionType, MappingProxyType, ModuleType
from typing import TypeVar

from muntin.snapshot.errors import SnapshotError
from muntin.snapshot.state_classes import class_info, class_of, is_operator_module, qualified_name

ConstantName = tuple[str, str]
"""A module, and a name in it."""
NON_CONSTANT_TYPES = frozenset(
    {type, ABCMeta, FunctionType, ModuleType, str, int, tuple, dict, TypeVar}
)
"""What most names of modules stand for, and what is no constant: so many are soon passed over."""


def may_be_constant(whole: object) -> bool:
    """Whether an object is of a kind that modules make once."""
    return class_info(type(whole)).is_constant


class ConstantIndex:
    """What was found when modules were looked through last: there may be thousands of them."""

    module_count = 0
    names: Mapping[int, ConstantName] = MappingProxyType({})


def constant_name(whole: object) -> ConstantName | None:
    """Return the module and the name of a constant, if it is one.

    What is given is none as a rule: modules are looked through for it when some came or went.
    """
    if not may_be_constant(whole):
        return None
    place = ConstantIndex.names.get(id(whole))
    if place and getattr(sys.modules.get(place[0]), place[1], None) is whole:
        return place
    modules = len(sys.modules)
    if place or not class_info(type(whole)).is_external or ConstantIndex.module_count != modules:
        ConstantIndex.names = _constant_names()
        ConstantIndex.module_count = modules  # last: another thread may look at it
    return ConstantIndex.names.get(id(whole))


def _constant_names() -> dict[int, ConstantName]:
    """Return the module and the name of every constant, by the identity of the object."""
    found: dict[int, list[tuple[bool, bool, str, str]]] = {}
    for module, content in list(sys.modules.items()):
        for name, whole in list(vars(content).items()) if is_operator_module(module) else ():
            if type(whole) not in NON_CONSTANT_TYPES and may_be_constant(whole):
                defines, spec = type(whole).__module__ == module, module.startswith("muntin.spec.")
                found.setdefault(id(whole), []).append((not defines, not spec, module, name))
    return {key: min(places)[2:] for key, places in found.items()}


def enum_name(whole: Enum) -> tuple[str, str] | None:
    """Return the class and the name of a member, if its class is one that a state may name."""
    name = qualified_name(type(whole))
    return (name, whole.name) if class_of(name) is type(whole) else None


def constant_by_name(place: str, name: str) -> object:
    """Return the constant that a snapshot names."""
    cls = class_of(place)
    if cls is not None and issubclass(cls, Enum):
        return cls[name]
    found = (
        vars(sys.modules[place]).get(name)
        if is_operator_module(place) and place in sys.modules
        else None
    )
    if found is None or not may_be_constant(found):
        raise SnapshotError(f"the snapshot refers to {name} of {place}, which is no constant here")
    return found
