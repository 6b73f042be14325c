"""Every state that a structure can reach within a scope, every call on it, every range."""

import pytest

from exhaustive.object_state import UNREAD
from exhaustive.profile import PROFILE
from exhaustive.states import rebalance_steps as rebalancing
from exhaustive.states.constructed_states import PlantedFiba
from exhaustive.states.corrupted_states import corrupted_copies
from exhaustive.states.exploration import (
    Exploration,
    StateScope,
    Structure,
    broken_facts,
    distances,
)
from exhaustive.states.shapes import every_shape, shape_count
from exhaustive.states.structures import (
    CI,
    SCOPES,
    b_int_scope,
    registry_scope,
    ring_scope,
    tree_scope,
)
from muntin.optimized.btree.btree import BTree
from muntin.optimized.btree.cost_bound import levels
from muntin.optimized.btree.fiba import Fiba
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.structure import TimedWindow


@pytest.mark.parametrize("name", SCOPES)
def test_every_state_and_every_call_within_the_scope(name: str) -> None:
    exhausted = SCOPES[name]
    assert exhausted.run() == exhausted.expected


@pytest.mark.parametrize(
    ("name", "min_arity", "keys"),
    [("fiba, min-arity 2, 14 keys", 2, 14), ("fiba, min-arity 3, 12 keys", 3, 12)],
)
def test_every_b_tree_of_that_size_is_among_them(name: str, min_arity: int, keys: int) -> None:
    assert CI[name].expected.states == shape_count(min_arity, keys)


LARGEST = {"ci": [(2, 17), (3, 20)], "nightly": [(2, 20), (3, 26)]}


@pytest.mark.parametrize(("min_arity", "keys"), LARGEST[PROFILE])
def test_every_search_in_every_tree_visits_as_few_nodes_as_claimed(
    min_arity: int, keys: int
) -> None:
    shapes, attained = list(every_shape(min_arity, keys)), set[int]()
    assert len(set(shapes)) == shape_count(min_arity, keys)
    for shape in shapes:
        tree = PlantedFiba(Monoid("", str.__add__), None, min_arity)
        window = tree.plant(shape)
        for time in (near for item, _ in window.pairs for near in (item - 1, item, item + 1)):
            reach, visits = (
                levels(min_arity, distances(window, (time,))[0] + 1),
                tree.search_visits(time),
            )
            assert visits <= 2 * reach + 3, (shape, time)
            attained |= {reach} if visits == 2 * reach + 3 else set()
    assert attained >= {0, 1}


SIBLINGS = {"ci": 5, "nightly": 15}[PROFILE]
STEPS = {
    "ci": {
        2: (378, 216, 360),
        3: (1320, 1350, 2430),
        4: (1800, 3528, 7056),
        5: (2280, 5670, 12600),
        6: (2760, 8316, 20412),
        7: (3240, 11466, 30870),
        8: (3720, 15120, 44352),
    },
    "nightly": {
        2: (378, 216, 360),
        3: (1320, 1350, 2430),
        4: (3150, 4704, 9408),
        5: (6156, 12150, 27000),
        6: (10626, 26136, 64152),
        7: (16848, 49686, 133770),
        8: (25110, 86400, 253440),
    },
}


@pytest.mark.parametrize("min_arity", range(2, 9))
def test_every_step_of_rebalancing_in_a_tree_of_any_height(min_arity: int) -> None:
    steps = (rebalancing.check_splits, rebalancing.check_merges, rebalancing.check_moves)
    made = tuple(step(min_arity, SIBLINGS) for step in steps)
    assert made == STEPS[PROFILE][min_arity]


class CorruptingExploration(Exploration):
    """An exploration that corrupts each state, and records which fields fail unnoticed."""

    def __init__(self, scope: StateScope) -> None:
        super().__init__(scope)
        self.noticed: set[str] = set()
        self.unnoticed: set[str] = set()

    def check_state(self, structure: Structure, window: TimedWindow[str], how: object) -> None:
        count = len(self.checked)
        super().check_state(structure, window, how)
        for name, copy in corrupted_copies(structure) if len(self.checked) > count else ():
            try:
                noticed = broken_facts(copy, window)
            except (AssertionError, LookupError, AttributeError, TypeError, ValueError):
                noticed = [name]
            (self.noticed if noticed else self.unnoticed).add(name)


@pytest.mark.parametrize(
    ("scope", "unnoticed"),
    [
        (tree_scope(Fiba, 2, 7, 0), {"Fiba._min_arity"}),  # a constant
        (tree_scope(BTree, 2, 7, 0), {"BTree._min_arity"}),
        (b_int_scope(6, 8), set[str]()),
        # An equal copy of a part without other references is as good as the part.
        (registry_scope("flatfat", 6), {"FlatFatWindow._fat"}),
        (registry_scope("two-stacks", 6), {"FifoAdapter.fifo"}),
        (registry_scope("two-stacks-lite", 6), {"FifoAdapter.fifo"}),
        (registry_scope("daba", 8), {"FifoAdapter.fifo"}),
        (registry_scope("daba-lite", 8), {"FifoAdapter.fifo"}),
        # An empty ring may begin anywhere; the time of a hole may be any between its neighbours.
        (
            ring_scope(2, 4, 4),
            {
                "BlottedRing._fat",
                "BlottedRing._front",
                "BlottedRing._least",
                "BlottedRing._times[]",
            },
        ),
    ],
)
def test_the_relation_pins_every_field(scope: StateScope, unnoticed: set[str]) -> None:
    exploration = CorruptingExploration(scope)
    exploration.run()
    assert exploration.unnoticed == unnoticed
    assert exploration.noticed


def test_an_unreadable_number_raises_when_it_is_compared() -> None:
    with pytest.raises(AssertionError, match="unreadable"):
        sorted([UNREAD, 3])


class LeakingFiba(Fiba[str]):
    """A tree with undeclared state that changes its later answers."""

    evicted = 0

    def evict(self, time: int) -> None:
        self.evicted += 1
        super().evict(time)

    def query(self) -> str:
        return "?" if self.evicted > 3 else super().query()


def test_undeclared_state_is_explored_too() -> None:
    with pytest.raises(AssertionError):
        Exploration(tree_scope(LeakingFiba, 2, 3, 0)).run()
