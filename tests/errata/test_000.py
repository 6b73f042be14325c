"""Paper 000: what its listings print, run as printed, beside what must stand."""

from dataclasses import dataclass, replace
from itertools import pairwise, product

import pytest

from muntin.conformance.machines.random_choices import BAGS, Letter
from muntin.optimized.scotty.groups.time_group import TimeGroup
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.slices.edges import Edges, Progression
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.catalogue import named
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import Measure
from muntin.spec.windows.periodic import tumbling


def printed_sessions(times: list[int], gap: int) -> list[list[int]]:
    """Slice for one session query by Algorithm 1 (in order) and Algorithm 3 (out of order)."""
    slices: list[list[int]] = []
    for time in times:
        newest = max((max(members) for members in slices), default=None)
        if newest is None or time >= newest:  # Algorithm 1, lines 4 and 18
            if newest is None or time >= newest + gap:
                slices.append([])
            slices[-1].append(time)
            continue
        index = max(i for i, members in enumerate(slices) if min(members) <= time)
        covering, end = slices[index], min(slices[index + 1])
        left, right = time - max(covering) > gap, end - time > gap  # lines 14, 17 and 20
        if left and right:
            slices.insert(index + 1, [time])
        elif right:
            covering.append(time)
        elif left:
            slices[index + 1].append(time)
        else:
            slices[index : index + 2] = [[*covering, time, *slices[index + 1]]]
    return [sorted(members) for members in slices]


def sliced(times: list[int], *kinds: Session) -> list[int]:
    """Where our slices begin."""
    operator = Scotty(Settings(100))
    for number, kind in enumerate(kinds):
        operator.add(Query(f"q{number}", kind, BAGS))
    operator.step([Event(time, Letter(0, time)) for time in times])
    (group,) = operator.groups
    assert isinstance(group, TimeGroup)
    return [piece.first for piece in group.key_states[None].slices.slices]


def test_algorithms_1_and_3_disagree_about_an_event_exactly_one_gap_away() -> None:
    assert printed_sessions([0, 5, 10], 5) == [[0], [5], [10]]
    assert printed_sessions([0, 10, 5], 5) == [[0, 5, 10]]
    assert sliced([0, 5, 10], Session(5)) == sliced([0, 10, 5], Session(5)) == [0, 5, 10]


@dataclass
class PrintedSlice:
    """A slice as the paper has it: it ends at a time, and with a type."""

    start: int
    end: float
    type: str
    tuples: list[int]


def printed_extend(slices: list[PrintedSlice], last: int, time: int) -> None:
    """Algorithm 6, lines 4 to 10: the covering slice is the last one of the session."""
    covering = slices[last]
    end, covering.end = covering.end, time
    if covering.type == "flexible":
        slices[last + 1].start = time
        slices[last + 1].tuples.append(time)
    else:
        slices.insert(last + 1, PrintedSlice(time, end, "fixed", [time]))


def printed_fuse(slices: list[PrintedSlice], last: int) -> None:
    """Algorithm 5, lines 3 to 7, of the last slice of a session and the next one."""
    if slices[last].type == "combined":
        slices[last].type = "fixed"
    else:
        behind = slices.pop(last + 1)
        slices[last].end, slices[last].type = behind.end, behind.type
        slices[last].tuples += behind.tuples


@pytest.mark.parametrize("kind", ["flexible", "combined"])
def test_algorithm_6_leaves_a_slice_of_no_extent_if_a_separator_is_at_the_time(kind: str) -> None:
    slices = [
        PrintedSlice(0, 3, "fixed", [1]),
        PrintedSlice(3, 6, "fixed", []),
        PrintedSlice(6, 8, kind, []),
        PrintedSlice(8, END, "fixed", [8]),
    ]
    printed_extend(slices, 2, 6)
    assert [piece.start for piece in slices if piece.start == piece.end] == [6]

    operator = Scotty(Settings(100))
    for name, window in (("s", Session(4)), ("t", tumbling(3))):
        operator.add(Query(name, window, BAGS))
    operator.step([Event(time, Letter(0, time)) for time in (1, 8, 6)])
    (group,) = operator.groups
    assert isinstance(group, TimeGroup)
    manager = group.key_states[None].slices
    assert [(piece.first, piece.last) for piece in manager.slices] == [(1, 1), (6, 8)]
    assert manager.separators() == ["combined"]


def test_algorithm_6_line_8_leaves_a_slice_combined_that_ends_at_no_edge() -> None:
    """Gap 5, tumbling 3: when 4 links the sessions, nothing parts 6 and 8 any more."""
    slices = [
        PrintedSlice(3, 6, "fixed", []),
        PrintedSlice(6, 9, "combined", []),
        PrintedSlice(9, END, "fixed", [9]),
    ]
    printed_extend(slices, 1, 8)
    assert [(piece.start, piece.end, piece.type) for piece in slices[1:3]] == [
        (6, 8, "combined"),
        (8, 9, "fixed"),
    ]
    printed_fuse(slices, 1)
    assert [(piece.start, piece.end, piece.type) for piece in slices[1:3]] == [
        (6, 8, "fixed"),
        (8, 9, "fixed"),
    ]

    operator = Scotty(Settings(100))
    for name, window in (("s", Session(5)), ("t", tumbling(3))):
        operator.add(Query(name, window, BAGS))
    operator.step([Event(time, Letter(0, time)) for time in (1, 9, 8, 4, 6)])
    (group,) = operator.groups
    assert isinstance(group, TimeGroup)
    manager = group.key_states[None].slices
    assert [(piece.first, piece.last) for piece in manager.slices] == [
        (1, 1),
        (4, 4),
        (6, 8),
        (9, 9),
    ]
    assert manager.separators() == ["fixed"] * 3


class PrintedEdges:
    """Algorithm 2, lines 11 to 22."""

    def __init__(self) -> None:
        self.edges: list[tuple[int, int]] = []

    def add_window(self, start: int, length: int) -> None:
        if any(length % old == 0 and (start - time) % old == 0 for time, old in self.edges):
            return
        kept = [(time, old) for time, old in self.edges if old % length or (time - start) % length]
        self.edges = [*kept, (start, length)]


def test_fusion_loses_an_edge_of_a_query_that_a_later_one_covers_from_later_on() -> None:
    printed = PrintedEdges()
    printed.add_window(10, 10)
    printed.add_window(15, 5)
    # 9 and 12 share a slice; [0, 10) ends at 10
    assert min(time for time, _ in printed.edges) == 15
    edges = Edges([Progression(0, 10), Progression(0, 5, low=15)])
    assert edges.interval_at(9) == (0, 10)
    assert edges.interval_at(12) == (10, 15)


def test_fusion_loses_the_edges_of_a_query_that_begins_before_the_one_that_covers_it() -> None:
    printed = PrintedEdges()
    printed.add_window(100, 5)
    printed.add_window(10, 10)
    assert printed.edges == [(100, 5)]  # 19 and 21 share a slice
    edges = Edges([Progression(0, 5, low=100), Progression(0, 10, low=10)])
    assert edges.interval_at(19) == (10, 20)
    assert edges.interval_at(21) == (20, 30)


def printed_slicer(times: list[int], length: int) -> int:
    """How many separators Algorithm 1 emits for a tumbling window, lines 7 to 20."""
    separators, following = 0, length
    for time in times:
        while time >= following:
            separators, following = separators + 1, following + length
    return separators


def test_algorithm_1_emits_a_slice_for_every_edge_in_a_pause() -> None:
    assert printed_slicer([1, 1_000_000], 10) == 100_000
    operator = Scotty(Settings(0))
    operator.add(Query("t", tumbling(10), BAGS))
    operator.step([Event(1, Letter(0, 1)), Event(1_000_000, Letter(0, 2))])
    (group,) = operator.groups
    assert isinstance(group, TimeGroup)
    assert len(group.key_states[None].slices.slices) == 2


@dataclass
class PrintedMetadata:
    """A slice of section 5.2: its end, the times of its tuples, and its metadata."""

    start: int
    end: float
    tuples: list[int]
    last: int


def split_as_section_5_2_prints(
    metadata: PrintedMetadata, time: int
) -> tuple[list[int], list[int]]:
    """A ends at t, and B starts at t + 1: return what each then holds."""
    return [t for t in metadata.tuples if t <= time], [t for t in metadata.tuples if time + 1 <= t]


def test_section_5_2_splits_behind_the_time_at_which_algorithm_4_splits() -> None:
    metadata = PrintedMetadata(0, 10, [0, 5, 9], 9)
    assert split_as_section_5_2_prints(metadata, 5) == ([0, 5], [9])  # a window from 5 on lacks 5
    assert sliced([0, 10, 5], Session(2)) == sliced([0, 5, 10], Session(2)) == [0, 5, 10]


def merged_as_section_5_2_prints(a: PrintedMetadata, b: PrintedMetadata) -> PrintedMetadata:
    """The end is that of B, the aggregate is combined, and B is deleted."""
    return replace(a, end=b.end, tuples=a.tuples + b.tuples)


def test_section_5_2_forgets_the_last_tuple_of_a_slice_that_is_merged() -> None:
    gap, a, b = (
        5,
        PrintedMetadata(0, 8, [0, 4], 4),
        PrintedMetadata(8, 14, [8], 8),
    )  # 4 has just fused them
    printed = merged_as_section_5_2_prints(a, b)
    assert (printed.tuples, printed.last) == ([0, 4, 8], 4)
    assert 10 - printed.last >= gap > 10 - max(printed.tuples)  # so 10 would not belong to it
    assert sliced([0, 8, 4, 14, 10], Session(gap)) == [0]


def test_section_5_3_a_tuple_at_an_edge_does_not_exceed_it() -> None:
    def printed(times: list[int], edge: int) -> list[list[int]]:
        """A new slice as soon as the timestamp of a tuple exceeds that of the next edge."""
        slices: list[list[int]] = [[]]
        for time in times:
            if time > edge:
                slices, edge = [*slices, []], edge + time - time % edge
            slices[-1].append(time)
        return slices

    assert printed([9, 10, 11], 10) == [[9, 10], [11]]  # 10 belongs to [10, 20)
    edges = Edges([Progression(0, 10)])
    assert [edges.interval_at(time).low for time in (9, 10, 11)] == [0, 10, 10]
    assert printed_slicer([9, 10], 10) == 1  # Algorithm 1, line 12, has it right


Reading = tuple[int, int]
"""A time, and what a measure of the user's says then."""


def printed_slice_accepts(readings: list[Reading]) -> bool:
    """Whether a slice without tuples (Figure 4), which knows its first and last, takes them all."""
    first = last = readings[0]
    for reading in readings[1:]:
        behind, before = reading[0] >= first[0], reading[0] < last[0]
        if (behind and reading[1] < first[1]) or (before and reading[1] > last[1]):
            return False
        if not behind and reading[1] > first[1]:
            return False
        if not before and reading[1] < last[1]:
            return False
        first, last = (first if behind else reading), (last if before else reading)
    return True


def falls(readings: list[Reading]) -> bool:
    """Whether the measure falls in event order."""
    ordered = sorted(readings, key=lambda reading: reading[0])
    return any(b[1] < a[1] for a, b in pairwise(ordered))


def test_figure_4_takes_for_granted_that_a_measure_never_falls() -> None:
    every = [(time, reading) for time in range(4) for reading in range(4)]
    short = [list(some) for length in (1, 2, 3) for some in product(every, repeat=length)]
    assert all(printed_slice_accepts(trace) == (not falls(trace)) for trace in short)
    smallest = [(0, 0), (3, 3), (2, 1), (1, 2)]
    assert printed_slice_accepts(smallest)
    assert falls(smallest)
    metres = Measure("metres", lambda event: int(f"{event.value}"))
    for operator in (Scotty(Settings(100)), SpecificationOperator(Settings(100))):
        operator.add(Query("t", tumbling(10, 0, metres), named("sum")))
        operator.step([Event(*reading) for reading in smallest[:-1]])
        with pytest.raises(InvalidInputError, match=r"'metres' falls from 2 to 1 at .*time=2"):
            operator.step([Event(*smallest[-1])])
