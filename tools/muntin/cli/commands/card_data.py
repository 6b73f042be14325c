"""The data of the cards that the registry does not have.

O(...) stands here and not in the code. A test compares each with the growth of the structure's
`bound`, which the proof of the card derives: n is the number of items in the window, m that of a
call, and d the out-of-order distance of its times (definition C2).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class Times(NamedTuple):
    """The time of each operation; "none" if the structure refuses it."""

    insert: str
    evict: str
    query: str
    query_range: str
    bulk_insert: str
    bulk_evict: str


@dataclass(frozen=True)
class CardExample:
    """A picture: a transcript in docs/examples, the last operation before it, and a caption."""

    transcript: str
    after: int
    caption: str
    min_arity: int | None = None
    coins: bool = False


@dataclass(frozen=True)
class Card:
    """One sentence on a structure, its costs, its paper, its file and its proof."""

    sentence: str
    times: Times
    space: str  # partial aggregates
    paper: str  # a key of REFERENCES.md
    file: str
    proof: str = ""
    shots: tuple[CardExample, ...] = ()


FIFO = Times("O(1)", "O(1)", "O(1)", "none", "O(m)", "O(m)")
"""The times of a FIFO structure that does the same work for each item."""

FINGERS = Times(
    *("O(log d)", "O(log d)", "O(1)"),
    *("O(log(d + m))", "O(m + m log(1 + d/m) + log d)", "O(m + log d)"),
)
"""The times of a B-tree that is searched from both ends."""


CARDS: Mapping[str, Card] = {
    "spec": Card(
        "The definition itself, evaluated at every call: the others are compared with it.",
        Times(*["not claimed"] * 6),
        "n",
        "Tangwongsan19",
        "spec/muntin/spec/structure.py",
    ),
    "recompute": Card(
        "Items in a sorted list, folded on every query: the re-evaluation baseline.",
        Times("O(1)", "O(1)", "O(n)", "O(m)", "O(m)", "O(m)"),
        "n",
        "Tangwongsan15",
        "reference/muntin/reference/recompute.py",
    ),
    "subtract-on-evict": Card(
        "One running total, from which the oldest item is subtracted when it is evicted.",
        FIFO,
        "n + 1",
        "Tangwongsan15",
        "reference/muntin/reference/subtract_on_evict.py",
    ),
    "two-stacks": Card(
        "A stack of suffix totals in front of a stack of items; when the front is empty, the "
        "back is flipped onto it.",
        FIFO,
        "at most 2n",
        "Tangwongsan17",
        "optimized/muntin/optimized/fifo/two_stacks.py",
        "proofs/two_stacks.md",
        (CardExample("fifo", 8, "Totals of a flipped front, and a back that has just begun."),),
    ),
    "two-stacks-lite": Card(
        "Two-Stacks in one queue, where its own suffix total replaces each item.",
        FIFO,
        "n + 1",
        "Tangwongsan21",
        "optimized/muntin/optimized/fifo/two_stacks_lite.py",
        "proofs/two_stacks_lite.md",
        (CardExample("fifo", 8, "The same window: one partial an item, and the back total."),),
    ),
    "daba": Card(
        "Two-Stacks that flips a little with every operation, never all at once.",
        FIFO,
        "at most 3n/2",
        "Tangwongsan17",
        "optimized/muntin/optimized/fifo/daba.py",
        "proofs/daba.md",
        (CardExample("fifo", 3, "The lists between the six pointers F, L, R, A, B and E."),),
    ),
    "daba-lite": Card(
        "DABA where its own total replaces each item, for one combine less.",
        FIFO,
        "n + 2",
        "Tangwongsan21",
        "optimized/muntin/optimized/fifo/daba_lite.py",
        "proofs/daba_lite.md",
        (CardExample("fifo", 3, "The same lists; right and back keep items only."),),
    ),
    "flatfat": Card(
        "A complete binary tree in one array, whose first leaves are the items in time order.",
        Times("O(n)", "O(n)", "O(1)", "O(log n)", "O(n + m)", "O(n)"),
        "twice the capacity, at most 8n",
        "Tangwongsan15",
        "optimized/muntin/optimized/flatfat/flatfat_window.py",
        "proofs/flatfat.md",
        (CardExample("001_figure_5", 3, "Four items: the tree, its slots, and the array it is."),),
    ),
    "reactive": Card(
        "A ring with holes over the leaves of a FlatFAT, compacted and resized.",
        Times(*["O(log n)"] * 4, *["O(m + m log(n/m))"] * 2),
        "twice the capacity, at most 8n",
        "Tangwongsan15",
        "optimized/muntin/optimized/flatfat/reactive.py",
        "proofs/reactive.md",
        (
            CardExample("001_figure_5", 5, "An inverted buffer: the query is suffix, then prefix."),
            CardExample("001_figure_5", 7, "A hole within it."),
        ),
    ),
    "b-int": Card(
        "The aggregate of each complete dyadic interval of positions inside the window.",
        Times("O(log n)", "O(log n)", "O(log n)", "O(log m)", "O(m + log n)", "O(m + log n)"),
        "at most 2n",
        "Arasu04",
        "optimized/muntin/optimized/fifo/b_int.py",
        "proofs/b_int.md",
        (CardExample("fifo", 7, "Positions 2 to 5: intervals that began before are dropped."),),
    ),
    "btree": Card(
        "A B-tree by time, where every node has the aggregate of its subtree.",
        Times(
            *("O(log n)", "O(log n)", "O(1)", "O(log n)"),
            *("O(m + m log(1 + n/m) + log n)", "O(m + log n)"),
        ),
        "n, and one a node",
        "Tangwongsan19",
        "optimized/muntin/optimized/btree/btree.py",
        "proofs/btree.md",
        (CardExample("002_figure_1", 6, "Figure 1, with a least arity of 2.", 2),),
    ),
    "fiba": Card(
        "A B-tree with fingers at both ends, whose aggregates there do not depend on distant "
        "nodes.",
        FINGERS,
        "n, and one a node",
        "Tangwongsan19",
        "optimized/muntin/optimized/btree/fiba.py",
        "proofs/fiba.md",
        (
            CardExample(
                "002_figure_3", 6, "Figure 3, A: fingers, spines and coins.", 2, coins=True
            ),
            CardExample("002_figure_3", 10, "Figure 3, D to E: a split.", 2, coins=True),
        ),
    ),
    "kernels": Card(
        "A finger B+-tree in arrays, with wide leaves, whose aggregates are repaired by the "
        "next query: the source that is compiled for columns, run without compilation.",
        FINGERS,
        "n, and one a node, in rows that grow by doubling",
        "Tangwongsan19",
        "optimized/muntin/kernels/aggregator/finger_btree.py",
        "proofs/finger_btree.md",
    ),
}
