"""FiBA in flat arrays: the finger B-tree aggregator of [Tangwongsan19], its nodes rows of integers.

The source of the calls is muntin.kernels.flat; it runs here as it is, over any monoid, or compiled,
over numbers. Its facts are proved in proofs/btree.md and proofs/fiba.md; what is not as in the
readable tree (`muntin.optimized.fiba`), and the bounds, in proofs/flat_fiba.md.
"""

from collections.abc import Iterator, Sequence

from muntin.kernels.binding import A, Ints
from muntin.kernels.engine import Engine, Shape
from muntin.kernels.flat.layout import LEFT, RIGHT, ROOT, ROWS, SCALARS, SIZE, SPARE
from muntin.kernels.flat_bound import cost_of
from muntin.kernels.flat_view import FlatView
from muntin.kernels.modules import FLAT
from muntin.kernels.row_tree import FIRST_ROWS, RowTree
from muntin.kernels.tree.records import Tree
from muntin.optimized import tree_relation
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.errors import InvalidInputError, integer
from muntin.spec.monoid import Monoid
from muntin.spec.structure import Pair

LEAST_MIN_ARITY = 2


def shape_of(min_arity: int) -> Shape:
    """Return the shape of a tree whose nodes have from so many children to twice as many.

    >>> shape_of(4)
    Shape(cap=7, fan=8)
    """
    if integer(min_arity, "min_arity") < LEAST_MIN_ARITY:
        raise InvalidInputError(f"min_arity must be at least 2, not {min_arity}")
    return Shape(2 * min_arity - 1, 2 * min_arity)


class FlatFiba(RowTree[A]):
    """Out-of-order aggregation for any monoid; with another engine, for numbers."""

    sources = FLAT
    usual = shape_of(4)

    def __init__(
        self, monoid: Monoid[A], meter: Meter | None = None, engine: Engine[A] | None = None
    ) -> None:
        """Start with an empty window."""
        if engine and engine.shape != shape_of(engine.shape.fan // 2):
            raise InvalidInputError(f"{engine.shape} is of no smallest arity: use shape_of")
        super().__init__(monoid, meter, engine)

    @property
    def min_arity(self) -> int:
        """The fewest children of a node that is neither the root nor a leaf."""
        return self.shape.fan // 2

    def _first_rows(self) -> Tree[A]:
        ints = self.engine.storage.ints([0] * SCALARS)
        ints[ROWS] = ints[SPARE] = FIRST_ROWS
        return self._with_rows(ints, None, 0)

    def _with_rows(self, s: Ints, old: Tree[A] | None, had: int) -> Tree[A]:
        """Return a tree of as many rows as the scalars say, the first of which are given."""
        storage, fan, size = self.engine.storage, self.shape.fan, s[ROWS]
        return Tree(
            s,
            storage.int_rows(old and old.inner, had, size, fan + 4),
            storage.rows(old and old.folds, had, size, 1),
            storage.int_rows(old and old.times, had, size, fan + 1),
            storage.rows(old and old.leaves, had, size, fan),
            old.ends if old else storage.rows(None, 0, 1, 1),
        )

    def _grow(self) -> None:
        """Make twice as many rows, between two calls of a kernel."""
        s = self.tree.s
        had = int(s[ROWS])
        s[ROWS] = 2 * had
        s[SPARE] += had
        self.tree = self._with_rows(s, self.tree, had)

    def oldest(self) -> int | None:
        """Return the smallest time, if any."""
        return int(self.tree.times[self.tree.s[LEFT], 0]) if len(self) else None

    def youngest(self) -> int | None:
        """Return the largest time, if any."""
        times, right = self.tree.times, self.tree.s[RIGHT]
        return int(times[right, times[right, self.shape.fan] - 1]) if len(self) else None

    def __len__(self) -> int:
        """Return the number of items held."""
        return int(self.tree.s[SIZE])

    def relates(self, window: Sequence[Pair[A]]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain pairs that this object stands for."""
        view = FlatView(self.engine.storage.plain(self.tree), self.min_arity)
        s, nodes = view.tree.s, view.nodes
        root = nodes[s[ROOT]]
        yield from tree_relation.shape(root, window, self.min_arity)
        yield from tree_relation.ends(root, nodes[s[LEFT]], nodes[s[RIGHT]])
        yield "S6 the count is the number of pairs", len(self) == len(window)
        yield from tree_relation.aggregates_by_place(root, self._monoid.fold)
        yield from view.rows()

    def bound(self, operation: Operation, /) -> Cost:
        """Combines, amortised over a run (T2 to T4)."""
        return cost_of(self.min_arity, operation)
