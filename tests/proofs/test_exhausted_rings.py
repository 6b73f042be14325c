"""Every ring of a capacity, planted: its invariants, every call and every query."""

import pytest

from exhaustive.profile import PROFILE
from exhaustive.states.exploration import StateCounts
from exhaustive.states.full_rings import FullRings, PlantedRing
from exhaustive.states.structures import CI
from muntin.optimized.flatfat.flatfat import FlatFat

CAPACITIES = {"ci": (1, [1, 2, 4]), "nightly": (2, [2, 4, 8])}[PROFILE]
EXPLORED = {"ci": "reactive, capacity 1 to 4", "nightly": "reactive, capacity 2 to 8"}[PROFILE]
FRONTS = {"ci": [(8, 0), (8, 5)], "nightly": [(16, front) for front in range(16)]}[PROFILE]
OF_ONE_FRONT = {8: StateCounts(127, 5041, 3711), 16: StateCounts(32647, 2465986, 3955747)}


def test_the_rings_that_are_planted_are_those_that_calls_lead_to() -> None:
    least, capacities = CAPACITIES
    planted = [FullRings(least, capacity, capacities[-1]).run() for capacity in capacities]
    explored = CI[EXPLORED].expected
    assert sum(counts.states for counts in planted) == explored.states
    assert sum(counts.calls for counts in planted) == explored.calls


@pytest.mark.parametrize(("capacity", "front"), FRONTS)
def test_every_ring_that_begins_in_a_slot_and_every_call(capacity: int, front: int) -> None:
    assert FullRings(2, capacity, capacity).run_from(front) == OF_ONE_FRONT[capacity]


def test_a_wrong_ring_fails_its_invariants(monkeypatch: pytest.MonkeyPatch) -> None:
    def leave_holes(ring: PlantedRing) -> None:
        del ring

    monkeypatch.setattr(PlantedRing, "_trim", leave_holes)
    with pytest.raises(AssertionError, match="S3 holes are between"):
        FullRings(2, 4, 4).run()


def test_a_wrong_tree_fails_its_invariants(monkeypatch: pytest.MonkeyPatch) -> None:
    def forget_nothing(tree: FlatFat[str], locations: object) -> None:
        del tree, locations

    monkeypatch.setattr(FlatFat, "clear_leaves", forget_nothing)
    with pytest.raises(AssertionError, match="S6 the leaf"):
        FullRings(2, 4, 4).run()
