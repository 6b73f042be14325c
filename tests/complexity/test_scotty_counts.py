"""What count windows cost, counted: an event in order one combine, a late one a shift a slice."""

import random

import pytest

from muntin.conformance.machines.random_choices import WORDS, Letter
from muntin.optimized.scotty.groups.count_group import CountGroup
from muntin.optimized.scotty.groups.count_key_state import CountKeyState
from muntin.optimized.scotty.operator import Scotty
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.catalogue import named_keeping_nulls
from muntin.spec.algebra.monoid import FREE
from muntin.spec.cost import Meter
from muntin.spec.dialect import Dialect
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event
from muntin.spec.windows.periodic import Sliding, count

BY_ARRIVAL = Settings(9, dialect=Dialect(count_order="arrival"))
INVERTIBLE = Aggregate[tuple[int, ...], tuple[int, ...], object](
    "word", tuple, FREE, tuple, commutative=False, kind="holistic"
).erase_types()


def group_of(operator: Scotty) -> CountGroup:
    """The only group."""
    (group,) = operator.groups
    assert isinstance(group, CountGroup)
    return group


def key_state_of(operator: Scotty) -> CountKeyState:
    """The only key of the only group."""
    return group_of(operator).key_states[None]


def stored_tuples(operator: Scotty) -> int:
    """The number of stored tuples."""
    return sum(len(slice_.tuples or ()) for slice_ in key_state_of(operator).slices)


def random_windows(queries: int) -> list[Sliding]:
    """Count windows, slide > size too."""
    rng = random.Random(queries)  # noqa: S311 - it need not be secret
    return [count(rng.randint(1, 40), rng.randint(1, 40)) for _ in range(queries)]


def operator_with(queries: int, meter: Meter, settings: Settings) -> Scotty:
    """An operator with this many count windows, and nothing counted."""
    operator, aggregate = Scotty(settings, letters=((1,), (2,))), meter.watch_aggregate(INVERTIBLE)
    for index, window in enumerate(random_windows(queries)):
        operator.add(Query(f"q{index}", window, aggregate))
    meter.lifts = meter.combines = meter.inverts = 0
    return operator


def fold_nothing(key_state: CountKeyState, low: int, behind: int) -> object:
    """No tuples."""
    del key_state, low, behind
    return ()


@pytest.mark.parametrize("queries", [1, 20, 200])
@pytest.mark.parametrize("settings", [Settings(5), Settings(in_order=True), BY_ARRIVAL])
def test_an_event_in_order_costs_one_lift_and_one_combine(
    queries: int, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    meter = Meter()
    operator = operator_with(queries, meter, settings)
    monkeypatch.setattr(CountKeyState, "fold", fold_nothing)  # the cost of windows is not counted
    operator.step([Event(time, (time,)) for time in range(-500, -1)])
    for time in range(-1, 500):
        meter.lifts = meter.combines = 0
        operator.step([Event(time, (time,))])
        assert (meter.lifts, meter.combines, meter.inverts) == (1, 1, 0)


def test_slices_lie_between_the_edges_of_all_queries() -> None:
    operator = Scotty(Settings(5))
    for index, window in enumerate([count(7, 3), count(5), count(2, 9)]):
        operator.add(Query(f"q{index}", window, WORDS))
    operator.step([Event(time, Letter(0, time)) for time in range(200)])
    starts = {rank for slide in (3, 5, 9) for rank in range(0, 200, slide)}
    ends = {*range(7, 200, 3), *range(5, 200, 5), *range(2, 200, 9)}
    assert [slice_.first for slice_ in key_state_of(operator).slices] == sorted(starts | ends)


@pytest.mark.parametrize("place", [0, 1, 150, 395])
def test_a_late_event_costs_one_invert_and_one_combine_for_each_slice_behind_it(place: int) -> None:
    meter = Meter()
    operator = Scotty(Settings(10**6), letters=((1,), (2,)))
    operator.add(Query("q", count(4), meter.watch_aggregate(INVERTIBLE)))
    operator.step([Event(10 * index, (index,)) for index in range(398)])
    meter.combines = meter.inverts = 0
    operator.step([Event(10 * place - 1, (-1,))])
    behind = 99 - place // 4
    assert (meter.inverts, meter.combines) == (behind - 1, behind)


@pytest.mark.parametrize("name", ["sum", "max"])
def test_a_shift_recomputes_the_slice_where_there_is_no_invert(name: str) -> None:
    meter = Meter()
    operator = Scotty(Settings(10**6))
    operator.add(Query("q", count(4), meter.watch_aggregate(named_keeping_nulls(name))))
    operator.step([Event(10 * index, index) for index in range(40)], 400)
    meter.combines = meter.inverts = 0
    output = operator.step([Event(-1, 50)])
    assert len(output.results) == 10
    expected = (10, 10) if name == "sum" else (0, 10 * 3)
    assert (meter.inverts, meter.combines) == expected


def test_a_late_event_that_changes_no_emitted_window_folds_no_slice_before_it() -> None:
    meter = Meter()
    operator = operator_with(1, meter, Settings(100))
    operator.step([Event(10 * index, (index,)) for index in range(1000)], 5000)
    meter.combines = meter.inverts = 0
    assert operator.step([Event(9985, (-1,))]).results == ()
    assert meter.combines + meter.inverts <= 4


@pytest.mark.parametrize("lateness", [0, 40])
def test_tuples_and_slices_are_evicted_once_they_are_final(lateness: int) -> None:
    operator, delay = operator_with(10, Meter(), Settings(lateness)), 15
    rng = random.Random(3)  # noqa: S311 - it need not be secret
    times = sorted(range(3000), key=lambda time: time + rng.randrange(delay))
    for index, time in enumerate(times):
        operator.step([Event(time, (time,))], max(times[: index + 1][-delay:]) - delay)
        assert stored_tuples(operator) <= lateness + 2 * delay + 3
        assert len(key_state_of(operator).slices) <= 40 + lateness + 2 * delay + 3
    assert key_state_of(operator).tuple_count == 3000
    operator.step([], END)
    assert stored_tuples(operator) <= 2
    assert len(key_state_of(operator).slices) <= 41


@pytest.mark.parametrize("settings", [Settings(9, in_order=True), BY_ARRIVAL])
def test_no_tuple_is_stored_where_none_ever_moves(settings: Settings) -> None:
    operator = operator_with(5, Meter(), settings)
    for time in range(300):
        operator.step([Event(time, (time,))], time)
        assert stored_tuples(operator) == 0
        assert len(key_state_of(operator).slices) <= 82


def test_a_removed_query_has_no_edges_any_more() -> None:
    operator = Scotty(Settings(5))
    operator.add(Query("a", count(30), WORDS))
    operator.add(Query("b", count(7, 2), WORDS))
    operator.step([Event(time, Letter(0, time)) for time in range(20)])
    operator.remove("b")
    operator.step([Event(time, Letter(0, time)) for time in range(20, 100)])
    assert [slice_.first for slice_ in key_state_of(operator).slices if slice_.first > 21] == [
        30,
        60,
        90,
    ]


def test_only_keys_with_new_events_are_visited(monkeypatch: pytest.MonkeyPatch) -> None:
    operator = operator_with(3, Meter(), Settings(5))
    operator.step([Event(time, (time,), time % 50) for time in range(5000)], 100)
    visited = list[object]()

    def record_visit(key_state: CountKeyState, until: float) -> list[int]:
        visited.append(key_state.key)
        return pop_complete(key_state, until)

    pop_complete = CountKeyState.pop_complete_slices
    monkeypatch.setattr(CountKeyState, "pop_complete_slices", record_visit)
    operator.step([Event(5000, (0,), 7)])
    assert visited == [7]
