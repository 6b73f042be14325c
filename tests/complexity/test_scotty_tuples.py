"""The cost of windows that tuples make: no timeline is built while nothing can be emitted."""

import pytest

from muntin.conformance.machines.random_choices import THIRDS, WORDS, Letter
from muntin.optimized.scotty.groups.tuple_group import TupleGroup
from muntin.optimized.scotty.groups.tuple_key_state import TupleKeyState
from muntin.optimized.scotty.operator import Scotty
from muntin.spec.dialect import Dialect
from muntin.spec.errors import MuntinError
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, AcceptedEvent, Event
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import COUNT, Measure, Timeline
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.window import WindowType

WINDOWS = [
    Punctuation(),
    State(),
    Rolling(9),
    LastNEvery(3, 50),
    Cumulate(6, 2, 0, COUNT),
    Landmark(0, 50, COUNT),
]


@pytest.fixture
def timelines(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of tuples each time that a timeline is built."""
    counts, timeline_of = list[int](), TupleKeyState.timeline

    def record_timeline(
        key_state: TupleKeyState,
        measure: Measure,
        last_finite: float,
        further: AcceptedEvent | None = None,
    ) -> Timeline:
        timeline = timeline_of(key_state, measure, last_finite, further)
        counts.append(len(timeline.events))
        return timeline

    monkeypatch.setattr(TupleKeyState, "timeline", record_timeline)
    return counts


@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: window.name)
def test_events_behind_the_watermark_are_not_put_on_a_timeline(
    window: WindowType, timelines: list[int]
) -> None:
    operator = Scotty(Settings(10))
    operator.add(Query("q", window, WORDS))
    operator.step([], 0)
    for time in range(2, 500):
        operator.step([Event(time, Letter(0, time), punctuation=time % 9 == 0)])
    assert max(timelines) <= 1
    (group,) = operator.groups
    assert isinstance(group, TupleGroup)
    assert len(group.key_groups[None].key_state.deferred_events) == 498
    operator.step([], END)
    assert max(timelines) == 498


def test_a_key_is_visited_only_for_new_events_or_complete_windows(timelines: list[int]) -> None:
    operator = Scotty(Settings(0))
    operator.add(Query("q", LastNEvery(3, 1000), WORDS))
    operator.step([Event(key, Letter(0, key), key) for key in range(10, 30)], 40)
    timelines.clear()
    for now in range(41, 900):
        operator.step([], now)
    assert timelines == []
    assert len(operator.step([], 1000).results) == 20


@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("in_order", [False, True])
def test_idle_keys_hold_no_tuple_and_are_evicted_if_nothing_is_counted(
    every: int, *, in_order: bool
) -> None:
    operator = Scotty(Settings(10, in_order=in_order))
    operator.add(Query("q", Rolling(50, every), WORDS))
    for key in range(100):
        operator.step([Event(key, Letter(0, key), key, punctuation=True)], key)
    for now in (2000, 10**6):
        operator.step([Event(now, Letter(0, now))], now)
    (group,) = operator.groups
    assert isinstance(group, TupleGroup)
    tuple_counts = [
        len(key_group.key_state.entries)
        for key, key_group in group.key_groups.items()
        if key is not None
    ]
    assert tuple_counts == [0] * 100 * (every - 1)


def test_an_event_that_a_window_cannot_take_is_refused_at_once() -> None:
    operator = Scotty(Settings(0, dialect=Dialect(closing=-1)))
    operator.add(Query("q", Delta(3), WORDS))
    operator.step([Event(5, Letter(2, 1))], 0)
    with pytest.raises(MuntinError, match="a frame needs numbers, not 'x' at Event"):
        operator.step([Event(7, Letter(2, 2)), Event(9, "x")])
    (group,) = operator.groups
    assert isinstance(group, TupleGroup)
    assert len(group.key_groups[None].key_state.deferred_events) == 1


LATE = 10
RETAINED: list[tuple[WindowType, int]] = [
    (Cumulate(6, 2, 0, COUNT), 6),
    (Band(5, 30, COUNT), 25),
    (Rolling(9), 9),
    (Rolling(9, 4), 9),
    (Rolling(9, 1, COUNT), 9),
    (Rolling(4, 1, THIRDS), 12 + 3),
    (LastNEvery(3, 50), 3),
    (Punctuation(), 9),
    (State(), 7),
    (Delta(1), 14),
    (Threshold(5, 1), 12),
    (Threshold(99), 1),
    (Session(1, THIRDS), 6),
    (Sliding(6, 2, 0, THIRDS), 18 + 3),
]
"""The number of final tuples that are retained, with one event a unit of time."""


@pytest.mark.parametrize(
    ("window", "retained"), RETAINED, ids=lambda parameter: getattr(parameter, "name", "")
)
def test_each_type_retains_the_tuples_that_it_needs(window: WindowType, retained: int) -> None:
    operator, most_tuples, result_count = Scotty(Settings(LATE)), 0, 0
    operator.add(Query("q", window, WORDS))
    for time in range(400):
        number = time // 7 if time % 12 else -1
        event = Event(time, Letter(number, time), punctuation=time % 9 == 0)
        result_count += len(operator.step([event], time).results)
        (group,) = operator.groups
        assert isinstance(group, TupleGroup)
        most_tuples = max(
            [
                most_tuples,
                *(len(key_group.key_state.entries) for key_group in group.key_groups.values()),
            ]
        )
    assert most_tuples <= LATE + 2 + retained
    assert result_count > 0 or window == Threshold(99)
