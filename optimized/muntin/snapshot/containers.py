"""The containers of the standard library that a state may be made of, taken apart and put together.

Those that can change are made empty and filled when all else is there, so that they may hold
themselves. The items of sets are written in an order that does not depend on their hashes.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import singledispatch
from typing import NamedTuple

from muntin.snapshot.binary_format import scalar_bytes
from muntin.snapshot.object_graph import Slot, is_scalar

MAX_ITEM_DEPTH = 20
"""How deeply an item of a set is looked into, to find its place."""


class MutableContainer(NamedTuple):
    """A container that is made from its slots, and filled later."""

    kind: str
    parts: Callable[..., Sequence[object]]
    create: Callable[[Sequence[Slot]], object]
    fill: Callable[..., object]


class ImmutableContainer(NamedTuple):
    """A container that is made when its parts are."""

    kind: str
    parts: Callable[..., Sequence[object]]
    build: Callable[..., object]


def _pairs(table: Mapping[object, object]) -> list[object]:
    return [part for pair in table.items() for part in pair]


def _fill_dict(table: dict[object, object], parts: Sequence[object]) -> None:
    """Fill without the update of a Counter, which adds; a key that comes twice is refused."""
    dict[object, object].update(table, zip(parts[::2], parts[1::2], strict=True))
    if 2 * len(table) != len(parts):
        raise ValueError("two keys are equal")


def _fill_set(items: set[object], parts: Sequence[object]) -> None:
    items.update(parts)
    if len(items) != len(parts):
        raise ValueError("two items are equal")


def _build_frozenset(parts: Sequence[object]) -> frozenset[object]:
    items = frozenset(parts)
    if len(items) != len(parts):
        raise ValueError("two items are equal")
    return items


def _sorted_items(items: Collection[object]) -> list[object]:
    """Order what is made of scalars by bytes; all else comes behind it, in the order of the set."""
    return sorted(items, key=_sort_key)


def _sort_key(item: object) -> tuple[bool, bytes]:
    spelled = _item_bytes(item)
    return spelled is None, spelled or b""


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
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if isinstance(items, frozenset):
        known.sort()
    return type(items).__name__.encode() + scalar_bytes(len(known)) + b"".join(known)


def _deque_parts(items: deque[object]) -> list[object]:
    return [items.maxlen, *items]


def _new_list(_: Sequence[Slot]) -> list[object]:
    return []


def _new_dict(_: Sequence[Slot]) -> dict[object, object]:
    return {}


def _new_counter(_: Sequence[Slot]) -> Counter[object]:
    return Counter()


def _new_set(_: Sequence[Slot]) -> set[object]:
    return set()


def _fill_list(items: list[object], parts: Sequence[object]) -> None:
    items.extend(parts)


def _new_deque(slots: Sequence[Slot]) -> deque[object]:
    bound = slots[0]
    if bound is None or isinstance(bound, int):
        return deque(maxlen=bound)
    raise ValueError(f"a deque of length {bound!r}")


def _fill_deque(items: deque[object], parts: Sequence[object]) -> None:
    items.extend(parts[1:])
    if len(items) != len(parts) - 1:
        raise ValueError("a deque holds more than it may")


def _build_fraction(parts: Sequence[object]) -> Fraction:
    numerator, denominator = parts
    if isinstance(numerator, int) and isinstance(denominator, int):
        return Fraction(numerator, denominator)
    raise ValueError(f"a fraction of {numerator!r} and {denominator!r}")


def _fraction_parts(number: Fraction) -> tuple[int, int]:
    return number.as_integer_ratio()


MUTABLE: dict[type[object], MutableContainer] = {
    list: MutableContainer("list", list, _new_list, _fill_list),
    dict: MutableContainer("dict", _pairs, _new_dict, _fill_dict),
    Counter: MutableContainer("counter", _pairs, _new_counter, _fill_dict),
    set: MutableContainer("set", _sorted_items, _new_set, _fill_set),
    deque: MutableContainer("deque", _deque_parts, _new_deque, _fill_deque),
}
IMMUTABLE: dict[type[object], ImmutableContainer] = {
    tuple: ImmutableContainer("tuple", list, tuple),
    frozenset: ImmutableContainer("frozenset", _sorted_items, _build_frozenset),
    Fraction: ImmutableContainer("fraction", _fraction_parts, _build_fraction),
}
CONTAINERS: dict[type[object], MutableContainer | ImmutableContainer] = {**MUTABLE, **IMMUTABLE}
MUTABLE_KINDS = {one.kind: one for one in MUTABLE.values()}
IMMUTABLE_KINDS = {one.kind: one for one in IMMUTABLE.values()}
SHARED_EMPTY: tuple[object, ...] = ((), frozenset[object]())
"""What Python makes once only: that two of them are one says nothing."""
