"""Tuples are stored only where Figure 4 requires it, and in order a tuple is cheap."""

from dataclasses import replace

import pytest

from muntin.conformance.machines.random_choices import BAGS, THIRDS, WORDS, Letter
from muntin.conformance.output_comparison import response_difference
from muntin.optimized.scotty.groups.base import SliceGroup
from muntin.optimized.scotty.groups.count_group import CountGroup
from muntin.optimized.scotty.groups.in_order_group import InOrderGroup
from muntin.optimized.scotty.groups.time_group import TimeGroup
from muntin.optimized.scotty.groups.tuple_group import TupleGroup
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.workload import characteristics, stores_tuples
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.aggregate import AnyAggregate
from muntin.spec.cost import Meter
from muntin.spec.errors import UserCodeError
from muntin.spec.query import Mode, Query, Settings
from muntin.spec.stream import Event
from muntin.spec.windows.data_driven import (
    LastNEvery,
    Punctuation,
    Rolling,
    Session,
    slide_by_tuple,
)
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding, count, tumbling
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import WindowType

WINDOWS: list[WindowType] = [
    tumbling(10**6),
    Sliding(10**6, 70),
    Cumulate(10**6, 50),
    Band(0, 10**6),
    Landmark(0, 100),
    Session(3),
    count(10**6),
    Punctuation(),
    State(),
    Delta(5),
    Threshold(0),
    Rolling(10**6),
    slide_by_tuple(10**6, 3),
    LastNEvery(300, 70),
    UserWindow(lambda state, _: (1, int(state is None), 0)),
    UserTrigger(lambda state, _: (state, 0, 1)),
]
IN_USER_MEASURES: list[WindowType] = [
    tumbling(10**6, 0, THIRDS),
    Session(5, THIRDS),
    Punctuation(measure=COUNT),
    Rolling(10**6, 1, THIRDS),
]
EVENTS = 60


def stored_tuples(group: SliceGroup) -> int:
    """The number of tuples that the only key stores, in slices or deferred."""
    if isinstance(group, TupleGroup):
        return len(group.key_groups[None].key_state.entries) + len(
            group.key_groups[None].key_state.deferred_events
        )
    if isinstance(group, TimeGroup):
        return sum(len(slice_.tuples or ()) for slice_ in group.key_states[None].slices.slices)
    if isinstance(group, CountGroup):
        return sum(len(slice_.tuples or ()) for slice_ in group.key_states[None].slices)
    assert isinstance(group, InOrderGroup)  # it has no place for tuples
    return 0


@pytest.mark.parametrize("output", ["accumulate-retract", "discard", "final"])
@pytest.mark.parametrize("aggregate", [BAGS, WORDS], ids=lambda target: target.name)
@pytest.mark.parametrize("window", [*WINDOWS, *IN_USER_MEASURES], ids=lambda window: window.name)
def test_in_order_tuples_are_stored_only_if_the_decision_tree_says_so(
    window: WindowType, aggregate: AnyAggregate, output: Mode
) -> None:
    settings = Settings(10**6, output, in_order=True)
    operator, query = Scotty(settings), Query("q", window, aggregate)
    operator.add(query)
    for time in range(EVENTS):
        operator.step([Event(time, Letter(time % 3, time))])
    (group,) = operator.groups
    assert (stored_tuples(group) > 0) == stores_tuples(characteristics(query, settings))
    assert ("tuples are stored" in operator.explain()) == (stored_tuples(group) > 0)


@pytest.mark.parametrize("aggregate", [BAGS, WORDS], ids=lambda target: target.name)
@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: window.name)
def test_out_of_order_tuples_are_stored_only_if_the_decision_tree_says_so(
    window: WindowType, aggregate: AnyAggregate
) -> None:
    settings = Settings(10**6)
    operator, query = Scotty(settings), Query("q", window, aggregate)
    operator.add(query)
    for time in range(0, EVENTS, 2):
        for event_time in (time + 1, time):
            operator.step([Event(event_time, Letter(event_time % 3, event_time))], time - 5)
    (group,) = operator.groups
    assert (stored_tuples(group) > 0) == stores_tuples(characteristics(query, settings))


@pytest.mark.parametrize("window", [Punctuation(), State(), Delta(5), tumbling(10**6, 0, THIRDS)])
def test_in_order_a_tuple_costs_one_lift_and_one_combine_whatever_the_number_of_queries(
    window: WindowType,
) -> None:
    meter = Meter()
    operator, aggregate = Scotty(Settings(in_order=True)), meter.watch_aggregate(BAGS)
    for index in range(5):
        operator.add(Query(f"q{index}", window, aggregate))
    operator.step([Event(0, Letter(0, 0))])
    meter.lifts = meter.combines = 0
    for time in range(1, EVENTS):
        operator.step([Event(time, Letter(0, time))])
    assert meter.lifts == EVENTS - 1
    assert meter.combines <= EVENTS - 1
    (group,) = operator.groups
    assert isinstance(group, InOrderGroup)
    assert group.slicer.slice_count() <= 2


def bad_at_nine(value: object) -> tuple[int, ...]:
    assert isinstance(value, Letter)
    if value.letter == 9:
        raise ZeroDivisionError
    return (value.letter,)


def never_of_three(word: object) -> object:
    if "3" in f"{word}":
        raise LookupError
    return word


@pytest.mark.parametrize("bad", [9, 3], ids=["during ingest", "during output"])
def test_a_step_that_fails_elsewhere_leaves_no_trace_in_ordered_slices(bad: int) -> None:
    faulty = replace(WORDS, lift=bad_at_nine, lower=never_of_three)
    operator, twin = Scotty(Settings(in_order=True)), SpecificationOperator(Settings(in_order=True))
    for target in (operator, twin):
        target.add(Query("states", State(), WORDS))
        target.add(Query("faulty", count(2), faulty))
        target.step([Event(0, Letter(1, 1)), Event(1, Letter(1, 2))])
    with pytest.raises(UserCodeError, match="query 'faulty'"):
        operator.step([Event(2, Letter(2, 5)), Event(3, Letter(1, bad)), Event(11, Letter(1, 8))])
    for event in (Event(2, Letter(1, 4)), Event(3, Letter(5, 5)), Event(20, Letter(1, 6))):
        assert not response_difference(twin.step([event]), operator.step([event]))


def test_a_window_due_in_a_step_that_failed_elsewhere_is_emitted() -> None:
    settings = Settings(0, "discard", in_order=True)
    operator, twin = Scotty(settings), SpecificationOperator(settings)
    for target in (operator, twin):
        target.add(Query("near", Session(3), WORDS))
        target.add(Query("faulty", count(2), replace(WORDS, lower=never_of_three)))
        target.step([Event(0, Letter(1, 1)), Event(1, Letter(1, 3))])
    with pytest.raises(UserCodeError, match="query 'faulty'"):
        operator.step([], 30)
    for target in (operator, twin):
        target.remove("faulty")
    output = operator.step([], 30)
    assert not response_difference(twin.step([], 30), output)
    assert [result.query for result in output.results] == ["near"]


def test_queries_share_ordered_slices_come_and_go_and_keys_are_evicted() -> None:
    operator = Scotty(Settings(in_order=True))
    operator.add(Query("states", State(), WORDS))
    for key in range(50):
        operator.step([Event(key, Letter(key % 2, key), key)])
    operator.add(Query("deltas", Delta(1), WORDS))
    (group,) = operator.groups
    assert isinstance(group, InOrderGroup)
    operator.step([Event(99, Letter(0, 99), 1)])
    assert {*group.queries} == {"states", "deltas"}
    operator.remove("states")
    assert group.slicer.slice_count() == 1
    operator.remove("deltas")
    assert operator.groups == []
