"""Insert: into the right finger at once; elsewhere by a search, splits upwards and a repair."""

from muntin.kernels.binding import FAN, A, combine, inlined, load, load_one, store
from muntin.kernels.flat.folding import refresh, repair
from muntin.kernels.flat.layout import (
    COUNT,
    HEIGHT,
    LEAST,
    LEVEL,
    ON_LEFT,
    ON_RIGHT,
    PARENT,
    RIGHT,
    ROOT,
    SIDES,
    SIZE,
)
from muntin.kernels.flat.nodes import adopt, copy_entry, open_place, place_of, take_row
from muntin.kernels.flat.search import has, seek
from muntin.kernels.tree.records import Batch, Tree


@inlined
def grow(tree: Tree[A], old: int) -> int:
    """Put a new root above the old one, which is now on both spines."""
    s = tree.s
    s[HEIGHT] += 1
    root = take_row(tree, s[HEIGHT])
    adopt(tree, root, 0, old)
    tree.inner[old, SIDES] = ON_LEFT | ON_RIGHT
    s[ROOT] = root
    return root


@inlined
def split(tree: Tree[A], parent: int, node: int) -> None:
    """Move the younger half of a node to a new one, and the entry before it to the parent."""
    s, inner, times = tree.s, tree.inner, tree.times
    younger, place = take_row(tree, inner[node, LEVEL]), place_of(tree, parent, node)
    open_place(tree, parent, place)
    for at in range(times[parent, COUNT], place + 1, -1):
        inner[parent, at] = inner[parent, at - 1]
    adopt(tree, parent, place + 1, younger)
    copy_entry(tree, node, LEAST, (parent, place))
    moved = times[node, COUNT] - LEAST - 1
    for at in range(moved):
        copy_entry(tree, node, LEAST + 1 + at, (younger, at))
    times[younger, COUNT] = moved
    times[node, COUNT] = LEAST
    if inner[node, LEVEL] > 0:
        for at in range(moved + 1):
            adopt(tree, younger, at, inner[node, LEAST + 1 + at])
    inner[younger, SIDES] = inner[node, SIDES] & ON_RIGHT
    inner[node, SIDES] &= ON_LEFT
    if s[RIGHT] == node:
        s[RIGHT] = younger
    refresh(tree, node)
    refresh(tree, younger)


@inlined
def settle(tree: Tree[A], node: int) -> None:
    """Split upwards from a node that has grown, and repair."""
    inner = tree.inner
    hit = inner[node, SIDES]
    while tree.times[node, COUNT] >= FAN:
        parent = inner[node, PARENT]
        if parent < 0:
            parent = grow(tree, node)
        hit |= inner[node, SIDES]
        split(tree, parent, node)
        node = parent
        hit |= inner[node, SIDES]
    repair(tree, node, hit)


@inlined
def insert_inside(tree: Tree[A], time: int, value: A) -> None:
    """Insert an entry that is not the youngest."""
    node, at = seek(tree, time)
    if has(tree, node, at, time):
        store(tree.leaves, node, at, combine(load(tree.leaves, node, at), value))
    else:
        open_place(tree, node, at)
        tree.times[node, at] = time
        store(tree.leaves, node, at, value)
        tree.s[SIZE] += 1
    settle(tree, node)


@inlined
def insert(tree: Tree[A], time: int, value: A) -> None:
    """Insert an entry, or combine with the one at its time."""
    s, times = tree.s, tree.times
    node = s[RIGHT]
    last = times[node, COUNT]
    if last == 0 or time <= times[node, last - 1]:
        insert_inside(tree, time, value)
        return
    times[node, last] = time
    store(tree.leaves, node, last, value)
    times[node, COUNT] = last + 1
    s[SIZE] += 1
    if last + 1 < FAN:
        store(tree.folds, node, 0, combine(load(tree.folds, node, 0), value))
    else:
        settle(tree, node)


@inlined
def insert_run(tree: Tree[A], batch: Batch[A], at: int) -> int:
    """Insert one entry of a sorted batch, and return where the rest begins."""
    insert(tree, batch.times[at], load_one(batch.values, at))
    return at + 1
