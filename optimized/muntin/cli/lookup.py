"""Implementations by name, as `--with` gives it."""

from muntin.cli.registry import OPERATORS, STRUCTURES, OperatorEntry, StructureEntry
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
    if name == ALL or name in names():
        return name
    raise InvalidInputError(
        f"{name!r} is no implementation; known are {', '.join(names())}, or all"
    )


def operators(name: str) -> list[OperatorEntry]:
    """Return the operators of this name, which may be `all`."""
    return [entry for entry in OPERATORS if name in (entry.name, ALL)]


def structures(name: str) -> list[StructureEntry]:
    """Return the structures of this name, which may be `all`."""
    return [entry for entry in STRUCTURES if name in (entry.name, ALL)]
