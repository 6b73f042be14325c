"""What Panes, Pairs and Cutty cost: slices held, and combines counted (proofs/cutty.md)."""

import random
from collections.abc import Callable, Sequence
from math import ceil, gcd, log2
from typing import NamedTuple

import pytest

from muntin.conformance.machines.random_choices import WORDS, Letter
from muntin.optimized.in_order.aggregate_store import InOrderEagerStore, InOrderLazyStore
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


CHECK_COMBINES = 1
"""The combine of the first partial of its type with the identity."""


def events(rng: random.Random, number: int) -> list[Event]:
    """A stream in order, with ties and pauses."""
    time, stream = 0, list[Event]()
    for letter in range(number):
        time += rng.choice([0, 0, 1, 1, 1, 2, 6])
        stream.append(Event(time, Letter(rng.randint(0, 3), letter), punctuation=not letter % 9))
    return stream


def operator(technique: Technique, kinds: Sequence[WindowType], meter: Meter) -> InOrderSlicer:
    """One operator with queries of all these windows and one aggregate."""
    built, aggregate = InOrderSlicer(technique, IN_ORDER), meter.watch_aggregate(WORDS)
    for number, kind in enumerate(kinds):
        built.add(Query(f"q{number}", kind, aggregate))
    return built


def begins(running: InOrderSlicer) -> int:
    """The number of events with which some window begins that is open, or may be."""
    return sum(len(key_state.begins()) for key_state in running.key_states())


def open_windows(running: InOrderSlicer) -> int:
    """The number of windows that are open."""
    states = running.key_states()
    trackers = [tracker for state in states for tracker in state.trackers.values()]
    return sum(window.stop is None for tracker in trackers for window in tracker.windows)


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
        (key_state,) = running.key_states()
        totals = {
            key_state.slices.fold(begin, key_state.slices.count) for begin in key_state.begins()
        }
        assert len(totals) == running.slice_count()  # each may be a result of the next step


class FoldCombines:
    """Combines spent on totals of windows, not on slices."""

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
    folded = FoldCombines(meter, monkeypatch)
    running = operator(CUTTY_LAZY, [(MIXED + CUTTING)[n % 16] for n in range(queries)], meter)
    stream = events(random.Random(6), 300)  # noqa: S311 - it need not be secret
    for number, event in enumerate(stream):
        running.step([event])
        assert meter.lifts == number + 1
        assert meter.combines - folded.combines <= number + 1
    if queries > 1:
        assert meter.combines - folded.combines > len(stream) * 0.5


def test_where_no_window_ends_each_tuple_that_begins_no_slice_is_combined_once() -> None:
    meter = Meter()
    running = operator(CUTTY_LAZY, [Sliding(10**9, 7), Sliding(10**9, 10), count(10**9, 4)], meter)
    stream = [Event(time, Letter(1, time)) for time in range(500)]
    for event in stream:
        running.step([event])
    assert meter.combines == len(stream) - running.slice_count() + CHECK_COMBINES


class MeasuredCost(NamedTuple):
    """The most slices and room; then, in the second half of a stream, combines for a tuple.

    A tuple at which no window ends updates, one at which a window ends also merges.
    """

    slices: int
    room: int
    update: int
    merge: int
    amortised: float


def measured_cost(technique: Technique, size: int, slide: int) -> MeasuredCost:
    """Run a window, long enough for the store to have grown to its size by half of the stream."""
    meter, half = Meter(), 3 * (size + slide)
    running = operator(technique, [Sliding(size, slide)], meter)
    slices, room, spent = [0], [0], {False: [0], True: [0]}
    for time in range(2 * half):
        before = meter.combines
        ended = bool(running.step([Event(time, Letter(1, time))]).results)
        spent[ended] += [meter.combines - before] if time >= half else []
        slices.append(running.slice_count())
        room.append(sum(key_state.slices.partial_capacity for key_state in running.key_states()))
    amortised = (sum(spent[False]) + sum(spent[True])) / half
    return MeasuredCost(max(slices), max(room), max(spent[False]), max(spent[True]), amortised)


def random_parameters() -> list[tuple[int, int]]:
    rng = random.Random(7)  # noqa: S311 - it need not be secret
    return [(10, 3)] + [(rng.randint(1, 40), rng.randint(1, 12)) for _ in range(8)]


PANES_EAGER = Technique(InOrderEagerStore, panes, shares_slices=False)
"""A row of the table, without a practical use."""


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
        costs = measured_cost(technique, size, slide)
        assert costs.slices <= windows
        assert costs.update <= 1
        assert costs.merge <= windows


def test_figure_7_range_10_and_slide_3() -> None:
    rows = most_slices(10, 3)
    costs = [measured_cost(technique, 10, 3) for technique, _, _, _ in rows]
    assert [cost.slices for cost in costs] == [windows for _, _, windows, _ in rows] == [4, 7, 10]
    assert [cost.merge for cost in costs] == [4, 6, 9]
    assert [cost.update for cost in costs] == [1, 1, 0]  # a pane is one tuple


@pytest.mark.parametrize(("size", "slide"), random_parameters())
def test_table_1_eager(size: int, slide: int) -> None:
    for _, technique, windows, a_slide in most_slices(size, slide):
        costs, levels = measured_cost(technique, size, slide), ceil(log2(windows)) + 1
        assert costs.room <= 2**levels  # twice the next power of two
        if technique is not PANES_EAGER:  # many of its slices are removed at once
            assert costs.update <= levels
            assert costs.merge <= 3 * levels
        assert costs.amortised <= 1 + (a_slide + 1) * 2 * levels / slide


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
        states = running.key_states()
        assert sum(len(t.windows) for state in states for t in state.trackers.values()) < 150
    assert max(most[750:]) <= max(most[:750]) + 5


@pytest.mark.parametrize("kinds", [[tumbling(10), Session(3), Cumulate(4, 2)], [Rolling(9)]])
def test_idle_keys_are_evicted(kinds: list[WindowType]) -> None:
    running = operator(CUTTY_EAGER, kinds, Meter())
    for time in range(300):
        running.step([Event(time, Letter(1, time), key=time)])
        assert len(list(running.key_states())) <= 11
