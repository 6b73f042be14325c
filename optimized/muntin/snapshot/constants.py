"""What is made once by a module of muntin, and is told by identity: TIME, COUNT, enums, sentinels.

A constant goes by the name that it has in a module; where several have imported it, in the one
that defines its class, else in the specification, else in the first in the alphabet.
"""

import sys
from abc import ABCMeta
from enum import Enum
from types import FunctionType, ModuleType
from typing import TypeVar

from muntin.snapshot.classes import class_of, facts, is_ours, own_name
from muntin.snapshot.errors import SnapshotError

COMMON = frozenset({type, ABCMeta, FunctionType, ModuleType, str, int, tuple, dict, TypeVar})
"""What most names of modules stand for, and what is no constant: so many are soon passed over."""


def may_be_constant(whole: object) -> bool:
    """Whether an object is of a kind that modules make once."""
    return facts(type(whole)).once


def constants() -> dict[int, tuple[str, str]]:
    """Return the module and the name of every constant, by the identity of the object."""
    found: dict[int, list[tuple[bool, bool, str, str]]] = {}
    for module, content in list(sys.modules.items()):
        for name, whole in list(vars(content).items()) if is_ours(module) else ():
            if type(whole) not in COMMON and may_be_constant(whole):
                defines, spec = type(whole).__module__ == module, module.startswith("muntin.spec.")
                found.setdefault(id(whole), []).append((not defines, not spec, module, name))
    return {key: min(places)[2:] for key, places in found.items()}


def enum_name(whole: Enum) -> tuple[str, str] | None:
    """Return the class and the name of a member, if its class is one that a state may name."""
    name = own_name(type(whole))
    return (name, whole.name) if class_of(name) is type(whole) else None


def constant_named(place: str, name: str) -> object:
    """Return the constant that a snapshot names."""
    cls = class_of(place)
    if cls is not None and issubclass(cls, Enum):
        return cls[name]
    found = vars(sys.modules[place]).get(name) if is_ours(place) and place in sys.modules else None
    if found is None or not may_be_constant(found):
        raise SnapshotError(f"the snapshot refers to {name} of {place}, which is no constant here")
    return found
