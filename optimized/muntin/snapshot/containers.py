"""Containers of the standard library: how each is split into parts and built from them.

Mutable containers are created empty and filled last, so that they may hold themselves. Items of
sets are written in an order that does not depend on their hashes.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import singledispatch
from typing import NamedTuple

from muntin.snapshot.binary_format import scalar_bytes
from muntin.snapshot.object_graph import Slot, is_scalar

MAX_ITEM_DEPTH = 20
"""Nesting up to which an item of a set is inspected for its sort key."""


class MutableContainer(NamedTuple):
    """A container type whose instances are created from slots and filled later."""

    kind: str
    parts: Callable[..., Sequence[object]]
    create: Callable[[Sequence[Slot]], object]
    fill: Callable[..., object]


class ImmutableContainer(NamedTuple):
    """A container type whose instances are built from finished parts."""

    kind: str
    parts: Callable[..., Sequence[object]]
    build: Callable[..., object]


def _pairs(table: Mapping[object, object]) -> list[object]:
    return [part for pair in table.items() for part in pair]


def _fill_dict(table: dict[object, object], parts: Sequence[object]) -> None:
    """Fill by the update of dict, since that of Counter adds; refuse a duplicate key."""
    dict[object, object].update(table, zip(parts[::2], parts[1::2], strict=True))
    if 2 * len(table) != len(parts):
        raise ValueError(f"{len(parts) // 2} keys, but only {len(table)} distinct ones")


def _fill_set(items: set[object], parts: Sequence[object]) -> None:
    items.update(_build_frozenset(parts))


def _build_frozenset(parts: Sequence[object]) -> frozenset[object]:
    items = frozenset(parts)
    if len(items) != len(parts):
        raise ValueError(f"{len(parts)} items of a set, but only {len(items)} distinct ones")
    return items


def _sorted_items(items: Collection[object]) -> list[object]:
    """Items made of scalars by their bytes, then all others in the order of the set."""
    return sorted(items, key=_sort_key)


def _sort_key(item: object) -> tuple[bool, bytes]:
    key = _item_bytes(item)
    return key is None, key or b""


@singledispatch
def _item_bytes(item: object, _: int = 0) -> bytes | None:
    return scalar_bytes(item) if is_scalar(item) else None


@_item_bytes.register
def _(item: Fraction, _: int = 0) -> bytes:
    return b"/".join(map(scalar_bytes, item.as_integer_ratio()))


@_item_bytes.register(tuple)
@_item_bytes.register(frozenset)
def _(items: Collection[object], depth: int = 0) -> bytes | None:
    parts = [_item_bytes(item, depth + 1) for item in items] if depth < MAX_ITEM_DEPTH else [None]
    written = [part for part in parts if part is not None]
    if len(written) < len(parts):
        return None
    if isinstance(items, frozenset):
        written.sort()
    return type(items).__name__.encode() + scalar_bytes(len(written)) + b"".join(written)


def _deque_parts(items: deque[object]) -> list[object]:
    return [items.maxlen, *items]


def _empty(cls: type[object]) -> Callable[[Sequence[Slot]], object]:
    return lambda _: cls()


def _new_deque(slots: Sequence[Slot]) -> deque[object]:
    bound = slots[0]
    if bound is None or isinstance(bound, int):
        return deque(maxlen=bound)
    raise ValueError(f"the maximum length of a deque is {bound!r}, expected an integer or None")


def _fill_deque(items: deque[object], parts: Sequence[object]) -> None:
    items.extend(parts[1:])
    if len(items) != len(parts) - 1:
        raise ValueError(f"a deque of at most {items.maxlen} items has {len(parts) - 1}")


def _build_fraction(parts: Sequence[object]) -> Fraction:
    numerator, denominator = parts
    if isinstance(numerator, int) and isinstance(denominator, int):
        return Fraction(numerator, denominator)
    raise ValueError(f"a fraction of {numerator!r} and {denominator!r}, expected two integers")


MUTABLE: dict[type[object], MutableContainer] = {
    list: MutableContainer("list", list, _empty(list), list[object].extend),
    dict: MutableContainer("dict", _pairs, _empty(dict), _fill_dict),
    Counter: MutableContainer("counter", _pairs, _empty(Counter), _fill_dict),
    set: MutableContainer("set", _sorted_items, _empty(set), _fill_set),
    deque: MutableContainer("deque", _deque_parts, _new_deque, _fill_deque),
}
IMMUTABLE: dict[type[object], ImmutableContainer] = {
    tuple: ImmutableContainer("tuple", list, tuple),
    frozenset: ImmutableContainer("frozenset", _sorted_items, _build_frozenset),
    Fraction: ImmutableContainer("fraction", Fraction.as_integer_ratio, _build_fraction),
}
CONTAINERS: dict[type[object], MutableContainer | ImmutableContainer] = {**MUTABLE, **IMMUTABLE}
MUTABLE_KINDS = {container.kind: container for container in MUTABLE.values()}
IMMUTABLE_KINDS = {container.kind: container for container in IMMUTABLE.values()}
SHARED_EMPTY: tuple[object, ...] = ((), frozenset[object]())
"""Objects that Python makes only once: their identity carries no information."""
