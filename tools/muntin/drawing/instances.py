"""The structures that can be drawn, each with its layout."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from muntin.drawing.flatfat_layout import fat_scene
from muntin.drawing.levels_layout import levels_scene
from muntin.drawing.queue_layout import queue_scene
from muntin.drawing.scene import Scene
from muntin.drawing.tree_layout import tree_scene
from muntin.drawing.value_text import ValueFormatter
from muntin.optimized.btree.amortization import BTreeWithCoins, FibaWithCoins
from muntin.optimized.btree.btree import BTree
from muntin.optimized.btree.fiba import Fiba
from muntin.optimized.fifo.b_int import BInt
from muntin.optimized.fifo.daba import Daba
from muntin.optimized.fifo.daba_lite import DabaLite
from muntin.optimized.fifo.two_stacks import TwoStacks
from muntin.optimized.fifo.two_stacks_lite import TwoStacksLite
from muntin.optimized.flatfat.flatfat_window import FlatFatWindow
from muntin.optimized.flatfat.reactive import ReactiveAggregator
from muntin.optimized.introspection import FatPicture, LevelsPicture, Picture, TreePicture
from muntin.reference.fifo_adapter import FifoAdapter
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.errors import UnsupportedError
from muntin.spec.structure import Fifo, OutOfOrder


class Drawable(Protocol):
    """A structure with a picture of its state."""

    def picture(self) -> Picture[object]:
        """The picture of the current state."""
        ...


class DrawableFifo(Fifo[object], Drawable, Protocol):
    """A FIFO structure with a picture."""


class DrawableWindow(OutOfOrder[object], Drawable, Protocol):
    """Any other structure with a picture."""


TREES: Mapping[str, tuple[type[BTree[object]], type[BTree[object]]]] = {
    "btree": (BTree, BTreeWithCoins),
    "fiba": (Fiba, FibaWithCoins),
}
"""The trees, without coins and with them."""
FIFO: Mapping[str, Callable[[Monoid[object]], DrawableFifo]] = {
    "two-stacks": TwoStacks[object],
    "two-stacks-lite": TwoStacksLite[object],
    "daba": Daba[object],
    "daba-lite": DabaLite[object],
}
OTHERS: Mapping[str, Callable[[Monoid[object]], DrawableWindow]] = {
    "flatfat": FlatFatWindow[object],
    "reactive": ReactiveAggregator[object],
    "b-int": BInt[object],
}
DRAWABLE = (*TREES, *OTHERS, *FIFO)
"""The names of structures that can be drawn."""

DEFAULT_MIN_ARITY = 4


@dataclass(frozen=True)
class Instance:
    """A structure, and its current picture."""

    structure: OutOfOrder[object]
    picture: Callable[[], Picture[object]]

    def scene(self, formatter: ValueFormatter) -> Scene:
        """The layout of the current state."""
        picture = self.picture()
        if isinstance(picture, TreePicture):
            return tree_scene(picture, formatter)
        if isinstance(picture, FatPicture):
            return fat_scene(picture, formatter)
        if isinstance(picture, LevelsPicture):
            return levels_scene(picture, formatter)
        times = [time for time, _ in self.structure.items()]
        return queue_scene(picture, times, formatter)


def instance(
    name: str, monoid: Monoid[object], min_arity: int | None = None, *, coins: bool = False
) -> Instance:
    """An empty structure that can be drawn; another name is an error."""
    if name not in TREES and (coins or min_arity is not None):
        message = f"{name} has neither a least arity nor coins; only {', '.join(TREES)} have"
        raise UnsupportedError(message)
    if name in TREES:
        tree = TREES[name][coins](monoid, None, min_arity or DEFAULT_MIN_ARITY)
        return Instance(tree, tree.picture)
    if name in FIFO:
        fifo = FIFO[name](monoid)
        return Instance(FifoAdapter(fifo), fifo.picture)
    if name in OTHERS:
        other = OTHERS[name](monoid)
        return Instance(other, other.picture)
    raise UnsupportedError(f"{name} cannot be drawn; use one of {', '.join(DRAWABLE)}")
