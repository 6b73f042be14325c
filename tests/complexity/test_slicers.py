"""What Panes, Pairs and Cutty cost: slices held, and combines counted (proofs/cutty.md)."""

import random
from collections.abc import Callable, Sequence
from math import ceil, gcd, log2

import pytest

from muntin.conformance.strategies import WORDS, Letter
from muntin.optimized.slicing.cuts import pairs, panes
from muntin.optimized.slicing.group import Technique
from muntin.optimized.slicing.slices import Slices
from muntin.optimized.slicing.slicing import Slicing
from muntin.optimized.slicing.store import LazyStore
from muntin.optimized.slicing.techniques import (
    CUTTY_EAGER,
    CUTTY_LAZY,
    PAIRS,
    PAIRS_PLUS,
    PANES,
)
from muntin.spec.cost import Meter
from muntin.spec.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.dialect import Dialect
from muntin.spec.frames import Delta, State, Threshold
from muntin.spec.measure import Measure
from muntin.spec.periodic import Band, Cumulate, Landmark, Sliding, count, tumbling
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Event
from muntin.spec.window import WindowType

IN_ORDER = Settings(in_order=True, dialect=Dialect(first_window="nonnegative"))
KM = Measure("km", lambda event: event.time // 3)

MIXED: list[WindowType] = [
    tumbling(40),
    tumbling(3),
    Sliding(30, 7),
    Sliding(4, 9, 1),
    count(25, 4),
    count(2),
    Sliding(8, 3, measure=KM),
    Session(2),
    Session(5),
    Cumulate(20, 5),
    Landmark(10, 50),
    Band(20, 90),
]
"""Windows of time, of count and of kilometres, whose begins are known at once."""

CUTTING: list[WindowType] = [Punctuation(), Delta(2), State(), Threshold(1, 2)]
"""Windows that the last of several simultaneous events may begin."""


def events(rng: random.Random, number: int) -> list[Event]:
    """A stream in order, with ties and pauses."""
    time, found = 0, list[Event]()
    for letter in range(number):
        time += rng.choice([0, 0, 1, 1, 1, 2, 6])
        found.append(Event(time, Letter(rng.randint(0, 3), letter), punctuation=not letter % 9))
    return found


def operator(technique: Technique, kinds: Sequence[WindowType], meter: Meter) -> Slicing:
    """One operator that asks for all of these in one aggregate."""
    built, aggregate = Slicing(technique, IN_ORDER), meter.watch_aggregate(WORDS)
    for nth, kind in enumerate(kinds):
        built.add(Query(f"q{nth}", kind, aggregate))
    return built


def begins(running: Slicing) -> int:
    """The number of events with which some window begins that is open, or may be."""
    return sum(len(lane.begins()) for lane in running.lanes())


def open_windows(running: Slicing) -> int:
    """The number of windows that are open."""
    tracks = [track for lane in running.lanes() for track in lane.tracks.values()]
    return sum(one.stop is None for track in tracks for one in track.live)


@pytest.mark.parametrize("technique", [CUTTY_LAZY, CUTTY_EAGER])
@pytest.mark.parametrize("kinds", [MIXED, CUTTING, MIXED + CUTTING])
def test_cutty_holds_one_slice_a_begin_and_no_other(
    technique: Technique, kinds: list[WindowType]
) -> None:
    rng = random.Random(4)  # noqa: S311 - it need not be secret
    running, most = operator(technique, kinds, Meter()), 0
    for event in events(rng, 500):
        running.step([event])
        assert running.slices() == begins(running) <= open_windows(running) + 1
        most = max(most, running.slices())
    assert most > 5 or kinds == CUTTING


def test_no_store_could_do_with_fewer_slices() -> None:
    running = operator(CUTTY_LAZY, MIXED, Meter())
    for event in events(random.Random(5), 300):  # noqa: S311 - it need not be secret
        running.step([event])
        (lane,) = running.lanes()
        totals = {lane.slices.fold(begin, lane.slices.count) for begin in lane.begins()}
        assert len(totals) == running.slices()  # as many answers could be asked for at once


class Folded:
    """How many combines were spent on totals of windows, not on slices."""

    def __init__(self, meter: Meter, monkeypatch: pytest.MonkeyPatch) -> None:
        self.combines, fold = 0, Slices[object].fold

        def counted(slices: Slices[object], first: int, stop: int) -> object:
            before = meter.combines
            total = fold(slices, first, stop)
            self.combines += meter.combines - before
            return total

        monkeypatch.setattr(Slices, "fold", counted)


@pytest.mark.parametrize("queries", [1, 12, 60])
def test_a_tuple_costs_one_lift_and_one_combine_whatever_the_number_of_queries(
    queries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    meter = Meter()
    folded = Folded(meter, monkeypatch)
    running = operator(CUTTY_LAZY, [(MIXED + CUTTING)[n % 16] for n in range(queries)], meter)
    stream = events(random.Random(6), 300)  # noqa: S311 - it need not be secret
    for nth, event in enumerate(stream):
        running.step([event])
        assert meter.lifts == nth + 1
        assert meter.combines - folded.combines <= nth + 1
    if queries > 1:
        assert meter.combines - folded.combines > len(stream) * 0.5


def test_where_no_window_ends_each_tuple_that_begins_no_slice_is_combined_once() -> None:
    meter = Meter()
    running = operator(CUTTY_LAZY, [Sliding(10**9, 7), Sliding(10**9, 10), count(10**9, 4)], meter)
    stream = [Event(time, Letter(1, time)) for time in range(500)]
    for event in stream:
        running.step([event])
    assert meter.combines == len(stream) - running.slices()


def held(technique: Technique, size: int, slide: int) -> tuple[int, int, int, int]:
    """Slices, room, combines of a tuple at which none ends, combines of one at which one does."""
    meter = Meter()
    running = operator(technique, [Sliding(size, slide)], meter)
    slices = room = update = merge = 0
    for time in range(4 * (size + slide)):
        before = meter.combines
        output = running.step([Event(time, Letter(1, time))])
        spent = meter.combines - before
        slices = max(slices, running.slices())
        room = max(room, sum(lane.slices.held for lane in running.lanes()))
        merge = max(merge, spent) if output.results else merge
        update = update if output.results else max(update, spent)
    return slices, room, update, merge


def random_parameters() -> list[tuple[int, int]]:
    rng = random.Random(7)  # noqa: S311 - it need not be secret
    return [(10, 3)] + [(rng.randint(1, 40), rng.randint(1, 12)) for _ in range(8)]


@pytest.mark.parametrize(("size", "slide"), random_parameters())
def test_table_1_lazy(size: int, slide: int) -> None:
    windows = ceil(size / slide)
    slices, _, update, merge = held(CUTTY_LAZY, size, slide)
    assert slices <= windows
    assert update <= 1
    assert merge <= windows + 1
    slices, _, update, merge = held(PAIRS, size, slide)
    assert slices <= max(2 * windows, 1)
    assert slices <= ceil(2 * size / slide) + 1
    assert update <= 1
    slices, _, update, merge = held(PANES, size, slide)
    assert slices <= ceil(size / gcd(size, slide))
    assert update <= 1


@pytest.mark.parametrize(("size", "slide"), random_parameters())
def test_table_1_eager(size: int, slide: int) -> None:
    for technique, slices in (
        (CUTTY_EAGER, ceil(size / slide)),
        (PAIRS_PLUS, 2 * size // slide + 2),
    ):
        _, room, update, merge = held(technique, size, slide)
        levels = ceil(log2(slices + 1)) + 1
        assert room <= 4 * (slices + 1)
        assert update <= 1 + 2**levels
        assert merge <= 2**levels + 6 * levels + 2


def test_figure_7_range_10_and_slide_3() -> None:
    names = {"cutty": CUTTY_LAZY, "pairs": PAIRS, "panes": PANES}
    assert {name: held(one, 10, 3)[0] for name, one in names.items()} == {
        "cutty": 4,
        "pairs": 7,
        "panes": 10,
    }


def counting(
    edges: Callable[[Sliding], list[tuple[int, int]]] | None,
) -> tuple[Technique, list[int]]:
    """A technique with a lazy store, and the names of all slices that are ever stored."""
    stored: list[int] = []

    class Counting(LazyStore[object]):
        def append(self, name: int, partial: object) -> None:
            stored.append(name)
            super().append(name, partial)

        def copy(self) -> "Counting":
            twin = Counting(self.monoid)
            for name, partial in zip(self.ids, self.partials(), strict=True):
                LazyStore[object].append(twin, name, partial)
            return twin

    return Technique(Counting, edges), stored


@pytest.mark.parametrize(("size", "slide"), [(10, 3), (10, 4), (25, 7), (100, 9), (64, 16)])
def test_pairs_make_twice_the_slices_of_cutty_unless_the_slide_divides_the_size(
    size: int, slide: int
) -> None:
    numbers: list[int] = []
    for edges in (None, pairs, panes):
        technique, stored = counting(edges)
        running = operator(technique, [Sliding(size, slide)], Meter())
        for time in range(slide * 50):
            running.step([Event(time, Letter(1, time))])
        numbers.append(len(set(stored)))
    cutty, paired, paned = (number / 50 for number in numbers)
    assert cutty == pytest.approx(1, abs=0.1)
    assert paired == pytest.approx(2 if size % slide else 1, abs=0.1)
    assert paned == pytest.approx(slide / gcd(size, slide), abs=0.1)


RECORDS: list[WindowType] = [Rolling(12), Rolling(12, 3), LastNEvery(5, 10)]


def test_state_is_bounded_however_long_the_stream() -> None:
    running = operator(CUTTY_EAGER, [*MIXED[:10], *CUTTING, *RECORDS], Meter())
    most: list[int] = []
    for event in events(random.Random(8), 1500):  # noqa: S311 - it need not be secret
        running.step([event])
        most.append(running.slices())
        assert sum(len(t.live) for lane in running.lanes() for t in lane.tracks.values()) < 150
    assert max(most[750:]) <= max(most[:750]) + 5


def test_idle_keys_are_forgotten() -> None:
    running = operator(CUTTY_EAGER, [tumbling(10), Session(3), Cumulate(4, 2)], Meter())
    for time in range(300):
        running.step([Event(time, Letter(1, time), key=time)])
        assert len(list(running.lanes())) <= 11
