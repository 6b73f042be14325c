"""Where tuples bring gaps of their own, a late tuple costs what is near it, not all slices."""

import pytest

from muntin.conformance.machines.letter_values import BAGS, Letter
from muntin.optimized.scotty.operator import Scotty
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Event
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import tumbling

SESSIONS = 1000
NEAR = 40


@pytest.mark.parametrize("every", [1, SESSIONS], ids=["each has a gap", "one has a gap"])
def test_a_late_tuple_reads_only_slices_near_it(every: int, looks: list[int]) -> None:
    operator = Scotty(Settings(10**6))
    for name, kind in {"near": Session(3), "far": Session(7), "edges": tumbling(5)}.items():
        operator.add(Query(name, kind, BAGS))
    for nth in range(SESSIONS):
        gap = None if nth % every else 4
        operator.step([Event(20 * nth, Letter(0, nth), gap=gap)], 20 * nth - 9)
    for nth in range(20):
        late = 20 * (SESSIONS - 1 - nth % 2) + 1 + nth % 3
        looks.clear()
        operator.step([Event(late, Letter(1, nth), gap=4 if every == 1 else None)], 20 * SESSIONS)
        assert len(looks) <= NEAR
        assert min(looks, default=late) >= late - 100
