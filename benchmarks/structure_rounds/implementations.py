"""The measured structures: the registry, trees of the arities of [Tangwongsan19], a sorted list."""

from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from sortedcontainers import SortedDict  # type: ignore[import-untyped] # has no types

from muntin.optimized.btree.btree import BTree
from muntin.optimized.btree.fiba import Fiba
from muntin.registry.implementations import STRUCTURES
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Meter
from muntin.spec.structure import Pair

A = TypeVar("A")

ARITIES = (2, 4, 8)
BASELINE = "recompute"
FLIPPING = ("two-stacks", "two-stacks-lite", "daba", "daba-lite")
"""Their cost comes in waves as long as the window."""


class Window(Protocol[A]):
    """The calls of a round, and the one that fills the window before."""

    def insert(self, time: int, value: A, /) -> None: ...  # noqa: D102 as in OutOfOrder
    def evict(self, time: int, /) -> None: ...  # noqa: D102 as in OutOfOrder
    def query(self) -> A: ...  # noqa: D102 as in OutOfOrder
    def bulk_insert(self, pairs: Iterable[Pair[A]], /) -> None: ...  # noqa: D102 as in OutOfOrder


class Build(Protocol):
    """A builder of an empty window."""

    def __call__(self, monoid: Monoid[A], meter: Meter | None = None, /) -> Window[A]:
        """An empty window over the monoid that counts its visits on the meter."""
        ...


@dataclass(frozen=True)
class MeasuredStructure:
    """A structure, and which streams it supports."""

    name: str
    build: Build
    any_order: bool = True
    needs_group: bool = False

    def supports(self, distance: int, monoid: Monoid[A]) -> bool:
        """Whether it supports inserts at this out-of-order distance, and this monoid."""
        is_group = monoid.invert_first is not None
        return (self.any_order or not distance) and (is_group or not self.needs_group)


class SortedRefold(Generic[A]):
    """The window without a structure: a sorted dictionary, folded on every query."""

    def __init__(self, monoid: Monoid[A], _: Meter | None = None) -> None:
        """Start with an empty window."""
        self._monoid = monoid
        self._values: MutableMapping[int, A] = SortedDict()

    def insert(self, time: int, value: A) -> None:
        """Add a value; one that is already at this time is combined with it, on its left."""
        values = self._values
        values[time] = self._monoid.combine(values[time], value) if time in values else value

    def evict(self, time: int) -> None:
        """Remove the value at this time, if there is one."""
        self._values.pop(time, None)

    def query(self) -> A:
        """Fold all values in the order of time."""
        return self._monoid.fold(self._values.values())

    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> None:
        """Insert pairs at new times."""
        self._values.update(pairs)


def _tree(kind: type[BTree[object]], min_arity: int) -> Build:
    fingers = issubclass(kind, Fiba)

    def build(monoid: Monoid[A], meter: Meter | None = None, /) -> Window[A]:
        if fingers:
            return Fiba(monoid, meter, min_arity)
        return BTree(monoid, meter, min_arity)

    return build


def measured_structures() -> list[MeasuredStructure]:
    """All structures; `fiba4` and `btree4` are the registry's own `fiba` and `btree`."""
    renamed = {"fiba": "fiba4", "btree": "btree4"}
    registered = [
        MeasuredStructure(
            renamed.get(entry.name, entry.name),
            entry.build,
            entry.arrival == "any order",
            entry.needs == "group",
        )
        for entry in STRUCTURES
    ]
    others = [arity for arity in ARITIES if arity != 4]  # noqa: PLR2004 the default
    return [
        *registered,
        *(MeasuredStructure(f"btree{arity}", _tree(BTree, arity)) for arity in others),
        *(MeasuredStructure(f"fiba{arity}", _tree(Fiba, arity)) for arity in others),
        MeasuredStructure("sorted-refold", SortedRefold),
    ]
