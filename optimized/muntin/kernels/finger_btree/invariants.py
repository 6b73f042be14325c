"""The labelled invariants of the finger B+-tree, which hold between two calls.

Each is stated over the plain pairs and the leaves, never over values that kernels compute. Proofs:
proofs/finger_btree.md.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from muntin.kernels.compiler.kernel_api import A, Rows
from muntin.kernels.finger_btree import layout
from muntin.kernels.finger_btree.debug_view import TreeDebugView
from muntin.spec.structure import Pair

Fold = Callable[[Iterable[A]], A]
Invariants = Iterator[tuple[str, bool]]


def shape_invariants(view: TreeDebugView[A], window: Sequence[Pair[A]]) -> Invariants:
    """S1 to S4: a B+-tree of the window, whose nodes are underfull at its ends only."""
    cap, fan = view.shape
    leaves, inner = view.nodes_at_level(0), list(view.inner_nodes())
    pairs = view.pairs(view.root, view.height)
    yield "S1 the entries in the order of the tree are the window", pairs == list(window)
    yield (
        "S2 a leaf at an end holds something, and any other at least a quarter",
        all(len(view.entries(leaf)) >= max(1, cap // 4) for leaf in leaves[1:-1])
        and all(view.entries(leaf) for leaf in leaves if view.height)
        and all(view.entry_range(leaf)[1] <= cap for leaf in leaves)
        and view.size == len(pairs),
    )
    yield (
        "S3 a node on a spine has at least two children, and any other at least a quarter",
        all(2 <= view.arity(node) <= fan for node, _ in inner)  # noqa: PLR2004 as stated
        and all(
            view.arity(node) >= max(2, fan // 4)
            for node, level in inner
            if not view.is_on_spine(node, level)
        ),
    )
    yield (
        "S4 a key parts the times below its child from those before; a first child has its node's",
        all(
            before[-1][0] < view.key(node, at) <= after[0][0]
            for node, level in inner
            for at in range(1, view.arity(node))
            for before, after in [
                [view.pairs(view.children(node)[k], level - 1) for k in (at - 1, at)]
            ]
        )
        and all(
            view.key(view.children(node)[at], 0) == view.key(node, at)
            for node, level in inner
            for at in range(int(node == view.left_spine_node(level)), view.arity(node))
            if level > 1
        ),
    )


def row_invariants(view: TreeDebugView[A]) -> Invariants:
    """S5 and S6: spines, and the rows of nodes."""
    levels = range(view.height + 1)
    s, tree = view.tree.s, view.tree
    yield (
        "S5 the spines are the first and the last nodes of each level",
        all(view.left_spine_node(k) == view.nodes_at_level(k)[0] for k in levels)
        and all(view.right_spine_node(k) == view.nodes_at_level(k)[-1] for k in levels),
    )
    free_leaves = list(_linked_rows(s[layout.FREE_LEAF], lambda leaf: tree.times[leaf, 0]))
    free_inner = list(_linked_rows(s[layout.FREE_INNER], lambda node: tree.inner[node, 0]))
    used = [node for node, _ in view.inner_nodes()]
    yield (
        "S6 each row that was ever used is a node or free, and only one of them",
        sorted(view.nodes_at_level(0) + free_leaves) == list(range(s[layout.FRESH_LEAF]))
        and sorted(used + free_inner) == list(range(s[layout.FRESH_INNER]))
        and s[layout.SPARE_LEAF] >= len(free_leaves)
        and s[layout.SPARE_INNER] >= len(free_inner),
    )


def _linked_rows(first: int, after: Callable[[int], int]) -> Iterator[int]:
    while first >= 0:
        yield first
        first = after(first)


def mark_invariants(view: TreeDebugView[A], fold: Fold[A]) -> Invariants:
    """S7 and S8: unmarked folds are valid, and marked ones are reachable from a spine."""
    tree, inner = view.tree, list(view.inner_nodes())
    marked = {
        (node, level)
        for node, level in inner
        if any(view.is_stale(node, at) for at, _ in view.children_off_spine(node, level))
    }
    yield (
        "S7 above a mark there are marks, up to the level of a spine",
        all(
            view.is_stale(node, at)
            for node, level in inner
            for at, child in view.children_off_spine(node, level)
            if (child, level - 1) in marked
        )
        and all(_is_level_stale(view, *place) for place in marked if view.is_on_spine(*place)),
    )
    yield (
        "S8 without a mark the fold of a child on no spine folds all that is below it",
        all(
            tree.folds[node, at] == fold(view.values(child, level - 1))
            for node, level in inner
            for at, child in view.children_off_spine(node, level)
            if not view.is_stale(node, at)
        ),
    )


def _is_level_stale(view: TreeDebugView[A], node: int, level: int) -> bool:
    s = view.tree.s
    if level == view.height:
        return bool(s[layout.MIDDLE_STALE])
    return bool(
        (
            s[layout.LEFT_STALE if node == view.left_spine_node(level) else layout.RIGHT_STALE]
            >> level
        )
        & 1
    )


def spine_invariants(view: TreeDebugView[A], fold: Fold[A]) -> Invariants:
    """S9 and S10: the folds kept for the spines and the root."""
    s, ends, height = view.tree.s, view.tree.ends, view.height
    within = [_off_spine_values(view, view.left_spine_node(k), k) for k in range(height + 1)]
    across = [_off_spine_values(view, view.right_spine_node(k), k) for k in range(height + 1)]
    levels, mask = range(1, height), (1 << height) - 2
    left, right = s[layout.LEFT_STALE] & mask, s[layout.RIGHT_STALE] & mask
    yield (
        "S9 a level that is not marked: the inner folds, and above all marks the chains",
        all((left >> k) & 1 or ends[layout.LEFT_INNER, k] == fold(within[k]) for k in levels)
        and all((right >> k) & 1 or ends[layout.RIGHT_INNER, k] == fold(across[k]) for k in levels)
        and all(
            left >> k or ends[layout.LEFT_CHAIN, k] == fold(chain.from_iterable(within[k:-1]))
            for k in levels
        )
        and all(
            right >> k
            or ends[layout.RIGHT_CHAIN, k] == fold(chain.from_iterable(across[-2 : k - 1 : -1]))
            for k in levels
        ),
    )
    middle = within[height] if height else []
    rest = chain.from_iterable([*within[1:height], middle, *across[height - 1 : 0 : -1]])
    yield (
        "S10 without marks: the fold of the root's children on no spine, and of all but the ends",
        not height
        or bool(s[layout.MIDDLE_STALE])
        or (
            ends[layout.MISC, layout.MIDDLE] == fold(middle)
            and (bool(left | right) or ends[layout.MISC, layout.REST] == fold(rest))
        ),
    )


def _off_spine_values(view: TreeDebugView[A], node: int, level: int) -> list[A]:
    """The values below the children of a spine node that are on no spine."""
    if not level:
        return []
    return [
        v
        for _, child in view.children_off_spine(node, level)
        for v in view.values(child, level - 1)
    ]


def finger_invariants(view: TreeDebugView[A], fold: Fold[A]) -> Invariants:
    """S11 and S12: the folds kept for the leaves at the ends."""
    s, ends, leaves = view.tree.s, view.tree.ends, view.tree.leaves
    last_left = view.entry_range(view.left_spine_node(0))[1]
    last = view.entry_range(view.right_spine_node(0))[1]
    cut = last_left if view.height else s[layout.CUT]
    base = 0 if view.height else cut
    yield (
        "S11 suffix folds of the left leaf, of one leaf before the cut",
        bool(s[layout.SUFFIX_STALE])
        or _has_folds(
            ends,
            layout.SUFFIX,
            {
                k: fold(_row(leaves, view.left_spine_node(0), k, cut))
                for k in range(s[layout.HEAD], cut)
            },
        ),
    )
    yield (
        "S12 prefix folds of the right leaf, of one leaf after the cut, or only the last one",
        (not view.height and bool(s[layout.SUFFIX_STALE]))
        or (
            _has_folds(
                ends,
                layout.PREFIX,
                {
                    k: fold(_row(leaves, view.right_spine_node(0), base, k + 1))
                    for k in view.valid_prefixes()
                },
            )
            and s[layout.VALID] <= last
        ),
    )


def _row(rows: Rows[A], row: int, first: int, last: int) -> list[A]:
    return [rows[row, at] for at in range(first, last)]


def _has_folds(rows: Rows[A], row: int, folds: dict[int, A]) -> bool:
    return all(rows[row, at] == value for at, value in folds.items())
