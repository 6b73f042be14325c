"""A step reads few slices of a long session, be it open or only not final, oldest or not."""

import pytest

from muntin.conformance.machines.random_choices import BAGS, Letter
from muntin.optimized.scotty.operator import Scotty
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Event
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import tumbling

SLICES = 300
NEAR = 40


@pytest.mark.parametrize("before", [0, 1, SLICES], ids=["first", "after a short", "after a long"])
@pytest.mark.parametrize("begins", [0, 10 * SLICES + 1000], ids=["in one", "in two"])
def test_a_step_with_a_slice_between_others_reads_few_slices(
    before: int, begins: int, slice_reads: list[int]
) -> None:
    operator = Scotty(Settings(10**6))
    for name, window in {"s": Session(100), "edges": tumbling(10)}.items():
        operator.add(Query(name, window, BAGS))
    operator.step([Event(10 * index, Letter(0, index)) for index in range(before)], 10 * before)
    for index in range(SLICES):
        time = begins + 10 * before + 20 * index
        slice_reads.clear()
        late = Event(time, Letter(1, index))
        operator.step([Event(time + 10, Letter(2, index)), late], time - 30)
        assert len(slice_reads) <= NEAR
