"""FIFO structures, exhausted up to a small scope, and what the machine cannot reach: errors."""

from collections.abc import Callable
from contextlib import suppress

import pytest

from muntin.optimized.fifo.daba import Daba
from muntin.optimized.fifo.daba_lite import DabaLite
from muntin.optimized.fifo.two_stacks import TwoStacks
from muntin.optimized.fifo.two_stacks_lite import TwoStacksLite
from muntin.reference.subtract_on_evict import SubtractOnEvict
from muntin.spec.algebra.monoid import FREE, Monoid, Word
from muntin.spec.errors import EmptyWindowError
from muntin.spec.structure import Fifo
from support.histories import histories

Build = Callable[[Monoid[Word]], Fifo[Word]]

PURE: list[Build] = [TwoStacks, TwoStacksLite, Daba, DabaLite]

each_structure = pytest.mark.parametrize("build", PURE, ids=["two", "two-lite", "daba", "lite"])


def replay(fifo: Fifo[Word], history: str) -> list[Word]:
    """Make the calls, and return the window that they leave."""
    window = list[Word]()
    for letter, call in enumerate(history):
        make(fifo, window, call, letter)
    return window


def make(fifo: Fifo[Word], window: list[Word], call: str, letter: int) -> None:
    """Make one call on both sides."""
    if call == "+":
        fifo.insert((letter,))
        window.append((letter,))
    else:
        fifo.evict()
        window.pop(0)


def assert_stands_for(fifo: Fifo[Word], window: list[Word]) -> None:
    """Compare the results, then each fact of the relation."""
    assert fifo.query() == FREE.fold(window)
    assert len(fifo) == len(window)
    assert [fact for fact, holds in fifo.invariants(window) if not holds] == []


@pytest.mark.parametrize(
    "build", [*PURE, SubtractOnEvict], ids=["two", "two-lite", "daba", "lite", "subtract"]
)
def test_every_history_of_at_most_fifteen_calls_keeps_the_relation(build: Build) -> None:
    for history in histories(15):
        fifo = build(FREE)
        assert_stands_for(fifo, replay(fifo, history))


@pytest.mark.parametrize("build", [*PURE, SubtractOnEvict], ids=str)
@pytest.mark.parametrize("history", ["", "+-", "+++---", "++-+--"])
def test_evicting_from_an_empty_window_is_refused_and_changes_nothing(
    build: Build, history: str
) -> None:
    fifo = build(FREE)
    window = replay(fifo, history)
    with pytest.raises(EmptyWindowError, match="evict: the window is empty"):
        fifo.evict()
    assert_stands_for(fifo, window)


class UserBugError(Exception):
    """What a user's combine raises."""


class FailingMonoid:
    """A combine that raises after `calls_left` more calls; never, if the number is negative."""

    def __init__(self) -> None:
        self.calls_left = -1
        self.monoid: Monoid[Word] = Monoid((), self.combine)

    def combine(self, left: Word, right: Word) -> Word:
        if self.calls_left == 0:
            raise UserBugError
        self.calls_left -= 1
        return left + right


@each_structure
@pytest.mark.parametrize("call", "+-")
@pytest.mark.parametrize("calls_left", range(4))
@pytest.mark.parametrize("then", ["", "+", "-", "+-++"])
def test_a_combine_that_raises_leaves_the_window_as_it_was(
    build: Build, call: str, calls_left: int, then: str
) -> None:
    for history in histories(9):
        fuse = FailingMonoid()
        fifo = build(fuse.monoid)
        window = replay(fifo, history)
        fuse.calls_left = calls_left
        with suppress(UserBugError, EmptyWindowError):
            make(fifo, window, call, 100)
        fuse.calls_left = -1
        assert len(fifo) == len(window)
        for letter, more in enumerate(then if window else then.lstrip("-"), start=200):
            make(fifo, window, more, letter)
        assert_stands_for(fifo, window)
