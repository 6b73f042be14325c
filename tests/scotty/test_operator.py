"""Traces that a slicing operator gets wrong easily, and steps that fail in every way."""

import pytest

from muntin.conformance.machines.random_choices import THIRDS
from muntin.conformance.machines.strategies import BAGS, WORDS, Letter
from muntin.optimized.scotty.groups.tuple_group import TupleGroup
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.slices.aggregate_store import BuildStore, LazyStore, eager, fiba
from muntin.reference.naive_operator import NaiveOperator
from muntin.reference.specification import SpecificationOperator
from muntin.reference.tuple_stores import TupleBuffer
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError, UserCodeError
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import Threshold
from muntin.spec.windows.measure import COUNT, TIME, Measure
from muntin.spec.windows.periodic import Landmark, Sliding, count, tumbling
from muntin.spec.windows.window import WindowType

STORES = [LazyStore, eager, fiba]
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
    ("below zero, apart by an age", [Sliding(7, 3)], "-8 -1 900000 -3 W900010"),
    ("since a landmark", [Landmark(-9, 4)], "-12 -8 -1 W1 3 -3 W9"),
    ("slides beyond its size", [Sliding(2, 5)], "0 3 4 5 6 7 1 W20"),
]


def steps(trace: str) -> list[Step]:
    """Read a trace: times, a P for a punctuation, W and a watermark."""
    found: list[Step] = []
    for nth, word in enumerate(trace.split()):
        if word.startswith("W"):
            found.append(Step((), int(word[1:])))
        else:
            time, marks = int(word.rstrip("P")), word.endswith("P")
            found.append(Step((Event(time, Letter(1, nth), punctuation=marks),)))
    return [*found, Step((), END)]


@pytest.mark.parametrize("build", STORES, ids=lambda build: build.__name__)
@pytest.mark.parametrize(("kinds", "trace"), [t[1:] for t in TRACES], ids=[t[0] for t in TRACES])
@pytest.mark.parametrize("aggregate", [WORDS, BAGS], ids=lambda aggregate: aggregate.name)
def test_traces_that_are_easily_wrong(
    build: BuildStore,
    kinds: list[WindowType],
    trace: str,
    aggregate: Aggregate[object, object, object],
) -> None:
    both = Scotty(Settings(1000), build), SpecificationOperator(Settings(1000))
    for one in both:
        for nth, kind in enumerate(kinds):
            one.add(Query(f"w{nth}", kind, aggregate))
    for step in steps(trace):
        got, wanted = (one.take(step) for one in both)
        assert got == wanted


EARLY = Dialect(closing=-1)
FIRST = Dialect(first_window="floor_first", edges="right")
APART = Dialect(session_merge="le", late_update="next_watermark")
TRACES_OF_ALARMS: list[tuple[str, Settings, list[WindowType], str]] = [
    ("the next end has yet to exist", Settings(0, dialect=EARLY), [Landmark(3, 5)], "22 W22 W24"),
    ("a slice that no window holds first", Settings(), [Landmark(0, 4)], "-3 3 W22"),
    (
        "a step between that wakes too early",
        Settings(3, dialect=Dialect(lateness="window")),
        [Session(5)],
        "14 W20 W20 W25 18",
    ),
    ("a late event makes a window", Settings(9, dialect=FIRST), [tumbling(2)], "20 W29 20 9"),
    (
        "a late event before a session that is open",
        Settings(8, dialect=APART),
        [tumbling(1), Session(4)],
        "26 W28 24 W29 23 W33",
    ),
    ("an event that waits until a window is past", Settings(), [LastNEvery(2, 5)], "4 W5 9 W10"),
    ("an event that waits until its own is past", Settings(), [Rolling(3)], "4 W5 8 6 W7 W9"),
]


@pytest.mark.parametrize("build", STORES, ids=lambda build: build.__name__)
@pytest.mark.parametrize(
    ("settings", "kinds", "trace"),
    [one[1:] for one in TRACES_OF_ALARMS],
    ids=[one[0] for one in TRACES_OF_ALARMS],
)
def test_what_sleeps_is_woken_in_time(
    build: BuildStore, settings: Settings, kinds: list[WindowType], trace: str
) -> None:
    both = Scotty(settings, build), SpecificationOperator(settings)
    for one in both:
        for nth, kind in enumerate(kinds):
            one.add(Query(f"w{nth}", kind, WORDS))
    for step in steps(trace):
        got, wanted = (one.take(step) for one in both)
        assert got == wanted


def alone(value: object) -> tuple[object, ...]:
    """Lift a value."""
    return (value,)


class Fuse:
    """A monoid of bags of which combine fails once, when it is armed."""

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
            "fused", alone, monoid, len, commutative=True, kind="holistic"
        ).erase_types()


@pytest.mark.parametrize("build", STORES, ids=lambda build: build.__name__)
@pytest.mark.parametrize("kinds", [[tumbling(4), Session(3)], [count(2), count(3, 1)]])
@pytest.mark.parametrize("nth", range(1, 9))
def test_a_combine_that_raises_leaves_no_trace(
    build: BuildStore, kinds: list[WindowType], nth: int
) -> None:
    fuse, sound = Fuse(), Fuse()
    failing, twin = Scotty(Settings(50), build), Scotty(Settings(50), build)
    for name, kind in enumerate(kinds):
        failing.add(Query(f"w{name}", kind, fuse.aggregate()))
        twin.add(Query(f"w{name}", kind, sound.aggregate()))
    first = Step(tuple(Event(time, time) for time in (3, 1, 9, 5, 12, 7)), 6)
    second = Step(tuple(Event(time, time, key) for time in (4, 8, 2) for key in (None, "k")), 11)
    outputs: list[list[Output]] = [[], []]
    for step in (first, second, Step((), END)):
        fuse.left = nth
        try:
            outputs[0].append(failing.take(step))
        except UserCodeError:
            fuse.left = -1
            outputs[0].append(failing.take(step))
        fuse.left = -1
        outputs[1].append(twin.take(step))
    assert outputs[0] == outputs[1]


def test_a_measure_that_falls_is_refused_and_leaves_no_trace() -> None:
    falls = Measure("km", lambda event: 0 if event.value == "bad" else event.time)
    operator, twin = Scotty(Settings(50)), Scotty(Settings(50))
    for one in (operator, twin):
        one.add(Query("w", tumbling(5, 0, falls), WORDS))
        one.step([Event(12, 1)], 2)
    with pytest.raises(InvalidInputError, match="measure 'km' falls from 14 to 0 at Event"):
        operator.step([Event(14, 1), Event(20, "bad")], 40)
    after = [Event(11, 1), Event(21, 2)]
    assert operator.step(after, 40) == twin.step(after, 40)


def test_a_session_that_looks_like_a_frozen_one_is_told_beside_it() -> None:
    kafka = Settings(0, dialect=Dialect(lateness="window", session_end="last"))
    both = Scotty(kafka), SpecificationOperator(kafka)
    for one in both:
        one.add(Query("w", Session(4), WORDS))
    steps = [Step((Event(1, Letter(0, 1), gap=1),), 3), Step((Event(1, Letter(0, 2)),), 3)]
    for step in [*steps, Step((), 9), Step((), END)]:
        got, wanted = (one.take(step) for one in both)
        assert got == wanted


@pytest.mark.parametrize(
    ("settings", "kinds", "trace"),
    [
        (Settings(dialect=Dialect(lateness="window")), [Landmark(11, 5)], "20 27 W29 24 W33"),
        (Settings(), [Sliding(5, 5, 1), Landmark(1, 2)], "2 17 W19 W30"),
        (Settings(), [tumbling(7), Session(20)], "2 17 W29 30 33 W35 34"),
        (Settings(), [Landmark(-4, 1, COUNT)], "2 W15 15 W20"),
    ],
    ids=[
        "late into a fused slice",
        "fused up to an open window",
        "beside an open session",
        "ranks",
    ],
)
def test_slices_that_were_fused_are_right(
    settings: Settings, kinds: list[WindowType], trace: str
) -> None:
    both = Scotty(settings), SpecificationOperator(settings)
    for one in both:
        for nth, kind in enumerate(kinds):
            one.add(Query(f"w{nth}", kind, WORDS))
    for step in steps(trace):
        got, wanted = (one.take(step) for one in both)
        assert got == wanted


LATER = Settings(dialect=Dialect(closing=1))


@pytest.mark.parametrize(
    ("settings", "measure", "trace"),
    [
        (Settings(), TIME, "1:2 3:0 W4 5:3 6:0 W8 7:1 W20"),
        (LATER, TIME, "1:2 3:0 W3 W4 5:3 6:0 W7 7:1 W8 W20"),
        (Settings(), THIRDS, "1:2 3:0 W5 5:3 7:4 W8 9:0 W11 12:1 W20"),
        (Settings(3), COUNT, "1:2 3:0 W5 4:1 7:4 W8 6:0 W11 12:1 W20"),
    ],
    ids=["in time", "closed later", "where others come to the same coordinate", "in ranks"],
)
def test_values_too_low_for_a_run_part_runs_when_they_are_forgotten(
    settings: Settings, measure: Measure, trace: str
) -> None:
    scotty, naive = Scotty(settings), NaiveOperator(TupleBuffer, settings)
    all_three = scotty, naive, SpecificationOperator(settings)
    for one in all_three:
        one.add(Query("w", Threshold(1, 1, measure), WORDS))
    told = 0
    for nth, word in enumerate([*trace.split(), "W99"]):
        time, _, number = word.lstrip("W").partition(":")
        events = (Event(int(time), Letter(int(number), nth)),) if number else ()
        step = Step(events, None if number else int(time))
        *got, wanted = (one.take(step) for one in all_three)
        assert got == [wanted, wanted]
        told += len(wanted.results)
    assert told >= 2
    (group,) = scotty.groups
    assert isinstance(group, TupleGroup)
    assert group.keyed[None].lane.forgotten > 2
    assert naive.retained().events < 4
