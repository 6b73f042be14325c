"""Immediate folds: a late value of a commutative monoid is combined at once into all folds over it.

So nothing becomes stale, and the next query recomputes nothing. A fold that is stale already may
take the value, too: it stays stale. If the order of values matters, an insert marks the folds as
any other change does.
"""

from muntin.kernels.compiler.kernel_api import COMMUTATIVE, A, Rows, combine, inlined, load, store
from muntin.kernels.finger_btree.layout import (
    CHILD,
    CUT,
    HEIGHT,
    LEFT_CHAIN,
    LEFT_INNER,
    MIDDLE,
    MISC,
    PATH,
    PREFIX,
    REST,
    RIGHT,
    RIGHT_CHAIN,
    RIGHT_INNER,
    SUFFIX_STALE,
    VALID,
)
from muntin.kernels.finger_btree.nodes import mark_stale
from muntin.kernels.finger_btree.records import TreeArrays
from muntin.kernels.finger_btree.search import LEFT_SIDE, mark


@inlined
def combine_at(rows: Rows[A], row: int, at: int, value: A) -> None:
    """Combine a value into a fold."""
    store(rows, row, at, combine(load(rows, row, at), value))


@inlined
def combine_on_path(tree: TreeArrays[A], top: int, side: int, value: A) -> None:
    """Combine a value into the folds along its path, and into those of its spine."""
    s, ends = tree.s, tree.ends
    for level in range(1, top + 1):
        combine_at(tree.folds, s[PATH + level], s[CHILD + level], value)
    if top == s[HEIGHT]:
        combine_at(ends, MISC, MIDDLE, value)
    else:
        inner = LEFT_INNER if side == LEFT_SIDE else RIGHT_INNER
        chain = LEFT_CHAIN if side == LEFT_SIDE else RIGHT_CHAIN
        combine_at(ends, inner, top, value)
        for level in range(1, top + 1):
            combine_at(ends, chain, level, value)
    combine_at(ends, MISC, REST, value)


@inlined
def add_to_path(tree: TreeArrays[A], top: int, side: int, value: A) -> None:
    """Combine an inserted value into the folds along its path, or mark them."""
    if not COMMUTATIVE:
        mark(tree, top, side)
    elif top > 0:
        combine_on_path(tree, top, side, value)


@inlined
def add_to_end(tree: TreeArrays[A], leaf: int, at: int, grown: int, value: A) -> None:
    """Combine a value for a position into the last prefix fold, or mark the folds of its leaf.

    `grown` is 1 if the value gets an entry of its own, so that one more lies before VALID.
    """
    s = tree.s
    small = s[HEIGHT] == 0 and (at < s[CUT] or s[SUFFIX_STALE] > 0)
    if not COMMUTATIVE or small or leaf != s[RIGHT]:
        mark_stale(tree, leaf, at)
    elif at < s[VALID]:
        valid = s[VALID]
        total = combine(load(tree.ends, PREFIX, valid - 1), value)
        store(tree.ends, PREFIX, valid - 1 + grown, total)
        s[VALID] = valid + grown
