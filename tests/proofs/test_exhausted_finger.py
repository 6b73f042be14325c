"""Every small finger B+-tree that calls and questions lead to; every two calls on larger ones."""

import pytest

from exhaustive.profile import PROFILE
from exhaustive.states.exploration import Found
from exhaustive.states.finger import Finger, Repairing, TwoCalls, small

LARGEST = {"ci": 3, "nightly": 4}[PROFILE]
SMALL = {3: Found(117, 2683, 7353, 65), 4: Found(1094, 38253, 150278, 854)}
FROM = {"ci": [5, 8], "nightly": [*range(5, 21)]}[PROFILE]
LARGER = {
    5: Found(661, 2969, 0, 413),
    8: Found(1600, 6701, 0, 833),
    12: Found(3678, 14348, 0, 1575),
}


def test_every_state_of_a_small_finger_tree_and_every_call() -> None:
    found = Repairing(small(LARGEST)).run()
    assert found == SMALL[LARGEST]


@pytest.mark.parametrize("items", FROM)
def test_every_two_calls_on_a_finger_tree_of_items_in_order(items: int) -> None:
    two = TwoCalls(small(items + 2))
    found = two.run_from(range(items))
    assert LARGER.get(items, found) == found
    trees = [tree for tree, _ in two.waiting if isinstance(tree, Finger)]
    assert max(tree.view.height for tree in trees) >= 2, "else no spine has an inner fold"
