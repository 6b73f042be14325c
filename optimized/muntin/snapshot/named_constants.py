"""Constants of muntin's modules, which are compared by identity: TIME, COUNT, enums, sentinels.

A constant is named by a module and its name there: of several modules that import it, the one that
defines its class, else one of the specification, else the first in the alphabet.
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
"""A module and a name in it."""
NON_CONSTANT_TYPES = {type, ABCMeta, FunctionType, ModuleType, str, int, tuple, dict, TypeVar}
"""Types of most module attributes, never constants: a cheap first filter."""


def may_be_constant(value: object) -> bool:
    """Whether the class of an object has instances that modules make once."""
    return class_info(type(value)).is_constant


class ConstantIndex:
    """The result of the last scan over all modules, which may be thousands."""

    module_count = 0
    names: Mapping[int, ConstantName] = MappingProxyType({})


def constant_name(value: object) -> ConstantName | None:
    """The module and the name of a constant, if the object is one.

    External objects seldom are, so modules are scanned for them only when the number of modules
    has changed.
    """
    if not may_be_constant(value):
        return None
    name = ConstantIndex.names.get(id(value))
    if name and getattr(sys.modules.get(name[0]), name[1], None) is value:
        return name
    module_count, is_external = len(sys.modules), class_info(type(value)).is_external
    if name or not is_external or ConstantIndex.module_count != module_count:
        ConstantIndex.names = _constant_names()
        ConstantIndex.module_count = module_count  # last, for concurrent readers
    return ConstantIndex.names.get(id(value))


def _constant_names() -> dict[int, ConstantName]:
    """The module and the name of every constant, by the identity of the object."""
    candidates: dict[int, list[tuple[bool, bool, str, str]]] = {}
    for module, content in list(sys.modules.items()):
        for name, value in list(vars(content).items()) if is_operator_module(module) else ():
            if type(value) not in NON_CONSTANT_TYPES and may_be_constant(value):
                defines, spec = type(value).__module__ == module, module.startswith("muntin.spec.")
                candidates.setdefault(id(value), []).append((not defines, not spec, module, name))
    return {key: min(names)[2:] for key, names in candidates.items()}


def enum_name(value: Enum) -> tuple[str, str] | None:
    """The class and the name of an enum member, if states may refer to its class."""
    name = qualified_name(type(value))
    return (name, value.name) if class_of(name) is type(value) else None


def constant_by_name(owner: str, name: str) -> object:
    """The constant of this name in a module, or the member of this name of an enum."""
    cls = class_of(owner)
    if cls is not None and issubclass(cls, Enum):
        return cls[name]
    module = sys.modules.get(owner) if is_operator_module(owner) else None
    constant = vars(module).get(name) if module else None
    if constant is None or not may_be_constant(constant):
        raise SnapshotError(
            f"the snapshot refers to the constant {name} of {owner}, which does not exist; import "
            "the module, or restore it with the version that wrote it"
        )
    return constant
