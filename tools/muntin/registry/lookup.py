"""Implementations by name, as `--with` gives it.

MODULE:NAME stands for an operator of the user's own: anything that makes one of Settings.
"""

from importlib import import_module

from muntin.registry.implementations import (
    OPERATORS,
    STRUCTURES,
    WHOLE_TABLE_OPERATORS,
    OperatorEntry,
    StructureEntry,
)
from muntin.spec.errors import InvalidInputError

ALL = "all"
"""The name that stands for every implementation."""


def names() -> list[str]:
    """Return every name, operators first; a name may stand for one of each.

    >>> names()[:2]
    ['spec', 'recompute']
    """
    return list(
        dict.fromkeys([*(one.name for one in OPERATORS), *(one.name for one in STRUCTURES)])
    )


def known(name: str) -> str:
    """Return a name that stands for something, or list those that do."""
    if name == ALL or name in names() or operators(name):
        return name
    raise InvalidInputError(
        f"{name!r} is no implementation; known are {', '.join(names())}, or all"
    )


def operators(name: str) -> list[OperatorEntry]:
    """Return the operators of this name, which may be `all`."""
    if ":" in name:
        return [_of_the_user(name)]
    found = [entry for entry in OPERATORS if name in (entry.name, ALL)]
    return found or [entry for entry in WHOLE_TABLE_OPERATORS if name == entry.name]


def operator_named(name: str) -> OperatorEntry:
    """Return the one operator of this name."""
    for entry in operators(name) if name != ALL else ():
        return entry
    known = ", ".join(entry.name for entry in (*OPERATORS, *WHOLE_TABLE_OPERATORS))
    raise InvalidInputError(f"{name!r} is no operator; known are {known}, or MODULE:NAME")


def _of_the_user(name: str) -> OperatorEntry:
    module, _, member = name.partition(":")
    try:
        build = getattr(import_module(module), member)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidInputError(f"{name!r} is no operator: {error}") from error
    return OperatorEntry(name, build)


def structures(name: str) -> list[StructureEntry]:
    """Return the structures of this name, which may be `all`."""
    return [entry for entry in STRUCTURES if name in (entry.name, ALL)]
