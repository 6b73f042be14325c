"""An aggregate that returns nonsense is named with the event, and the operator goes on without it.

The bad event begins a slice, with which nothing has been combined yet, or comes to one that
is there, perhaps late.
"""

import operator as arithmetic
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import pytest

from muntin.optimized.common import user_code as trying
from muntin.optimized.common.user_code import check_combinable
from muntin.reference.specification import SpecificationOperator
from muntin.registry.implementations import OperatorEntry
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.errors import UnsupportedError, UserCodeError
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import State, Threshold
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.periodic import Landmark, Sliding, count, tumbling
from muntin.spec.windows.window import WindowType
from support.contenders import OPERATORS

SLICERS = [one for one in OPERATORS if one.name.startswith(("pan", "pair", "cutty", "scotty"))]
BAD = 13
KINDS: list[WindowType] = [
    *(tumbling(5), Sliding(7, 3), Landmark(0, 6), Session(2), Session(2, COUNT), count(3)),
    *(Punctuation(), State(), Threshold(0), Rolling(4), LastNEvery(2, 5)),
]
BEFORE: list[list[Event]] = [[], [Event(1, 4)], [Event(1, 4), Event(2, 3)]]
LATE = [
    [Event(1, 4), Event(6, 3)],
    [Event(0, 1), Event(1, 4), Event(6, 3), Event(7, 2), Event(8, 2)],
]
"""Behind these, the bad event is late."""
AFTER = [Event(2, 5), Event(3, 6), Event(7, 6), Event(9, 1, punctuation=True), Event(20, 2)]
ADDITIONS: list[Callable[[int, int], int]] = [int.__add__, arithmetic.add]
"""The first returns NotImplemented where the second raises."""


def total(add: Callable[[int, int], int]) -> Aggregate[object, object, object]:
    """Return a sum of which the lift fails to give a number at the bad value."""

    def lift(value: int) -> int:
        return None if value == BAD else value  # type: ignore[return-value]  # the point

    return Aggregate("sum", lift, Monoid(0, add), int, True, "distributive").erase_types()  # noqa: FBT003


def taken(entry: OperatorEntry, settings: Settings, query: Query) -> bool:
    """Whether an operator serves a query."""
    with suppress(UnsupportedError):
        entry.build(settings).add(query)
        return True
    return False


@pytest.mark.parametrize("add", ADDITIONS, ids=["NotImplemented", "TypeError"])
@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("entry", SLICERS, ids=lambda entry: entry.name)
def test_a_lift_that_returns_nonsense_is_named_and_leaves_no_trace(
    entry: OperatorEntry,
    in_order: bool,  # noqa: FBT001 - a column of the table
    add: Callable[[int, int], int],
) -> None:
    settings = Settings(3, in_order=in_order)
    asked = [
        query for kind in KINDS if taken(entry, settings, query := Query("q", kind, total(add)))
    ]
    for query in asked:
        for before in BEFORE if in_order else BEFORE + LATE:
            running, twin = entry.build(settings), SpecificationOperator(settings)
            for one in (running, twin):
                one.add(query)
                one.take(Step(tuple(before)))
            bad = Event(2, BAD)
            for events in ((bad,), (Event(2, 8), bad), (bad, Event(9, 8))):
                with pytest.raises(UserCodeError, match="query 'q'") as caught:
                    running.take(Step(events))
                assert f"{bad}" in str(caught.value), query
            for step in [*(Step((event,), event.time - 1) for event in AFTER), Step((), END)]:
                assert running.take(step) == twin.take(step), query
    assert asked or not in_order


class Span(NamedTuple):
    """The first and the last value."""

    first: int
    last: int


def spans(nonsense: object) -> Aggregate[object, object, object]:
    """Return an aggregate whose combine gives back whatever meets None, and which lifts badly."""

    def lift(value: int) -> Span | None:
        return nonsense if value == BAD else Span(value, value)  # type: ignore[return-value]  # pyright: ignore[reportReturnType]  # the point

    def combine(left: Span | None, right: Span | None) -> Span | None:
        return Span(left.first, right.last) if left and right else left or right

    whole = Aggregate("span", lift, Monoid(None, combine), str, False, "algebraic")  # noqa: FBT003
    return whole.erase_types()


@pytest.mark.parametrize("nonsense", ["x", 7, (1,)])
@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("entry", SLICERS, ids=lambda entry: entry.name)
def test_nonsense_that_an_identity_would_let_pass_is_named_with_its_event(
    entry: OperatorEntry,
    in_order: bool,  # noqa: FBT001 - a column of the table
    nonsense: object,
) -> None:
    settings = Settings(3, in_order=in_order)
    asked = [Query("q", kind, spans(nonsense)) for kind in KINDS]
    for query in [query for query in asked if taken(entry, settings, query)]:
        running, twin = entry.build(settings), SpecificationOperator(settings)
        for one in (running, twin):
            one.add(query)
        with pytest.raises(UserCodeError, match="query 'q', Event"):
            running.take(Step((Event(2, BAD),)))
        for step in [*(Step((event,), event.time - 1) for event in AFTER), Step((), END)]:
            assert running.take(step) == twin.take(step), query


def test_a_combine_that_takes_no_event_twice_is_right() -> None:
    def combine(left: str | None, right: str | None) -> str | None:
        if left is None or right is None:
            return left or right
        if set(left) & set(right):
            raise ValueError
        return left + right

    assert check_combinable(Monoid(None, combine), "x") == "x"


def capped(nothing: object) -> Aggregate[object, object, object]:
    """Return a sum whose combine forgets to return a number above a hundred."""

    def combine(left: int, right: int) -> int:
        return left + right if left + right <= 100 else nothing  # type: ignore[return-value]  # pyright: ignore[reportReturnType]  # the point

    whole = Aggregate("sum", int, Monoid(0, combine), int, True, "distributive")  # noqa: FBT003
    return whole.erase_types()


class Trial:
    """An operator that is asked for what can't be combined, and beside it for a sum."""

    def __init__(self, entry: OperatorEntry, settings: Settings, query: Query) -> None:
        """Ask it; the denotation is asked for both too, and, apart, for the sum alone."""
        self.running = entry.build(settings)
        self.both, self.alone = SpecificationOperator(settings), SpecificationOperator(settings)
        for one in (self.running, self.both, self.alone):
            one.add(Query("sound", tumbling(4), total(arithmetic.add)))
        for one in (self.running, self.both):
            one.add(query)

    def goes_on(self) -> None:
        """Check that what follows is answered as if what was refused had not come."""
        for step in [*(Step((event,), event.time - 1) for event in AFTER), Step((), END)]:
            assert self.running.take(step) == self.both.take(step)

    def tells_or_names(self, bad: Event) -> None:
        """Check that the end is told aright, or refused by name; then the other query goes on."""
        self.alone.take(Step((bad,)))
        told = self.answer(Step((), END))
        if isinstance(told, str):
            places = (f"{bad}", "the window [", "the events up to")
            assert any(f"query 'q', {place}" in told for place in places), told
            self.running.remove("q")
            assert self.answer(Step((), END)) == self.alone.take(Step((), END))
        else:
            self.both.take(Step((bad,)))
            assert told == self.both.take(Step((), END))

    def answer(self, step: Step) -> Output | str:
        """Return what the operator tells, or why it refuses a step."""
        try:
            return self.running.take(step)
        except UserCodeError as error:
            return str(error)


AT_ONCE = [tumbling(5), Landmark(0, 6), Session(2)]
"""Windows in time of which the bad event joins a slice."""


@pytest.mark.parametrize("nothing", [None, NotImplemented])
@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("entry", SLICERS, ids=lambda entry: entry.name)
def test_a_combine_that_returns_nonsense_is_named_and_leaves_no_trace(
    entry: OperatorEntry,
    in_order: bool,  # noqa: FBT001 - a column of the table
    nothing: object,
) -> None:
    settings, bad = Settings(3, in_order=in_order), Event(2, 99)
    queries = [Query("q", kind, capped(nothing)) for kind in KINDS]
    for query in [query for query in queries if taken(entry, settings, query)]:
        for before in BEFORE[1:] if in_order else BEFORE[1:] + LATE:
            trial = Trial(entry, settings, query)
            for one in (trial.running, trial.both, trial.alone):
                one.take(Step(tuple(before)))
            told = trial.answer(Step((bad,)))
            if isinstance(told, str):
                assert f"query 'q', {bad}" in told
                trial.goes_on()
            else:
                assert query.window not in AT_ONCE
                trial.tells_or_names(bad)


def test_what_was_tried_is_not_remembered_without_end() -> None:
    for _ in range(2 * trying.MOST):
        check_combinable(Monoid(0, lambda a, b: a + b), 7)
        assert len(trying.KNOWN_COMBINES) <= trying.MOST


def test_a_type_that_one_combine_takes_is_tried_on_another() -> None:
    texts = Monoid("", lambda left, right: left + right)
    numbers = total(arithmetic.add).monoid
    assert check_combinable(texts, "x") == "x"
    for _ in range(2):
        with pytest.raises(TypeError):
            check_combinable(numbers, "x")
