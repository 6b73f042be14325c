"""Lemmas on B-trees: split, merge and move on real nodes, and one call on every small shape.

The shape is concrete, the time of the call is symbolic: it falls between any two times, onto each,
and beyond both ends. Values are letters of the free monoid.
"""

from itertools import product

from exhaustive.states.calls import LETTERS
from exhaustive.states.constructed_states import PlantedFiba, Shape
from muntin.optimized.btree.btree import BTree
from muntin.optimized.btree.fiba import Fiba
from muntin.optimized.btree.node import Node
from muntin.optimized.btree.rebalance import merge, split, take_older, take_younger
from muntin.spec.algebra.monoid import FREE, Word
from muntin.spec.structure import TimedWindow

MIN_ARITY = 2
NEW = (99,)


def leaf(times: list[int]) -> Node[Word]:
    """A leaf with these times."""
    node: Node[Word] = Node(0, ())
    node.times, node.values = times, [(time,) for time in times]
    return node


def family(older: list[int], between: int, younger: list[int]) -> Node[Word]:
    """A parent of two leaves."""
    parent: Node[Word] = Node(1, ())
    parent.times, parent.values = [between], [(between,)]
    parent.adopt([leaf(older), leaf(younger)])
    return parent


def in_order(parent: Node[Word]) -> list[tuple[int, Word]]:
    """The pairs below a node, in order."""
    return list(parent.pairs())


def a_split_keeps_the_order(a: int, b: int, c: int, d: int) -> None:
    """S1, S2: an overfull leaf of any four times becomes two, of arities 3 and 2."""

    parent: Node[Word] = Node(1, ())
    parent.adopt([leaf([a, b, c, d])])
    before = in_order(parent)
    pieces = split(parent, parent.children[0], MIN_ARITY)
    assert in_order(parent) == before
    assert [piece.arity for piece in pieces] == [3, 2]
    assert all(piece.parent is parent for piece in pieces)


def a_merge_keeps_the_order(a: int, b: int, c: int, older_is_empty: bool) -> None:  # noqa: FBT001 - a case
    """S1: two leaves and the entry between them become one leaf."""

    parent = family([], a, [b]) if older_is_empty else family([a], b, [c])
    before = in_order(parent)
    kept = merge(parent, 0)
    assert in_order(parent)[-len(before) :] == before
    assert parent.children == [kept]
    assert parent.times == []


def a_move_keeps_the_order(a: int, b: int, c: int, d: int, e: int) -> None:
    """S1: entries move from a leaf to its neighbour through the parent, in both directions."""

    parent = family([a, b], c, [d, e])
    before = in_order(parent)
    take_older(parent, 0)
    assert in_order(parent) == before
    take_younger(parent, 0, 2)
    assert in_order(parent) == before
    assert [child.arity for child in parent.children] == [4, 2]


def fill_tree(tree: BTree[Word], count: int, *, falling: bool) -> TimedWindow[Word]:
    """Insert `count` even times into a tree, from either end, and return its definition."""
    window = TimedWindow(FREE, tuple((2 * rank, (rank,)) for rank in range(count)))
    for time, value in window.pairs[:: -1 if falling else 1]:
        tree.insert(time, value)
    return window


def stands_for(tree: BTree[Word], window: TimedWindow[Word]) -> bool:
    """Whether the tree keeps its invariants for the window, and folds it."""
    is_valid = all(holds for _, holds in tree.invariants(window.pairs))
    return is_valid and tree.query() == window.query()


def an_insert_into_two_levels_is_right(time: int, falling: bool) -> None:  # noqa: FBT001 - a case
    """S1 to S12, T1: into a window of seven, on either spine and between, with its split."""

    tree = Fiba(FREE, None, MIN_ARITY)
    window = fill_tree(tree, 7, falling=falling).insert(time, NEW)
    tree.insert(time, NEW)
    assert stands_for(tree, window)


def an_evict_from_two_levels_is_right(time: int, falling: bool) -> None:  # noqa: FBT001 - a case
    """S1 to S12, T1: from a window of seven, with its move or merge, from the root too."""

    tree = Fiba(FREE, None, MIN_ARITY)
    window = fill_tree(tree, 7, falling=falling).evict(time)
    tree.evict(time)
    assert stands_for(tree, window)


def a_call_on_the_classic_tree_is_right(time: int, evicts: bool) -> None:  # noqa: FBT001 - a case
    """S1 to S8, T1: the same without fingers."""

    tree = BTree(FREE, None, MIN_ARITY)
    window = fill_tree(tree, 6, falling=False)
    window = window.evict(time) if evicts else window.insert(time, NEW)
    if evicts:
        tree.evict(time)
    else:
        tree.insert(time, NEW)
    assert stands_for(tree, window)


def a_range_of_two_levels_is_right(first: int, last: int) -> None:
    """T4: of a window of seven, from any time to any."""

    tree = Fiba(FREE, None, MIN_ARITY)
    window = fill_tree(tree, 7, falling=False)
    assert tree.query_range(first, last) == window.query_range(first, last)


def a_call_on_three_levels_is_right(time: int, evicts: bool) -> None:  # noqa: FBT001 - a case
    """S1 to S12, T1: of fifteen items, with inner nodes on both spines and the root above them."""

    tree = Fiba(FREE, None, MIN_ARITY)
    window = fill_tree(tree, 15, falling=False)
    window = window.evict(time) if evicts else window.insert(time, NEW)
    if evicts:
        tree.evict(time)
    else:
        tree.insert(time, NEW)
    assert stands_for(tree, window)


SHAPES: list[Shape] = [0, 1, 2, 3, *product((1, 2, 3), repeat=2), (1, 1, 1), (1, 1, 1, 1)]
"""Every leaf, every tree of two leaves, and the smallest of three and of four."""


def a_call_on_every_small_shape_is_right(time: int, shape: int, evicts: bool) -> None:  # noqa: FBT001 - a case
    """S1 to S12, T1: one call at any time, on a tree of each shape in the list."""
    assert 0 <= shape < 15

    tree = PlantedFiba(LETTERS, None, MIN_ARITY)
    window = tree.plant(SHAPES[shape])
    window = window.evict(time) if evicts else window.insert(time, "new")
    if evicts:
        tree.evict(time)
    else:
        tree.insert(time, "new")
    assert all(holds for _, holds in tree.invariants(window.pairs))
    assert tree.query() == window.query()
