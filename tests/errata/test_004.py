"""Slips in the printed parts of [Carbone16]: each is run as printed, beside what must stand.

The texts are in proofs/ERRATA.md, section 004.
"""

from collections.abc import Sequence
from math import ceil, log2

import pytest

from muntin.conformance.machines.random_choices import WORDS, Letter
from muntin.optimized.in_order.aggregate_store import InOrderEagerStore, fitting_capacity
from muntin.optimized.in_order.operator import InOrderSlicer
from muntin.optimized.in_order.technique import CUTTY_EAGER, CUTTY_LAZY, PAIRS
from muntin.spec.algebra.catalogue import named
from muntin.spec.algebra.monoid import FREE, Word
from muntin.spec.cost import Meter
from muntin.spec.errors import UserCodeError
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Event
from muntin.spec.windows.data_driven import Punctuation
from muntin.spec.windows.periodic import Sliding, count, tumbling
from muntin.spec.windows.user_defined import UserWindow
from muntin.spec.windows.window import WindowType

IN_ORDER = Settings(in_order=True)
Marks = tuple[Sequence[str], Sequence[str]]
"""The windows that begin, and those that end, with a record."""


def printed_count_window(size: int, slide: int, k: int) -> tuple[int, int]:
    """Section 3.2: Wbegin = 1 if k mod slide = 0; Wend = 1 if (k - range) mod slide = 0."""
    return int(k % slide == 0), int((k - size) % slide == 0)


def running_on(*kinds: WindowType) -> InOrderSlicer:
    """Cutty with these queries of one aggregate."""
    running = InOrderSlicer(CUTTY_LAZY, IN_ORDER)
    for number, kind in enumerate(kinds):
        running.add(Query(f"q{number}", kind, WORDS))
    return running


def answers(
    running: InOrderSlicer, times: Sequence[int], marked: Sequence[int] = ()
) -> list[object]:
    """The results when an event comes at each of these times, perhaps a punctuation."""
    events = [Event(t, Letter(0, k), punctuation=k in marked) for k, t in enumerate(times)]
    return [result.value for event in events for result in running.step([event]).results]


def test_section_3_2_the_function_ends_windows_that_never_began() -> None:
    begun = ended = 0
    for k in range(2):
        begins, ends = printed_count_window(10, 3, k)
        begun, ended = begun + begins, ended + ends
    assert (begun, ended) == (1, 1)  # the window of records 0 to 9 ends with record 1

    def printed(state: object, event: Event) -> tuple[object, int, int]:
        del event
        k = state if isinstance(state, int) else 0
        return k + 1, *printed_count_window(4, 3, k)

    def without_the_early_ends(state: object, event: Event) -> tuple[object, int, int]:
        k, begins, ends = printed(state, event)
        return k, begins, ends if isinstance(k, int) and k > 4 else 0

    four = (0, 1, 2, 3)
    assert answers(running_on(UserWindow(printed)), range(2)) == [(0,)]
    assert answers(running_on(UserWindow(without_the_early_ends)), range(5)) == [four]
    assert answers(running_on(count(4, 3)), range(5)) == [four]
    with pytest.raises(UserCodeError, match=r"window 1 ends at Event.time=0, .*, not begun"):
        answers(running_on(UserWindow(lambda state, _: (state, 0, 1))), range(1))


class Algorithm1:
    """As printed, but for what the flags mend, over the free monoid."""

    def __init__(self, *, labels: str = "of the end", collects: str = "before the merge") -> None:
        self.partial: Word = ()
        self.store: dict[int, Word] = {}
        self.begins: dict[str, int] = {}
        self.labels, self.collects = labels, collects
        self.start = 0  # of the active slice

    def take(self, i: int, begin: Sequence[str], end: Sequence[str]) -> list[Word]:
        """Lines 2 to 12."""
        if begin:
            self.store[self.start if self.labels == "of the start" else i] = self.partial
            self.partial, self.start = (), i
            self.begins |= dict.fromkeys(begin, i)
        emitted: list[Word] = []
        for window in end:
            start = self.begins.pop(window)
            if self.collects == "before the merge":
                self.remove_up_to(min(self.begins.values()))
            emitted.append(self.merge(start) + self.partial)
            if self.collects == "after the merge":
                self.remove_up_to(min(self.begins.values(), default=i))
        self.partial += (i,)
        return emitted

    def merge(self, start: int) -> Word:
        """P(s[start, ..]): the slices after the begin, whatever they are called."""
        own = self.labels in {"of the start", "of the end, as names"}
        return FREE.fold(p for name, p in self.store.items() if name > start - own)

    def remove_up_to(self, name: int) -> None:
        """Remove the slices before a begin."""
        own = self.labels == "of the start"
        self.store = {n: p for n, p in self.store.items() if n > name - own}


SLIDING: list[Marks] = [(["a"], []), (["b"], []), (["c"], ["a"]), ([], ["b"])]
"""Windows of two records that begin with each record: [0, 1], [1, 2] and [2, 3]."""


def test_algorithm_1_line_10_removes_what_line_11_merges() -> None:
    printed, mended = Algorithm1(), Algorithm1(collects="after the merge")
    assert [printed.take(i, *marks) for i, marks in enumerate(SLIDING[:3])][2] == [(1,)]
    assert [mended.take(i, *marks) for i, marks in enumerate(SLIDING)][2:] == [[(0, 1)], [(1, 2)]]
    assert answers(running_on(count(2, 1)), range(4))[:2] == [(0, 1), (1, 2)]


def test_algorithm_1_line_10_has_no_least_begin_when_the_last_window_ends() -> None:
    printed = Algorithm1()
    printed.take(0, ["a"], [])
    with pytest.raises(ValueError, match="empty"):
        printed.take(1, [], ["a"])
    mended = Algorithm1(collects="after the merge")
    mended.take(0, ["a"], [])
    assert mended.take(1, [], ["a"]) == [(0,)]


def test_algorithm_1_line_3_names_a_slice_after_the_record_behind_it() -> None:
    printed = Algorithm1(labels="of the end, as names", collects="after the merge")
    mended = Algorithm1(labels="of the start", collects="after the merge")
    trace: list[Marks] = [(["a"], []), (["b"], []), ([], ["b"])]
    assert [printed.take(i, *marks) for i, marks in enumerate(trace)][2] == [(0, 1)]
    assert [mended.take(i, *marks) for i, marks in enumerate(trace)][2] == [(1,)]


def test_algorithm_1_stores_an_empty_slice_before_the_first_window() -> None:
    printed = Algorithm1()
    printed.take(0, ["a"], [])
    assert printed.store == {0: ()}
    running = running_on(tumbling(10))
    answers(running, [0])
    assert running.slice_count() == 1


def test_section_4_what_was_lowered_cannot_be_combined_any_more() -> None:
    mean, numbers = named("mean"), [1, 2, 3, 4, 5, 6]
    combine, lift, lower = mean.monoid.combine, mean.lift, mean.lower
    stored = mean.monoid.fold(map(lift, numbers[:5]))
    assert lower(combine(stored, lift(6))) == 3.5  # P(s[1, 5]) with the active partial
    assert lower(stored) == 3  # f_a(s[1, 5]), which is no partial any more
    assert lower(combine(lift(lower(stored)), lift(6))) == 4.5


def test_section_5_2_prefix_removal_keeps_more_partials_than_windows_are_active() -> None:
    printed = Algorithm1(labels="of the start", collects="after the merge")
    most = active = 0
    printed.take(0, ["long", "short 0"], [])
    for i in range(1, 20):
        printed.take(i, [f"short {i}"], [f"short {i - 1}"])
        most, active = max(most, len(printed.store)), max(active, len(printed.begins))
    assert (active, most) == (2, 19)
    running = running_on(count(20), count(1))
    for k in range(19):
        running.step([Event(k, Letter(0, k))])
        assert running.slice_count() <= 2


def test_section_3_2_the_last_of_simultaneous_records_can_begin_a_window_with_the_first() -> None:
    times, marked = [0, 5, 5, 9], (2, 3)
    assert answers(running_on(Punctuation()), times, marked) == [(0,), (1, 2)]
    printed = Algorithm1(collects="after the merge")
    trace: list[Marks] = [(["a"], []), ([], []), (["b"], ["a"]), (["c"], ["b"])]
    emitted = [word for i, marks in enumerate(trace) for word in printed.take(i, *marks)]
    assert emitted == [(0, 1), (2,)]  # records 1 and 2 are of one instant


def test_section_5_4_a_resize_writes_2n_minus_1_nodes_and_the_capacity_is_a_whole_power() -> None:
    meter = Meter()
    store = InOrderEagerStore(meter.watch(FREE))
    for name in range(4):
        store.append(name, (name,))
    before = meter.combines
    store.append(4, (4,))
    assert store.partial_capacity == 2 * 8 - 1 < 2 * 8 + 1
    assert meter.combines - before == 8 - 1
    least_real = log2(5)
    assert 2**least_real == pytest.approx(5) != fitting_capacity(4, 5) == 8


@pytest.mark.parametrize(("size", "slide"), [(5, 1), (9, 1), (11, 2)])
def test_table_1_the_space_of_the_eager_store_is_that_of_a_power_of_two(
    size: int, slide: int
) -> None:
    running = InOrderSlicer(CUTTY_EAGER, IN_ORDER)
    running.add(Query("q", Sliding(size, slide), WORDS))
    room = 0
    for time in range(6 * size):
        running.step([Event(time, Letter(0, time))])
        room = max(room, *(key_state.slices.partial_capacity for key_state in running.key_states()))
    stored = ceil(size / slide)
    least = 2 ** ceil(log2(stored))
    assert 2 * least - 1 + 1 > ceil(2 * size / slide) + 1  # as printed, for any binary tree
    assert room <= 2 * least


def test_table_1_an_append_to_the_eager_store_climbs_all_levels() -> None:
    meter = Meter()
    store, windows, slide = InOrderEagerStore(meter.watch(FREE)), 8, 2
    for name in range(windows - 1):
        store.append(name, (name,))
    before = meter.combines
    store.append(windows, (windows,))
    path = meter.combines - before
    assert path == log2(windows)
    assert path / slide + 1 > (log2(windows) - 1) / slide + 1  # the second as printed


@pytest.mark.parametrize(("size", "slide", "pairs"), [(10, 3, 7), (10, 5, 2), (12, 4, 3)])
def test_table_1_pairs_need_no_more_than_cutty_where_the_slide_divides_the_range(
    size: int, slide: int, pairs: int
) -> None:
    most: list[int] = []
    for technique in (PAIRS, CUTTY_LAZY):
        running = InOrderSlicer(technique, IN_ORDER)
        running.add(Query("q", Sliding(size, slide), WORDS))
        held: list[int] = []
        for time in range(60):
            running.step([Event(time, Letter(0, time))])
            held.append(running.slice_count())
        most.append(max(held))
    assert most == [pairs, ceil(size / slide)]
    assert (pairs == most[1]) == (size % slide == 0)
