"""What goes wrong is said with the query and the event, and leaves the operator as it was."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import pytest

from muntin.conformance.machines.strategies import WORDS, Letter
from muntin.optimized.in_order.operator import InOrderSlicer
from muntin.optimized.in_order.technique import CUTTY_LAZY
from muntin.optimized.scotty.groups.time_group import TimeGroup
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.slices.aggregate_store import BuildStore, LazyStore, eager, fiba
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


def word(value: object) -> tuple[int, ...]:
    return (value.letter,) if isinstance(value, Letter) else (0,)


def refusing(value: object) -> tuple[int, ...]:
    if value == BAD:
        raise ZeroDivisionError
    return word(value)


def nonsense(value: object) -> tuple[int, ...]:
    return None if value == BAD else word(value)  # type: ignore[return-value]  # the point


def poison(value: object) -> tuple[int, ...]:
    return (-1,) if value == BAD else word(value)


def spitting(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    if -1 in left + right:
        raise LookupError
    return left + right


def lowering(whole: tuple[int, ...]) -> object:
    if -1 in whole:
        raise LookupError
    return whole


def of(
    lift: Callable[[object], tuple[int, ...]] = word,
    combine: Callable[[tuple[int, ...], tuple[int, ...]], tuple[int, ...]] = FREE.combine,
    lower: Callable[[tuple[int, ...]], object] = tuple,
) -> Aggregate[object, object, object]:
    monoid = Monoid[tuple[int, ...]]((), combine)
    return Aggregate("word", lift, monoid, lower, commutative=False, kind="holistic").erase_types()


def machine(state: object, event: Event) -> tuple[object, int, int]:
    if event.value == BAD:
        raise ZeroDivisionError
    return state, 1, 0


def half(state: object, event: Event) -> tuple[object, int, int]:
    return state, 1, 0.5 if event.value == BAD else 0  # type: ignore[return-value]  # the point


def ending(state: object, event: Event) -> tuple[object, int, int]:
    return state, 0, int(event.value == BAD)


def marking(event: Event) -> bool:
    if event.value == BAD:
        raise ZeroDivisionError
    return event.punctuation


def falling(event: Event) -> int:
    return -1000 if event.value == BAD else event.time


def broken(event: Event) -> int:
    if event.value == BAD:
        raise ZeroDivisionError
    return event.time


def no_number(event: Event) -> int:
    return "far" if event.value == BAD else event.time  # type: ignore[return-value]  # the point


class Fault(NamedTuple):
    """A query that fails at the bad event, and what is said then."""

    name: str
    window: WindowType
    aggregate: Aggregate[object, object, object]
    error: type[MuntinError]
    said: str


FAULTS = [
    Fault("lift raises", tumbling(5), of(refusing), UserCodeError, "ZeroDivision"),
    Fault(
        "lift raises, session", Session(5), of(refusing), UserCodeError, "raised ZeroDivisionError"
    ),
    Fault("lift raises, count", count(2), of(refusing), UserCodeError, "ZeroDivision"),
    Fault("lift returns nonsense", tumbling(5), of(nonsense), UserCodeError, "TypeError"),
    Fault("lift returns nonsense, count", count(3), of(nonsense), UserCodeError, "TypeError"),
    Fault("combine raises", tumbling(5), of(poison, spitting), UserCodeError, "LookupError"),
    Fault("combine raises, count", count(3), of(poison, spitting), UserCodeError, "LookupError"),
    Fault("machine raises", UserWindow(machine, TIME), of(), UserCodeError, "ZeroDivision"),
    Fault(
        "machine, half a count",
        UserWindow(half),
        of(),
        UserCodeError,
        "integer, not 0.5",
    ),
    Fault("machine ends too much", UserWindow(ending), of(), UserCodeError, "not begun"),
    Fault("trigger raises", UserTrigger(machine), of(), UserCodeError, "ZeroDivision"),
    Fault("marks raise", Punctuation(marking), of(), UserCodeError, "ZeroDivision"),
    Fault("no number", Delta(1), of(), InvalidInputError, "a frame needs numbers, not 'bad'"),
    Fault(
        "measure falls",
        tumbling(5, 0, Measure("km", falling)),
        of(),
        InvalidInputError,
        "measure 'km' falls from 8 to -1000",
    ),
    Fault(
        "measure raises", tumbling(5, 0, Measure("km", broken)), of(), UserCodeError, "measure 'km'"
    ),
    Fault(
        "measure is no number",
        Session(5, Measure("km", no_number)),
        of(),
        InvalidInputError,
        "measure 'km' at .* must be an integer, not 'far'",
    ),
]


WITH_THE_REPORT = {"lift returns nonsense, count", "combine raises, count"}
"""What is found out only when windows are looked for or folded: there are many events then."""


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
@pytest.mark.parametrize("output", ["accumulate-retract", "discard"])
def test_an_error_names_the_query_and_the_event_and_changes_nothing(
    fault: Fault, output: Mode
) -> None:
    settings = Settings(100, output)
    operator, twin = Scotty(settings), Scotty(settings)
    for one in (operator, twin):
        one.add(Query("sound", tumbling(4), of()))
        one.add(Query("faulty", fault.window, fault.aggregate))
        one.step([Event(8, Letter(1, 1)), Event(3, Letter(1, 2), "k")], 2)
    bad = Event(9, BAD)
    with pytest.raises(fault.error, match=fault.said) as caught:
        operator.step([Event(7, Letter(1, 3)), Event(1, Letter(1, 4), "new"), bad], 40)
    assert "query 'faulty'" in str(caught.value)
    assert fault.name in WITH_THE_REPORT or f"{bad}" in str(caught.value)
    sound = operator.groups[0]
    assert isinstance(sound, TimeGroup)
    assert [*sound.lanes] == [None, "k"]
    late = [Event(8, Letter(1, 5)), Event(6, Letter(1, 6), "k"), Event(1, Letter(1, 7), "new")]
    after = [Event(9, Letter(1, 8)), *late]
    for step in (Step(tuple(after), 5), Step((), 50), Step((), END)):
        assert operator.take(step) == twin.take(step)


@pytest.mark.parametrize("build", [LazyStore, eager, fiba], ids=lambda build: build.__name__)
def test_a_lower_that_raises_names_the_window(build: BuildStore) -> None:
    operator, twin = Scotty(Settings(), build), Scotty(Settings(), build)
    for one in (operator, twin):
        one.add(Query("faulty", tumbling(5), of(poison, lower=lowering)))
        one.step([Event(1, Letter(1, 1)), Event(7, Letter(1, 2))])
    with pytest.raises(UserCodeError, match=r"query 'faulty', the window \[5, 10\): raised Lookup"):
        operator.step([Event(8, BAD)], 20)
    step = Step((), 20)
    assert operator.take(step) == twin.take(step)


def test_a_broken_promise_of_order_names_both_times() -> None:
    operator, twin = Scotty(Settings(in_order=True)), Scotty(Settings(in_order=True))
    for one in (operator, twin):
        one.add(Query("q", tumbling(5), WORDS))
        one.step([Event(7, Letter(1, 1))])
    with pytest.raises(InvalidInputError, match="declared in order, but time 8 follows 9"):
        operator.step([Event(9, Letter(1, 2)), Event(8, Letter(1, 3))])
    with pytest.raises(InvalidInputError, match="declared in order, but time 6 follows 7"):
        operator.step([Event(6, Letter(1, 2))])
    step = Step((Event(9, Letter(1, 4)), Event(12, Letter(1, 5))))
    assert operator.take(step) == twin.take(step)


LENIENT = Settings(10, dialect=Dialect(late_update="next_watermark"))


@pytest.mark.parametrize("settings", [Settings(10), LENIENT], ids=["at once", "held back"])
@pytest.mark.parametrize(
    "window", [Rolling(5), Punctuation(), Delta(1), tumbling(9, measure=Measure("km", falling))]
)
def test_a_step_that_fails_takes_nothing_away_from_those_before(
    window: WindowType, settings: Settings
) -> None:
    operator, twin = Scotty(settings), SpecificationOperator(settings)
    for one in (operator, twin):
        one.add(Query("q", window, of(refusing)))
        one.step([Event(0, 1)], 4)
        one.step([Event(9, 2)])  # ahead of the watermark: it can wait
    with pytest.raises(MuntinError):
        operator.step([Event(4, 4), Event(7, 8), Event(8, BAD)])
    for step in (Step((Event(8, 30),)), Step((), 12), Step((Event(20, 0),), 40), Step((), END)):
        assert operator.take(step) == twin.take(step)


NO_QUERIES: list[tuple[Query, str]] = [
    (3, "what is asked is a Query, not 3"),  # type: ignore[list-item]  # pyright: ignore[reportAssignmentType]  # the point
    (Query("q", None, WORDS), "query 'q': its window must be a WindowType, not None"),  # type: ignore[arg-type]  # the point
    (Query("q", tumbling(3), 5), "query 'q': its aggregate must be an Aggregate, not 5"),  # type: ignore[arg-type]  # the point
    (Query(5, tumbling(3), WORDS), "query 5: its name must be a text, not 5"),  # type: ignore[arg-type]  # the point
]


@pytest.mark.parametrize(("query", "said"), NO_QUERIES)
@pytest.mark.parametrize("build", [Scotty, partial(InOrderSlicer, CUTTY_LAZY)])
def test_a_query_that_is_none_is_refused(
    build: Callable[[Settings], Operator], query: Query, said: str
) -> None:
    with pytest.raises(InvalidInputError, match=said):
        build(Settings(in_order=True)).add(query)


def test_queries_that_conflict_are_refused_by_name() -> None:
    operator = Scotty()
    operator.add(Query("q", tumbling(5), WORDS))
    with pytest.raises(InvalidInputError, match="there is a query 'q' already; remove it first"):
        operator.add(Query("q", Session(5), WORDS))
    with pytest.raises(InvalidInputError, match="there is no query 'r' to remove"):
        operator.remove("r")
    assert operator.explain().count("query ") == 1
