"""What Panes, Pairs and Cutty cost: slices held, and combines counted (proofs/cutty.md)."""

import random
from collections.abc import Callable, Sequence
from math import ceil, gcd, log2
from typing import NamedTuple

import pytest

from muntin.conformance.machines.strategies import WORDS, Letter
from muntin.optimized.in_order.aggregate_store import InOrderLazyStore
from muntin.optimized.in_order.flatfat_store import InOrderEagerStore
from muntin.optimized.in_order.operator import InOrderSlicer
from muntin.optimized.in_order.pane_edges import pairs, panes
from muntin.optimized.in_order.slice_buffer import SliceBuffer
from muntin.optimized.in_order.technique import (
    CUTTY_EAGER,
    CUTTY_LAZY,
    PAIRS,
    PAIRS_PLUS,
    PANES,
    Technique,
)
from muntin.spec.cost import Meter
from muntin.spec.dialect import Dialect
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Event
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import Measure
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding, count, tumbling
from muntin.spec.windows.window import WindowType

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


TRIED = 1
"""The combine of the first partial of its type with the identity."""


def events(rng: random.Random, number: int) -> list[Event]:
    """A stream in order, with ties and pauses."""
    time, found = 0, list[Event]()
    for letter in range(number):
        time += rng.choice([0, 0, 1, 1, 1, 2, 6])
        found.append(Event(time, Letter(rng.randint(0, 3), letter), punctuation=not letter % 9))
    return found


def operator(technique: Technique, kinds: Sequence[WindowType], meter: Meter) -> InOrderSlicer:
    """One operator that asks for all of these in one aggregate."""
    built, aggregate = InOrderSlicer(technique, IN_ORDER), meter.watch_aggregate(WORDS)
    for nth, kind in enumerate(kinds):
        built.add(Query(f"q{nth}", kind, aggregate))
    return built


def begins(running: InOrderSlicer) -> int:
    """The number of events with which some window begins that is open, or may be."""
    return sum(len(lane.begins()) for lane in running.key_states())


def open_windows(running: InOrderSlicer) -> int:
    """The number of windows that are open."""
    tracks = [track for lane in running.key_states() for track in lane.trackers.values()]
    return sum(one.stop is None for track in tracks for one in track.windows)


@pytest.mark.parametrize("technique", [CUTTY_LAZY, CUTTY_EAGER])
@pytest.mark.parametrize("kinds", [MIXED, CUTTING, MIXED + CUTTING])
def test_cutty_holds_one_slice_a_begin_and_no_other(
    technique: Technique, kinds: list[WindowType]
) -> None:
    rng = random.Random(4)  # noqa: S311 - it need not be secret
    running, most = operator(technique, kinds, Meter()), 0
    for event in events(rng, 500):
        running.step([event])
        assert running.slice_count() == begins(running) <= open_windows(running) + 1
        most = max(most, running.slice_count())
    assert most > 5 or kinds == CUTTING


def test_no_store_could_do_with_fewer_slices() -> None:
    running = operator(CUTTY_LAZY, MIXED, Meter())
    for event in events(random.Random(5), 300):  # noqa: S311 - it need not be secret
        running.step([event])
        (lane,) = running.key_states()
        totals = {lane.slices.fold(begin, lane.slices.count) for begin in lane.begins()}
        assert len(totals) == running.slice_count()  # as many answers could be asked for at once


class Folded:
    """How many combines were spent on totals of windows, not on slices."""

    def __init__(self, meter: Meter, monkeypatch: pytest.MonkeyPatch) -> None:
        self.combines, fold = 0, SliceBuffer[object].fold

        def counted(slices: SliceBuffer[object], first: int, stop: int) -> object:
            before = meter.combines
            total = fold(slices, first, stop)
            self.combines += meter.combines - before
            return total

        monkeypatch.setattr(SliceBuffer, "fold", counted)


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
    assert meter.combines == len(stream) - running.slice_count() + TRIED


class Held(NamedTuple):
    """The most slices and room; then, in the second half of a stream, combines for a tuple.

    A tuple at which no window ends updates, one at which a window ends also merges.
    """

    slices: int
    room: int
    update: int
    merge: int
    amortised: float


def held(technique: Technique, size: int, slide: int) -> Held:
    """Run a window, long enough for the store to have grown to its size by half of the stream."""
    meter, half = Meter(), 3 * (size + slide)
    running = operator(technique, [Sliding(size, slide)], meter)
    slices, room, spent = [0], [0], {False: [0], True: [0]}
    for time in range(2 * half):
        before = meter.combines
        ended = bool(running.step([Event(time, Letter(1, time))]).results)
        spent[ended] += [meter.combines - before] if time >= half else []
        slices.append(running.slice_count())
        room.append(sum(lane.slices.partial_capacity for lane in running.key_states()))
    amortised = (sum(spent[False]) + sum(spent[True])) / half
    return Held(max(slices), max(room), max(spent[False]), max(spent[True]), amortised)


def random_parameters() -> list[tuple[int, int]]:
    rng = random.Random(7)  # noqa: S311 - it need not be secret
    return [(10, 3)] + [(rng.randint(1, 40), rng.randint(1, 12)) for _ in range(8)]


PANES_EAGER = Technique(InOrderEagerStore, panes, shares_slices=False)
"""In the table, though nobody would want it."""


def most_slices(size: int, slide: int) -> list[tuple[Technique, Technique, int, int]]:
    """The rows of the table: with a lazy and an eager store, slices a window, slices a slide."""
    paned = gcd(size, slide)
    return [
        (CUTTY_LAZY, CUTTY_EAGER, ceil(size / slide), 1),
        (PAIRS, PAIRS_PLUS, ceil(2 * size / slide), 2),
        (PANES, PANES_EAGER, size // paned, slide // paned),
    ]


@pytest.mark.parametrize(("size", "slide"), random_parameters())
def test_table_1_lazy(size: int, slide: int) -> None:
    for technique, _, windows, _ in most_slices(size, slide):
        found = held(technique, size, slide)
        assert found.slices <= windows
        assert found.update <= 1
        assert found.merge <= windows


def test_figure_7_range_10_and_slide_3() -> None:
    rows = most_slices(10, 3)
    found = [held(technique, 10, 3) for technique, _, _, _ in rows]
    assert [one.slices for one in found] == [windows for _, _, windows, _ in rows] == [4, 7, 10]
    assert [one.merge for one in found] == [4, 6, 9]
    assert [one.update for one in found] == [1, 1, 0]  # a pane is one tuple


@pytest.mark.parametrize(("size", "slide"), random_parameters())
def test_table_1_eager(size: int, slide: int) -> None:
    for _, technique, windows, a_slide in most_slices(size, slide):
        found, levels = held(technique, size, slide), ceil(log2(windows)) + 1
        assert found.room <= 2**levels  # twice the next power of two
        if technique is not PANES_EAGER:  # of which many go at once
            assert found.update <= levels
            assert found.merge <= 3 * levels
        assert found.amortised <= 1 + (a_slide + 1) * 2 * levels / slide


def counting(
    edges: Callable[[Sliding], list[tuple[int, int]]] | None,
) -> tuple[Technique, list[int]]:
    """A technique with a lazy store, and the names of all slices that are ever stored."""
    stored: list[int] = []

    class Counting(InOrderLazyStore[object]):
        def append(self, name: int, partial: object) -> None:
            stored.append(name)
            super().append(name, partial)

        def copy(self) -> "Counting":
            twin = Counting(self.monoid)
            for name, partial in zip(self.ids, self.partials(), strict=True):
                InOrderLazyStore[object].append(twin, name, partial)
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


@pytest.mark.parametrize("slide", range(1, 9))
def test_every_small_slide_is_cut_into_as_many_slices_as_claimed(slide: int) -> None:
    """From the third slide on; a window that is no longer than a slide needs no slice stored."""
    for size in range(slide + 1, 17):
        cut: list[int] = []
        for edges in (None, pairs, panes):
            technique, stored = counting(edges)
            running = operator(technique, [Sliding(size, slide)], Meter())
            for time in range(6 * slide):
                running.step([Event(time, Letter(1, time))])
            cut.append(len({name for name in stored if 2 * slide <= name < 4 * slide}))
        paired = 1 + (size % slide > 0)
        assert cut == [2, 2 * paired, 2 * slide // gcd(size, slide)], size


RECORDS: list[WindowType] = [Rolling(12), Rolling(12, 3), LastNEvery(5, 10)]


def test_state_is_bounded_however_long_the_stream() -> None:
    running = operator(CUTTY_EAGER, [*MIXED[:10], *CUTTING, *RECORDS], Meter())
    most: list[int] = []
    for event in events(random.Random(8), 1500):  # noqa: S311 - it need not be secret
        running.step([event])
        most.append(running.slice_count())
        assert (
            sum(len(t.windows) for lane in running.key_states() for t in lane.trackers.values())
            < 150
        )
    assert max(most[750:]) <= max(most[:750]) + 5


@pytest.mark.parametrize("kinds", [[tumbling(10), Session(3), Cumulate(4, 2)], [Rolling(9)]])
def test_idle_keys_are_forgotten(kinds: list[WindowType]) -> None:
    running = operator(CUTTY_EAGER, kinds, Meter())
    for time in range(300):
        running.step([Event(time, Letter(1, time), key=time)])
        assert len(list(running.key_states())) <= 11
