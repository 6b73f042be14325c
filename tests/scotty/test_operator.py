"""Traces that slicing operators get wrong easily, and steps that fail in every way."""

import pytest

from muntin.conformance.machines.random_choices import BAGS, THIRDS, WORDS, Letter
from muntin.conformance.output_comparison import response_difference
from muntin.optimized.scotty.groups.tuple_group import TupleGroup
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.slices.aggregate_store import (
    BuildStore,
    LazyStore,
    fiba_store,
    flatfat_store,
)
from muntin.reference.naive_operator import NaiveOperator
from muntin.reference.specification import SpecificationOperator
from muntin.reference.tuple_stores import TupleBuffer
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError, UserCodeError
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import Threshold
from muntin.spec.windows.measure import COUNT, TIME, Measure
from muntin.spec.windows.periodic import Landmark, Sliding, count, tumbling
from muntin.spec.windows.window import WindowType

STORES = [LazyStore, flatfat_store, fiba_store]
TRACES: list[tuple[str, list[WindowType], str]] = [
    ("at the first slice start", [tumbling(10)], "1 0 W100"),
    ("before the first slice, after a watermark", [tumbling(5)], "5 W1 1 W100"),
    ("a session extended at exactly the gap", [Session(5)], "5 40 35 W100"),
    ("a watermark just before the end", [Sliding(4, 2)], "24 W27 27 W100"),
    ("an incomplete count window", [count(3)], "1 2 W5 6 W50"),
    ("a watermark before the first event", [count(3)], "7 W6 8 9 W50"),
    ("tumbling and session split", [tumbling(5), Session(9)], "20 35 30 W100"),
    ("sliding and session", [Sliding(6, 1), Session(6)], "20 28 27 W100"),
    ("two sessions", [Session(4), Session(9)], "20 30 22 W100"),
    ("count and tumbling shift", [count(2), tumbling(5)], "20 25 21 W100"),
    ("count and session", [count(3), Session(9)], "20 21 32 31 W100"),
    ("tied times", [count(2)], "5 7 5 9 W100"),
    ("late in a finished session", [Session(11)], "2600 2610 2800 W3000 2605 W3100"),
    ("old window before the first watermark", [tumbling(10)], "5 1500 2000 W2100"),
    ("watermark that falls", [tumbling(10)], "1 11 W20 W5 W40"),
    ("punctuation late at the end", [Punctuation()], "20 34 33P W300"),
    ("an edge in the gap of a session", [Session(4), tumbling(3)], "1 8 6 W50"),
    ("below zero, with a long pause", [Sliding(7, 3)], "-8 -1 900000 -3 W900010"),
    ("since a landmark", [Landmark(-9, 4)], "-12 -8 -1 W1 3 -3 W9"),
    ("slides beyond its size", [Sliding(2, 5)], "0 3 4 5 6 7 1 W20"),
]


def steps(trace: str) -> list[Step]:
    """Read a trace: times, a P for a punctuation, W and a watermark."""
    steps_read: list[Step] = []
    for index, word in enumerate(trace.split()):
        if word.startswith("W"):
            steps_read.append(Step((), int(word[1:])))
        else:
            time, marks = int(word.rstrip("P")), word.endswith("P")
            steps_read.append(Step((Event(time, Letter(1, index), punctuation=marks),)))
    return [*steps_read, Step((), END)]


@pytest.mark.parametrize("build", STORES, ids=lambda build: build.__name__)
@pytest.mark.parametrize(("windows", "trace"), [t[1:] for t in TRACES], ids=[t[0] for t in TRACES])
@pytest.mark.parametrize("aggregate", [WORDS, BAGS], ids=lambda aggregate: aggregate.name)
def test_traces_that_slicers_get_wrong(
    build: BuildStore,
    windows: list[WindowType],
    trace: str,
    aggregate: Aggregate[object, object, object],
) -> None:
    both = Scotty(Settings(1000), build), SpecificationOperator(Settings(1000))
    for operator in both:
        for index, window in enumerate(windows):
            operator.add(Query(f"w{index}", window, aggregate))
    for step in steps(trace):
        got, expected = (operator.take(step) for operator in both)
        assert not response_difference(expected, got)


CLOSES_EARLY = Dialect(closing=-1)
FLOOR_FIRST = Dialect(first_window="floor_first", edges="right")
HELD_BACK = Dialect(session_merge="le", late_update="next_watermark")
TIMER_TRACES: list[tuple[str, Settings, list[WindowType], str]] = [
    (
        "the next end has yet to exist",
        Settings(0, dialect=CLOSES_EARLY),
        [Landmark(3, 5)],
        "22 W22 W24",
    ),
    ("a slice that no window holds first", Settings(), [Landmark(0, 4)], "-3 3 W22"),
    (
        "a step between, with a timer that fires too early",
        Settings(3, dialect=Dialect(lateness="window")),
        [Session(5)],
        "14 W20 W20 W25 18",
    ),
    ("a late event makes a window", Settings(9, dialect=FLOOR_FIRST), [tumbling(2)], "20 W29 20 9"),
    (
        "a late event before a session that is open",
        Settings(8, dialect=HELD_BACK),
        [tumbling(1), Session(4)],
        "26 W28 24 W29 23 W33",
    ),
    ("an event deferred until a window completes", Settings(), [LastNEvery(2, 5)], "4 W5 9 W10"),
    ("an event deferred until its own completes", Settings(), [Rolling(3)], "4 W5 8 6 W7 W9"),
]


@pytest.mark.parametrize("build", STORES, ids=lambda build: build.__name__)
@pytest.mark.parametrize(
    ("settings", "windows", "trace"),
    [operator[1:] for operator in TIMER_TRACES],
    ids=[operator[0] for operator in TIMER_TRACES],
)
def test_timers_fire_in_time(
    build: BuildStore, settings: Settings, windows: list[WindowType], trace: str
) -> None:
    both = Scotty(settings, build), SpecificationOperator(settings)
    for operator in both:
        for index, window in enumerate(windows):
            operator.add(Query(f"w{index}", window, WORDS))
    for step in steps(trace):
        got, expected = (operator.take(step) for operator in both)
        assert not response_difference(expected, got)


def singleton(value: object) -> tuple[object, ...]:
    """Lift a value."""
    return (value,)


class FailingMonoid:
    """A monoid of multisets whose combine fails once, when it is armed."""

    def __init__(self) -> None:
        self.left = -1

    def combine(self, left: tuple[object, ...], right: tuple[object, ...]) -> tuple[object, ...]:
        self.left -= 1
        if self.left == 0:
            raise ZeroDivisionError
        return tuple(sorted(map(str, left + right)))

    def aggregate(self) -> Aggregate[object, object, object]:
        monoid = Monoid[tuple[object, ...]]((), self.combine)
        return Aggregate(
            "fused", singleton, monoid, len, commutative=True, kind="holistic"
        ).erase_types()


@pytest.mark.parametrize("build", STORES, ids=lambda build: build.__name__)
@pytest.mark.parametrize("windows", [[tumbling(4), Session(3)], [count(2), count(3, 1)]])
@pytest.mark.parametrize("index", range(1, 9))
def test_a_combine_that_raises_leaves_no_trace(
    build: BuildStore, windows: list[WindowType], index: int
) -> None:
    failing_monoid, sound_monoid = FailingMonoid(), FailingMonoid()
    failing, twin = Scotty(Settings(50), build), Scotty(Settings(50), build)
    for name, window in enumerate(windows):
        failing.add(Query(f"w{name}", window, failing_monoid.aggregate()))
        twin.add(Query(f"w{name}", window, sound_monoid.aggregate()))
    first = Step(tuple(Event(time, time) for time in (3, 1, 9, 5, 12, 7)), 6)
    second = Step(tuple(Event(time, time, key) for time in (4, 8, 2) for key in (None, "k")), 11)
    for step in (first, second, Step((), END)):
        failing_monoid.left = index
        try:
            got = failing.take(step)
        except UserCodeError:
            failing_monoid.left = -1
            got = failing.take(step)
        failing_monoid.left = -1
        assert not response_difference(twin.take(step), got)


def test_a_measure_that_falls_is_refused_and_leaves_no_trace() -> None:
    falls = Measure("km", lambda event: 0 if event.value == "bad" else event.time)
    operator, twin = Scotty(Settings(50)), Scotty(Settings(50))
    for target in (operator, twin):
        target.add(Query("w", tumbling(5, 0, falls), WORDS))
        target.step([Event(12, 1)], 2)
    with pytest.raises(InvalidInputError, match="measure 'km' falls from 14 to 0 at Event"):
        operator.step([Event(14, 1), Event(20, "bad")], 40)
    after = [Event(11, 1), Event(21, 2)]
    assert operator.step(after, 40) == twin.step(after, 40)


def test_a_session_with_the_interval_of_a_final_one_is_emitted_too() -> None:
    kafka = Settings(0, dialect=Dialect(lateness="window", session_end="last"))
    both = Scotty(kafka), SpecificationOperator(kafka)
    for operator in both:
        operator.add(Query("w", Session(4), WORDS))
    steps = [Step((Event(1, Letter(0, 1), gap=1),), 3), Step((Event(1, Letter(0, 2)),), 3)]
    for step in [*steps, Step((), 9), Step((), END)]:
        got, expected = (operator.take(step) for operator in both)
        assert not response_difference(expected, got)


@pytest.mark.parametrize(
    ("settings", "windows", "trace"),
    [
        (Settings(dialect=Dialect(lateness="window")), [Landmark(11, 5)], "20 27 W29 24 W33"),
        (Settings(), [Sliding(5, 5, 1), Landmark(1, 2)], "2 17 W19 W30"),
        (Settings(), [tumbling(7), Session(20)], "2 17 W29 30 33 W35 34"),
        (Settings(), [Landmark(-4, 1, COUNT)], "2 W15 15 W20"),
    ],
    ids=[
        "late into a merged slice",
        "merged up to an open window",
        "with an open session",
        "ranks",
    ],
)
def test_merged_slices_are_right(settings: Settings, windows: list[WindowType], trace: str) -> None:
    both = Scotty(settings), SpecificationOperator(settings)
    for operator in both:
        for index, window in enumerate(windows):
            operator.add(Query(f"w{index}", window, WORDS))
    for step in steps(trace):
        got, expected = (operator.take(step) for operator in both)
        assert not response_difference(expected, got)


CLOSES_LATE = Settings(dialect=Dialect(closing=1))


@pytest.mark.parametrize(
    ("settings", "measure", "trace"),
    [
        (Settings(), TIME, "1:2 3:0 W4 5:3 6:0 W8 7:1 W20"),
        (CLOSES_LATE, TIME, "1:2 3:0 W3 W4 5:3 6:0 W7 7:1 W8 W20"),
        (Settings(), THIRDS, "1:2 3:0 W5 5:3 7:4 W8 9:0 W11 12:1 W20"),
        (Settings(3), COUNT, "1:2 3:0 W5 4:1 7:4 W8 6:0 W11 12:1 W20"),
    ],
    ids=["in time", "closed later", "where others come to the same coordinate", "in ranks"],
)
def test_evicted_low_values_still_separate_runs(
    settings: Settings, measure: Measure, trace: str
) -> None:
    scotty, naive = Scotty(settings), NaiveOperator(TupleBuffer, settings)
    operators = scotty, naive, SpecificationOperator(settings)
    for operator in operators:
        operator.add(Query("w", Threshold(1, 1, measure), WORDS))
    result_count = 0
    for index, word in enumerate([*trace.split(), "W99"]):
        time, _, number = word.lstrip("W").partition(":")
        events = (Event(int(time), Letter(int(number), index)),) if number else ()
        step = Step(events, None if number else int(time))
        *got, expected = (operator.take(step) for operator in operators)
        assert not any(response_difference(expected, output) for output in got)
        result_count += len(expected.results)
    assert result_count >= 2
    (group,) = scotty.groups
    assert isinstance(group, TupleGroup)
    assert group.key_groups[None].key_state.evicted_count > 2
    assert naive.retained().events < 4
