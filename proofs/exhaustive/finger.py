"""The finger B+-tree with blots where it keeps what nobody should ever read again.

What tells its states apart is the tree from the root down: which row of an array a node stands in
is no matter, nor how many rows are spare. Questions repair folds, and so lead to further states.
"""

from collections.abc import Iterable, Iterator
from itertools import product

from exhaustive.calls import LETTERS, STEP, Call, Places, changes, ranges
from exhaustive.exploration import Exploration, Found, Scope, Structure
from exhaustive.object_state import BLOT, UNREAD, fork
from muntin.kernels.aggregator.finger_btree import FingerTree
from muntin.kernels.compiler.engine import Engine, NodeShape, interpreted_engine
from muntin.kernels.finger_btree.debug_view import TreeDebugView
from muntin.kernels.finger_btree.layout import (
    CUT,
    ENDS,
    HEAD,
    IDENTITY,
    LEFT,
    LEFT_CHAIN,
    LEFT_INNER,
    LEFT_STALE,
    MIDDLE,
    MIDDLE_STALE,
    MISC,
    PATH,
    PREFIX,
    REST,
    RIGHT_CHAIN,
    RIGHT_INNER,
    RIGHT_STALE,
    SIZE,
    SUFFIX,
    SUFFIX_STALE,
    VALID,
)
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Meter
from muntin.spec.structure import TimedWindow

SHAPE = NodeShape(2, 4)
"""Leaves of two entries and nodes of four children: the smallest that there can be."""

SCALARS = (SIZE, HEAD, VALID, SUFFIX_STALE, MIDDLE_STALE, LEFT_STALE, RIGHT_STALE)


def held_in(view: TreeDebugView[str]) -> Iterator[tuple[int, int]]:
    """Yield where values stand."""
    return ((leaf, at) for leaf in view.nodes_at_level(0) for at in range(*view.entry_range(leaf)))


class Finger(FingerTree[str]):
    """A tree that brings its kernels along when it is copied."""

    def __init__(self, monoid: Monoid[str], meter: Meter) -> None:
        """Start with an empty window."""
        self.own = interpreted_engine(monoid, SHAPE)
        super().__init__(monoid, meter, self.own)

    @property
    def engine(self) -> Engine[str]:
        """Kernels and storage."""
        return self.own

    @property
    def view(self) -> TreeDebugView[str]:
        """What stands in the arrays."""
        return TreeDebugView(self.engine.storage.to_lists(self.arrays), SHAPE)

    def blot(self) -> None:
        """Overwrite what means nothing."""
        tree, view = self.arrays, self.view
        for at in range(PATH, len(tree.s)):
            tree.s[at] = UNREAD
        folds, held, right = (
            set(found) for found in (self.kept_folds(view), held_in(view), self.right_ends(view))
        )
        for place in set(product(range(self._inner_rows), range(SHAPE.fan))) - folds:
            tree.folds[place] = BLOT
        for place in set(product(range(self._leaf_rows), range(SHAPE.cap))) - held:
            tree.leaves[place] = BLOT
        for place in set(product(range(ENDS), range(LEFT))) - right - {(MISC, IDENTITY)}:
            tree.ends[place] = BLOT

    @staticmethod
    def kept_folds(view: TreeDebugView[str]) -> Iterator[tuple[int, int]]:
        """Yield where folds stand that are right."""
        for node, level in view.inner_nodes():
            yield from (
                (node, at)
                for at, _ in view.children_off_spine(node, level)
                if not view.is_stale(node, at)
            )

    @staticmethod
    def right_ends(view: TreeDebugView[str]) -> Iterator[tuple[int, int]]:
        """Yield what is right of the folds at both ends (S9 to S12)."""
        s, height = view.tree.s, view.height
        noted = (1 << height) - 2
        left, right = s[LEFT_STALE] & noted, s[RIGHT_STALE] & noted
        for level in range(1, height):
            yield from [] if (left >> level) & 1 else [(LEFT_INNER, level)]
            yield from [] if (right >> level) & 1 else [(RIGHT_INNER, level)]
            yield from [] if left >> level else [(LEFT_CHAIN, level)]
            yield from [] if right >> level else [(RIGHT_CHAIN, level)]
        if height and not s[MIDDLE_STALE]:
            yield MISC, MIDDLE
            yield from [] if left | right else [(MISC, REST)]
        cut = view.entry_range(view.left_spine_node(0))[1] if height else s[CUT]
        if not s[SUFFIX_STALE]:
            yield from ((SUFFIX, at) for at in range(s[HEAD], cut))
        if height or not s[SUFFIX_STALE]:
            yield from ((PREFIX, at) for at in range(0 if height else cut, s[VALID]))

    def seen(self) -> object:
        """Return what tells states apart."""
        view = self.view
        s = view.tree.s
        ends = [(row, at, view.tree.ends[row, at]) for row, at in sorted(self.right_ends(view))]
        cut = s[CUT] if not view.height else None
        return [self.below(view, view.root, view.height), [s[at] for at in SCALARS], cut, ends]

    def below(self, view: TreeDebugView[str], node: int, level: int) -> object:
        """Return a node and what is below it."""
        if not level:
            return [list(pair) for pair in view.entries(node)]
        first = int(node == view.left_spine_node(level))
        keys = [view.key(node, at) for at in range(first, view.arity(node))]
        marks = [view.is_stale(node, at) for at in range(view.arity(node))]
        folds = [
            view.tree.folds[node, at]
            for at, _ in view.children_off_spine(node, level)
            if not marks[at]
        ]
        return [
            keys,
            marks,
            folds,
            [self.below(view, one, level - 1) for one in view.children(node)],
        ]

    def keys(self) -> list[int]:
        """Return the times that part children and that no item has."""
        view, held = self.view, {time for time, _ in self.items()}
        found = {
            view.key(node, at)
            for node, level in view.inner_nodes()
            for at in range(int(node == view.left_spine_node(level)), view.arity(node))
        }
        return sorted(found - held)


class Repairing(Exploration):
    """An exploration in which a question leads to a state, too."""

    def failing(self, structure: Structure, window: TimedWindow[str]) -> list[str]:
        """Return what does not hold of a state, which stays as it is."""
        return super().failing(fork(structure), window)

    def ask(self, structure: Structure, window: TimedWindow[str], places: Places) -> None:
        """Ask for the window, and for every range; each time of the state as it was."""
        asked = fork(structure)
        asked.query()
        self.meet(asked, window, "a query")
        for ends in ranges(places):
            self.found.ranges += 1
            asked = fork(structure)
            assert asked.query_range(*ends) == window.query_range(*ends), (ends, window.pairs)
            self.meet(asked, window, ends)


def blotted(structure: Structure) -> Structure:
    """Overwrite what means nothing in such a tree, and return it."""
    if isinstance(structure, Finger):
        structure.blot()
    return structure


def seen(structure: Structure) -> object:
    """Return what tells states apart."""
    return structure.seen() if isinstance(structure, Finger) else structure


def keys(structure: Structure) -> list[int]:
    """Return the times that a tree knows besides those of its items."""
    return structure.keys() if isinstance(structure, Finger) else []


def small(largest: int) -> Scope:
    """Return the scope of windows of at most so many items."""
    return Scope(
        Finger,
        "any order",
        largest,
        blotted=blotted,
        other_times=keys,
        seen=seen,
        joins=True,
    )


class TwoCalls(Repairing):
    """Every two calls that follow each other, and the question behind each, from one tree on."""

    def ask(self, structure: Structure, window: TimedWindow[str], places: Places) -> None:
        """Ask for the window alone."""
        del places
        asked = fork(structure)
        asked.query()
        self.meet(asked, window, "a query")

    def run_from(self, times: Iterable[int]) -> Found:
        """Insert items at these times, one by one, and then make any two calls."""
        tree, window = Finger(LETTERS, self.meter), TimedWindow(LETTERS)
        for at, time in enumerate(times):
            call = Call("insert", pairs=((STEP * (time + 1), chr(0x4E00 + at)),))
            call.on(tree)
            window = call.of(window)
        self.meet(tree, window, "the first tree")
        firsts = list(self.waiting)
        for state in firsts:
            self.make_all(*state)
        for state in list(self.waiting)[len(firsts) :]:
            self.make_all(*state)
        return self.found

    def make_all(self, structure: Structure, window: TimedWindow[str]) -> None:
        """Make every call."""
        places, most = self.places(structure, window), len(window.pairs) + 1
        for call in changes(window, places, "any order", most, 0):
            self.try_out(call, structure, window)
