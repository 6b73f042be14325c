"""FiBA in flat arrays with blots where it keeps what nobody should ever read again.

What tells its states apart is the tree from the root down, as nodes: which row of an array a node
stands in is no matter, nor how many rows are spare.
"""

from itertools import product

from exhaustive.exploring import Scope, Structure
from exhaustive.whole import BLOT, UNREAD
from muntin.kernels.engine import Engine, opaque
from muntin.kernels.flat.layout import HEIGHT, ROOT, ROWS, SIZE
from muntin.kernels.flat_fiba import FlatFiba, shape_of
from muntin.kernels.flat_view import FlatView
from muntin.kernels.modules import FLAT
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.monoid import Monoid

MIN_ARITY = 2
"""The smallest that there can be."""


class Flat(FlatFiba[str]):
    """A tree that brings its kernels along when it is copied."""

    def __init__(self, monoid: Monoid[str], meter: Meter) -> None:
        """Start with an empty window."""
        self.own = opaque(monoid, shape_of(MIN_ARITY), FLAT)
        super().__init__(monoid, meter, self.own)

    @property
    def engine(self) -> Engine[str]:
        """Kernels and storage."""
        return self.own

    @property
    def view(self) -> FlatView[str]:
        """What stands in the arrays."""
        return FlatView(self.engine.storage.plain(self.tree), MIN_ARITY)

    def blot(self) -> None:
        """Overwrite what means nothing: rows of no node, and places behind the last entry."""
        tree, view, fan = self.tree, self.view, 2 * MIN_ARITY
        free = {*range(tree.s[ROWS])} - {*view.nodes}
        for row in free:
            tree.folds[row, 0] = BLOT
        for row, at in product(range(tree.s[ROWS]), range(fan)):
            if row in free or at >= view.count(row):
                tree.times[row, at], tree.leaves[row, at] = UNREAD, BLOT
        for row, node in view.nodes.items():
            for at in range(len(node.children), fan + 1):
                tree.inner[row, at] = UNREAD

    def seen(self) -> object:
        """Return what tells states apart."""
        s = self.tree.s
        return [self.view.nodes[s[ROOT]], s[SIZE], s[HEIGHT]]


def blotted(structure: Structure) -> Structure:
    """Overwrite what means nothing in such a tree, and return it."""
    if isinstance(structure, Flat):
        structure.blot()
    return structure


def seen(structure: Structure) -> object:
    """Return what tells states apart."""
    return structure.seen() if isinstance(structure, Flat) else structure


def asked(structure: Structure, operation: Operation) -> Cost:
    """Return what a question may combine (T1, T3); other bounds are kept by whole runs."""
    if operation.name not in {"query", "query_range"}:
        return Cost()
    return structure.bound(operation)


def flat(largest: int, pairs_up_to: int) -> Scope:
    """Return the scope of windows of at most so many items."""
    return Scope(Flat, "any order", largest, pairs_up_to, asked, blotted=blotted, seen=seen)
