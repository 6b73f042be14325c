"""Who takes part: the registry, the trees at the arities of [Tangwongsan19], and a sorted list."""

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
    """What a round calls, and what fills the window before."""

    def insert(self, time: int, value: A, /) -> None: ...  # noqa: D102 as in OutOfOrder
    def evict(self, time: int, /) -> None: ...  # noqa: D102 as in OutOfOrder
    def query(self) -> A: ...  # noqa: D102 as in OutOfOrder
    def bulk_insert(self, pairs: Iterable[Pair[A]], /) -> None: ...  # noqa: D102 as in OutOfOrder


class Build(Protocol):
    """A way to make an empty window."""

    def __call__(self, monoid: Monoid[A], meter: Meter | None = None, /) -> Window[A]:
        """Return an empty window over the monoid that counts its visits on the meter."""
        ...


@dataclass(frozen=True)
class Contender:
    """A structure, and whether it can serve a stream."""

    name: str
    build: Build
    any_order: bool = True
    needs_group: bool = False

    def serves(self, distance: int, monoid: Monoid[A]) -> bool:
        """Whether it takes inserts at this out-of-order distance, and this monoid."""
        is_group = monoid.invert_first is not None
        return (self.any_order or not distance) and (is_group or not self.needs_group)


class SortedRefold(Generic[A]):
    """What one writes without a structure: a sorted dictionary, folded on every query."""

    def __init__(self, monoid: Monoid[A], _: Meter | None = None) -> None:
        """Start with an empty window."""
        self._monoid = monoid
        self._values: MutableMapping[int, A] = SortedDict()

    def insert(self, time: int, value: A) -> None:
        """Add a value; one that is already at this time is combined with it, on its left."""
        held = self._values
        held[time] = self._monoid.combine(held[time], value) if time in held else value

    def evict(self, time: int) -> None:
        """Remove what is at this time, if anything is."""
        self._values.pop(time, None)

    def query(self) -> A:
        """Fold all values in the order of time."""
        return self._monoid.fold(self._values.values())

    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> None:
        """Insert pairs at times that are not there yet."""
        self._values.update(pairs)


def _tree(kind: type[BTree[object]], min_arity: int) -> Build:
    fingers = issubclass(kind, Fiba)

    def build(monoid: Monoid[A], meter: Meter | None = None, /) -> Window[A]:
        if fingers:
            return Fiba(monoid, meter, min_arity)
        return BTree(monoid, meter, min_arity)

    return build


def contenders() -> list[Contender]:
    """Return all of them; `fiba4` and `btree4` are the registry's own `fiba` and `btree`."""
    renamed = {"fiba": "fiba4", "btree": "btree4"}
    registered = [
        Contender(
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
        *(Contender(f"btree{arity}", _tree(BTree, arity)) for arity in others),
        *(Contender(f"fiba{arity}", _tree(Fiba, arity)) for arity in others),
        Contender("sorted-refold", SortedRefold),
    ]
