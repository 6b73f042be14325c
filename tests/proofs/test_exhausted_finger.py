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
FROM = {"ci": [5, 8], "nightly": [*range(5, 21)]}[PROFILE]
LARGER = {
    5: StateCounts(661, 2969, 0, 413),
    8: StateCounts(1600, 6701, 0, 833),
    12: StateCounts(3678, 14348, 0, 1575),
}


def test_every_state_of_a_small_finger_tree_and_every_call() -> None:
    assert RepairExploration(finger_scope(LARGEST)).run() == SMALL[LARGEST]


@pytest.mark.parametrize("items", FROM)
def test_every_two_calls_on_a_finger_tree_of_items_in_order(items: int) -> None:
    exploration = TwoCallExploration(finger_scope(items + 2))
    counts = exploration.run_from(range(items))
    assert LARGER.get(items, counts) == counts
    trees = [tree for tree, _ in exploration.queue if isinstance(tree, BlottedFingerTree)]
    assert max(tree.view.height for tree in trees) >= 2, "else no spine has an inner fold"
