"""Custom value types: a name in snapshots, an encoder to plain values, and a decoder."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from muntin.snapshot.containers import CONTAINERS
from muntin.snapshot.errors import SnapshotError
from muntin.snapshot.object_graph import SCALARS
from muntin.spec.errors import InvalidInputError

T = TypeVar("T")


class ValueType(NamedTuple):
    """A type, its name in snapshots, its encoder and its decoder."""

    cls: type[object]
    name: str
    encode: Callable[..., object]
    decode: Callable[..., object]


VALUE_TYPES: dict[type[object], ValueType] = {}
"""The registered types."""


def register_value(
    cls: type[T], name: str, encode: Callable[[T], object], decode: Callable[..., T]
) -> None:
    """Let snapshots hold values of a type: `encode` makes one plain, `decode` reverses it.

    Plain values are None, bool, int, float, str, bytes, Fraction, tuple, list, dict, set,
    frozenset, deque and Counter of plain values, and values of registered types.
    """
    if cls in SCALARS or cls in CONTAINERS:
        raise InvalidInputError(f"{cls.__name__} is a plain type; remove its registration")
    others = {other.name for other in VALUE_TYPES.values() if other.cls is not cls}
    if name in others:
        raise InvalidInputError(
            f"the name {name!r} belongs to another value type; choose another name"
        )
    VALUE_TYPES[cls] = ValueType(cls, name, encode, decode)


def value_type_by_name(name: str) -> ValueType:
    """The registered value type of this name."""
    for value_type in VALUE_TYPES.values():
        if value_type.name == name:
            return value_type
    raise SnapshotError(
        f"the snapshot holds values of the unregistered type {name!r}; call "
        "muntin.snapshot.register_value first"
    )
