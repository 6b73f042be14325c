"""Pictures: the inside of a structure as plain data, read-only, for code that draws it.

A structure that can be drawn has a method `picture` that returns one of these classes. The kinds of
aggregates are those of Figure 2 of [Tangwongsan19].
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from muntin.spec.structure import Pair

A = TypeVar("A")

AggregateKind = Literal["up", "inner", "left", "right"]
"""Which partial aggregate a node of a tree holds."""


@dataclass(frozen=True)
class NodePicture(Generic[A]):
    """A node of a B-tree, with all that is below it."""

    kind: AggregateKind
    aggregate: A
    entries: tuple[Pair[A], ...]
    children: "tuple[NodePicture[A], ...]" = ()
    coins: int | None = None

    def nodes(self) -> Iterator["NodePicture[A]"]:
        """Yield this node and every node below it, parents first, from left to right."""
        yield self
        for child in self.children:
            yield from child.nodes()


@dataclass(frozen=True)
class Account:
    """What the last call did to keep the tree balanced, and what it was billed (Lemma 9)."""

    steps: tuple[str, ...] = ()
    billed: int = 0  # below zero: refunded


@dataclass(frozen=True)
class TreePicture(Generic[A]):
    """A B-tree, whether it is searched from fingers, and the coins, if it counts them."""

    root: NodePicture[A]
    fingers: bool
    account: Account | None = None


@dataclass(frozen=True)
class FatPicture(Generic[A]):
    """A FlatFAT: its nodes by number, the root being 1, and the times of the items at its leaves.

    A leaf without a time holds no item. Holes are between the front and the back of the ring.
    """

    nodes: tuple[A, ...]  # number 0 is no node
    times: tuple[int | None, ...]
    front: int | None = None
    back: int | None = None
    holes: frozenset[int] = frozenset()


@dataclass(frozen=True)
class LevelsPicture(Generic[A]):
    """Base intervals: on level l, interval i is of the positions from i * 2**l on."""

    first: int
    times: tuple[int, ...]
    levels: tuple[tuple[tuple[int, A], ...], ...]


@dataclass(frozen=True)
class SlotPicture(Generic[A]):
    """What a FIFO structure keeps of an item: the item itself, or a partial, or both."""

    item: tuple[A, ...] = ()  # one, or none
    partial: tuple[A, ...] = ()


@dataclass(frozen=True)
class ListPicture(Generic[A]):
    """A list of slots, oldest first, and the pointer to its first slot, if that has a name."""

    name: str
    slots: tuple[SlotPicture[A], ...]
    pointer: str = ""


@dataclass(frozen=True)
class QueuePicture(Generic[A]):
    """A FIFO structure: its lists, oldest first, and the totals beside them, by name."""

    lists: tuple[ListPicture[A], ...]
    totals: tuple[tuple[str, A], ...] = ()
    end: str = ""


def daba_picture(
    *lists: tuple[SlotPicture[A], ...], totals: tuple[tuple[str, A], ...] = ()
) -> QueuePicture[A]:
    """The lists of DABA, which begin at its pointers F, L, R, A and B and end at E."""
    names = ("ready", "left", "right", "turned", "back")
    pictures = map(ListPicture[A], names, lists, "FLRAB")
    return QueuePicture(tuple(pictures), totals, "E")


Picture = TreePicture[A] | FatPicture[A] | LevelsPicture[A] | QueuePicture[A]
