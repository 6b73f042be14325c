"""Every small finger B+-tree that calls and queries lead to; every two calls on larger ones."""

import pytest

from exhaustive.profile import PROFILE
from exhaustive.states.exploration import StateCounts
from exhaustive.states.finger import (
    BlottedFingerTree,
    RepairExploration,
    TwoCallExploration,
    finger_scope,
)

LARGEST = {"ci": 3, "nightly": 4}[PROFILE]
SMALL = {3: StateCounts(117, 2683, 7353, 65), 4: StateCounts(1094, 38253, 150278, 854)}
SMALL_BAGS = {3: StateCounts(127, 2830, 7277, 63), 4: StateCounts(1113, 38786, 151526, 858)}
FROM = {"ci": [5, 8], "nightly": [*range(5, 21)]}[PROFILE]
LARGER = {
    5: StateCounts(661, 2969, 0, 413),
    8: StateCounts(1600, 6701, 0, 833),
    12: StateCounts(3678, 14348, 0, 1575),
}
LARGER_BAGS = {
    5: StateCounts(589, 2834, 0, 405),
    8: StateCounts(1392, 6348, 0, 820),
    12: StateCounts(3179, 13532, 0, 1554),
}


def test_every_state_of_a_small_finger_tree_and_every_call() -> None:
    assert RepairExploration(finger_scope(LARGEST)).run() == SMALL[LARGEST]


def test_every_state_of_a_small_finger_tree_of_bags_and_every_call() -> None:
    assert RepairExploration(finger_scope(LARGEST, commutative=True)).run() == SMALL_BAGS[LARGEST]


@pytest.mark.parametrize("commutative", [False, True], ids=["words", "bags"])
@pytest.mark.parametrize("items", FROM)
def test_every_two_calls_on_a_finger_tree_of_items_in_order(
    items: int, *, commutative: bool
) -> None:
    exploration = TwoCallExploration(finger_scope(items + 2, commutative=commutative))
    counts = exploration.run_from(range(items))
    larger = LARGER_BAGS if commutative else LARGER
    assert larger.get(items, counts) == counts
    trees = [tree for tree, _ in exploration.queue if isinstance(tree, BlottedFingerTree)]
    assert max(tree.view.height for tree in trees) >= 2, "else no spine has an inner fold"
