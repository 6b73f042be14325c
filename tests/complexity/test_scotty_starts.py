"""In order, slices begin where windows begin, and nowhere else; all windows share them."""

import random

import pytest

from muntin.conformance.machines.random_choices import BAGS, THIRDS, WORDS, Letter
from muntin.optimized.in_order.slice_buffer import SliceBuffer
from muntin.optimized.scotty.groups.in_order_group import InOrderGroup
from muntin.optimized.scotty.operator import Scotty
from muntin.registry.implementations import OPERATORS, OperatorEntry
from muntin.spec.cost import Meter
from muntin.spec.operator import Operator
from muntin.spec.query import Mode, Query, Settings
from muntin.spec.stream import Event
from muntin.spec.windows.data_driven import Punctuation, Session
from muntin.spec.windows.frames import State
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding, tumbling
from muntin.spec.windows.window import WindowType

SCOTTY_ENTRIES = [one for one in OPERATORS if one.name.startswith("scotty")]
FIXED = [Sliding(10, 3), Sliding(25, 7, 2), Sliding(4, 9), tumbling(6), Sliding(100, 9)]
UNTIL = 300


def group_of(operator: Operator) -> InOrderGroup:
    """The only group."""
    assert isinstance(operator, Scotty)
    (group,) = operator.groups
    assert isinstance(group, InOrderGroup)
    return group


@pytest.mark.parametrize("output", ["accumulate-retract", "discard", "final"])
@pytest.mark.parametrize("queries", range(1, len(FIXED) + 1))
@pytest.mark.parametrize("entry", SCOTTY_ENTRIES, ids=lambda entry: entry.name)
def test_there_are_no_more_slices_than_starts_of_windows_that_are_open(
    entry: OperatorEntry, queries: int, output: Mode
) -> None:
    operator, windows = entry.build(Settings(0, output, in_order=True)), FIXED[:queries]
    for index, window in enumerate(windows):
        operator.add(Query(f"q{index}", window, WORDS))
    most_slices = 0
    for time in range(UNTIL):
        operator.step([Event(time, Letter(0, time))])
        open_starts = {
            max(start, 0)
            for window in windows
            for start in range(window.offset - 126 * window.slide, time + 1, window.slide)
            if start <= time < start + window.size
        }
        most_slices = max(most_slices, group_of(operator).slicer.slice_count())
        assert group_of(operator).slicer.slice_count() <= len(open_starts)
    assert most_slices >= 4


OPEN: list[tuple[WindowType, int]] = [
    (Landmark(0, 10), 1),
    (Cumulate(60, 5), 1),
    (Band(5, 200), 1),
    (Session(4), 1),
]
"""Windows with many ends and one start at a time, and the number of slices they need."""


@pytest.mark.parametrize(
    ("window", "needed"), OPEN, ids=lambda parameter: getattr(parameter, "name", "")
)
def test_where_windows_only_end_no_slice_begins(window: WindowType, needed: int) -> None:
    operator = Scotty(Settings(in_order=True))
    operator.add(Query("q", window, BAGS))
    rng, time = random.Random(3), 0  # noqa: S311 - it need not be secret
    for index in range(UNTIL):
        time += rng.choice([0, 1, 1, 2, 7])
        operator.step([Event(time, Letter(0, index))])
        assert all(
            key_state.slices.size <= needed for key_state in group_of(operator).slicer.key_states()
        )


MIXED: list[WindowType] = [
    *(*FIXED, Session(3), Session(8), Landmark(0, 50), Cumulate(20, 5), Band(9, 99)),
    *(Punctuation(), State(), tumbling(5, 0, THIRDS)),
]


@pytest.mark.parametrize("queries", [1, len(MIXED), 100])
def test_windows_of_all_kinds_share_one_lift_and_one_combine_a_tuple(
    queries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    meter, folded, fold = Meter(), [0], SliceBuffer[object].fold

    def count_fold(slices: SliceBuffer[object], first: int, stop: int) -> object:
        before = meter.combines
        total = fold(slices, first, stop)
        folded[0] += meter.combines - before
        return total

    monkeypatch.setattr(SliceBuffer, "fold", count_fold)  # the cost of windows is not counted
    operator, aggregate = Scotty(Settings(in_order=True)), meter.watch_aggregate(WORDS)
    for index in range(queries):
        operator.add(Query(f"q{index}", MIXED[index % len(MIXED)], aggregate))
    meter.lifts = meter.combines = 0
    for time in range(UNTIL):
        operator.step([Event(time, Letter(time // 40, time), punctuation=time % 50 == 0)])
        assert meter.lifts == time + 1
        assert meter.combines - folded[0] <= time + 1
    assert {*group_of(operator).queries} == {f"q{index}" for index in range(queries)}


def test_an_idle_key_leaves_nothing_in_ordered_slices() -> None:
    operator = Scotty(Settings(in_order=True))
    for index, window in enumerate(FIXED):
        operator.add(Query(f"q{index}", window, BAGS))
    for time in range(UNTIL):
        operator.step([Event(time, Letter(0, time), key=time)])
    slicer = group_of(operator).slicer
    assert len(list(slicer.key_states())) <= 120
