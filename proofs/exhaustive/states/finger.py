"""The finger B+-tree with blots over the cells that must never be read again.

The identity of a state is the tree from the root down: the row of an array in which a node stands
does not matter, nor the number of spare rows. Queries repair folds, and so lead to further states.
"""

from collections.abc import Iterable, Iterator
from itertools import product

from exhaustive.object_state import BLOT, UNREAD, fork
from exhaustive.states.calls import BAGS, LETTERS, STEP, TimePlaces, WindowCall, changes, ranges
from exhaustive.states.exploration import Exploration, StateCounts, StateScope, Structure
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
    SUFFIX,
    SUFFIX_STALE,
    VALID,
)
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Meter
from muntin.spec.structure import TimedWindow

SHAPE = NodeShape(2, 4)
"""Leaves of two entries and nodes of four children: the smallest that are possible."""

SCALARS = (HEAD, VALID, SUFFIX_STALE, MIDDLE_STALE, LEFT_STALE, RIGHT_STALE)


def entry_slots(view: TreeDebugView[str]) -> Iterator[tuple[int, int]]:
    """Yield the cells that hold values."""
    return ((leaf, at) for leaf in view.nodes_at_level(0) for at in range(*view.entry_range(leaf)))


class BlottedFingerTree(FingerTree[str]):
    """A finger tree that takes its kernels along when it is copied."""

    commutative = False

    def __init__(self, monoid: Monoid[str], meter: Meter) -> None:
        """Start with an empty window."""
        self.own = interpreted_engine(monoid, SHAPE, commutative=self.commutative)
        super().__init__(monoid, meter, self.own)

    @property
    def engine(self) -> Engine[str]:
        """Kernels and storage."""
        return self.own

    @property
    def view(self) -> TreeDebugView[str]:
        """The contents of the arrays."""
        tree = self.engine.storage.to_lists(self.arrays)
        return TreeDebugView(tree, SHAPE, commutative=self.commutative)

    def blot(self) -> None:
        """Overwrite the cells that must not be read."""
        tree, view = self.arrays, self.view
        for at in range(PATH, len(tree.s)):
            tree.s[at] = UNREAD
        folds, entries, ends = (
            set(cells)
            for cells in (self.valid_folds(view), entry_slots(view), self.valid_ends(view))
        )
        for place in set(product(range(self._inner_rows), range(SHAPE.fan))) - folds:
            tree.folds[place] = BLOT
        for place in set(product(range(self._leaf_rows), range(SHAPE.cap))) - entries:
            tree.leaves[place] = BLOT
        for place in set(product(range(ENDS), range(LEFT))) - ends - {(MISC, IDENTITY)}:
            tree.ends[place] = BLOT

    @staticmethod
    def valid_folds(view: TreeDebugView[str]) -> Iterator[tuple[int, int]]:
        """Yield the cells of folds that are valid."""
        for node, level in view.inner_nodes():
            yield from (
                (node, at)
                for at, _ in view.children_off_spine(node, level)
                if not view.is_stale(node, at)
            )

    @staticmethod
    def valid_ends(view: TreeDebugView[str]) -> Iterator[tuple[int, int]]:
        """Yield the cells of the folds at both ends that are valid (S9 to S12)."""
        s, height = view.tree.s, view.height
        levels = (1 << height) - 2
        left, right = s[LEFT_STALE] & levels, s[RIGHT_STALE] & levels
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
            yield from ((PREFIX, at) for at in view.valid_prefixes())

    def identity(self) -> object:
        """The identity of the state."""
        view = self.view
        s = view.tree.s
        ends = [
            (row, at, self.word_identity(view, view.tree.ends[row, at]))
            for row, at in sorted(self.valid_ends(view))
        ]
        cut = s[CUT] if not view.height else None
        return [
            self.subtree_identity(view, view.root, view.height),
            view.size,
            [s[at] for at in SCALARS],
            cut,
            ends,
        ]

    def subtree_identity(self, view: TreeDebugView[str], node: int, level: int) -> object:
        """A node with the subtree below it."""
        if not level:
            return [list(pair) for pair in view.entries(node)]
        first = int(node == view.left_spine_node(level))
        keys = [view.key(node, at) for at in range(first, view.arity(node))]
        marks = [view.is_stale(node, at) for at in range(view.arity(node))]
        folds = [
            self.word_identity(view, view.tree.folds[node, at])
            for at, _ in view.children_off_spine(node, level)
            if not marks[at]
        ]
        return [
            keys,
            marks,
            folds,
            [self.subtree_identity(view, child, level - 1) for child in view.children(node)],
        ]

    def word_identity(self, view: TreeDebugView[str], word: str) -> str:
        """The word, of a bag in the order of the window, which renames its letters."""
        if not self.commutative:
            return word
        letters = "".join(view.values(view.root, view.height))
        return "".join(sorted(word, key=letters.find))

    def keys(self) -> list[int]:
        """The times that separate children and that no item has."""
        view, item_times = self.view, {time for time, _ in self.items()}
        keys = {
            view.key(node, at)
            for node, level in view.inner_nodes()
            for at in range(int(node == view.left_spine_node(level)), view.arity(node))
        }
        return sorted(keys - item_times)


class BlottedBagTree(BlottedFingerTree):
    """A finger tree of a commutative monoid."""

    commutative = True


class RepairExploration(Exploration):
    """An exploration in which a query leads to a state, too."""

    def broken_facts(self, structure: Structure, window: TimedWindow[str]) -> list[str]:
        """The facts that do not hold of a state, found on a copy of it."""
        return super().broken_facts(fork(structure), window)

    def check_queries(
        self, structure: Structure, window: TimedWindow[str], places: TimePlaces
    ) -> None:
        """Query the window, and every range, each on a copy of the state."""
        copy = fork(structure)
        copy.query()
        self.check_state(copy, window, "a query")
        for ends in ranges(places):
            self.counts.ranges += 1
            copy = fork(structure)
            assert copy.query_range(*ends) == window.query_range(*ends), (ends, window.pairs)
            self.check_state(copy, window, ends)


def blot(structure: Structure) -> Structure:
    """Overwrite the cells of a tree that must not be read."""
    if isinstance(structure, BlottedFingerTree):
        structure.blot()
    return structure


def identity(structure: Structure) -> object:
    """The identity of a state."""
    return structure.identity() if isinstance(structure, BlottedFingerTree) else structure


def keys(structure: Structure) -> list[int]:
    """The times that a tree stores besides those of its items."""
    return structure.keys() if isinstance(structure, BlottedFingerTree) else []


def finger_scope(largest: int, *, commutative: bool = False) -> StateScope:
    """The scope of windows of at most `largest` items."""
    return StateScope(
        BlottedBagTree if commutative else BlottedFingerTree,
        "any order",
        largest,
        blot=blot,
        other_times=keys,
        identity=identity,
        explores_joined=True,
        monoid=BAGS if commutative else LETTERS,
    )


class TwoCallExploration(RepairExploration):
    """Every two calls in a row on one tree, with a query after each."""

    def check_queries(
        self, structure: Structure, window: TimedWindow[str], places: TimePlaces
    ) -> None:
        """Query the window alone."""
        del places
        copy = fork(structure)
        copy.query()
        self.check_state(copy, window, "a query")

    def run_from(self, times: Iterable[int]) -> StateCounts:
        """Insert items at these times, one by one, and then make every two calls."""
        monoid = self.scope.monoid
        tree, window = self.scope.build(monoid, self.meter), TimedWindow(monoid)
        for index, time in enumerate(times):
            call = WindowCall("insert", pairs=((STEP * (time + 1), chr(0x4E00 + index)),))
            call.apply(tree)
            window = call.expected(window)
        self.check_state(tree, window, "the first tree")
        first_states = list(self.queue)
        for state in first_states:
            self.check_calls(*state)
        for state in list(self.queue)[len(first_states) :]:
            self.check_calls(*state)
        return self.counts

    def check_calls(self, structure: Structure, window: TimedWindow[str]) -> None:
        """Make every call on a state."""
        places, most = self.places(structure, window), len(window.pairs) + 1
        for call in changes(window, places, "any order", most, 0):
            self.check_call(call, structure, window)
