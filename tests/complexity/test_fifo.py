"""What FIFO structures cost: each bound is kept over long runs, and attained."""

import random
import sys
from collections import deque
from collections.abc import Callable, Iterator
from types import FrameType

import pytest

from muntin.optimized.fifo.daba import Daba
from muntin.optimized.fifo.daba_lite import DabaLite
from muntin.optimized.fifo.two_stacks import TwoStacks
from muntin.optimized.fifo.two_stacks_lite import TwoStacksLite
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Meter, Operation
from muntin.spec.structure import Fifo
from support.histories import bursty, call_names, growing, longest_histories, shrinking, steady

Line = tuple[int, int]
"""A straight line x -> slope * x + height, modulo a prime: small, and its order matters."""

Build = Callable[[Monoid[Line]], Fifo[Line]]

COSTS: tuple[str, ...] = ("insert", "evict", "query")
PRIME = 1_000_003


def _after(first: Line, second: Line) -> Line:
    return first[0] * second[0] % PRIME, (first[1] * second[0] + second[1]) % PRIME


LINES: Monoid[Line] = Monoid((1, 0), _after)


HISTORIES = {
    "steady 1": lambda: steady(1),
    "steady 7": lambda: steady(7),
    "steady 64": lambda: steady(64),
    "steady 1000": lambda: steady(1000),
    "steady 10000": lambda: steady(10_000),
    "growing": growing,
    "shrinking": shrinking,
    "bursty": lambda: bursty(7),
}
each_history = pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES.keys())


def worst_costs(build: Build, history: Iterator[str]) -> dict[str, int]:
    """The greatest number of combines of any one call, by its name; check some answers."""
    meter = Meter()
    fifo, window, rng = build(meter.watch(LINES)), deque[Line](), random.Random(1)  # noqa: S311
    worst = dict.fromkeys(COSTS, 0)

    def charge(name: str, before: int) -> None:
        worst[name] = max(worst[name], meter.combines - before)

    for number, name in enumerate(history):
        before = meter.combines
        if name == "insert":
            item = rng.randrange(1, PRIME), rng.randrange(PRIME)
            window.append(item)
            fifo.insert(item)
        elif window:
            window.popleft()
            fifo.evict()
        charge(name, before)
        before = meter.combines
        total = fifo.query()
        charge("query", before)
        assert number % 1000 or total == LINES.fold(window)
    assert len(fifo) == len(window)
    return worst


@each_history
@pytest.mark.parametrize(
    ("build", "claimed"),
    [
        (Daba, {"insert": 4, "evict": 3, "query": 1}),
        (DabaLite, {"insert": 3, "evict": 2, "query": 1}),
    ],
    ids=["daba", "daba-lite"],
)
def test_no_single_call_costs_more_than_claimed_and_some_call_costs_that(
    build: Build, claimed: dict[str, int], history: Callable[[], Iterator[str]]
) -> None:
    worst = worst_costs(build, history())
    assert all(worst[name] <= claimed[name] for name in claimed)
    if history is not HISTORIES["steady 1"]:  # too small to have a left and a right
        assert worst == claimed


@pytest.mark.parametrize("build", [Daba, DabaLite], ids=["daba", "daba-lite"])
def test_the_claimed_constants_are_the_bound(build: type[Daba[Line] | DabaLite[Line]]) -> None:
    worst = worst_costs(build, bursty(1))
    for name, combines in worst.items():
        assert build.bound(Operation(name, size=10**9)).combines == combines


class LineCount:
    """A trace function that counts the lines of Python that are run."""

    def __init__(self) -> None:
        self.lines = 0

    def __call__(self, _: FrameType, event: str, __: object) -> "LineCount":
        self.lines += event == "line"
        return self

    def of(self, call: Callable[[], None]) -> int:
        """How many lines the call runs."""
        before, previous = self.lines, sys.gettrace()
        sys.settrace(self)
        try:
            call()
        finally:
            sys.settrace(previous)
        return self.lines - before


@pytest.mark.parametrize("build", [Daba, DabaLite], ids=["daba", "daba-lite"])
def test_not_only_combines_but_all_work_of_a_call_is_bounded(build: Build) -> None:
    def most_lines(size: int) -> int:
        fifo, count = build(LINES), LineCount()
        insert = [count.of(lambda: fifo.insert((2, 3))) for _ in range(size)]
        evict = [count.of(fifo.evict) for _ in range(size)]
        return max(insert + evict)

    assert most_lines(20) == most_lines(2_000)


amortised = pytest.mark.parametrize("build", [TwoStacks, TwoStacksLite], ids=["two", "two-lite"])


@amortised
@pytest.mark.parametrize("size", [1, 10, 1000])
def test_two_stacks_attain_their_amortised_bound(
    build: type[TwoStacks[Line] | TwoStacksLite[Line]], size: int
) -> None:
    meter = Meter()
    fifo = build(meter.watch(LINES))
    for _ in range(5):
        for _ in range(size):
            fifo.insert((2, 3))
        fifo.query()
        for _ in range(size):
            fifo.evict()
    bounds = {name: build.bound(Operation(name, size)).combines for name in COSTS}
    assert meter.combines == 5 * (size * (bounds["insert"] + bounds["evict"]) + bounds["query"])


@amortised
@each_history
def test_two_stacks_keep_their_amortised_bound(
    build: type[TwoStacks[Line] | TwoStacksLite[Line]], history: Callable[[], Iterator[str]]
) -> None:
    meter, allowed = Meter(), 0.0
    fifo = build(meter.watch(LINES))
    for name in history():
        if name == "insert":
            fifo.insert((2, 3))
        elif len(fifo):
            fifo.evict()
        allowed += build.bound(Operation(name, len(fifo))).combines
        assert meter.combines <= allowed


@amortised
def test_no_history_of_at_most_fifteen_calls_costs_more_than_claimed(
    build: type[TwoStacks[Line] | TwoStacksLite[Line]],
) -> None:
    attained = set[int]()
    for history in longest_histories(15):
        meter, allowed = Meter(), 0.0
        fifo = build(meter.watch(LINES))
        for name in call_names(history):
            if name == "insert":
                fifo.insert((2, 3))
            else:
                fifo.evict()
            allowed += build.bound(Operation(name, len(fifo))).combines
            assert meter.combines <= allowed, history
            attained |= {meter.combines} if meter.combines == allowed else set()
        before = meter.combines
        fifo.query()
        assert meter.combines - before <= build.bound(Operation("query", len(fifo))).combines
    assert max(attained) == 28  # fourteen inserts, and an evict that turns them all


@amortised
@pytest.mark.parametrize("size", [10, 100, 1000])
def test_a_single_evict_of_two_stacks_costs_as_much_as_the_window_is_long(
    build: Build, size: int
) -> None:
    assert worst_costs(build, steady(size)) == {"insert": 1, "evict": size, "query": 1}
