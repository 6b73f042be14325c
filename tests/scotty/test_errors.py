"""An error names the query and the event, and leaves the operator as it was."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import pytest

from muntin.conformance.machines.random_choices import WORDS, Letter
from muntin.conformance.output_comparison import response_difference
from muntin.optimized.in_order.operator import InOrderSlicer
from muntin.optimized.in_order.technique import CUTTY_LAZY
from muntin.optimized.scotty.groups.time_group import TimeGroup
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.slices.aggregate_store import (
    BuildStore,
    LazyStore,
    fiba_store,
    flatfat_store,
)
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import FREE, Monoid
from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError, MuntinError, UserCodeError
from muntin.spec.operator import Operator
from muntin.spec.query import Mode, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Punctuation, Rolling, Session
from muntin.spec.windows.frames import Delta
from muntin.spec.windows.measure import TIME, Measure
from muntin.spec.windows.periodic import count, tumbling
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import WindowType

BAD = "bad"


def lift_letter(value: object) -> tuple[int, ...]:
    return (value.letter,) if isinstance(value, Letter) else (0,)


def failing_lift(value: object) -> tuple[int, ...]:
    if value == BAD:
        raise ZeroDivisionError
    return lift_letter(value)


def lift_none(value: object) -> tuple[int, ...]:
    return None if value == BAD else lift_letter(value)  # type: ignore[return-value]  # the point


def lift_poison(value: object) -> tuple[int, ...]:
    return (-1,) if value == BAD else lift_letter(value)


def failing_combine(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    if -1 in left + right:
        raise LookupError
    return left + right


def failing_lower(letters: tuple[int, ...]) -> object:
    if -1 in letters:
        raise LookupError
    return letters


def aggregate_of(
    lift: Callable[[object], tuple[int, ...]] = lift_letter,
    combine: Callable[[tuple[int, ...], tuple[int, ...]], tuple[int, ...]] = FREE.combine,
    lower: Callable[[tuple[int, ...]], object] = tuple,
) -> Aggregate[object, object, object]:
    monoid = Monoid[tuple[int, ...]]((), combine)
    return Aggregate("word", lift, monoid, lower, commutative=False, kind="holistic").erase_types()


def failing_machine(state: object, event: Event) -> tuple[object, int, int]:
    if event.value == BAD:
        raise ZeroDivisionError
    return state, 1, 0


def fractional_machine(state: object, event: Event) -> tuple[object, int, int]:
    return state, 1, 0.5 if event.value == BAD else 0  # type: ignore[return-value]  # the point


def ending_machine(state: object, event: Event) -> tuple[object, int, int]:
    return state, 0, int(event.value == BAD)


def failing_mark(event: Event) -> bool:
    if event.value == BAD:
        raise ZeroDivisionError
    return event.punctuation


def falling_measure(event: Event) -> int:
    return -1000 if event.value == BAD else event.time


def failing_measure(event: Event) -> int:
    if event.value == BAD:
        raise ZeroDivisionError
    return event.time


def text_measure(event: Event) -> int:
    return "far" if event.value == BAD else event.time  # type: ignore[return-value]  # the point


class Fault(NamedTuple):
    """A query that fails at the bad event, and the message."""

    name: str
    window: WindowType
    aggregate: Aggregate[object, object, object]
    error: type[MuntinError]
    message: str


FAULTS = [
    Fault("lift raises", tumbling(5), aggregate_of(failing_lift), UserCodeError, "ZeroDivision"),
    Fault(
        "lift raises, session",
        Session(5),
        aggregate_of(failing_lift),
        UserCodeError,
        "raised ZeroDivisionError",
    ),
    Fault(
        "lift raises, count", count(2), aggregate_of(failing_lift), UserCodeError, "ZeroDivision"
    ),
    Fault(
        "lift returns nonsense", tumbling(5), aggregate_of(lift_none), UserCodeError, "TypeError"
    ),
    Fault(
        "lift returns nonsense, count",
        count(3),
        aggregate_of(lift_none),
        UserCodeError,
        "TypeError",
    ),
    Fault(
        "combine raises",
        tumbling(5),
        aggregate_of(lift_poison, failing_combine),
        UserCodeError,
        "LookupError",
    ),
    Fault(
        "combine raises, count",
        count(3),
        aggregate_of(lift_poison, failing_combine),
        UserCodeError,
        "LookupError",
    ),
    Fault(
        "machine raises",
        UserWindow(failing_machine, TIME),
        aggregate_of(),
        UserCodeError,
        "ZeroDivision",
    ),
    Fault(
        "machine, half a count",
        UserWindow(fractional_machine),
        aggregate_of(),
        UserCodeError,
        "integer, not 0.5",
    ),
    Fault(
        "machine ends too much",
        UserWindow(ending_machine),
        aggregate_of(),
        UserCodeError,
        "not begun",
    ),
    Fault(
        "trigger raises",
        UserTrigger(failing_machine),
        aggregate_of(),
        UserCodeError,
        "ZeroDivision",
    ),
    Fault("marks raise", Punctuation(failing_mark), aggregate_of(), UserCodeError, "ZeroDivision"),
    Fault(
        "no number", Delta(1), aggregate_of(), InvalidInputError, "a frame needs numbers, not 'bad'"
    ),
    Fault(
        "measure falls",
        tumbling(5, 0, Measure("km", falling_measure)),
        aggregate_of(),
        InvalidInputError,
        "measure 'km' falls from 8 to -1000",
    ),
    Fault(
        "measure raises",
        tumbling(5, 0, Measure("km", failing_measure)),
        aggregate_of(),
        UserCodeError,
        "measure 'km'",
    ),
    Fault(
        "measure is no number",
        Session(5, Measure("km", text_measure)),
        aggregate_of(),
        InvalidInputError,
        "measure 'km' at .* must be an integer, not 'far'",
    ),
]


DETECTED_AT_OUTPUT = {"lift returns nonsense, count", "combine raises, count"}
"""Faults that appear only when windows are computed or folded, from many events."""


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
@pytest.mark.parametrize("output", ["accumulate-retract", "discard"])
def test_an_error_names_the_query_and_the_event_and_changes_nothing(
    fault: Fault, output: Mode
) -> None:
    settings = Settings(100, output)
    operator, twin = Scotty(settings), Scotty(settings)
    for target in (operator, twin):
        target.add(Query("sound", tumbling(4), aggregate_of()))
        target.add(Query("faulty", fault.window, fault.aggregate))
        target.step([Event(8, Letter(1, 1)), Event(3, Letter(1, 2), "k")], 2)
    bad = Event(9, BAD)
    with pytest.raises(fault.error, match=fault.message) as caught:
        operator.step([Event(7, Letter(1, 3)), Event(1, Letter(1, 4), "new"), bad], 40)
    assert "query 'faulty'" in str(caught.value)
    assert fault.name in DETECTED_AT_OUTPUT or f"{bad}" in str(caught.value)
    sound = operator.groups[0]
    assert isinstance(sound, TimeGroup)
    assert [*sound.key_states] == [None, "k"]
    late = [Event(8, Letter(1, 5)), Event(6, Letter(1, 6), "k"), Event(1, Letter(1, 7), "new")]
    after = [Event(9, Letter(1, 8)), *late]
    for step in (Step(tuple(after), 5), Step((), 50), Step((), END)):
        assert not response_difference(twin.take(step), operator.take(step))


@pytest.mark.parametrize(
    "build", [LazyStore, flatfat_store, fiba_store], ids=lambda build: build.__name__
)
def test_a_lower_that_raises_names_the_window(build: BuildStore) -> None:
    operator, twin = Scotty(Settings(), build), Scotty(Settings(), build)
    for target in (operator, twin):
        target.add(Query("faulty", tumbling(5), aggregate_of(lift_poison, lower=failing_lower)))
        target.step([Event(1, Letter(1, 1)), Event(7, Letter(1, 2))])
    with pytest.raises(UserCodeError, match=r"query 'faulty', the window \[5, 10\): raised Lookup"):
        operator.step([Event(8, BAD)], 20)
    step = Step((), 20)
    assert not response_difference(twin.take(step), operator.take(step))


def test_a_broken_promise_of_order_names_both_times() -> None:
    operator, twin = Scotty(Settings(in_order=True)), Scotty(Settings(in_order=True))
    for target in (operator, twin):
        target.add(Query("q", tumbling(5), WORDS))
        target.step([Event(7, Letter(1, 1))])
    with pytest.raises(InvalidInputError, match="declared in order, but time 8 follows 9"):
        operator.step([Event(9, Letter(1, 2)), Event(8, Letter(1, 3))])
    with pytest.raises(InvalidInputError, match="declared in order, but time 6 follows 7"):
        operator.step([Event(6, Letter(1, 2))])
    step = Step((Event(9, Letter(1, 4)), Event(12, Letter(1, 5))))
    assert not response_difference(twin.take(step), operator.take(step))


HELD_BACK = Settings(10, dialect=Dialect(late_update="next_watermark"))


@pytest.mark.parametrize("settings", [Settings(10), HELD_BACK], ids=["at once", "held back"])
@pytest.mark.parametrize(
    "window",
    [Rolling(5), Punctuation(), Delta(1), tumbling(9, measure=Measure("km", falling_measure))],
)
def test_a_step_that_fails_loses_nothing_of_the_steps_before(
    window: WindowType, settings: Settings
) -> None:
    operator, twin = Scotty(settings), SpecificationOperator(settings)
    for target in (operator, twin):
        target.add(Query("q", window, aggregate_of(failing_lift)))
        target.step([Event(0, 1)], 4)
        target.step([Event(9, 2)])  # ahead of the watermark: it can wait
    with pytest.raises(MuntinError):
        operator.step([Event(4, 4), Event(7, 8), Event(8, BAD)])
    for step in (Step((Event(8, 30),)), Step((), 12), Step((Event(20, 0),), 40), Step((), END)):
        assert not response_difference(twin.take(step), operator.take(step))


NO_QUERIES: list[tuple[Query, str]] = [
    (3, "takes a Query, not 3"),  # type: ignore[list-item]  # pyright: ignore[reportAssignmentType]  # the point
    (Query("q", None, WORDS), "query 'q': its window must be a WindowType, not None"),  # type: ignore[arg-type]  # the point
    (Query("q", tumbling(3), 5), "query 'q': its aggregate must be an Aggregate, not 5"),  # type: ignore[arg-type]  # the point
    (Query(5, tumbling(3), WORDS), "query 5: its name must be a text, not 5"),  # type: ignore[arg-type]  # the point
]


@pytest.mark.parametrize(("query", "message"), NO_QUERIES)
@pytest.mark.parametrize("build", [Scotty, partial(InOrderSlicer, CUTTY_LAZY)])
def test_an_object_that_is_no_query_is_refused(
    build: Callable[[Settings], Operator], query: Query, message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        build(Settings(in_order=True)).add(query)


def test_queries_that_conflict_are_refused_by_name() -> None:
    operator = Scotty()
    operator.add(Query("q", tumbling(5), WORDS))
    with pytest.raises(InvalidInputError, match="there is a query 'q' already; remove it first"):
        operator.add(Query("q", Session(5), WORDS))
    with pytest.raises(InvalidInputError, match="there is no query 'r' to remove"):
        operator.remove("r")
    assert operator.explain().count("query ") == 1
