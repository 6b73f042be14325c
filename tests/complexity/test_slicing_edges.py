"""Where slices begin, and which queries an event affects (proofs/cutty.md)."""

from collections.abc import Iterator
from itertools import pairwise
from math import gcd

import pytest

from muntin.conformance.machines.random_choices import WORDS, Letter
from muntin.optimized.common.timers import TimerQueue
from muntin.optimized.in_order.operator import InOrderSlicer
from muntin.optimized.in_order.slice_buffer import SliceBuffer
from muntin.optimized.in_order.technique import (
    CUTTY_EAGER,
    CUTTY_LAZY,
    PAIRS,
    PAIRS_PLUS,
    PANES,
    Technique,
)
from muntin.optimized.in_order.trackers.base import WindowTracker
from muntin.spec.cost import Meter
from muntin.spec.dialect import Dialect
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding, count, tumbling
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import WindowType

IN_ORDER = Settings(in_order=True, dialect=Dialect(first_window="nonnegative"))
SLIDING_WINDOWS = [
    Sliding(size, slide) for size, slide in [(10, 3), (12, 4), (7, 7), (30, 5), (5, 10)]
]


def running_on(technique: Technique, kinds: list[WindowType], meter: Meter) -> InOrderSlicer:
    """An operator with these queries of one aggregate."""
    running, aggregate = InOrderSlicer(technique, IN_ORDER), meter.watch_aggregate(WORDS)
    for number, kind in enumerate(kinds):
        running.add(Query(f"q{number}", kind, aggregate))
    return running


def event(time: int, letter: int | None = None) -> Event:
    """An event with a letter of its own."""
    return Event(time, Letter(0, time if letter is None else letter))


class SliceBegins:
    """The ordinals with which slices began, and the number of slices that were joined again."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ordinals: set[int] = set()
        self.joined = 0
        add, join = SliceBuffer[object].add, vars(SliceBuffer)["_join"]

        def adding(slices: SliceBuffer[object], partial: object, *, cut: bool = False) -> None:
            ordinal, before = slices.count, slices.size
            add(slices, partial, cut=cut)
            self.ordinals |= {ordinal} if slices.size > before else set()

        def joining(slices: SliceBuffer[object], begin: int) -> None:
            self.joined += 1
            join(slices, begin)

        monkeypatch.setattr(SliceBuffer, "add", adding)
        monkeypatch.setattr(SliceBuffer, "_join", joining)


def window_edges(kind: Sliding, until: int) -> Iterator[tuple[int, int]]:
    """The begin and the end of each window that begins before a time."""
    for start in range(0, until, kind.slide):
        yield start, start + kind.size


@pytest.mark.parametrize(
    "kinds", [SLIDING_WINDOWS[:1], SLIDING_WINDOWS[:2], SLIDING_WINDOWS[:4]], ids=len
)
def test_slices_begin_where_windows_begin_and_with_pairs_where_they_end_and_nowhere_else(
    kinds: list[Sliding], monkeypatch: pytest.MonkeyPatch
) -> None:
    until, begins_of = 120, dict[str, set[int]]()
    named = {"cutty": CUTTY_LAZY, "eager": CUTTY_EAGER, "pairs": PAIRS, "plus": PAIRS_PLUS}
    for name, technique in named.items():
        with monkeypatch.context() as patch:
            begun = SliceBegins(patch)
            running = running_on(technique, list(kinds), Meter())
            for time in range(until):
                running.step([event(time)])
            begins_of[name] = begun.ordinals
    edges = [edge for kind in kinds for edge in window_edges(kind, until)]
    begins, ends = {start for start, _ in edges}, {end for _, end in edges if end < until}
    assert begins_of["cutty"] == begins_of["eager"] == begins
    assert begins | ends <= begins_of["pairs"] == begins_of["plus"]
    assert all(
        edge < max(kind.size for kind in kinds) for edge in begins_of["pairs"] - begins - ends
    )


def test_panes_are_as_long_as_the_greatest_common_divisor(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (Sliding(10, 3), Sliding(12, 8), Sliding(9, 6)):
        with monkeypatch.context() as patch:
            begun = SliceBegins(patch)
            running = running_on(PANES, [kind], Meter())
            for time in range(100):
                running.step([event(time)])
        lengths = {b - a for a, b in pairwise(sorted(begun.ordinals))}
        assert lengths == {gcd(kind.size, kind.slide)}


@pytest.mark.parametrize("technique", [CUTTY_LAZY, PAIRS])
@pytest.mark.parametrize("queries", [1, 5, 60])
def test_a_tuple_is_lifted_once_and_combined_once_or_begins_a_slice(
    technique: Technique, queries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    meter, begun, folded = Meter(), SliceBegins(monkeypatch), [0]
    fold = SliceBuffer[object].fold

    def folding(slices: SliceBuffer[object], first: int, stop: int) -> object:
        before = meter.combines
        total = fold(slices, first, stop)
        folded[0] += meter.combines - before
        return total

    monkeypatch.setattr(SliceBuffer, "fold", folding)
    kinds: list[WindowType] = [tumbling(10 + number) for number in range(queries)]
    running = running_on(technique, kinds, meter)
    for number in range(400):
        running.step([event(number // 2, number)])
        assert meter.lifts == number + 1
        check_combines = 1  # the first partial of its type, on the identity
        saved = len(begun.ordinals) - begun.joined
        assert meter.combines - folded[0] == number + 1 - saved + check_combines
        assert meter.combines - folded[0] <= number + 1
    assert folded[0] > 0 or queries == 1


class ObservedEvents:
    """The number of times that a tracker observed an event."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times, observe = 0, WindowTracker.observe

        def observing(tracker: WindowTracker, slices: SliceBuffer[object], event: Event) -> None:
            self.times += 1
            observe(tracker, slices, event)

        monkeypatch.setattr(WindowTracker, "observe", observing)


@pytest.mark.parametrize("technique", [CUTTY_LAZY, CUTTY_EAGER, PAIRS, PAIRS_PLUS, PANES])
@pytest.mark.parametrize("batch", [1, 50])
def test_an_event_affects_only_the_queries_whose_windows_begin_or_end_with_it(
    technique: Technique, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    observed, lengths, until = ObservedEvents(monkeypatch), range(50, 1050, 50), 2000
    running = running_on(technique, [tumbling(length) for length in lengths], Meter())
    for start in range(0, until, batch):
        running.step([event(time) for time in range(start, start + batch)])
    assert observed.times == sum(len(range(0, until, length)) for length in lengths)


COUNTED: list[tuple[WindowType, int]] = [
    (Sliding(100, 50), 20),
    (Sliding(20, 100), 10 + 10),
    (count(100, 50), 20 + 19),
    (Cumulate(100, 50), 10 + 10),
    (Band(200, 300), 3),
    (Landmark(500, 100), 1 + 5),
    (Session(2), 1),
]
"""The events that open, fill or close a window of theirs, or are the first of all, among 1000."""


@pytest.mark.parametrize(("kind", "events"), COUNTED, ids=lambda part: getattr(part, "name", ""))
def test_between_its_edges_no_event_affects_a_query(
    kind: WindowType, events: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    observed = ObservedEvents(monkeypatch)
    running = running_on(CUTTY_LAZY, [kind], Meter())
    for time in range(1000):
        running.step([event(time)])
    assert events <= observed.times <= events + 1


def test_sessions_of_all_gaps_observe_events_only_after_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    observed = ObservedEvents(monkeypatch)
    running = running_on(CUTTY_LAZY, [Session(gap) for gap in range(5, 25)], Meter())
    for time in range(0, 400, 4):
        running.step([event(time)])
    assert observed.times == 20
    answers = running.step([event(396 + 9)]).results
    assert observed.times == 20 + 5  # the gaps of 5 to 9
    assert [(result.start, result.end) for result in answers] == [
        (0, 396 + g) for g in range(5, 10)
    ]
    running.step([Event(406, Letter(0, 406), gap=2)])
    running.step([event(407)])
    assert observed.times == 25 + 2 * 20  # its own gap may be smaller than all


def test_pairs_plus_folds_the_windows_of_many_queries_from_few_partials() -> None:
    spent: dict[int, list[int]] = {}
    for queries in (1, 40):
        for technique in (PAIRS, PAIRS_PLUS):
            meter = Meter()
            running = running_on(
                technique, [Sliding(40 * (n + 1), 5) for n in range(queries)], meter
            )
            for time in range(2000):
                running.step([event(time)])
            spent.setdefault(queries, []).append(meter.combines)
    assert spent[40][1] * 5 < spent[40][0]
    assert spent[1][0] < spent[1][1] * 3


def test_stale_timers_are_dropped() -> None:
    timers, due_count = TimerQueue[str](), 0
    for watermark in range(1000):
        for owner in "abc":
            timers.set(owner, END)
            timers.set(owner, watermark + ord(owner) % 2)
        due_count += len(list(timers.pop_due(watermark)))
        assert len(timers) <= 2 * 3 + 9
    assert due_count == 2000


EVERY: list[WindowType] = [
    *SLIDING_WINDOWS[:1],
    count(7, 2),
    Cumulate(20, 5),
    Band(3, 200),
    Landmark(0, 7),
    Session(3),
    Session(3, SLIDING_WINDOWS[0].measure),
    Punctuation(),
    State(),
    Delta(5),
    Threshold(0),
    Rolling(9),
    LastNEvery(5, 4),
    UserWindow(lambda state, _: (state, 1, 0)),
    UserTrigger(lambda state, _: (state, 0, 0)),
]


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.name)
def test_a_removed_query_releases_all_that_only_it_needed(kind: WindowType) -> None:
    running = running_on(CUTTY_EAGER, [tumbling(10**6), kind], Meter())
    for time in range(30):
        running.step([event(time)])
    (key_state,) = running.key_states()
    assert len(key_state.begins()) > 1 or kind.name in {
        "landmark",
        "session",
        "state",
        "delta",
        "threshold",
        "punctuation",
    }
    running.remove("q1")
    (key_state,) = running.key_states()
    assert key_state.begins() == {0}
    assert running.slice_count() == 1
    assert [r.value for r in running.step([event(10**6)]).results] == [tuple(range(30))]


@pytest.mark.parametrize(
    "kind", [Rolling(3), Rolling(3, 2), tumbling(3), Sliding(2, 9), Session(3), Cumulate(4, 2)]
)
def test_a_key_is_evicted_when_nothing_of_it_can_matter(kind: WindowType) -> None:
    running = running_on(CUTTY_LAZY, [kind], Meter())
    running.step([event(0), Event(0, Letter(0, 1), "other")])
    assert len(list(running.key_states())) == 2
    for watermark in (4, 5, 6):
        running.step([], watermark)
    kept = 2 if kind == Rolling(3, 2) else 0  # every second event is counted: parity must be kept
    assert len(list(running.key_states())) == kept
