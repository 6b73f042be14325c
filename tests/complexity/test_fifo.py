"""What FIFO structures cost: each bound is kept over long runs, and attained."""

import random
import sys
from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain, islice, repeat
from types import FrameType
from typing import NamedTuple
from weakref import WeakSet

import pytest

from muntin.optimized.daba import Daba
from muntin.optimized.daba_lite import DabaLite
from muntin.optimized.two_stacks import TwoStacks
from muntin.optimized.two_stacks_lite import TwoStacksLite
from muntin.spec.cost import Meter, Operation
from muntin.spec.monoid import Monoid
from muntin.spec.structure import Fifo

Line = tuple[int, int]
"""A straight line x -> slope * x + height, modulo a prime: small, and its order matters."""

Build = Callable[[Monoid[Line]], Fifo[Line]]


class Kept(NamedTuple):
    """How much a structure holds."""

    items: int
    partials: int


COSTS: tuple[str, ...] = ("insert", "evict", "query")
PRIME = 1_000_003
CALLS = 20_000


def _after(first: Line, second: Line) -> Line:
    return first[0] * second[0] % PRIME, (first[1] * second[0] + second[1]) % PRIME


LINES: Monoid[Line] = Monoid((1, 0), _after)


def steady(size: int) -> Iterator[str]:
    """Fill the window, then keep its size."""
    return chain(repeat("insert", size), *repeat(("evict", "insert"), (CALLS - size) // 2))


def growing() -> Iterator[str]:
    """Two in, one out."""
    return chain.from_iterable(repeat(("insert", "insert", "evict"), CALLS // 3))


def shrinking() -> Iterator[str]:
    """Fill, then two out, one in, until nothing is left."""
    half = CALLS * 2 // 5
    return chain(repeat("insert", half), *repeat(("evict", "evict", "insert"), half))


def bursty(seed: int) -> Iterator[str]:
    """Runs of inserts, and runs of evicts, of any length."""
    rng = random.Random(seed)  # noqa: S311 reproducible, not secret
    return chain.from_iterable(
        repeat(rng.choice(["insert", "evict"]), rng.randrange(300)) for _ in range(CALLS // 150)
    )


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
    """Return the greatest number of combines of any one call, by its name; check some answers."""
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
        """Return how many lines the call runs."""
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
@pytest.mark.parametrize("size", [10, 100, 1000])
def test_a_single_evict_of_two_stacks_costs_as_much_as_the_window_is_long(
    build: Build, size: int
) -> None:
    assert worst_costs(build, steady(size)) == {"insert": 1, "evict": size, "query": 1}


class Partial:
    """A value that can be seen to live, and that lets nobody look inside."""

    def __bool__(self) -> bool:
        raise TypeError("values are opaque")

    def __eq__(self, _: object) -> bool:
        raise TypeError("values are opaque")

    __hash__ = object.__hash__


def kept(build: Callable[[Monoid[Partial]], Fifo[Partial]], history: Iterator[str]) -> list[Kept]:
    """Return how many items are in the window after each call, and how many partials live."""
    alive = WeakSet[Partial]()

    def partial(*_: Partial) -> Partial:
        made = Partial()
        alive.add(made)
        return made

    fifo = build(Monoid(Partial(), partial))
    after = list[Kept]()
    for name in history:
        if name == "insert":
            fifo.insert(partial())
        elif len(fifo):
            fifo.evict()
        fifo.query()
        after.append(Kept(len(fifo), len(alive)))
    return after


SMALL_HISTORIES = [lambda: steady(100), lambda: islice(growing(), 3000), lambda: bursty(3)]


@pytest.mark.parametrize("history", SMALL_HISTORIES, ids=["steady", "growing", "bursty"])
@pytest.mark.parametrize(
    ("build", "more"), [(TwoStacksLite, 1), (DabaLite, 2)], ids=["two-lite", "daba-lite"]
)
def test_lite_forms_keep_one_partial_an_item_and_few_more(
    build: Callable[[Monoid[Partial]], Fifo[Partial]],
    more: int,
    history: Callable[[], Iterator[str]],
) -> None:
    assert max(partials - items for items, partials in kept(build, history())) == more


@pytest.mark.parametrize(
    ("build", "ratio"), [(TwoStacks, 2), (Daba, 1.5)], ids=["two-stacks", "daba"]
)
def test_the_other_forms_keep_more(
    build: Callable[[Monoid[Partial]], Fifo[Partial]], ratio: float
) -> None:
    after = kept(build, islice(growing(), 3000))
    assert all(partials <= ratio * items for items, partials in after)
    assert max(partials / items for items, partials in after if items > 100) > 0.95 * ratio
