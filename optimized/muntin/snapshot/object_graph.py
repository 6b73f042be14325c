"""A state as plain data: a table of class layouts and a table of nodes that refer by number."""

from dataclasses import dataclass
from typing import NamedTuple, TypeGuard

Scalar = None | bool | int | float | str | bytes
SCALARS = frozenset({type(None), bool, int, float, str, bytes})


class GraphReference(NamedTuple):
    """A reference to the node of this number."""

    number: int


Slot = Scalar | GraphReference


class ClassLayout(NamedTuple):
    """The name of a class and of the fields of its instances, in slot order."""

    name: str
    fields: tuple[str, ...]


class GraphNode(NamedTuple):
    """One object: its kind, its slots, and the number of its layout if it is an instance."""

    kind: str
    slots: tuple[Slot, ...]
    layout: int = 0

    @property
    def references(self) -> list[int]:
        """The numbers of the nodes that it refers to."""
        return [slot.number for slot in self.slots if isinstance(slot, GraphReference)]


KINDS = (
    *("object", "tuple", "list", "dict", "set", "frozenset", "deque", "counter", "fraction"),
    *("class", "constant", "external", "value"),
)
"""Kinds of nodes, written by position: new kinds go to the end."""


@dataclass(frozen=True)
class ObjectGraph:
    """A header of names and descriptions, class layouts, and nodes; node 0 is the root."""

    header: tuple[tuple[str, str], ...]
    layouts: tuple[ClassLayout, ...]
    nodes: tuple[GraphNode, ...]


def is_scalar(value: object) -> TypeGuard[Scalar]:
    """Whether a value is written inside a slot; instances of subclasses are not."""
    return type(value) in SCALARS
