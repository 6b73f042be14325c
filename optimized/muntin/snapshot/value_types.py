"""Value types of the user's own: how each is made plain, under a name, and made again."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from muntin.snapshot.containers import CONTAINERS
from muntin.snapshot.errors import SnapshotError
from muntin.snapshot.object_graph import SCALARS
from muntin.spec.errors import InvalidInputError

T = TypeVar("T")


class ValueType(NamedTuple):
    """A type, its name in snapshots, and both directions."""

    cls: type[object]
    name: str
    encode: Callable[..., object]
    decode: Callable[..., object]


VALUE_TYPES: dict[type[object], ValueType] = {}
"""The types that are known."""


def register_value(
    cls: type[T], name: str, encode: Callable[[T], object], decode: Callable[..., T]
) -> None:
    """Let snapshots hold values of a type: `decode` makes again what `encode` has made plain.

    Plain are None, bool, int, float, str, bytes, Fraction, tuple, list, dict, set, frozenset,
    deque and Counter of plain values, and values of registered types.
    """
    if cls in SCALARS or cls in CONTAINERS:
        raise InvalidInputError(f"{cls.__name__} is plain already; it cannot be registered")
    others = {one.name for one in VALUE_TYPES.values() if one.cls is not cls}
    if name in others:
        raise InvalidInputError(f"there is another value type {name!r}; choose another name")
    VALUE_TYPES[cls] = ValueType(cls, name, encode, decode)


def value_type_by_name(name: str) -> ValueType:
    """Return the value type of this name."""
    for one in VALUE_TYPES.values():
        if one.name == name:
            return one
    raise SnapshotError(
        f"the snapshot holds values of the type {name!r}, which is not registered here; "
        "call muntin.snapshot.register_value first"
    )
