"""The sessions of a key in order: a list from the newest to the oldest, and a tree if it is long.

The tree is a treap [Seidel96]: ordered by the begin of a session, and heap-ordered by a hash of
the row, so a search, an insertion and a removal take logarithmic time whatever came before.
"""

import numpy as np

from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import Ints, inlined, ints, outlined
from muntin.columnar.engine.sessions import layout as s
from muntin.columnar.engine.timeline import U

LONG = 16
"""Sessions of a key that are passed one by one, before it gets a tree."""
SPREAD = 0x9E3779B9
"""2^32 by the golden ratio [Knuth98]: rows that follow each other get weights far apart."""


@inlined
def field(row: int, name: np.uint64) -> np.uint64:
    """Where a field of a row lies; unsigned, so that no index is tested for a sign."""
    return (U(row) << s.ROW_BITS) + name


@inlined
def weight(row: int) -> int:
    """What the tree is heap-ordered by; a row is less than 2^31, so nothing wraps."""
    return row * SPREAD & s.LOW_HALF


@inlined
def take_row(store: Ints, free: Ints) -> int:
    """A free row; there is one."""
    if store[s.FREE]:
        store[s.FREE] -= 1
        return int(free[U(store[s.FREE])])
    row = int(store[s.TOP])
    store[s.TOP] = row + 1
    return row


@inlined
def release_row(store: Ints, free: Ints, rows: Ints, row: int) -> None:
    """Give a row back."""
    rows[field(row, s.STATE)] = s.GONE
    free[U(store[s.FREE])] = row
    store[s.FREE] += 1


@inlined
def older_of(rows: Ints, row: int) -> int:
    """The session of the same key before a session; 0 is none."""
    return int(rows[field(row, s.LINK)] & s.LOW_HALF)


@inlined
def newer_of(rows: Ints, row: int) -> int:
    """The session of the same key after a session; 0 is none."""
    return int(rows[field(row, s.LINK)] >> s.HALF)


@inlined
def join_links(rows: Ints, heads: Ints, key: int, newer: int, older: int) -> None:
    """Make two sessions neighbours, or one of them the end of the list; row 0 takes what is not."""
    at, head = field(newer, s.LINK), heads[U(key)]
    rows[at] = (rows[at] & ~s.LOW_HALF) | older
    heads[U(key)] = head if newer else (head & ~s.LOW_HALF) | older
    at = field(older, s.LINK)
    rows[at] = (rows[at] & s.LOW_HALF) | newer << s.HALF


@outlined
def insert_in_tree(rows: Ints, root: int, row: int) -> int:
    """Insert a session into the tree of a root."""
    first, own, at = rows[field(row, s.FIRST)], weight(row), field(root, s.LEFT)
    node = rows[at]
    while node and weight(node) >= own:
        at = field(node, s.RIGHT if rows[field(node, s.FIRST)] < first else s.LEFT)
        node = rows[at]
    rows[at] = row
    low, high = field(row, s.LEFT), field(row, s.RIGHT)
    while node:
        if rows[field(node, s.FIRST)] < first:
            rows[low], low = node, field(node, s.RIGHT)
            node = rows[low]
        else:
            rows[high], high = node, field(node, s.LEFT)
            node = rows[high]
    rows[low] = rows[high] = 0
    return row


@outlined
def remove_from_tree(rows: Ints, root: int, row: int) -> int:
    """Remove a session from the tree of a root."""
    first, at = rows[field(row, s.FIRST)], field(root, s.LEFT)
    while rows[at] != row:
        at = field(rows[at], s.RIGHT if rows[field(rows[at], s.FIRST)] < first else s.LEFT)
    low, high = int(rows[field(row, s.LEFT)]), int(rows[field(row, s.RIGHT)])
    while low and high:
        if weight(low) >= weight(high):
            rows[at], at = low, field(low, s.RIGHT)
            low = int(rows[at])
        else:
            rows[at], at = high, field(high, s.LEFT)
            high = int(rows[at])
    rows[at] = low + high
    return row


@outlined
def plant_tree(t: Directory, base: int, key: int) -> int:
    """Give the sessions of a key a tree; its root is a row that holds no session."""
    store, rows = ints(t, base + s.AT_SCALARS), ints(t, base + s.AT_ROWS)
    heads = ints(t, base + s.AT_HEADS)
    root, row = take_row(store, ints(t, base + s.AT_FREE)), heads[U(key)] & s.LOW_HALF
    rows[field(root, s.STATE)], rows[field(root, s.KEY)] = s.ROOT, key
    rows[field(root, s.LEFT)] = 0
    heads[U(key)] |= root << s.HALF
    while row:
        insert_in_tree(rows, root, row)
        row = older_of(rows, row)
    return root


@inlined
def descend(rows: Ints, root: int, bound: int) -> tuple[int, int]:
    """The newest session that begins before a time, by the tree, and the one after it."""
    row, last, node = 0, 0, rows[field(root, s.LEFT)]
    while node:
        last = node
        if rows[field(node, s.FIRST)] < bound:
            row, node = node, rows[field(node, s.RIGHT)]
        else:
            node = rows[field(node, s.LEFT)]
    return row, newer_of(rows, row) if row else last


@outlined
def search(t: Directory, base: int, key: int, bound: int) -> tuple[int, int]:
    """The newest session of a key that begins before a time, 0 if none, and the one after it."""
    rows, head = ints(t, base + s.AT_ROWS), ints(t, base + s.AT_HEADS)[U(key)]
    root, newer, row = head >> s.HALF, 0, head & s.LOW_HALF
    passed = 0
    while root == 0 and row and rows[field(row, s.FIRST)] >= bound:
        newer, row, passed = row, older_of(rows, row), passed + 1
        if passed == LONG:
            root = plant_tree(t, base, key)
    return descend(rows, root, bound) if root else (row, newer)


@outlined
def leave_tree(t: Directory, base: int, row: int) -> int:
    """Remove a session from the tree of its key; the last one takes the root along."""
    store, rows = ints(t, base + s.AT_SCALARS), ints(t, base + s.AT_ROWS)
    heads = ints(t, base + s.AT_HEADS)
    key = rows[field(row, s.KEY)]
    root = int(heads[U(key)] >> s.HALF)
    remove_from_tree(rows, root, row)
    if rows[field(root, s.LEFT)] == 0:
        heads[U(key)] &= s.LOW_HALF
        release_row(store, ints(t, base + s.AT_FREE), rows, root)
    return root


@inlined
def unlink(t: Directory, base: int, rows: Ints, heads: Ints, row: int) -> None:
    """Take a session out of the list and the tree of its key."""
    key = rows[field(row, s.KEY)]
    if heads[U(key)] >> s.HALF:
        leave_tree(t, base, row)
    join_links(rows, heads, key, newer_of(rows, row), older_of(rows, row))
