"""An aggregate that returns nonsense is named with the event; the operator continues without it.

The bad event begins a slice, with which nothing has been combined yet, or comes to one that
is there, perhaps late.
"""

import operator as arithmetic
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import pytest

from muntin.conformance.output_comparison import response_difference
from muntin.optimized.common import user_code
from muntin.optimized.common.user_code import check_combinable
from muntin.reference.specification import SpecificationOperator
from muntin.registry.implementations import OPERATORS, OperatorEntry
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

SLICERS = [
    entry for entry in OPERATORS if entry.name.startswith(("pan", "pair", "cutty", "scotty"))
]
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
    """A sum whose lift returns no number for the bad value."""

    def lift(value: int) -> int:
        return None if value == BAD else value  # type: ignore[return-value]  # the point

    return Aggregate("sum", lift, Monoid(0, add), int, True, "distributive").erase_types()  # noqa: FBT003


def is_supported(entry: OperatorEntry, settings: Settings, query: Query) -> bool:
    """Whether an operator supports a query."""
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
    queries = [
        query
        for kind in KINDS
        if is_supported(entry, settings, query := Query("q", kind, total(add)))
    ]
    for query in queries:
        for before in BEFORE if in_order else BEFORE + LATE:
            running, twin = entry.build(settings), SpecificationOperator(settings)
            for operator in (running, twin):
                operator.add(query)
                operator.take(Step(tuple(before)))
            bad = Event(2, BAD)
            for events in ((bad,), (Event(2, 8), bad), (bad, Event(9, 8))):
                with pytest.raises(UserCodeError, match="query 'q'") as caught:
                    running.take(Step(events))
                assert f"{bad}" in str(caught.value), query
            for step in [*(Step((event,), event.time - 1) for event in AFTER), Step((), END)]:
                assert not response_difference(twin.take(step), running.take(step)), query
    assert queries or not in_order


class Span(NamedTuple):
    """The first and the last value."""

    first: int
    last: int


def spans(nonsense: object) -> Aggregate[object, object, object]:
    """An aggregate whose combine gives back whatever meets None, and which lifts badly."""

    def lift(value: int) -> Span | None:
        return nonsense if value == BAD else Span(value, value)  # type: ignore[return-value]  # pyright: ignore[reportReturnType]  # the point

    def combine(left: Span | None, right: Span | None) -> Span | None:
        return Span(left.first, right.last) if left and right else left or right

    aggregate = Aggregate("span", lift, Monoid(None, combine), str, False, "algebraic")  # noqa: FBT003
    return aggregate.erase_types()


@pytest.mark.parametrize("nonsense", ["x", 7, (1,)])
@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("entry", SLICERS, ids=lambda entry: entry.name)
def test_nonsense_that_an_identity_would_let_pass_is_named_with_its_event(
    entry: OperatorEntry,
    in_order: bool,  # noqa: FBT001 - a column of the table
    nonsense: object,
) -> None:
    settings = Settings(3, in_order=in_order)
    queries = [Query("q", kind, spans(nonsense)) for kind in KINDS]
    for query in [query for query in queries if is_supported(entry, settings, query)]:
        running, twin = entry.build(settings), SpecificationOperator(settings)
        for operator in (running, twin):
            operator.add(query)
        with pytest.raises(UserCodeError, match="query 'q', Event"):
            running.take(Step((Event(2, BAD),)))
        for step in [*(Step((event,), event.time - 1) for event in AFTER), Step((), END)]:
            assert not response_difference(twin.take(step), running.take(step)), query


def test_a_combine_that_takes_no_event_twice_is_right() -> None:
    def combine(left: str | None, right: str | None) -> str | None:
        if left is None or right is None:
            return left or right
        if set(left) & set(right):
            raise ValueError
        return left + right

    assert check_combinable(Monoid(None, combine), "x") == "x"


def capped(nothing: object) -> Aggregate[object, object, object]:
    """A sum whose combine forgets to return a number above a hundred."""

    def combine(left: int, right: int) -> int:
        return left + right if left + right <= 100 else nothing  # type: ignore[return-value]  # pyright: ignore[reportReturnType]  # the point

    aggregate = Aggregate("sum", int, Monoid(0, combine), int, True, "distributive")  # noqa: FBT003
    return aggregate.erase_types()


class Trial:
    """An operator with a query that cannot be combined, and a query of a sum."""

    def __init__(self, entry: OperatorEntry, settings: Settings, query: Query) -> None:
        """Register both; the denotation has both too, and another one has the sum alone."""
        self.running = entry.build(settings)
        self.both, self.alone = SpecificationOperator(settings), SpecificationOperator(settings)
        for operator in (self.running, self.both, self.alone):
            operator.add(Query("sound", tumbling(4), total(arithmetic.add)))
        for operator in (self.running, self.both):
            operator.add(query)

    def check_next_steps(self) -> None:
        """Check that the next results are those without the refused event."""
        for step in [*(Step((event,), event.time - 1) for event in AFTER), Step((), END)]:
            assert not response_difference(self.both.take(step), self.running.take(step))

    def check_end(self, bad: Event) -> None:
        """Check that the end is correct, or refused by name; then the other query continues."""
        self.alone.take(Step((bad,)))
        output = self.answer(Step((), END))
        if isinstance(output, str):
            places = (f"{bad}", "the window [", "the events up to")
            assert any(f"query 'q', {place}" in output for place in places), output
            self.running.remove("q")
            expected = self.alone.take(Step((), END))
            assert not response_difference(expected, self.answer(Step((), END)))
        else:
            self.both.take(Step((bad,)))
            assert not response_difference(self.both.take(Step((), END)), output)

    def answer(self, step: Step) -> Output | str:
        """The output of the operator, or why it refuses a step."""
        try:
            return self.running.take(step)
        except UserCodeError as error:
            return str(error)


AT_ONCE = [tumbling(5), Landmark(0, 6), Session(2)]
"""Windows of time whose slices the bad event joins."""


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
    for query in [query for query in queries if is_supported(entry, settings, query)]:
        for before in BEFORE[1:] if in_order else BEFORE[1:] + LATE:
            trial = Trial(entry, settings, query)
            for operator in (trial.running, trial.both, trial.alone):
                operator.take(Step(tuple(before)))
            output = trial.answer(Step((bad,)))
            if isinstance(output, str):
                assert f"query 'q', {bad}" in output
                trial.check_next_steps()
            else:
                assert query.window not in AT_ONCE
                trial.check_end(bad)


def test_the_memory_of_checked_combines_is_bounded() -> None:
    for _ in range(2 * user_code.MAX_KNOWN_COMBINES):
        check_combinable(Monoid(0, lambda a, b: a + b), 7)
        assert len(user_code.KNOWN_COMBINES) <= user_code.MAX_KNOWN_COMBINES


def test_a_type_that_one_combine_takes_is_tried_on_another() -> None:
    texts = Monoid("", lambda left, right: left + right)
    numbers = total(arithmetic.add).monoid
    assert check_combinable(texts, "x") == "x"
    for _ in range(2):
        with pytest.raises(TypeError):
            check_combinable(numbers, "x")
