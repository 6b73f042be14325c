"""Nodes and entries: rows are taken, freed, and moved to and fro."""

from muntin.kernels.binding import A, inlined, load, outlined, store, unsigned
from muntin.kernels.flat.layout import (
    COUNT,
    FREE,
    FRESH,
    HEIGHT,
    LEFT,
    LEVEL,
    PARENT,
    RIGHT,
    ROOT,
    ROWS,
    SIDES,
    SIZE,
    SPARE,
)
from muntin.kernels.tree.records import Tree


@inlined
def has_room(tree: Tree[A]) -> bool:
    """Whether an insert can split a node on every level, and grow a root."""
    return tree.s[SPARE] >= tree.s[HEIGHT] + 2


@inlined
def take_row(tree: Tree[A], level: int) -> int:
    """Return an empty node."""
    s, inner = tree.s, tree.inner
    node = s[FREE]
    if node >= 0:
        s[FREE] = inner[node, PARENT]
    else:
        node = s[FRESH]
        s[FRESH] = node + 1
    s[SPARE] -= 1
    inner[node, PARENT] = -1
    inner[node, LEVEL] = level
    inner[node, SIDES] = 0
    tree.times[node, COUNT] = 0
    return node


@inlined
def free_row(tree: Tree[A], node: int) -> None:
    """Keep the row of a node for another."""
    s = tree.s
    tree.inner[node, PARENT] = s[FREE]
    s[FREE] = node
    s[SPARE] += 1


@outlined
def clear(tree: Tree[A]) -> None:
    """Forget every entry, and every node at once."""
    s = tree.s
    s[FREE], s[FRESH], s[SPARE] = -1, 0, s[ROWS]
    root = take_row(tree, 0)
    s[ROOT] = root
    s[LEFT] = root
    s[RIGHT] = root
    s[SIZE] = 0
    s[HEIGHT] = 0
    store(tree.folds, root, 0, load(tree.ends, 0, 0))


@inlined
def start(tree: Tree[A], identity: A) -> None:
    """Make a tree of zeros an empty one."""
    store(tree.ends, 0, 0, identity)
    clear(tree)


@inlined
def is_inside(tree: Tree[A], node: int) -> bool:
    """Whether a node is neither the root nor on a spine, so that its parent folds it."""
    return tree.inner[node, PARENT] >= 0 and tree.inner[node, SIDES] == 0


@inlined
def copy_entry(tree: Tree[A], node: int, at: int, to: tuple[int, int]) -> None:
    """Write an entry over another."""
    row, place, old, had = unsigned(to[0]), unsigned(to[1]), unsigned(node), unsigned(at)
    tree.times[row, place] = tree.times[old, had]
    store(tree.leaves, row, place, load(tree.leaves, old, had))


@inlined
def adopt(tree: Tree[A], parent: int, at: int, child: int) -> None:
    """Make a node a child of another."""
    tree.inner[parent, at] = child
    tree.inner[child, PARENT] = parent


@inlined
def open_place(tree: Tree[A], node: int, at: int) -> None:
    """Move entries from a place on, to make room for one more."""
    last = tree.times[node, COUNT]
    for k in range(last, at, -1):
        copy_entry(tree, node, k - 1, (node, k))
    tree.times[node, COUNT] = last + 1


@inlined
def close_places(tree: Tree[A], node: int, at: int, gone: int) -> None:
    """Move entries over some that go."""
    last = tree.times[node, COUNT] - gone
    for k in range(at, last):
        copy_entry(tree, node, k + gone, (node, k))
    tree.times[node, COUNT] = last


@inlined
def place_of(tree: Tree[A], parent: int, child: int) -> int:
    """Return which child a node is."""
    at = 0
    while tree.inner[parent, at] != child:
        at += 1
    return at
