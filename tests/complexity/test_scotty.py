"""What general slicing costs, counted: lifts, combines, slices, edges, tuples."""

import random
from collections.abc import Sequence
from itertools import pairwise, product
from typing import Literal

import pytest

from extending.test_new_window_type import Timetable
from muntin.conformance.machines.random_choices import BAGS, WORDS, Letter
from muntin.optimized.scotty.groups.key_state import KeyState
from muntin.optimized.scotty.groups.time_group import TimeGroup
from muntin.optimized.scotty.groups.tuple_group import TupleGroup
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.schedules.fixed_schedules import schedule_for
from muntin.optimized.scotty.slices import slice_manager
from muntin.optimized.scotty.slices.aggregate_store import (
    BuildStore,
    TreeStore,
    fiba_store,
    flatfat_store,
)
from muntin.optimized.scotty.slices.edges import Edges, Progression
from muntin.optimized.scotty.slices.slice import LiftedEvent, Slice, merged_slice
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import FREE
from muntin.spec.cost import Meter
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Landmark, Sliding, count, tumbling
from muntin.spec.windows.window import WindowType


def operator_with(windows: Sequence[WindowType], meter: Meter, settings: Settings) -> Scotty:
    """An operator with these queries over one commutative aggregate, and nothing counted."""
    operator, aggregate = Scotty(settings), meter.watch_aggregate(BAGS)
    for index, window in enumerate(windows):
        operator.add(Query(f"q{index}", window, aggregate))
    meter.lifts = meter.combines = 0
    return operator


def key_state_of(operator: Scotty) -> KeyState:
    """The only key of the only group."""
    (group,) = operator.groups
    assert isinstance(group, TimeGroup)
    return group.key_states[None]


def disordered(events: int, delay: int, step: int = 1) -> list[Event]:
    """Events with distinct letters, each delayed by less than `delay`."""
    rng = random.Random(3)  # noqa: S311 - it need not be secret
    times = sorted(range(0, step * events, step), key=lambda time: time + rng.randrange(delay))
    return [Event(time, Letter(0, i)) for i, time in enumerate(times)]


def random_windows(queries: int) -> list[WindowType]:
    """Tumbling and sliding windows, slide > size too."""
    rng = random.Random(queries)  # noqa: S311 - it need not be secret
    drawn = [[rng.randint(1, 60) for _ in range(3)] for _ in range(queries)]
    return [Sliding(size, slide, offset) for size, slide, offset in drawn]


@pytest.mark.parametrize("queries", [1, 20, 100])
def test_a_tuple_costs_one_lift_and_one_combine_whatever_the_number_of_queries(
    queries: int,
) -> None:
    meter = Meter()
    operator = operator_with(random_windows(queries), meter, Settings(5))
    for event in disordered(500, 40):
        operator.step([event])
    assert (meter.lifts, meter.combines) == (500, 500)


MIXES: list[list[WindowType]] = [
    [tumbling(2)],
    [tumbling(2), Sliding(3, 1), Sliding(1, 3)],
    [Session(2)],
    [Session(1), Session(3), Sliding(3, 2)],
]


@pytest.mark.parametrize("windows", MIXES)
def test_every_four_tuples_cost_one_lift_and_one_combine_each_and_one_a_merge(
    windows: list[WindowType],
) -> None:
    merges = 0
    for times in product(range(5), repeat=4):
        meter, slices = Meter(), 0
        operator = operator_with(windows, meter, Settings(5))
        for index, time in enumerate(times, 1):
            before, spent = slices, meter.combines
            operator.step([Event(time, Letter(0, index))])
            slices = len(key_state_of(operator).slices.slices)
            assert (meter.lifts, meter.combines - spent) == (index, 1 + (slices < before))
            merges += slices < before
    assert (merges > 0) == (windows == [Session(2)])


def test_slice_edges_are_window_edges_and_the_reverse() -> None:
    windows = [Sliding(7, 3, 1), tumbling(10), Sliding(4, 9)]
    operator = operator_with(windows, Meter(), Settings(5))
    for event in disordered(200, 30):
        operator.step([event])
    begins = [slice_.first for slice_ in key_state_of(operator).slices.slices]
    starts = {t for k in windows for t in range(200) if (t - k.offset) % k.slide == 0}
    ends = {t for k in windows for t in range(200) if (t - k.offset - k.size) % k.slide == 0}
    assert begins == sorted({0} | starts | ends)
    assert set(key_state_of(operator).slices.separators()) == {"fixed"}


def test_there_are_no_more_slices_than_starts_and_ends_of_windows_that_hold_tuples() -> None:
    windows = random_windows(5)
    operator = operator_with(windows, Meter(), Settings(5))
    events = disordered(150, 20, step=7)
    for event in events:
        operator.step([event])
    slices = key_state_of(operator).slices.slices
    assert all(left.last < right.first for left, right in pairwise(slices))
    requirements = key_state_of(operator).slices.requirements
    cells = {requirements.edges.interval_at(event.time) for event in events}
    assert len(slices) == len(cells)


def test_next_edge_is_computed_once_a_slice_in_order() -> None:
    schedules = [schedule_for(window, OURS, -END) for window in random_windows(9)]
    edges = Edges(edge for schedule in schedules if schedule for edge in schedule.edges())
    cells = {edges.interval_at(time) for time in range(1000)}
    assert edges.computed_count == len(cells)


def test_sessions_never_store_tuples_and_have_one_slice_each_of_the_smallest_gap() -> None:
    meter = Meter()
    operator = operator_with([Session(9), Session(4), Session(30)], meter, Settings(50))
    times = [t for start in range(0, 600, 20) for t in range(start, start + 6, 3)]
    rng = random.Random(5)  # noqa: S311 - it need not be secret
    rng.shuffle(times)
    for index, time in enumerate(times):
        operator.step([Event(time, Letter(0, index))])
    slices = key_state_of(operator).slices
    assert len(slices.slices) == 30
    assert set(slices.separators()) == {"flexible"}
    assert not any(slice_.tuples for slice_ in slices.slices)
    assert meter.lifts == len(times)
    assert meter.combines <= 2 * len(times)


def test_late_tuples_of_a_non_commutative_aggregate_are_stored_and_ordered() -> None:
    operator = Scotty(Settings(50))
    operator.add(Query("q", tumbling(10), WORDS))
    operator.step([Event(t, Letter(0, i)) for i, t in enumerate([3, 7, 5])])
    (only,) = key_state_of(operator).slices.slices
    assert (only.partial, len(only.tuples or ())) == ((0, 2, 1), 3)


@pytest.mark.parametrize("lateness", [0, 25])
def test_slices_stay_bounded_over_a_long_run(lateness: int) -> None:
    delay, windows = 15, random_windows(20)
    operator = operator_with([*windows, Session(3)], Meter(), Settings(lateness))
    reach, most_slices = 0, 0
    for event in disordered(6000, delay, step=2):
        reach = max(reach, event.time)
        operator.step([event], reach - delay)
        most_slices = max(most_slices, len(key_state_of(operator).slices.slices))
    kept = 60 + 60 + lateness + 2 * delay
    assert most_slices <= kept // 2 + 1
    operator.step([], END)
    (group,) = operator.groups
    assert isinstance(group, TimeGroup)
    assert not group.key_states


def test_a_landmark_keeps_one_slice_of_what_is_final() -> None:
    operator = operator_with([Landmark(0, 10)], Meter(), Settings(20))
    for time in range(2000):
        operator.step([Event(time, Letter(0, time))], time)
        assert len(key_state_of(operator).slices.slices) <= 5


def test_idle_keys_are_evicted() -> None:
    operator = operator_with([tumbling(10), Session(4)], Meter(), Settings(20))
    for time in range(500):
        operator.step([Event(time, Letter(0, time), key=time)], time)
    (group,) = operator.groups
    assert isinstance(group, TimeGroup)
    assert len(group.key_states) <= 34


@pytest.mark.parametrize("lateness", ["event", "never"])
@pytest.mark.parametrize("window", [tumbling(2000), Session(3)], ids=["updated", "retracted"])
def test_retracted_windows_do_not_wait_to_be_final(
    window: WindowType, lateness: Literal["event", "never"]
) -> None:
    operator = operator_with([window], Meter(), Settings(5000, dialect=Dialect(lateness=lateness)))
    operator.step([Event(time, Letter(0, time)) for time in (0, 500, 1000)], 4000)
    for time in range(1, 600):
        operator.step([Event(1000 + time, Letter(0, time))])
        assert len(key_state_of(operator).finalization_queue) <= 2 * 32
    emitted = key_state_of(operator).managers["q0"].published.keys()
    assert len(emitted) == (1 if window == tumbling(2000) else 3)
    assert emitted <= {interval for _, _, interval in key_state_of(operator).finalization_queue}


def test_emitted_windows_wait_to_be_final() -> None:
    operator = operator_with([tumbling(1)], Meter(), Settings(5000))
    operator.step([Event(time, Letter(0, time)) for time in range(100)], 200)
    assert len(key_state_of(operator).finalization_queue) == 100


@pytest.mark.parametrize("build", [flatfat_store, fiba_store], ids=lambda build: build.__name__)
def test_a_tree_without_queries_does_not_record_every_slice(build: BuildStore) -> None:
    operator = Scotty(Settings(20_000), build)
    operator.add(Query("sample", Sliding(10, 1000), BAGS))
    operator.step([Event(5, Letter(0, 0)), Event(15, Letter(0, 1))], 10)
    for time in range(20, 2000):
        operator.step([Event(time * 1000 + 500, Letter(0, time))], time * 1000 + 500)
        (group,) = operator.groups
        assert isinstance(group, TimeGroup)
        for key_state in group.key_states.values():
            assert isinstance(key_state.slices.store, TreeStore)
            assert key_state.slices.store.stale_count <= 70


BOUNDS = [(-END, END), (-END, END), (0, END), (7, 7), (-END, 24)]
"""The bounds of progressions."""


def test_edges_without_some_progressions_are_those_of_the_others() -> None:
    rolls, times = random.Random(4), range(-30, 60)  # noqa: S311 - it need not be secret
    for _ in range(300):
        progressions = [
            Progression(
                rolls.randrange(6), rolls.choice([1, 2, 3, 4, 6, 12]), *rolls.choice(BOUNDS)
            )
            for _ in range(rolls.randrange(1, 7))
        ]
        removed, remaining = (
            progressions[: len(progressions) // 2],
            progressions[len(progressions) // 2 :],
        )
        edges = Edges(progressions).without_edges(removed, remaining)
        assert {*edges.progressions} == {*Edges(remaining).progressions}
        assert [edges.interval_at(t) for t in times] == [
            Edges(remaining).interval_at(t) for t in times
        ]


def test_slices_that_only_a_removed_query_separated_are_merged() -> None:
    operator = operator_with([tumbling(10), tumbling(3), Session(2)], Meter(), Settings(50))
    for event in disordered(60, 9, step=2):
        operator.step([event])
    assert len(key_state_of(operator).slices.slices) == 60
    operator.remove("q2")
    operator.remove("q1")
    assert len(key_state_of(operator).slices.slices) == 12
    operator.remove("q0")
    assert operator.groups == []


def test_each_tuple_is_moved_once_when_a_removed_query_separated_slices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    operator, moved = Scotty(Settings(500)), list[int]()

    def record_merge(parts: list[Slice], total: object, tuples: list[LiftedEvent] | None) -> Slice:
        moved.append(len(tuples or ()))
        return merged_slice(parts, total, tuples)

    for name, window in {"far": tumbling(1000), "near": tumbling(1)}.items():
        operator.add(Query(name, window, WORDS))
    operator.step(disordered(300, 9))
    monkeypatch.setattr(slice_manager, "merged_slice", record_merge)
    operator.remove("near")
    assert (len(key_state_of(operator).slices.slices), sum(moved)) == (1, 300)


def test_a_late_tuple_shifts_a_tuple_a_slice_by_invert_and_combine_and_recomputes_its_own() -> None:
    meter = Meter()
    aggregate = Aggregate(
        "word", lambda v: v, FREE, lambda a: a, commutative=False, kind="holistic"
    ).erase_types()
    operator = Scotty(Settings(1000), letters=((1,), (2,)))
    operator.add(Query("q", count(4), meter.watch_aggregate(aggregate)))
    operator.step([Event(10 * index, (index,)) for index in range(40)], 391)
    before = meter.combines, meter.inverts
    output = operator.step([Event(15, (99,))])
    assert [result.value for result in output.results][:2] == [(0, 1, 99, 2), (3, 4, 5, 6)]
    assert len(output.results) == 10
    assert (meter.inverts - before[1], meter.combines - before[0]) == (9, 9 + 3)


def test_tuples_are_evicted() -> None:
    operator = Scotty(Settings(10))
    operator.add(Query("q", Timetable((5, 3)), WORDS))
    for time in range(300):
        operator.step([Event(time, Letter(0, time))], time)
        (group,) = operator.groups
        assert isinstance(group, TupleGroup)
        assert len(group.key_groups[None].key_state.entries) <= 8 + 10 + 3
