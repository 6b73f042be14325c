"""What a step of slicing touches, counted: windows that end, late tuples, and what undoes it."""

from collections import Counter
from collections.abc import Sequence

import pytest

from muntin.conformance.machines.strategies import BAGS, Letter
from muntin.optimized.scotty.emission.scheduled_windows import ScheduledWindows
from muntin.optimized.scotty.emission.session_windows import SessionWindows
from muntin.optimized.scotty.groups.time_group import TimeGroup
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.slices.slice import Slice
from muntin.optimized.scotty.undo_log import UndoLog
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Event
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Band, Landmark, Sliding, tumbling
from muntin.spec.windows.window import WindowType

Calls = Counter[str]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Count how often views are asked, and how many deeds a step has to undo."""
    found: Calls = Counter()

    def counted(kind: type[object], name: str) -> None:
        plain = getattr(kind, name)

        def counting(*args: object) -> object:
            found[name] += 1
            return plain(*args)

        monkeypatch.setattr(kind, name, counting)

    for kind in (ScheduledWindows, SessionWindows):
        counted(kind, "changes")
        counted(kind, "due")
    counted(Slice, "reach")
    counted(UndoLog, "record_undo")
    counted(UndoLog, "change")
    return found


def asked(kinds: Sequence[WindowType], settings: Settings) -> Scotty:
    operator = Scotty(settings)
    for nth, kind in enumerate(kinds):
        operator.add(Query(f"q{nth}", kind, BAGS))
    return operator


def test_a_tuple_asks_no_query_of_which_no_window_ends(calls: Calls) -> None:
    operator = asked([tumbling(10_000 + nth) for nth in range(200)], Settings(50))
    operator.step([Event(1, Letter(0, 0))], 1)
    calls.clear()
    for time in range(2, 500):
        assert not operator.step([Event(time, Letter(0, time))], time - 1).results
    assert calls["changes"] == calls["due"] == 0


def test_a_new_slice_asks_only_the_queries_that_sleep(calls: Calls) -> None:
    operator = asked([tumbling(10), *(tumbling(10_000 + nth) for nth in range(200))], Settings(50))
    operator.step([Event(1, Letter(0, 0))], 1)
    calls.clear()
    told = sum(len(operator.step([Event(t, Letter(0, t))], t).results) for t in range(2, 1000))
    assert told == 99
    assert calls["due"] <= 2 * told


def test_time_asks_no_key_of_which_no_window_ends(calls: Calls) -> None:
    operator = asked([tumbling(1000), Session(400)], Settings(50))
    operator.step([Event(key, Letter(0, key), key) for key in range(300)], 0)
    calls.clear()
    for watermark in range(1, 350):
        assert not operator.step([], watermark).results
    assert calls["changes"] == 0
    assert len(operator.step([], 5000).results) == 600
    assert calls["changes"] == 600


def test_in_time_a_view_is_asked_once_a_window(calls: Calls) -> None:
    operator = asked([Sliding(20, 5), tumbling(7), tumbling(31), Landmark(0, 50)], Settings(0))
    told = sum(len(operator.step([Event(t, Letter(0, t))], t - 30).results) for t in range(2000))
    assert told > 700
    assert calls["changes"] <= told


def test_a_session_is_asked_at_most_once_a_gap(calls: Calls) -> None:
    gap, length = 10, 3000
    operator = asked([Session(gap)], Settings(0))
    for time in range(length):
        operator.step([Event(time, Letter(0, time))], time)
    assert calls["changes"] <= length // (gap - 1)


def test_a_session_of_many_slices_is_not_walked_again(calls: Calls) -> None:
    operator = asked([Session(10), tumbling(5), Band(0, 3000)], Settings(20))
    operator.step([Event(time, Letter(0, time)) for time in range(1000)], 980)
    for time in range(1000, 2000, 5):
        calls.clear()
        operator.step([Event(time, Letter(0, time)), Event(time - 25, Letter(1, time))], time - 5)
        assert calls["reach"] <= (24 if time > 1000 else 600)  # at first, nothing is known


@pytest.mark.parametrize("queries", [1, 100])
def test_what_undoes_a_step_is_as_much_as_the_step_does(calls: Calls, queries: int) -> None:
    operator = asked([Sliding(2000, 1, nth) for nth in range(queries)], Settings(5000))
    for time in range(0, 3000, 3):
        calls.clear()
        operator.step([Event(time, Letter(0, time))])
        assert calls["record_undo"] + calls["change"] <= 3
    calls.clear()
    operator.step([Event(900, Letter(0, -1)), Event(900, Letter(0, -2))])
    assert calls["record_undo"] == calls["change"] == 1
    (group,) = operator.groups
    assert isinstance(group, TimeGroup)
    assert len(group.lanes[None].slices.slices) == 1000


def test_idle_keys_sleep_without_an_alarm(calls: Calls) -> None:
    operator = asked([tumbling(10), Session(5)], Settings(0))
    for time in range(400):
        operator.step([Event(time, Letter(0, time), time)], time)
    (group,) = operator.groups
    assert isinstance(group, TimeGroup)
    assert len(group.lanes) <= 12
    calls.clear()
    operator.step([], 1000)
    assert not group.lanes
    operator.step([], 100_000)
    assert calls["changes"] <= 24
