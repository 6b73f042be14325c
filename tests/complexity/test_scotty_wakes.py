"""What a step of slicing visits, counted: windows that end, late tuples, and the undo log."""

from collections import Counter
from collections.abc import Sequence

import pytest

from muntin.conformance.machines.random_choices import BAGS, Letter
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
    """Count visits of window managers, and actions in the undo log."""
    counts: Calls = Counter()

    def count_calls(owner: type[object], name: str) -> None:
        original = getattr(owner, name)

        def counting_call(*args: object) -> object:
            counts[name] += 1
            return original(*args)

        monkeypatch.setattr(owner, name, counting_call)

    for owner in (ScheduledWindows, SessionWindows):
        count_calls(owner, "changes")
        count_calls(owner, "next_completion")
    count_calls(Slice, "session_end")
    count_calls(UndoLog, "record_undo")
    count_calls(UndoLog, "save_slice")
    return counts


def operator_with(windows: Sequence[WindowType], settings: Settings) -> Scotty:
    operator = Scotty(settings)
    for index, window in enumerate(windows):
        operator.add(Query(f"q{index}", window, BAGS))
    return operator


def test_a_tuple_visits_no_query_without_an_ending_window(calls: Calls) -> None:
    operator = operator_with([tumbling(10_000 + index) for index in range(200)], Settings(50))
    operator.step([Event(1, Letter(0, 0))], 1)
    calls.clear()
    for time in range(2, 500):
        assert not operator.step([Event(time, Letter(0, time))], time - 1).results
    assert calls["changes"] == calls["next_completion"] == 0


def test_a_new_slice_visits_only_idle_queries(calls: Calls) -> None:
    operator = operator_with(
        [tumbling(10), *(tumbling(10_000 + index) for index in range(200))], Settings(50)
    )
    operator.step([Event(1, Letter(0, 0))], 1)
    calls.clear()
    emitted = sum(len(operator.step([Event(t, Letter(0, t))], t).results) for t in range(2, 1000))
    assert emitted == 99
    assert calls["next_completion"] <= 2 * emitted


def test_time_visits_no_key_without_an_ending_window(calls: Calls) -> None:
    operator = operator_with([tumbling(1000), Session(400)], Settings(50))
    operator.step([Event(key, Letter(0, key), key) for key in range(300)], 0)
    calls.clear()
    for watermark in range(1, 350):
        assert not operator.step([], watermark).results
    assert calls["changes"] == 0
    assert len(operator.step([], 5000).results) == 600
    assert calls["changes"] == 600


def test_without_disorder_a_window_manager_is_visited_once_a_window(calls: Calls) -> None:
    operator = operator_with(
        [Sliding(20, 5), tumbling(7), tumbling(31), Landmark(0, 50)], Settings(0)
    )
    emitted = sum(len(operator.step([Event(t, Letter(0, t))], t - 30).results) for t in range(2000))
    assert emitted > 700
    assert calls["changes"] <= emitted


def test_a_session_is_visited_at_most_once_a_gap(calls: Calls) -> None:
    gap, length = 10, 3000
    operator = operator_with([Session(gap)], Settings(0))
    for time in range(length):
        operator.step([Event(time, Letter(0, time))], time)
    assert calls["changes"] <= length // (gap - 1)


def test_a_session_of_many_slices_is_not_scanned_again(calls: Calls) -> None:
    operator = operator_with([Session(10), tumbling(5), Band(0, 3000)], Settings(20))
    operator.step([Event(time, Letter(0, time)) for time in range(1000)], 980)
    for time in range(1000, 2000, 5):
        calls.clear()
        operator.step([Event(time, Letter(0, time)), Event(time - 25, Letter(1, time))], time - 5)
        assert calls["session_end"] <= (24 if time > 1000 else 600)  # at first, nothing is known


@pytest.mark.parametrize("queries", [1, 100])
def test_the_undo_log_grows_with_the_work_of_the_step(calls: Calls, queries: int) -> None:
    operator = operator_with([Sliding(2000, 1, index) for index in range(queries)], Settings(5000))
    for time in range(0, 3000, 3):
        calls.clear()
        operator.step([Event(time, Letter(0, time))])
        assert calls["record_undo"] + calls["save_slice"] <= 3
    calls.clear()
    operator.step([Event(900, Letter(0, -1)), Event(900, Letter(0, -2))])
    assert calls["record_undo"] == calls["save_slice"] == 1
    (group,) = operator.groups
    assert isinstance(group, TimeGroup)
    assert len(group.key_states[None].slices.slices) == 1000


def test_idle_keys_have_no_timer(calls: Calls) -> None:
    operator = operator_with([tumbling(10), Session(5)], Settings(0))
    for time in range(400):
        operator.step([Event(time, Letter(0, time), time)], time)
    (group,) = operator.groups
    assert isinstance(group, TimeGroup)
    assert len(group.key_states) <= 12
    calls.clear()
    operator.step([], 1000)
    assert not group.key_states
    operator.step([], 100_000)
    assert calls["changes"] <= 24
