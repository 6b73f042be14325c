"""What windows cost that tuples make: nothing is laid out anew while nothing can be told."""

import pytest

from muntin.conformance.machines.letter_values import WORDS, Letter
from muntin.conformance.machines.random_choices import THIRDS
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

KINDS = [
    Punctuation(),
    State(),
    Rolling(9),
    LastNEvery(3, 50),
    Cumulate(6, 2, 0, COUNT),
    Landmark(0, 50, COUNT),
]


@pytest.fixture
def laid(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how many tuples there were each time that some were laid out."""
    counts, lay_out = list[int](), TupleKeyState.line

    def counted(
        lane: TupleKeyState, measure: Measure, reached: float, further: AcceptedEvent | None = None
    ) -> Timeline:
        found = lay_out(lane, measure, reached, further)
        counts.append(len(found.events))
        return found

    monkeypatch.setattr(TupleKeyState, "line", counted)
    return counts


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_events_behind_the_watermark_are_not_laid_out(kind: WindowType, laid: list[int]) -> None:
    operator = Scotty(Settings(10))
    operator.add(Query("q", kind, WORDS))
    operator.step([], 0)
    for time in range(2, 500):
        operator.step([Event(time, Letter(0, time), punctuation=time % 9 == 0)])
    assert max(laid) <= 1
    (group,) = operator.groups
    assert isinstance(group, TupleGroup)
    assert len(group.keyed[None].lane.pending) == 498
    operator.step([], END)
    assert max(laid) == 498


def test_a_key_is_asked_only_when_it_has_news_or_a_window_is_past(laid: list[int]) -> None:
    operator = Scotty(Settings(0))
    operator.add(Query("q", LastNEvery(3, 1000), WORDS))
    operator.step([Event(key, Letter(0, key), key) for key in range(10, 30)], 40)
    laid.clear()
    for now in range(41, 900):
        operator.step([], now)
    assert laid == []
    assert len(operator.step([], 1000).results) == 20


@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("in_order", [False, True])
def test_idle_keys_hold_no_tuple_and_go_if_nothing_is_counted(
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
    held = [len(one.lane.entries) for key, one in group.keyed.items() if key is not None]
    assert held == [0] * 100 * (every - 1)


def test_an_event_that_a_window_cannot_take_is_refused_at_once() -> None:
    operator = Scotty(Settings(0, dialect=Dialect(closing=-1)))
    operator.add(Query("q", Delta(3), WORDS))
    operator.step([Event(5, Letter(2, 1))], 0)
    with pytest.raises(MuntinError, match="a frame needs numbers, not 'x' at Event"):
        operator.step([Event(7, Letter(2, 2)), Event(9, "x")])
    (group,) = operator.groups
    assert isinstance(group, TupleGroup)
    assert len(group.keyed[None].lane.pending) == 1


LATE = 10
KEPT: list[tuple[WindowType, int]] = [
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
"""How many tuples stay besides those that are not settled, with one event a unit of time."""


@pytest.mark.parametrize(("kind", "extent"), KEPT, ids=lambda one: getattr(one, "name", ""))
def test_what_is_kept_is_what_the_type_needs(kind: WindowType, extent: int) -> None:
    operator, most, told = Scotty(Settings(LATE)), 0, 0
    operator.add(Query("q", kind, WORDS))
    for time in range(400):
        number = time // 7 if time % 12 else -1
        event = Event(time, Letter(number, time), punctuation=time % 9 == 0)
        told += len(operator.step([event], time).results)
        (group,) = operator.groups
        assert isinstance(group, TupleGroup)
        most = max([most, *(len(one.lane.entries) for one in group.keyed.values())])
    assert most <= LATE + 2 + extent
    assert told > 0 or kind == Threshold(99)
