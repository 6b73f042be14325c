"""A finger B+-tree in flat arrays: out-of-order aggregation by the distance to the window's end.

The data type of [Tangwongsan19] with wide leaves, repaired when somebody asks. The source of the
calls is muntin.kernels.tree; it runs here as it is, over any monoid, or compiled, over numbers.
Facts and bounds are proved in proofs/finger_tree.md.
"""

from collections.abc import Iterator, Sequence

from muntin.kernels.binding import A
from muntin.kernels.row_tree import FIRST_ROWS, RowTree
from muntin.kernels.tree.layout import (
    ENDS,
    HEAD,
    HEIGHT,
    LEFT,
    RIGHT,
    SIZE,
    SPARE_INNER,
    SPARE_LEAF,
    STAGED,
)
from muntin.kernels.tree.records import Tree
from muntin.kernels.tree_bound import TreeBound
from muntin.kernels.tree_facts import fingers, marks, rows, shape, spines
from muntin.kernels.tree_view import View
from muntin.spec.cost import Cost, Operation
from muntin.spec.structure import Pair


class FingerTree(RowTree[A]):
    """Out-of-order aggregation for any monoid; with another engine, for numbers."""

    def _first_rows(self) -> Tree[A]:
        cap, fan = self.shape
        storage = self.engine.storage
        self._leaves = self._nodes = FIRST_ROWS
        tree = Tree(
            storage.ints([0] * (STAGED + cap)),
            storage.int_rows(None, 0, FIRST_ROWS, 2 * fan + 2),
            storage.rows(None, 0, FIRST_ROWS, fan),
            storage.int_rows(None, 0, FIRST_ROWS, cap + 1),
            storage.rows(None, 0, FIRST_ROWS, cap),
            storage.rows(None, 0, ENDS, max(cap, LEFT)),
        )
        tree.s[SPARE_LEAF] = tree.s[SPARE_INNER] = FIRST_ROWS
        return tree

    def _spare(self, place: int, more: int) -> None:
        self.tree.s[place] += more

    def _grow(self) -> None:
        """Make more rows of what is short, between two calls of a kernel."""
        tree, storage, (cap, fan) = self.tree, self.engine.storage, self.shape
        if tree.s[SPARE_LEAF] < 1:
            had = self._leaves
            self._spare(SPARE_LEAF, had)
            self._leaves *= 2
            self.tree = tree = tree._replace(
                times=storage.int_rows(tree.times, had, self._leaves, cap + 1),
                leaves=storage.rows(tree.leaves, had, self._leaves, cap),
            )
        if tree.s[SPARE_INNER] <= tree.s[HEIGHT] + 1:
            had = self._nodes
            self._spare(SPARE_INNER, had)
            self._nodes *= 2
            self.tree = tree._replace(
                inner=storage.int_rows(tree.inner, had, self._nodes, 2 * fan + 2),
                folds=storage.rows(tree.folds, had, self._nodes, fan),
            )

    def oldest(self) -> int | None:
        """Return the smallest time, if any."""
        tree = self.tree
        return int(tree.times[tree.s[LEFT], tree.s[HEAD]]) if len(self) else None

    def youngest(self) -> int | None:
        """Return the largest time, if any."""
        tree, right = self.tree, self.tree.s[RIGHT]
        last = tree.times[right, self.shape.cap] - 1
        return int(tree.times[right, last]) if len(self) else None

    def __len__(self) -> int:
        """Return the number of items held."""
        return int(self.tree.s[SIZE])

    def relates(self, window: Sequence[Pair[A]]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain pairs that this object stands for."""
        tree = self.engine.storage.plain(self.tree)
        view, fold = View(tree, self.shape), self._monoid.fold
        yield from shape(view, window)
        yield from rows(view)
        yield from marks(view, fold)
        yield from spines(view, fold)
        yield from fingers(view, fold)

    def bound_of_change(self, distance: int) -> float:
        """Combines for one entry that comes or goes at this distance, amortised (T2)."""
        return TreeBound(self.shape).change(distance)

    def bound(self, operation: Operation, /) -> Cost:
        """Combines, amortised over a run (T2)."""
        return TreeBound(self.shape).of(operation)
