"""The plain form of a snapshot: a table of classes and a table of nodes, that refer by number.

Migrations work on it: to rename a class or a field is to edit the table of forms.
"""

from dataclasses import dataclass
from typing import NamedTuple, TypeGuard

Scalar = None | bool | int | float | str | bytes
SCALARS = frozenset({type(None), bool, int, float, str, bytes})


class GraphReference(NamedTuple):
    """The node of this number."""

    number: int


Slot = Scalar | GraphReference


class ClassLayout(NamedTuple):
    """A class by name, and the fields that its instances have, in the order of their slots."""

    name: str
    fields: tuple[str, ...]


class GraphNode(NamedTuple):
    """One object: what it is, its form if it is an instance of a class, and what it is made of."""

    kind: str
    slots: tuple[Slot, ...]
    layout: int = 0


KINDS = (
    "object",
    "tuple",
    "list",
    "dict",
    "set",
    "frozenset",
    "deque",
    "counter",
    "fraction",
    "class",
    "constant",
    "given",
    "value",
)
"""What a node may be; its place here is its number in the bytes, so new kinds go to the end."""


@dataclass(frozen=True)
class ObjectGraph:
    """A header of names and descriptions, the forms, and the nodes; the first node is the root."""

    header: tuple[tuple[str, str], ...]
    layouts: tuple[ClassLayout, ...]
    nodes: tuple[GraphNode, ...]


def is_scalar(value: object) -> TypeGuard[Scalar]:
    """Whether a value is written where it stands; a subclass of a scalar is none."""
    return type(value) in SCALARS
