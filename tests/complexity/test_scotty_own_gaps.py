"""If tuples bring their own gaps, a late tuple reads the slices near it, not all."""

import pytest

from muntin.conformance.machines.random_choices import BAGS, Letter
from muntin.optimized.scotty.operator import Scotty
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Event
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import tumbling

SESSIONS = 1000
NEAR = 40


@pytest.mark.parametrize("every", [1, SESSIONS], ids=["each has a gap", "one has a gap"])
def test_a_late_tuple_reads_only_slices_near_it(every: int, slice_reads: list[int]) -> None:
    operator = Scotty(Settings(10**6))
    for name, window in {"near": Session(3), "far": Session(7), "edges": tumbling(5)}.items():
        operator.add(Query(name, window, BAGS))
    for index in range(SESSIONS):
        gap = None if index % every else 4
        operator.step([Event(20 * index, Letter(0, index), gap=gap)], 20 * index - 9)
    for index in range(20):
        late = 20 * (SESSIONS - 1 - index % 2) + 1 + index % 3
        slice_reads.clear()
        operator.step([Event(late, Letter(1, index), gap=4 if every == 1 else None)], 20 * SESSIONS)
        assert len(slice_reads) <= NEAR
        assert min(slice_reads, default=late) >= late - 100
