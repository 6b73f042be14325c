"""Implementations by the names that `--with` accepts.

MODULE:NAME stands for an operator of the user's own: any callable that makes one from Settings.
"""

from importlib import import_module

from muntin.registry.implementations import (
    DATAFRAME_OPERATORS,
    MODEL_OPERATORS,
    OPERATORS,
    STRUCTURES,
    OperatorEntry,
    StructureEntry,
)
from muntin.spec.errors import InvalidInputError

ALL = "all"
"""The name that stands for every implementation."""
SEPARATE_OPERATORS = (*DATAFRAME_OPERATORS, *MODEL_OPERATORS)
"""Operators that `all` does not include: they need more than this package, or are slow."""


def names() -> list[str]:
    """Every name, operators first; a name may stand for an operator and a structure.

    >>> names()[:2]
    ['spec', 'recompute']
    """
    entries: list[OperatorEntry | StructureEntry] = [*OPERATORS, *STRUCTURES]
    return list(dict.fromkeys(entry.name for entry in entries))


def check_name(name: str) -> str:
    """The name itself; an unknown one is an error that lists the known ones."""
    if name == ALL or name in names() or operators(name):
        return name
    message = f"{name!r} is no implementation; known are {', '.join(names())}, or all"
    raise InvalidInputError(message)


def operators(name: str) -> list[OperatorEntry]:
    """The operators of this name, which may be `all`."""
    if ":" in name:
        return [_user_entry(name)]
    entries = [entry for entry in OPERATORS if name in (entry.name, ALL)]
    return entries or [entry for entry in SEPARATE_OPERATORS if name == entry.name]


def operator_named(name: str) -> OperatorEntry:
    """The one operator of this name, which may be one on DataFrames."""
    for entry in operators(name) if name != ALL else ():
        return entry
    names = ", ".join(entry.name for entry in (*OPERATORS, *SEPARATE_OPERATORS))
    raise InvalidInputError(f"{name!r} is no operator; known are {names}, or MODULE:NAME")


def _user_entry(name: str) -> OperatorEntry:
    module, _, member = name.partition(":")
    try:
        build = getattr(import_module(module), member)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidInputError(f"{name!r} is no operator: {error}") from error
    return OperatorEntry(name, build)


def structures(name: str) -> list[StructureEntry]:
    """The structures of this name, which may be `all`."""
    return [entry for entry in STRUCTURES if name in (entry.name, ALL)]
